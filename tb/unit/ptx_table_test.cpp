// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The table of instructions, against the front end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"

namespace muster::ptx {
namespace {

struct Row {
  std::string name;
  std::string word;
  std::string sample;
};

// The cells of a line of a table, without backticks.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|' && line[i - 1] != '\\') {
      cells.emplace_back();
    } else if (line[i] != '`' && !(line[i] == '\\' && line[i + 1] == '|')) {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) {
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
  }
  return cells;
}

std::vector<Row> Table() {
  std::ifstream page(MUSTER_INSTRUCTIONS);
  std::vector<Row> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| `", 0) == 0) {
      const std::vector<std::string> cells = Cells(line);
      rows.push_back({cells.at(0), cells.at(1), cells.at(2)});
    }
  }
  return rows;
}

struct Taken {
  bool accepted = false;
  bool opaque = false;  // some of its results are unknown
  std::string why;
};
// The sample alone in a kernel, for targets that have tcgen05, wgmma, and kinds of mma.
Taken Take(const std::string& sample) {
  Taken taken;
  for (const char* const target : {"100a", "103a", "90a", "120a"}) {
    const std::string text = fmt::format(R"(.version 8.8
.target sm_{}
.address_size 64
.func callee() {{ ret; }}
.visible .entry k() {{
  .reg .pred %p<4>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>;
  .reg .b128 %q<4>; .reg .f64 %g<4>; .shared .align 16 .b8 s[64];
  {}
}})",
                                         target, sample);
    try {
      const Program program = Link(*Parse("f.ptx", text), "k");
      taken.accepted = true;
      taken.opaque = taken.opaque || !program.opaque.empty();
    } catch (const InputError& error) {
      taken.why = error.what();
    }
  }
  return taken;
}

TEST(PtxTable, RowsAreAsTheFrontEndHasThem) {
  const std::vector<Row> table = Table();
  EXPECT_GT(table.size(), 200U);
  for (const Row& row : table) {
    const Taken taken = Take(row.sample);
    if (row.word == "refused") {
      EXPECT_FALSE(taken.accepted) << row.name;
      continue;
    }
    EXPECT_TRUE(taken.accepted) << row.name << ": " << taken.why;
    if (row.word == "opaque") {
      // What goes to tensor memory is in no register.
      EXPECT_TRUE(taken.opaque || row.name.rfind("tcgen05.", 0) == 0) << row.name;
    } else {
      EXPECT_TRUE(row.word == "exact" || row.word == "computed") << row.name << ": " << row.word;
      // Of products of tensor cores that may be opaque, descriptors say which are.
      EXPECT_TRUE(!taken.opaque || row.name.rfind("tcgen05.mma", 0) == 0) << row.name;
    }
    // The sample is of that instruction.
    const std::string first = row.name.substr(0, row.name.find_first_of(". ("));
    EXPECT_NE(row.sample.find(first == "{}" ? "{" : first), std::string::npos) << row.name;
  }
}

TEST(PtxTable, HasTheNamesOfTheText) {
  std::ifstream list(MUSTER_INSTRUCTION_NAMES);
  std::vector<std::string> names;
  for (std::string line; std::getline(list, line);) {
    if (!line.empty() && line[0] != '#') {
      names.push_back(line);
    }
  }
  std::vector<std::string> rows;
  for (const Row& row : Table()) {
    rows.push_back(row.name);
  }
  EXPECT_EQ(rows, names);
}

}  // namespace
}  // namespace muster::ptx
