// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The tables of the pages agree with the sources for the named configurations.
// rtl/configs.json may have others, for which nothing is published.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/latency.h"
#include "sim/lockstep/bounds.h"

namespace muster::lockstep {
namespace {

using Table = std::map<std::string, std::vector<std::string>>;  // the first cell, and the others

std::string Trimmed(const std::string& cell) {
  const std::size_t first = cell.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : cell.substr(first, cell.find_last_not_of(' ') - first + 1);
}

// The first table after the line that begins so, without its heading.
Table TableAfter(const std::string& path, const std::string& begin) {
  std::ifstream readme(path);
  std::string line;
  while (std::getline(readme, line) && line.rfind(begin, 0) != 0) {
  }
  while (std::getline(readme, line) && line.rfind("|-", 0) != 0) {
  }
  Table table;
  while (std::getline(readme, line) && line.rfind('|', 0) == 0) {
    std::istringstream cells(line.substr(1));
    std::string name;
    std::getline(cells, name, '|');
    for (std::string cell; std::getline(cells, cell, '|');) {
      table[Trimmed(name)].push_back(Trimmed(cell));
    }
  }
  return table;
}

Table NamedConfigurations() { return TableAfter(RTL_README, "Values out of range stop"); }

// A row for each named configuration, that begins with these numbers.
template <typename Bounds>
void ExpectPublished(const Table& table, Bounds bounds_of) {
  for (const auto& [name, cells] : NamedConfigurations()) {
    ASSERT_NE(FindConfig(name), nullptr) << name;
    ASSERT_NE(table.find(name), table.end()) << name;
    std::vector<std::uint64_t> published;
    for (const std::string& cell : table.at(name)) {
      published.push_back(std::stoull(cell));
    }
    const auto bounds = bounds_of(*FindConfig(name));
    EXPECT_EQ(published, std::vector<std::uint64_t>(bounds.begin(), bounds.end())) << name;
  }
}

TEST(Published, Configurations) {
  const Table table = NamedConfigurations();
  EXPECT_EQ(table.size(), 5U);
  for (const auto& [name, cells] : table) {
    const Config* config = FindConfig(name);
    ASSERT_NE(config, nullptr) << name;
    ASSERT_EQ(cells.size(), 5U) << name;
    EXPECT_EQ(std::stoul(cells[0]), config->num_warps) << name;
    EXPECT_EQ(std::stoul(cells[1]), config->num_ctas) << name;
    EXPECT_EQ(std::stoul(cells[2]), config->num_issue) << name;
    const bool all = config->reduce && config->state && config->faults && config->drain &&
                     config->lanes && config->join && config->mbarrier && config->mb_limit;
    EXPECT_EQ(cells[3] == "all", all && config->report) << name;
    EXPECT_EQ(cells[3] == "all but `EnReport`", all && !config->report) << name;
  }
}

TEST(Published, WaitsAtNamedBarriers) {
  ExpectPublished(TableAfter(FIGURES, "### Bounds at named barriers"),
                  [](const Config& config) { return BoundsOf(config).longest; });
}

TEST(Published, WaitsAtMbarriers) {
  ExpectPublished(TableAfter(FIGURES, "### Bounds at mbarriers"),
                  [](const Config& config) { return BoundsOf(config).mb_longest; });
}

// The number in a cell that may be set in bold type.
unsigned NumberIn(const std::string& cell) {
  return static_cast<unsigned>(std::stoul(cell.substr(cell.find_first_not_of('*'))));
}

TEST(Published, LatenciesOfNamedBarriers) {
  const Table table = TableAfter(RTL_README, "## Latency");
  const Table lifecycle = TableAfter(RTL_README, "Lifecycle and exit, from valid to commit");
  for (const auto& [name, cells] : NamedConfigurations()) {
    const Config& config = *FindConfig(name);
    const Latency latency = LatencyOf(config);
    const bool least = name == "vortex_like";
    const unsigned column = least ? 0 : config.num_issue == 1 ? 1 : 2;
    const auto row = [&](const char* row) { return NumberIn(table.at(row).at(column)); };
    EXPECT_EQ(latency.issue, row("acceptance to commit, nothing else in the way")) << name;
    EXPECT_EQ(latency.r2b, latency.issue + 3) << name;  // "three more cycles for R2B"
    EXPECT_EQ(latency.effect, row("**commit to release, fault and `entry_valid`: always**"))
        << name;
    if (config.reduce) {
      EXPECT_EQ(latency.response, row("commit to `response_valid_o`, queue empty")) << name;
    }
    const auto life = [&](const char* row) { return lifecycle.at(row).at(column); };
    const std::string launch = life("launch");
    ASSERT_EQ(launch.rfind("2 s + ", 0), 0U) << launch;
    const unsigned s = std::max(16U, config.num_warps);
    EXPECT_EQ(latency.launch, 2 * s + NumberIn(launch.substr(6))) << name;
    EXPECT_EQ(latency.exit, NumberIn(life("exit"))) << name;
    EXPECT_EQ(latency.leave, NumberIn(life("suspend, end"))) << name;
    if (config.join) {
      EXPECT_EQ(latency.open, NumberIn(life("open, join"))) << name;
    }
  }
}

TEST(Published, LatenciesOfMbarriers) {
  const Table table = TableAfter(MBARRIER_README, "## Latency");
  const auto row = [&](const char* row) { return table.at(row).at(0); };
  ASSERT_EQ(row("acceptance to commit without contention: warps"), "6; 5 without `EnDrain`");
  ASSERT_EQ(row("limit passed to answer false, at most"), "`NumWarps` + 4");
  for (const auto& [name, cells] : NamedConfigurations()) {
    const Config& config = *FindConfig(name);
    const Latency latency = LatencyOf(config);
    EXPECT_EQ(latency.mb_issue, config.drain ? 6U : 5U) << name;
    EXPECT_EQ(latency.mb_expiry, config.num_warps + 4) << name;
    EXPECT_EQ(latency.mb_other, NumberIn(row("the same: copy engines, other CTAs"))) << name;
    EXPECT_EQ(latency.mb_wake,
              NumberIn(row("**commit that completes a phase to wake-up: always**")))
        << name;
    EXPECT_EQ(latency.mb_fault, NumberIn(row("commit to fault: always"))) << name;
    EXPECT_EQ(latency.mb_response, NumberIn(row("commit to response, queue empty"))) << name;
  }
}

}  // namespace
}  // namespace muster::lockstep
