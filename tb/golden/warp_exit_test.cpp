// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Exits of lanes for which others wait: "all non-exited threads corresponding to membermask" (PTX
// ISA 9.7.13.9, .10, .12), "all non-exited threads from its warp" (.1, .3).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tb/golden/warp_trace.h"

namespace muster::golden {
namespace {

TEST(GoldenWarpExit, LastMissingMemberCompletes) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x7 lanes=0x1
    0: bar.warp.sync 0x7 lanes=0x4
    0: exit lanes=0x2 -> bar.warp.sync answers 0x5
    groups 0 ->
    0: bar.warp.sync 0x7 lanes=0x1
    0: bar.warp.sync 0x7 lanes=0x4 -> answers 0x5
  )");
}

// An exit before the group opens, while it is open, and of several members at once.
TEST(GoldenWarpExit, AtEachStep) {
  RunWarpTrace(R"(
    0: exit lanes=0x80
    0: vote.sync.ballot 0xff lanes=0x3 p=0x2
    0: exit lanes=0x40
    0: vote.sync.ballot 0xff lanes=0x4 p=0x4
    0: exit lanes=0x20
    groups 0 -> vote.sync.ballot 0xff waits 0x7 p=0x6
    0: vote.sync.ballot 0xff lanes=0x8 p=0x8
    0: exit lanes=0x10 -> vote.sync.ballot answers 0xf with 0xe
    0: vote.sync.ballot 0xff lanes=0x1 p=0x1
    0: exit lanes=0xfffff00e -> vote.sync.ballot answers 0x1 with 0x1
    0: vote.sync.ballot 0xff lanes=0x1 -> answers 0x1 with 0x0
    0: exit lanes=0x1
  )");
}

// The results are those of the lanes that have come.
TEST(GoldenWarpExit, ResultsAreOfThoseThatCame) {
  constexpr std::array kRows = {
      std::array{"bar.warp.sync", "bar.warp.sync answers 0xa"},
      std::array{"shfl.sync.idx", "shfl.sync answers 0xa"},
      std::array{"elect.sync", "elect.sync answers 0xa with 0x1"},
      std::array{"vote.sync.all", "vote.sync.all answers 0xa with true"},
      std::array{"vote.sync.any", "vote.sync.any answers 0xa with true"},
      std::array{"vote.sync.uni", "vote.sync.uni answers 0xa with true"},
      std::array{"vote.sync.ballot", "vote.sync.ballot answers 0xa with 0xa"},
      std::array{"match.any.sync.b32",
                 "match.any.sync answers 0x2 with 0x2 match.any.sync answers 0x8 with 0x8"},
      std::array{"match.all.sync.b64", "match.all.sync answers 0xa with 0x0 false"},
      std::array{"redux.sync.add.u32", "redux.sync.add answers 0xa with 0xfffffffe"},
      std::array{"redux.sync.min.s32", "redux.sync.min answers 0xa with 0xfffffff9"},
      std::array{"redux.sync.max.f32", "redux.sync.max answers 0xa with 0x5"},
      std::array{"redux.sync.min.NaN.f32", "redux.sync.min answers 0xa with 0x7fffffff"},
      std::array{"redux.sync.and.b32", "redux.sync.and answers 0xa with 0x1"},
      std::array{"redux.sync.or.b32", "redux.sync.or answers 0xa with 0xfffffffd"},
      std::array{"redux.sync.xor.b32", "redux.sync.xor answers 0xa with 0xfffffffc"}};
  for (const auto& [operation, outcome] : kRows) {
    const bool is_vote = std::string(operation).rfind("vote", 0) == 0;
    RunWarpTrace(
        fmt::format("0: {0} 0xe lanes=0x8 p={2} v=0xfffffff9\n"
                    "0: {0} 0xe lanes=0x2 p={3} v=5\n"
                    "0: exit lanes=0x4 -> {1}\n",
                    operation, outcome, is_vote ? 8 : 0, is_vote ? 2 : 0));
  }
}

// Several groups wait for one lane.
TEST(GoldenWarpExit, GroupsInTheOrderOfTheirLowestLanes) {
  RunWarpTrace(R"(
    0: redux.sync.add.u32 0x10f00 lanes=0xf00 v=1,2,3,4
    0: bar.warp.sync 0x10003 lanes=0x2
    0: vote.sync.all 0x1000c lanes=0xc p=0xc
    0: match.any.sync.b32 0x100f0 lanes=0xf0 v=1,2,1,2
    0: bar.warp.sync 0x10003 lanes=0x1
    0: elect.sync 0x33000 lanes=0x3000
    groups 0 -> bar.warp.sync 0x10003 waits 0x3, vote.sync.all 0x1000c waits 0xc p=0xc, \
                match.any.sync.b32 0x100f0 waits 0xf0, redux.sync.add.u32 0x10f00 waits 0xf00, \
                elect.sync 0x33000 waits 0x3000
    0: exit lanes=0x10000 \
       -> bar.warp.sync answers 0x3 vote.sync.all answers 0xc with true \
          match.any.sync answers 0x50 with 0x50 match.any.sync answers 0xa0 with 0xa0 \
          redux.sync.add answers 0xf00 with 0xa
    groups 0 -> elect.sync 0x33000 waits 0x3000
    0: exit lanes=0xfffe0000 -> elect.sync answers 0x3000 with 0xc
  )");
}

// Of groups that lack another live member, none completes.
TEST(GoldenWarpExit, OthersGoOnWaiting) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x7 lanes=0x1
    0: exit lanes=0xffffff00
    0: exit lanes=0x4
    groups 0 -> bar.warp.sync 0x7 waits 0x1
    0: bar.warp.sync 0xf8 lanes=0x8
    0: exit lanes=0x2 -> bar.warp.sync answers 0x1
    groups 0 -> bar.warp.sync 0xf8 waits 0x8
    0: exit lanes=0xe0
    0: bar.warp.sync 0xf8 lanes=0x10 -> answers 0x18
  )");
}

TEST(GoldenWarpExit, OfAnotherWarpDoesNot) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x3 lanes=0x1
    1: bar.warp.sync 0x3 lanes=0x1
    1: exit lanes=0x2 -> bar.warp.sync answers 0x1
    groups 0 -> bar.warp.sync 0x3 waits 0x1
    0: barrier.sync 1 lanes=0xfffffff0
    2: exit lanes=0xf
    groups 0 -> bar.warp.sync 0x3 waits 0x1, barrier.sync 1 waits 0xfffffff0
  )");
}

TEST(GoldenWarpExit, CompletesAGather) {
  RunWarpTrace(R"(
    0: barrier.sync 1,64 lanes=0xffff
    0: exit lanes=0xff000000
    0: exit lanes=0xff0000 -> arrives 0xffff at barrier.sync 1,64
    groups 0 ->
    0: barrier.red.popc 1 lanes=0x1 p=0x1
    1.0: exit lanes=0xfffe -> arrives 0x1 at barrier.red.popc 1 p=0x1
    0: exit lanes=0x1
  )");
}

TEST(GoldenWarpExit, CompletesAGatherAtACluster) {
  RunWarpTrace(R"(
    0: barrier.cluster.arrive lanes=0xff00 p=0x100
    0: exit lanes=0x7fff0000
    0: exit lanes=0x800000ff -> arrives 0xff00 at barrier.cluster.arrive p=0x100
    0: barrier.cluster.wait lanes=0xf00
    0: exit lanes=0xf000 -> arrives 0xf00 at barrier.cluster.wait
  )");
}

// A collective that an exit completes lets lanes go on for which the gather still waits.
TEST(GoldenWarpExit, GatherWaitsForLanesThatAreAnswered) {
  RunWarpTrace(R"(
    live 0: 0xff
    0: bar.warp.sync 0x83 lanes=0x3
    0: barrier.sync 1 lanes=0x7c
    0: exit lanes=0x80 -> bar.warp.sync answers 0x3
    groups 0 -> barrier.sync 1 waits 0x7c
    0: exit lanes=0x2
    0: exit lanes=0x1 -> arrives 0x7c at barrier.sync 1
  )");
}

TEST(GoldenWarpExit, WithoutWaitingLanesDoesNothing) {
  RunWarpTrace(R"(
    0: exit lanes=0x1
    0: exit lanes=0xfffffffe
    groups 0 ->
  )");
}

}  // namespace
}  // namespace muster::golden
