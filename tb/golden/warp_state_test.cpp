// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Groups that are written, as rtl/warp/README.md has it, and lanes that a warp lacks.
// That a save and a restore change nothing is checked before each line of every trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include "sim/golden/warp_scope.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "tb/golden/warp_trace.h"

namespace muster::golden {
namespace {

// Bits 7:4 op, 3:2 mode, 1 abs, 0 nan.
TEST(GoldenWarpState, Instructions) {
  WarpScope scope(1);
  WarpRequest request;
  request.op = WarpOp::kWrite;
  for (const auto& [code, op, mode, abs, nan] :
       {std::tuple{0x00U, WarpOp::kSync, 0U, false, false},
        std::tuple{0x1cU, WarpOp::kShuffle, 3U, false, false},
        std::tuple{0x84U, WarpOp::kMatchAll, 1U, false, false},
        std::tuple{0xbbU, WarpOp::kReduxMax, 2U, true, true},
        std::tuple{0xaaU, WarpOp::kReduxMin, 2U, true, false},
        std::tuple{0xa9U, WarpOp::kReduxMin, 2U, false, true},
        std::tuple{0xe0U, WarpOp::kReduxXor, 0U, false, false}}) {
    request.lanes = 0x80000000;
    request.live = code;
    request.key = kAllLanes;
    ASSERT_TRUE(scope.MayBePresented(request)) << code;
    scope.Step(request);
    ASSERT_EQ(scope.Groups(0).size(), 1U);
    const WarpGroup group = scope.Groups(0)[0];
    EXPECT_EQ(group.op, op);
    EXPECT_EQ(group.mode, mode);
    EXPECT_EQ(group.abs, abs);
    EXPECT_EQ(group.nan, nan);
    EXPECT_EQ(group.lanes, 0x80000000U);
    EXPECT_EQ(group.key, kAllLanes);
    EXPECT_EQ(EncodeInstruction(group), code);
    scope.Clear(0);
  }
  request.live = 0xf0;
  request.key = 0x30605;
  request.preds = 0x80000000;
  scope.Step(request);
  EXPECT_EQ(scope.Groups(0).at(0).op, WarpOp::kGather);
  EXPECT_EQ(scope.Groups(0).at(0).key, 0x30605U);
  EXPECT_EQ(scope.Groups(0).at(0).preds, 0x80000000U);
  scope.Clear(0);
  for (const std::uint32_t code : {0x0cU, 0x02U, 0x88U, 0xb1U, 0xbcU, 0x100U, 0x800000f0U}) {
    request.live = code;
    EXPECT_FALSE(scope.MayBePresented(request)) << code;
  }
}

// In whatever order groups are written: the state is the same.
TEST(GoldenWarpState, GroupsAreWrittenInAnyOrder) {
  std::array<std::string, 4> groups = {
      "bar.warp.sync 0x3 lanes=0x1", "vote.sync.all 0xc lanes=0x4 p=0x4",
      "match.any.sync.b32 0x70 lanes=0x60 v=7,8", "barrier.sync 1,64 lanes=0xffffff80"};
  std::sort(groups.begin(), groups.end());
  do {
    std::string text;
    for (const std::string& group : groups) {
      text += "0: write ";
      text += group + "\n";
    }
    RunWarpTrace(text + R"(
      groups 0 -> bar.warp.sync 0x3 waits 0x1, vote.sync.all 0xc waits 0x4 p=0x4, \
                  match.any.sync.b32 0x70 waits 0x60, barrier.sync 1,64 waits 0xffffff80
      0: match.any.sync.b32 0x70 lanes=0x10 v=8 -> answers 0x50 with 0x50 answers 0x20 with 0x20
    )");
  } while (std::next_permutation(groups.begin(), groups.end()));
}

// A group that was saved goes on elsewhere, and is gone where it was cleared.
TEST(GoldenWarpState, SaveAndClear) {
  WarpScope scope(WarpTrace::kNumWarps);
  WarpRequest request;
  request.op = WarpOp::kMatchAll;
  request.warp = 3;
  request.lanes = 0x30;
  request.live = kAllLanes;
  request.key = 0xf0;
  request.values[4] = request.values[5] = 0x8000000000000001;
  scope.Step(request);
  WarpScope restored = SavedAndRestored(scope);
  scope.Clear(3);
  EXPECT_EQ(scope.Waiting(3), 0U);
  EXPECT_TRUE(scope.Groups(3).empty());
  EXPECT_EQ(restored.Waiting(3), 0x30U);
  EXPECT_EQ(restored.Value(3, 5), 0x8000000000000001);
  request.lanes = 0xc0;
  request.values[6] = request.values[7] = 0x8000000000000001;
  EXPECT_TRUE(scope.Step(request).answers.empty());
  const WarpEffects effects = restored.Step(request);
  ASSERT_EQ(effects.answers.size(), 1U);
  EXPECT_EQ(effects.answers[0].op, WarpOp::kMatchAll);
  EXPECT_EQ(effects.answers[0].warp, 3);
  EXPECT_EQ(effects.answers[0].lanes, 0xf0U);
  EXPECT_EQ(effects.answers[0].data, 0xf0U);
  EXPECT_TRUE(effects.answers[0].pred);
}

// A warp of 4 or 8 lanes: masks and requests may name others, which take no part.
TEST(GoldenWarpLanes, LanesThatAWarpLacksTakeNoPart) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0xffffffff -> answers 0xf
    0: bar.warp.sync 0xffffffff lanes=0x3
    0: bar.warp.sync 0xffffffff lanes=0xfffffff0
    0: bar.warp.sync 0xffffffff lanes=0xfffffffc -> answers 0xf
    0: vote.sync.all 0xff lanes=0xff p=0xf -> answers 0xf with true
    0: vote.sync.uni 0xff lanes=0xff p=0xf0 -> answers 0xf with true
    0: vote.sync.ballot 0xff lanes=0xff p=0xff -> answers 0xf with 0xf
    0: match.all.sync.b32 0x1f lanes=0x1f v=7,7,7,7,8 -> answers 0xf with 0xf true
    0: redux.sync.add.u32 0xffffffff v=1 -> answers 0xf with 0x4
    0: elect.sync 0x10 lanes=0x10
    0: elect.sync 0xf8 lanes=0xf8 -> answers 0x8 with 0x3
    0: barrier.red.popc 1 p=0xfe lanes=0xfe
    0: barrier.red.popc 1 p=0xf1 lanes=0x1 -> arrives 0xf at barrier.red.popc 1 p=0xf
    0: exit lanes=0x10
    0: bar.warp.sync 0xf3 lanes=0x1
    0: exit lanes=0xf2 -> bar.warp.sync answers 0x1
  )",
               4);
  RunWarpTrace(R"(
    0: bar.warp.sync 0xffffffff lanes=0x7f
    0: exit lanes=0xffffff80 -> bar.warp.sync answers 0x7f
    0: barrier.sync 1 lanes=0xff0f
    0: barrier.sync 1 lanes=0xff70 -> arrives 0x7f at barrier.sync 1
  )",
               8);
}

// Masks are compared whole: lanes with different masks are of different groups, even if the masks
// differ in lanes that the warp lacks. Such lanes are in no group, written or not.
TEST(GoldenWarpLanes, MasksAndWrites) {
  RunWarpTrace(R"(
    0: bar.warp.sync 0xff lanes=0x1
    0: bar.warp.sync 0xf lanes=0x2 -> fault mask_mismatch
    groups 0 -> bar.warp.sync 0xff waits 0x1
    0: write bar.warp.sync 0xf0 lanes=0x10
    0: write vote.sync.ballot 0x6 lanes=0xfffffff2 p=0xfffffff2
    groups 0 -> bar.warp.sync 0xff waits 0x1, vote.sync.ballot 0x6 waits 0x2 p=0x2
    0: write redux.sync.max.NaN.f32 0xfc lanes=0xc -> must not be presented
    0: write redux.sync.max.NaN.f32 0xfc lanes=0x8 v=0x7f800001
    0: redux.sync.max.NaN.f32 0xfc lanes=0x4 v=0 -> answers 0xc with 0x7fffffff
    0: vote.sync.ballot 0x6 lanes=0x4 -> answers 0x6 with 0x2
    0: bar.warp.sync 0xff lanes=0xe -> answers 0xf
  )",
               4);
}

TEST(GoldenWarpNames, AreSpelledAsInPtxAndDistinct) {
  EXPECT_STREQ(Name(WarpOp::kSync), "bar.warp.sync");
  EXPECT_STREQ(Name(WarpOp::kVoteUni), "vote.sync.uni");
  EXPECT_STREQ(Name(WarpOp::kMatchAll), "match.all.sync");
  EXPECT_STREQ(Name(WarpOp::kReduxXor), "redux.sync.xor");
  EXPECT_STREQ(Name(WarpOp::kGather), "gather");
  EXPECT_STREQ(Name(FaultCause::kNotAMember), "not_a_member");
  EXPECT_STREQ(Name(FaultCause::kMaskMismatch), "mask_mismatch");
  EXPECT_STREQ(Name(FaultCause::kBarrierMismatch), "barrier_mismatch");
  EXPECT_EQ(static_cast<unsigned>(FaultCause::kNotAMember), 21U);
  EXPECT_EQ(static_cast<unsigned>(FaultCause::kMaskMismatch), 22U);
  EXPECT_EQ(static_cast<unsigned>(FaultCause::kBarrierMismatch), 26U);
  EXPECT_EQ(static_cast<unsigned>(WarpOp::kGather), 15U);
  EXPECT_EQ(static_cast<unsigned>(WarpOp::kWrite), 18U);
  std::set<std::string> names;
  for (unsigned code = 0; code < kNumWarpOps; ++code) {
    EXPECT_TRUE(names.insert(Name(static_cast<WarpOp>(code))).second);
  }
  EXPECT_EQ(names.count("?"), 0U);
}

}  // namespace
}  // namespace muster::golden
