// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the analysis says of single runs of the pairs of sim/kernels/explore, kind by kind: of a
// wrong kernel what kinds.json has, whatever other kinds show the same bug, and of the mended one
// nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/explore/explorer.h"
#include "sim/isa/config.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"

namespace muster::explore {
namespace {

nlohmann::json Expected() {
  std::ifstream file(MUSTER_ROOT "/tb/explore/kinds.json");
  return nlohmann::json::parse(file);
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  const nlohmann::json expected = Expected();
  for (const auto& [name, rows] : expected.items()) {
    names.push_back(name);
  }
  return names;
}

struct Told {
  Suspicion what;
  std::array<std::uint32_t, 2> lines{};  // in ascending order
  std::uint32_t idle = 0;                // the line of the wait that was over at once
};

// What 24 runs say of a kernel, and an order or two for each suspicion.
std::vector<Told> TellOf(const std::string& path) {
  const ptx::Manifest manifest = ptx::ReadManifest(path);
  const Config& config = *FindConfig(manifest.config);
  const ptx::Session session(manifest, config, manifest.seed);
  ExplorerOptions options;
  options.bound = 0;
  options.attempts = 2;
  const Explored explored =
      Explorer(
          [&] {
            return std::make_unique<World>(config, session.program(), session.launch(),
                                           session.memory());
          },
          options, [](const World&) { return std::vector<BadEnd>(); })
          .Run();
  std::vector<Told> told;
  const auto add = [&](const Suspicion& what) {
    const auto line = [&](std::uint32_t pc) { return session.program().code[pc].line; };
    const auto [low, high] = std::minmax({line(what.first.at.pc), line(what.second.at.pc)});
    told.push_back({what, {low, high}, what.idle_wait ? line(what.idle_wait->pc) : 0});
  };
  for (const Finding& finding : explored.findings) {
    add(finding.what);
  }
  for (const Unconfirmed& suspicion : explored.suspicions) {
    add(suspicion.what);
  }
  for (const Suspicion& note : explored.lints) {
    add(note);
  }
  return told;
}

std::string TextOf(const std::vector<Told>& told) {
  std::string text;
  for (const Told& one : told) {
    text += fmt::format("{} {} {}{}{}: {}\n", Name(one.what.kind), one.lines[0], one.lines[1],
                        one.what.of_memory_model ? ", by the run itself" : "",
                        one.idle == 0 ? "" : fmt::format(", idle {}", one.idle), one.what.why);
  }
  return text;
}

class Kinds : public testing::TestWithParam<std::string> {};

TEST_P(Kinds, AreTold) {
  const std::vector<Told> told =
      TellOf(MUSTER_ROOT "/sim/kernels/explore/" + GetParam() + "/wrong.json");
  const nlohmann::json expected = Expected().at(GetParam());
  EXPECT_EQ(told.size(), expected.size()) << TextOf(told);
  for (const nlohmann::json& row : expected) {
    const bool is_told = std::any_of(told.begin(), told.end(), [&](const Told& one) {
      const bool by_model = one.what.of_memory_model && !IsNote(one.what.kind);
      return Name(one.what.kind) == row.at("kind") && one.lines == row.at("lines") &&
             by_model == row.value("model", false) && one.idle == row.value("idle", 0U) &&
             one.what.why.find(row.value("why", "")) != std::string::npos;
    });
    EXPECT_TRUE(is_told) << row << " is not told, but\n" << TextOf(told);
  }
}

TEST_P(Kinds, AreNotToldOfTheMendedKernel) {
  std::vector<Told> told = TellOf(MUSTER_MENDED "/" + GetParam() + "/mended.json");
  told.erase(std::remove_if(told.begin(), told.end(),
                            [](const Told& one) { return IsNote(one.what.kind); }),
             told.end());
  EXPECT_TRUE(told.empty()) << TextOf(told);
}

INSTANTIATE_TEST_SUITE_P(All, Kinds, testing::ValuesIn(Names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace muster::explore
