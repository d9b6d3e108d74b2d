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

}  // namespace
}  // namespace muster::golden
