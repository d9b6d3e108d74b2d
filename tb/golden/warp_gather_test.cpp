// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The gather of lanes for barriers that are not aligned. PTX ISA 9.7.13.1: `barrier` "causes
// executing thread to wait for all non-exited threads from its warp and marks warps' arrival at
// barrier"; .3 says so of `barrier.cluster`.
#include <gtest/gtest.h>

#include <optional>

#include "sim/golden/warp_scope.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"

namespace muster::golden {
namespace {

// The key as the table of rtl/warp/README.md has it, which comes back in the arrival; and the CTA
// of the request that completes it.
TEST(GoldenWarpGather, Key) {
  EXPECT_EQ(BarrierKey(15, 0xabc, OpKind::kSync), 0x0abcfU);
  EXPECT_EQ(BarrierKey(1, 64, OpKind::kArrive), 0x10401U);
  EXPECT_EQ(BarrierKey(0, 0, OpKind::kRedPopc), 0x40000U);
  EXPECT_EQ(ClusterKey(GatherKind::kClusterArrive), 0x100000U);
  EXPECT_EQ(ClusterKey(GatherKind::kClusterWait), 0x200000U);
  WarpScope scope(64);
  WarpRequest request;
  request.op = WarpOp::kGather;
  request.warp = 63;
  request.cta = 31;
  request.lanes = request.live = 0x5;
  request.key = BarrierKey(15, 0xabc, OpKind::kRedAnd);
  request.preds = 0x4;
  const std::optional<WarpArrival> arrival = scope.Step(request).arrival;
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->warp, 63);
  EXPECT_EQ(arrival->cta, 31);
  EXPECT_EQ(arrival->lanes, 0x5U);
  EXPECT_EQ(arrival->key, 0x2abcfU);
  EXPECT_EQ(arrival->preds, 0x4U);
}

}  // namespace
}  // namespace muster::golden
