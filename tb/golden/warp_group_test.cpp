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

// (.2) "wait until all threads corresponding to membermask have executed"
TEST(GoldenWarpGroup, AllMembersInOneRequestDoNotWait) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0xffffffff -> answers 0xffffffff
    groups 0 ->
    0: bar.warp.sync 0xff lanes=0xff -> answers 0xff
    0: bar.warp.sync 0x80000000 lanes=0x80000000 -> answers 0x80000000
    0: shfl.sync.idx 0xf0 lanes=0xf0 -> answers 0xf0
    0: elect.sync 0xf0 lanes=0xf0 -> answers 0xf0 with 0x4
    0: vote.sync.all 0x3 lanes=0x3 p=0x3 -> answers 0x3 with true
    0: match.all.sync.b32 0x3 lanes=0x3 v=7 -> answers 0x3 with 0x3 true
    0: redux.sync.add.u32 0x7 lanes=0x7 v=1,2,3 -> answers 0x7 with 0x6
    groups 0 ->
  )");
}

TEST(GoldenWarpGroup, LanesThatComeApartWaitForTheLast) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0xf lanes=0x2
    groups 0 -> bar.warp.sync 0xf waits 0x2
    0: bar.warp.sync 0xf lanes=0x8
    0: bar.warp.sync 0xf lanes=0x1
    groups 0 -> bar.warp.sync 0xf waits 0xb
    0: bar.warp.sync 0xf lanes=0x4 -> answers 0xf
    groups 0 ->
    0: shfl.sync.bfly 0xffffffff lanes=0x7fffffff
    0: shfl.sync.bfly 0xffffffff lanes=0x80000000 -> answers 0xffffffff
    0: elect.sync 0x30 lanes=0x20
    0: elect.sync 0x30 lanes=0x10 -> answers 0x30 with 0x4
  )");
}

// The predicates and values of those that came first are kept.
TEST(GoldenWarpGroup, WhatLanesBringIsKept) {
  RunWarpTrace(R"(
    0: vote.sync.ballot 0x1f lanes=0x12 p=0x10
    groups 0 -> vote.sync.ballot 0x1f waits 0x12 p=0x10
    0: vote.sync.ballot 0x1f lanes=0x4 p=0x4
    0: vote.sync.ballot 0x1f lanes=0x9 p=0x1 -> answers 0x1f with 0x15
    0: match.any.sync.b64 0xf lanes=0x1 v=0x100000007
    0: match.any.sync.b64 0xf lanes=0x6 v=7,0x100000007
    0: match.any.sync.b64 0xf lanes=0x8 v=7 \
       -> answers 0x5 with 0x5 answers 0xa with 0xa
    0: redux.sync.add.u32 0xf lanes=0x3 v=1000,200
    0: redux.sync.add.u32 0xf lanes=0xc v=30,4 -> answers 0xf with 0x4d2
  )");
}

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

TEST(GoldenWarpGroup, DisjointGroupsAreOpenAtOnce) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0xc lanes=0x8
    0: bar.warp.sync 0x3 lanes=0x1
    0: bar.warp.sync 0xf0 lanes=0x60
    0: vote.sync.all 0xffff0000 lanes=0x10000 p=0x10000
    groups 0 -> bar.warp.sync 0x3 waits 0x1, bar.warp.sync 0xc waits 0x8, \
                bar.warp.sync 0xf0 waits 0x60, vote.sync.all 0xffff0000 waits 0x10000 p=0x10000
    0: bar.warp.sync 0x100 lanes=0x100 -> answers 0x100
    0: bar.warp.sync 0xf0 lanes=0x90 -> answers 0xf0
    0: vote.sync.all 0xffff0000 lanes=0xfffe0000 p=0xfffe0000 -> answers 0xffff0000 with true
    0: bar.warp.sync 0x3 lanes=0x2 -> answers 0x3
    0: bar.warp.sync 0xc lanes=0x4 -> answers 0xc
    groups 0 ->
  )");
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

// A member may take part in another group first: the text asks only that it executes the
// instruction at some time.
TEST(GoldenWarpGroup, MemberTakesPartElsewhereFirst) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x7 lanes=0x1
    0: bar.warp.sync 0x6 lanes=0x6 -> answers 0x6
    0: vote.sync.any 0x7e lanes=0x4 p=0x4
    groups 0 -> bar.warp.sync 0x7 waits 0x1, vote.sync.any 0x7e waits 0x4 p=0x4
    0: vote.sync.any 0x7e lanes=0x7a -> answers 0x7e with true
    0: bar.warp.sync 0x7 lanes=0x6 -> answers 0x7
  )");
}

TEST(GoldenWarpGroup, ChainEndsFromItsEnd) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x3 lanes=0x1
    0: bar.warp.sync 0x6 lanes=0x2
    0: bar.warp.sync 0xc lanes=0x4
    groups 0 -> bar.warp.sync 0x3 waits 0x1, bar.warp.sync 0x6 waits 0x2, \
                bar.warp.sync 0xc waits 0x4
    0: bar.warp.sync 0xc lanes=0x8 -> answers 0xc
    0: bar.warp.sync 0x6 lanes=0x4 -> answers 0x6
    0: bar.warp.sync 0x3 lanes=0x2 -> answers 0x3
  )");
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

// One mask within the other, in both orders.
TEST(GoldenWarpGroup, MasksWithLanesInCommon) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0xff lanes=0xf
    0: bar.warp.sync 0xf0 lanes=0x30
    0: bar.warp.sync 0xf0 lanes=0xc0 -> answers 0xf0
    0: bar.warp.sync 0xff lanes=0xf0 -> answers 0xff
    0: bar.warp.sync 0xf0 lanes=0x30
    0: bar.warp.sync 0xff lanes=0xf
    0: bar.warp.sync 0xf0 lanes=0xc0 -> answers 0xf0
    0: bar.warp.sync 0xff lanes=0x30
    0: bar.warp.sync 0xff lanes=0xc0 -> answers 0xff
  )");
}

// The same instruction over and over; lanes of the next phase come while no one waits any more.
TEST(GoldenWarpGroup, PhasesBackToBack) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x3 lanes=0x1
    0: bar.warp.sync 0x3 lanes=0x2 -> answers 0x3
    0: bar.warp.sync 0x3 lanes=0x2
    0: bar.warp.sync 0x3 lanes=0x1 -> answers 0x3
    0: bar.warp.sync 0x3 lanes=0x3 -> answers 0x3
    0: vote.sync.ballot 0x3 lanes=0x1 p=0x1
    0: vote.sync.ballot 0x3 lanes=0x2 -> answers 0x3 with 0x1
    0: vote.sync.ballot 0x3 lanes=0x1
    0: vote.sync.ballot 0x3 lanes=0x2 p=0x2 -> answers 0x3 with 0x2
    0: redux.sync.max.u32 0x3 lanes=0x1 v=9
    0: redux.sync.max.u32 0x3 lanes=0x2 v=4 -> answers 0x3 with 0x9
    0: redux.sync.max.u32 0x3 lanes=0x2 v=5
    0: redux.sync.max.u32 0x3 lanes=0x1 v=3 -> answers 0x3 with 0x5
  )");
}

TEST(GoldenWarpGroup, WarpsHaveGroupsOfTheirOwn) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x3 lanes=0x1
    1: bar.warp.sync 0x3 lanes=0x2
    1.7: bar.warp.sync 0x3 lanes=0x1
    groups 0 -> bar.warp.sync 0x3 waits 0x1
    groups 1 -> bar.warp.sync 0x3 waits 0x2
    7: bar.warp.sync 0x3 lanes=0x2 -> answers 0x3
    0: bar.warp.sync 0x3 lanes=0x2 -> answers 0x3
    1: vote.sync.all 0x4 lanes=0x4 -> answers 0x4 with false
    1: bar.warp.sync 0x3 lanes=0x1 -> answers 0x3
  )");
}

// Members that are not live are not waited for, if they have exited before the group opens.
TEST(GoldenWarpGroup, OnlyLiveMembersAreWaitedFor) {
  RunWarpTrace(R"(
    live 0: 0xfffffff5
    0: bar.warp.sync 0xf lanes=0x5 -> answers 0x5
    0: vote.sync.all 0xffffffff lanes=0xf5 p=0xf5
    0: vote.sync.all 0xffffffff lanes=0xffffff00 p=0xffffff00 -> answers 0xfffffff5 with true
    0: elect.sync 0x3 lanes=0x1 -> answers 0x1 with 0x0
    0: redux.sync.add.s32 0xb lanes=0x1 v=0x80000000 -> answers 0x1 with 0x80000000
  )");
}

TEST(GoldenWarpGroup, RequestWithoutLanesIsNone) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x0 lanes=0x0
    0: bar.warp.sync 0x3 lanes=0x0
    0: barrier.sync 1 lanes=0x0
    0: exit lanes=0x0
    0: bar.warp.sync 0x3 lanes=0x1
    0: bar.warp.sync 0x7 lanes=0x0
    0: exit lanes=0x0
    0: read 0 lanes=0x0
    0: write bar.warp.sync 0x6 lanes=0x0
    groups 0 -> bar.warp.sync 0x3 waits 0x1
  )");
}

// "Another warp takes the slot, or the warp is suspended."
TEST(GoldenWarpGroup, ClearEndsAllGroupsOfTheWarp) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x3 lanes=0x1
    0: barrier.sync 1 lanes=0xf0
    1: bar.warp.sync 0x3 lanes=0x1
    clear 0
    groups 0 ->
    groups 1 -> bar.warp.sync 0x3 waits 0x1
    0: bar.warp.sync 0x3 lanes=0x2
    0: bar.warp.sync 0x3 lanes=0x1 -> answers 0x3
    0: barrier.sync 2 -> arrives 0xffffffff at barrier.sync 2
    1: bar.warp.sync 0x3 lanes=0x2 -> answers 0x3
  )");
}

}  // namespace
}  // namespace muster::golden
