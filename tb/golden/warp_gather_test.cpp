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
#include "tb/golden/warp_trace.h"

namespace muster::golden {
namespace {

TEST(GoldenWarpGather, AllLiveLanesInOneRequestAreTheArrival) {
  RunWarpTrace(R"(
    0: barrier.sync 0           -> arrives 0xffffffff at barrier.sync 0
    1.3: barrier.sync 15,4095   -> arrives 0xffffffff at barrier.sync 15,4095
    0: barrier.arrive 1,64      -> arrives 0xffffffff at barrier.arrive 1,64
    0: barrier.red.popc 3,128 p=0x80000001 \
                                -> arrives 0xffffffff at barrier.red.popc 3,128 p=0x80000001
    0: barrier.red.and 3        -> arrives 0xffffffff at barrier.red.and 3
    0: barrier.red.or 3 p=0xff  -> arrives 0xffffffff at barrier.red.or 3 p=0xff
    0: barrier.cluster.arrive   -> arrives 0xffffffff at barrier.cluster.arrive
    0: barrier.cluster.arrive p=0xffffffff \
                                -> arrives 0xffffffff at barrier.cluster.arrive p=0xffffffff
    0: barrier.cluster.wait     -> arrives 0xffffffff at barrier.cluster.wait
    live 0: 0xf0f0
    0: barrier.sync 0           -> arrives 0xf0f0 at barrier.sync 0
  )");
}

TEST(GoldenWarpGather, LanesThatComeApartAreOneArrival) {
  RunWarpTrace(R"(
    0: barrier.sync 1,64 lanes=0xff00
    0: barrier.sync 1,64 lanes=0xff
    groups 0 -> barrier.sync 1,64 waits 0xffff
    0: barrier.sync 1,64 lanes=0x7fff0000
    0: barrier.sync 1,64 lanes=0x80000000 -> arrives 0xffffffff at barrier.sync 1,64
    groups 0 ->
    0: barrier.sync 1,64 lanes=0xffff
    0: barrier.sync 1,64 lanes=0xffff0000 -> arrives 0xffffffff at barrier.sync 1,64
  )");
}

TEST(GoldenWarpGather, PredicatesAreMergedLaneByLane) {
  RunWarpTrace(R"(
    0: barrier.red.popc 2 lanes=0xffff p=0x1
    0: barrier.red.popc 2 lanes=0xfff0000 p=0x2ff0000
    groups 0 -> barrier.red.popc 2 waits 0xfffffff p=0x2ff0001
    0: barrier.red.popc 2 lanes=0xf0000000 p=0x90000000 \
                                -> arrives 0xffffffff at barrier.red.popc 2 p=0x92ff0001
  )");
}

// The arrival has a predicate of each lane: it releases.
TEST(GoldenWarpGather, ArrivalsAtAClusterMayDifferInWhetherTheyRelease) {
  RunWarpTrace(R"(
    0: barrier.cluster.arrive lanes=0xffff p=0xffff
    0: barrier.cluster.arrive lanes=0xff0000
    groups 0 -> barrier.cluster.arrive waits 0xffffff p=0xffff
    0: barrier.cluster.arrive lanes=0xff000000 p=0xff000000 \
                                -> arrives 0xffffffff at barrier.cluster.arrive p=0xff00ffff
    0: barrier.cluster.wait lanes=0xffff
    0: barrier.cluster.wait lanes=0xffff0000 -> arrives 0xffffffff at barrier.cluster.wait
  )");
}

// A lane waits in a gather until all others wait there too, and not in a collective.
TEST(GoldenWarpGather, LanesAtCollectivesHaveNotCome) {
  RunWarpTrace(R"(
    live 0: 0xf
    0: bar.warp.sync 0x3 lanes=0x1
    0: barrier.sync 1 lanes=0xc
    groups 0 -> bar.warp.sync 0x3 waits 0x1, barrier.sync 1 waits 0xc
    0: bar.warp.sync 0x3 lanes=0x2 -> answers 0x3
    0: barrier.sync 1 lanes=0x2
    0: vote.sync.all 0x1 lanes=0x1 p=0x1 -> answers 0x1 with true
    0: barrier.sync 1 lanes=0x1 -> arrives 0xf at barrier.sync 1
    0: barrier.sync 1 lanes=0x3
    0: elect.sync 0xc lanes=0x8
    0: elect.sync 0xc lanes=0x4 -> answers 0xc with 0x2
    0: barrier.sync 1 lanes=0xc -> arrives 0xf at barrier.sync 1
  )");
}

// Lanes of other warps are not waited for here.
TEST(GoldenWarpGather, WarpsGatherApart) {
  RunWarpTrace(R"(
    0: barrier.sync 1 lanes=0x1
    1: barrier.sync 1 lanes=0xfffffffe
    0: barrier.sync 1 lanes=0xfffffffe -> arrives 0xffffffff at barrier.sync 1
    1: barrier.sync 1 lanes=0x1 -> arrives 0xffffffff at barrier.sync 1
  )");
}

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
