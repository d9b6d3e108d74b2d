// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Lanes of a warp that wait for each other: who waits for whom, and for how long. Numbers in
// comments are subsections of PTX ISA 9.7.13.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "tb/golden/warp_trace.h"

namespace muster::golden {
namespace {

// Whatever the order, the results are the same.
TEST(GoldenWarpGroup, FourLanesInEveryOrder) {
  std::array<unsigned, 4> order = {0, 1, 2, 3};
  const std::array<unsigned, 4> values = {6, 5, 6, 9};
  do {
    std::string text;
    for (const auto& [operation, preds, answer] :
         {std::tuple{"bar.warp.sync", 0x0U, "answers 0xf"},
          std::tuple{"elect.sync", 0x0U, "answers 0xf with 0x0"},
          std::tuple{"vote.sync.ballot", 0xaU, "answers 0xf with 0xa"},
          std::tuple{"vote.sync.all", 0xeU, "answers 0xf with false"},
          std::tuple{"match.any.sync.b32", 0x0U,
                     "answers 0x5 with 0x5 answers 0x2 with 0x2 answers 0x8 with 0x8"},
          std::tuple{"redux.sync.min.u32", 0x0U, "answers 0xf with 0x5"},
          std::tuple{"redux.sync.xor.b32", 0x0U, "answers 0xf with 0xc"}}) {
      for (unsigned i = 0; i < order.size(); ++i) {
        const unsigned lane = order.at(i);
        text += fmt::format("0: {} 0xf lanes={:#x} v={} p={:#x}", operation, 1U << lane,
                            values.at(lane), preds & 1U << lane);
        text += i + 1 == order.size() ? fmt::format(" -> {}\n", answer) : "\n";
      }
    }
    RunWarpTrace(text);
  } while (std::next_permutation(order.begin(), order.end()));
}

// (.9) "with the same qualifiers": lanes with other ones form another group, whose members may
// still come to this one.
TEST(GoldenWarpGroup, QualifiersTellGroupsApart) {
  RunWarpTrace(R"(
    0: shfl.sync.up 0x11 lanes=0x1
    0: shfl.sync.down 0x22 lanes=0x2
    0: shfl.sync.bfly 0x44 lanes=0x4
    0: shfl.sync.idx 0x88 lanes=0x8
    groups 0 -> shfl.sync.up 0x11 waits 0x1, shfl.sync.down 0x22 waits 0x2, \
                shfl.sync.bfly 0x44 waits 0x4, shfl.sync.idx 0x88 waits 0x8
    0: shfl.sync.idx 0x88 lanes=0x80 -> answers 0x88
    0: shfl.sync.up 0x11 lanes=0x10 -> answers 0x11
    0: shfl.sync.bfly 0x44 lanes=0x40 -> answers 0x44
    0: shfl.sync.down 0x22 lanes=0x20 -> answers 0x22
  )");
  // With the same mask the two parts would wait for each other.
  const std::array<const char*, 26> operations = {
      "bar.warp.sync",          "shfl.sync.up",
      "shfl.sync.down",         "shfl.sync.bfly",
      "shfl.sync.idx",          "elect.sync",
      "vote.sync.all",          "vote.sync.any",
      "vote.sync.uni",          "vote.sync.ballot",
      "match.any.sync.b32",     "match.any.sync.b64",
      "match.all.sync.b32",     "match.all.sync.b64",
      "redux.sync.add.u32",     "redux.sync.add.s32",
      "redux.sync.min.u32",     "redux.sync.min.s32",
      "redux.sync.min.f32",     "redux.sync.min.abs.f32",
      "redux.sync.min.NaN.f32", "redux.sync.min.abs.NaN.f32",
      "redux.sync.max.f32",     "redux.sync.and.b32",
      "redux.sync.or.b32",      "redux.sync.xor.b32"};
  for (const char* first : operations) {
    for (const char* second : operations) {
      if (first != second) {
        RunWarpTrace(
            fmt::format("0: {} 0x3 lanes=0x1\n"
                        "0: {} 0x3 lanes=0x2 -> fault mask_mismatch\n",
                        first, second));
      }
    }
  }
}

// Sixteen groups of two, completed in the reverse order.
TEST(GoldenWarpGroup, SixteenPairs) {
  std::string text;
  for (unsigned pair = 0; pair < 16; ++pair) {
    text += fmt::format("0: bar.warp.sync {:#x} lanes={:#x}\n", 0x10001U << pair, 1U << pair);
  }
  for (unsigned pair = 16; pair-- > 0;) {
    text += fmt::format("0: bar.warp.sync {:#x} lanes={:#x} -> answers {:#x}\n", 0x10001U << pair,
                        0x10000U << pair, 0x10001U << pair);
  }
  RunWarpTrace(text);
}

// Each lane waits for the next one: the most groups that can be open and complete.
TEST(GoldenWarpGroup, ThirtyOneGroups) {
  std::string text;
  for (unsigned lane = 0; lane < 31; ++lane) {
    text +=
        fmt::format("0: vote.sync.ballot {0:#x} lanes={1:#x} p={1:#x}\n", 3U << lane, 1U << lane);
  }
  for (unsigned lane = 31; lane-- > 0;) {
    text += fmt::format("0: vote.sync.ballot {:#x} lanes={:#x} -> answers {:#x} with {:#x}\n",
                        3U << lane, 2U << lane, 3U << lane, 1U << lane);
  }
  RunWarpTrace(text);
}

}  // namespace
}  // namespace muster::golden
