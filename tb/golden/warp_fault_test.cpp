// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Misuse of the warp scope: what must not be presented; what is refused, and in which order causes
// are reported. Each refused line is checked to have changed nothing. Numbers in comments are
// subsections of PTX ISA 9.7.13.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <utility>

#include "sim/golden/warp_scope.h"
#include "sim/isa/warp_operation.h"
#include "tb/golden/warp_trace.h"

namespace muster::golden {
namespace {

// A lane that waits executes nothing, and does not exit.
TEST(GoldenWarpContract, LanesThatWaitExecuteNothing) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x7 lanes=0x3
    0: bar.warp.sync 0x7 lanes=0x1 -> must not be presented
    0: bar.warp.sync 0x7 lanes=0x6 -> must not be presented
    0: bar.warp.sync 0x7           -> must not be presented
    0: bar.warp.sync 0x6 lanes=0x1 -> must not be presented
    0: vote.sync.all 0x2 lanes=0x2 -> must not be presented
    0: shfl.sync.up 0x1 lanes=0x1  -> must not be presented
    0: barrier.sync 1 lanes=0x1    -> must not be presented
    0: barrier.sync 1              -> must not be presented
    0: exit lanes=0x2              -> must not be presented
    0: exit lanes=0x6              -> must not be presented
    0: exit                        -> must not be presented
    1: exit lanes=0x2
    0: bar.warp.sync 0x7 lanes=0x4 -> answers 0x7
    0: exit lanes=0x2
  )");
}

TEST(GoldenWarpContract, LanesAtAGatherExecuteNothing) {
  RunWarpTrace(R"(
    0: barrier.sync 1 lanes=0xff
    0: barrier.sync 1 lanes=0x1    -> must not be presented
    0: barrier.sync 2 lanes=0x180  -> must not be presented
    0: bar.warp.sync 0x3 lanes=0x1 -> must not be presented
    0: elect.sync 0x80 lanes=0x80  -> must not be presented
    0: exit lanes=0x10             -> must not be presented
    0: barrier.sync 1 lanes=0xffffff00 -> arrives 0xffffffff at barrier.sync 1
    0: barrier.sync 1 lanes=0x1
  )");
}

TEST(GoldenWarpContract, LanesThatHaveExitedExecuteNothing) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0xf lanes=0x1
    0: exit lanes=0x2
    0: bar.warp.sync 0xf lanes=0x2 -> must not be presented
    0: bar.warp.sync 0xf lanes=0x6 -> must not be presented
    0: barrier.sync 1 lanes=0x2    -> must not be presented
    live 0: 0xfffffffc             # a lane that waits has not exited
    0: bar.warp.sync 0xf lanes=0x4 -> must not be presented
    0: exit lanes=0x4              -> must not be presented
    live 0: 0xfffffffd
    0: bar.warp.sync 0xf lanes=0xc -> answers 0xd
  )");
  // Lanes that exit are not among those that are left.
  WarpScope scope(1);
  WarpRequest request;
  request.op = WarpOp::kExit;
  request.lanes = 0x3;
  request.live = 0xfffffffe;
  EXPECT_FALSE(scope.MayBePresented(request));
  request.live = 0xfffffffc;
  EXPECT_TRUE(scope.MayBePresented(request));
}

// Predicates are of lanes that execute a vote, barrier.red or barrier.cluster.arrive; others are 0.
TEST(GoldenWarpContract, PredicatesOfOtherLanes) {
  RunWarpTrace(R"(
    0: vote.sync.ballot 0x3 lanes=0x1 p=0x3    -> must not be presented
    0: vote.sync.ballot 0x3 lanes=0x1 p=0x2    -> must not be presented
    0: barrier.red.or 1 lanes=0x1 p=0x80000000 -> must not be presented
    0: barrier.sync 1 lanes=0x1 p=0x1          -> must not be presented
    0: barrier.arrive 1,64 lanes=0x1 p=0x1     -> must not be presented
    0: barrier.cluster.arrive lanes=0x1 p=0x3  -> must not be presented
    0: barrier.cluster.wait lanes=0x1 p=0x1    -> must not be presented
    0: bar.warp.sync 0x3 lanes=0x1 p=0x1       -> must not be presented
    0: elect.sync 0x3 lanes=0x1 p=0x1          -> must not be presented
    0: match.all.sync.b32 0x3 lanes=0x1 p=0x1  -> must not be presented
    0: redux.sync.or.b32 0x3 lanes=0x1 p=0x1   -> must not be presented
    0: exit lanes=0x1 p=0x1                    -> must not be presented
    groups 0 ->
  )");
}

// Exits and writes have no qualifiers of their own; the instruction of a write has eight bits.
TEST(GoldenWarpContract, ExitsAndWritesHaveNoQualifiers) {
  const WarpScope scope(1);
  for (const WarpOp op : {WarpOp::kExit, WarpOp::kWrite}) {
    WarpRequest request;
    request.op = op;
    request.lanes = 1;
    request.key = 3;
    EXPECT_TRUE(scope.MayBePresented(request)) << Name(op);
    request.mode = 1;
    EXPECT_FALSE(scope.MayBePresented(request)) << Name(op);
    request.mode = 0;
    request.abs = true;
    EXPECT_FALSE(scope.MayBePresented(request)) << Name(op);
    request.abs = false;
    request.nan = true;
    EXPECT_FALSE(scope.MayBePresented(request)) << Name(op);
    request.nan = false;
    request.live = 0x100;
    EXPECT_EQ(scope.MayBePresented(request), op == WarpOp::kExit) << Name(op);
  }
}

// Qualifiers that an instruction lacks, and keys that name no barrier.
TEST(GoldenWarpContract, InstructionsThatThereAreNot) {
  const WarpScope scope(1);
  WarpRequest request;
  request.lanes = 1;
  request.live = request.key = kAllLanes;
  const auto may_be = [&](WarpOp op, std::uint8_t mode, bool abs, bool nan) {
    request.op = op;
    request.mode = mode;
    request.abs = abs;
    request.nan = nan;
    return scope.MayBePresented(request);
  };
  const std::map<WarpOp, unsigned> modes = {{WarpOp::kShuffle, 4},  {WarpOp::kMatchAny, 2},
                                            {WarpOp::kMatchAll, 2}, {WarpOp::kReduxAdd, 2},
                                            {WarpOp::kReduxMin, 3}, {WarpOp::kReduxMax, 3}};
  for (unsigned code = 0; IsCollective(static_cast<WarpOp>(code)); ++code) {
    const auto op = static_cast<WarpOp>(code);
    for (std::uint8_t mode = 0; mode < 4; ++mode) {
      const bool is_there = mode < (modes.count(op) != 0 ? modes.at(op) : 1);
      const bool is_float = modes.count(op) != 0 && modes.at(op) == 3 && mode == 2;
      EXPECT_EQ(may_be(op, mode, false, false), is_there) << Name(op) << " " << mode;
      EXPECT_EQ(may_be(op, mode, true, false), is_float) << Name(op) << " " << mode;
      EXPECT_EQ(may_be(op, mode, false, true), is_float) << Name(op) << " " << mode;
    }
  }
  for (const auto& [key, is_there] :
       {std::pair{0x0U, true}, std::pair{0x4ffffU, true}, std::pair{0x50000U, false},
        std::pair{0x80000U, false}, std::pair{0x100000U, true}, std::pair{0x200000U, true},
        std::pair{0x300000U, false}, std::pair{0x200001U, false}, std::pair{0x110000U, false},
        std::pair{0x400000U, false}, std::pair{0x80000000U, false}}) {
    request.key = key;
    EXPECT_EQ(may_be(WarpOp::kGather, 0, false, false), is_there) << key;
    EXPECT_FALSE(may_be(WarpOp::kGather, 1, false, false));
  }
}

// (.2, .9, .10, .12, .14) "The behavior is undefined if the executing thread is not in membermask"
TEST(GoldenWarpFault, NotAMember) {
  for (const char* operation :
       {"bar.warp.sync", "shfl.sync.up", "shfl.sync.idx", "elect.sync", "vote.sync.all",
        "vote.sync.any", "vote.sync.uni", "vote.sync.ballot", "match.any.sync.b32",
        "match.all.sync.b64", "redux.sync.add.u32", "redux.sync.min.s32", "redux.sync.max.f32",
        "redux.sync.and.b32", "redux.sync.or.b32", "redux.sync.xor.b32"}) {
    RunWarpTrace(
        fmt::format("0: {0} 0xe lanes=0x1 -> fault not_a_member\n"
                    "0: {0} 0x0 lanes=0x1 -> fault not_a_member\n"
                    "0: {0} 0xe lanes=0xf -> fault not_a_member\n"
                    "0: {0} 0x7fffffff -> fault not_a_member\n"
                    "0: {0} 0xe lanes=0x2\n"
                    "0: {0} 0xe lanes=0x80000004 -> fault not_a_member\n"
                    "groups 0 -> {0} 0xe waits 0x2\n",
                    operation));
  }
}

// (.1) A barrier has no mask, whatever its key is.
TEST(GoldenWarpFault, NoMembersAtAGather) {
  RunWarpTrace(R"(
    0: barrier.sync 0 lanes=0x80000000
    0: barrier.sync 0 lanes=0x7fffffff -> arrives 0xffffffff at barrier.sync 0
  )");
}

// Two groups of which each has a waiting lane that is missing in the other.
TEST(GoldenWarpFault, MaskMismatch) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x3 lanes=0x1
    0: bar.warp.sync 0x7 lanes=0x2 -> fault mask_mismatch
    0: bar.warp.sync 0xffffffff lanes=0xfffffffe -> fault mask_mismatch
    0: vote.sync.all 0x3 lanes=0x2 -> fault mask_mismatch
    0: vote.sync.all 0xf lanes=0x6 -> fault mask_mismatch
    groups 0 -> bar.warp.sync 0x3 waits 0x1
    0: bar.warp.sync 0x7 lanes=0x4
    0: bar.warp.sync 0x7 lanes=0x2 -> fault mask_mismatch
    0: bar.warp.sync 0x3 lanes=0x2 -> answers 0x3
    0: bar.warp.sync 0x7 lanes=0x3 -> answers 0x7
  )");
}

// One condition alone is no fault: a lane of the request is missing there, or a lane that waits
// there is missing here.
TEST(GoldenWarpFault, OneMayWaitForTheOther) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x3 lanes=0x1
    0: bar.warp.sync 0x6 lanes=0x2
    0: bar.warp.sync 0x6 lanes=0x4 -> answers 0x6
    0: bar.warp.sync 0x9 lanes=0x8
    0: bar.warp.sync 0x3 lanes=0x2 -> answers 0x3
    0: bar.warp.sync 0x9 lanes=0x1 -> answers 0x9
  )");
}

// The request joins a group, and is judged by the lanes that it brings.
TEST(GoldenWarpFault, MaskMismatchOfALaterLane) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x9 lanes=0x1
    0: bar.warp.sync 0xf lanes=0x2
    0: bar.warp.sync 0xf lanes=0x8 -> fault mask_mismatch
    0: bar.warp.sync 0xf lanes=0xc -> fault mask_mismatch
    0: bar.warp.sync 0xf lanes=0x4
    groups 0 -> bar.warp.sync 0x9 waits 0x1, bar.warp.sync 0xf waits 0x6
    0: bar.warp.sync 0x9 lanes=0x8 -> answers 0x9
    0: bar.warp.sync 0xf lanes=0x8
    0: bar.warp.sync 0xf lanes=0x1 -> answers 0xf
  )");
}

// A member that has exited holds up no other lane.
TEST(GoldenWarpFault, ExitedMembersDoNotCount) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0xb lanes=0x1
    0: bar.warp.sync 0xa lanes=0x2
    groups 0 -> bar.warp.sync 0xb waits 0x1, bar.warp.sync 0xa waits 0x2
    0: bar.warp.sync 0xe lanes=0x4
    0: exit lanes=0x8 -> bar.warp.sync answers 0x2
    0: bar.warp.sync 0xb lanes=0x2 -> answers 0x3
    0: bar.warp.sync 0xe lanes=0x2 -> answers 0x6
  )");
}

// A collective's missing lane in the gather, for which the gather waits in vain, and the reverse.
TEST(GoldenWarpFault, MaskMismatchWithAGather) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x3 lanes=0x1
    0: barrier.sync 1 lanes=0x2        -> fault mask_mismatch
    0: barrier.sync 1 lanes=0xfffffffe -> fault mask_mismatch
    0: barrier.sync 1 lanes=0xfffffffc
    0: bar.warp.sync 0x6 lanes=0x2     -> fault mask_mismatch
    0: vote.sync.any 0x80000002 lanes=0x2 -> fault mask_mismatch
    0: vote.sync.any 0x2 lanes=0x2 p=0x2 -> answers 0x2 with true
    0: bar.warp.sync 0x3 lanes=0x2     -> answers 0x3
    0: bar.warp.sync 0x7 lanes=0x3     -> fault mask_mismatch
    0: bar.warp.sync 0x3 lanes=0x3     -> answers 0x3
    0: barrier.sync 1 lanes=0x3        -> arrives 0xffffffff at barrier.sync 1
  )");
}

// Lanes of one warp that come to different barriers, or with another count or form. Those that wait
// go on waiting. (Hardware traps.)
TEST(GoldenWarpFault, BarrierMismatch) {
  RunWarpTrace(R"(
    live 0: 0xf
    0: barrier.sync 3,64 lanes=0x1
    0: barrier.sync 2,64 lanes=0x2 -> fault barrier_mismatch
    0: barrier.sync 3,32 lanes=0x2 -> fault barrier_mismatch
    0: barrier.sync 3 lanes=0x2 -> fault barrier_mismatch
    0: barrier.arrive 3,64 lanes=0xe -> fault barrier_mismatch
    0: barrier.red.or 3,64 lanes=0x2 p=0x2 -> fault barrier_mismatch
    0: barrier.cluster.arrive lanes=0x2 p=0x2 -> fault barrier_mismatch
    0: barrier.cluster.wait lanes=0x2 -> fault barrier_mismatch
    groups 0 -> barrier.sync 3,64 waits 0x1
    0: barrier.sync 3,64 lanes=0xe -> arrives 0xf at barrier.sync 3,64
    0: barrier.red.and 1 lanes=0x8 p=0x8
    0: barrier.red.or 1 lanes=0x7 -> fault barrier_mismatch
    0: barrier.red.popc 1 lanes=0x7 -> fault barrier_mismatch
    0: barrier.red.and 1 lanes=0x7 p=0x3 -> arrives 0xf at barrier.red.and 1 p=0xb
    0: barrier.cluster.arrive lanes=0x3
    0: barrier.cluster.wait lanes=0xc -> fault barrier_mismatch
    0: barrier.arrive 1,64 lanes=0x4 -> fault barrier_mismatch
    0: exit lanes=0xc -> arrives 0x3 at barrier.cluster.arrive
    0: barrier.sync 5 lanes=0x2
    0: exit lanes=0x1 -> arrives 0x2 at barrier.sync 5
  )");
}

// Other warps may come to any barrier.
TEST(GoldenWarpFault, BarrierMismatchIsOfOneWarp) {
  RunWarpTrace(R"(
    0: barrier.sync 1 lanes=0xffff
    1: barrier.sync 2 lanes=0xffff
    1: barrier.sync 2 lanes=0xffff0000 -> arrives 0xffffffff at barrier.sync 2
    1: barrier.sync 1 lanes=0xffff
    groups 0 -> barrier.sync 1 waits 0xffff
  )");
}

// Three groups that wait in a ring are not looked for: it takes all three to see that none
// completes. Their lanes have not come to the gather, in which all others wait.
TEST(GoldenWarpFault, RingOfThreeIsNotReported) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x3 lanes=0x1
    0: bar.warp.sync 0x6 lanes=0x2
    0: bar.warp.sync 0x5 lanes=0x4
    0: barrier.sync 1 lanes=0xfffffff8
    groups 0 -> bar.warp.sync 0x3 waits 0x1, bar.warp.sync 0x6 waits 0x2, \
                bar.warp.sync 0x5 waits 0x4, barrier.sync 1 waits 0xfffffff8
  )");
}

TEST(GoldenWarpPrecedence, NotAMemberBeforeMaskMismatch) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x7 lanes=0x1
    0: bar.warp.sync 0x5 lanes=0x2 -> fault not_a_member
    0: bar.warp.sync 0x3 lanes=0x6 -> fault not_a_member
    0: bar.warp.sync 0x3 lanes=0x2 -> fault mask_mismatch
    0: barrier.sync 1 lanes=0x2    -> fault mask_mismatch
  )");
}

TEST(GoldenWarpPrecedence, BarrierMismatchBeforeMaskMismatch) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0x3 lanes=0x1
    0: barrier.sync 1 lanes=0x4
    0: barrier.sync 2 lanes=0x2 -> fault barrier_mismatch
    0: barrier.sync 1 lanes=0x2 -> fault mask_mismatch
  )");
}

}  // namespace
}  // namespace muster::golden
