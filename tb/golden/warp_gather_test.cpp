// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The gather of lanes for barriers that are not aligned. PTX ISA 9.7.13.1: `barrier` "causes
// executing thread to wait for all non-exited threads from its warp and marks warps' arrival at
// barrier"; .3 says so of `barrier.cluster`.
#include <gtest/gtest.h>

#include <vector>

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
    0: barrier.cluster.arrive.relaxed -> arrives 0xffffffff at barrier.cluster.arrive.relaxed
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

// Lanes at several barriers, or with other counts or forms: the warp arrives at each, in the order
// of the lowest lanes.
TEST(GoldenWarpGather, OneArrivalForEachBarrier) {
  RunWarpTrace(R"(
    0: barrier.sync 9 lanes=0xf0000000
    0: barrier.sync 1 lanes=0xff0
    0: barrier.sync 2 lanes=0xffff000
    groups 0 -> barrier.sync 1 waits 0xff0, barrier.sync 2 waits 0xffff000, \
                barrier.sync 9 waits 0xf0000000
    0: barrier.sync 4 lanes=0xf \
       -> arrives 0xf at barrier.sync 4 arrives 0xff0 at barrier.sync 1 \
          arrives 0xffff000 at barrier.sync 2 arrives 0xf0000000 at barrier.sync 9
    groups 0 ->
    0: barrier.sync 3,64 lanes=0x2
    0: barrier.sync 3,32 lanes=0x1
    0: barrier.sync 3 lanes=0x8
    0: barrier.arrive 3,64 lanes=0x4
    0: barrier.red.or 3,64 lanes=0x20 p=0x20
    0: barrier.red.and 3,64 lanes=0x10 p=0x10
    0: barrier.red.popc 3,64 lanes=0xffffffc0 p=0x40 \
       -> arrives 0x1 at barrier.sync 3,32 arrives 0x2 at barrier.sync 3,64 \
          arrives 0x4 at barrier.arrive 3,64 arrives 0x8 at barrier.sync 3 \
          arrives 0x10 at barrier.red.and 3,64 p=0x10 arrives 0x20 at barrier.red.or 3,64 p=0x20 \
          arrives 0xffffffc0 at barrier.red.popc 3,64 p=0x40
    0: barrier.cluster.wait lanes=0x3
    0: barrier.cluster.arrive.relaxed lanes=0xc
    0: barrier.cluster.arrive lanes=0xf0
    0: barrier.sync 0 lanes=0xffffff00 \
       -> arrives 0x3 at barrier.cluster.wait arrives 0xc at barrier.cluster.arrive.relaxed \
          arrives 0xf0 at barrier.cluster.arrive arrives 0xffffff00 at barrier.sync 0
  )");
}

// The order is that of the lowest lanes when the warp arrives, not of those that came first.
TEST(GoldenWarpGather, LowestLaneMayComeLast) {
  RunWarpTrace(R"(
    0: barrier.sync 1 lanes=0x2
    0: barrier.sync 2 lanes=0x10
    groups 0 -> barrier.sync 1 waits 0x2, barrier.sync 2 waits 0x10
    0: barrier.sync 2 lanes=0x1
    groups 0 -> barrier.sync 2 waits 0x11, barrier.sync 1 waits 0x2
    0: barrier.sync 1 lanes=0xffffffec \
       -> arrives 0x11 at barrier.sync 2 arrives 0xffffffee at barrier.sync 1
  )");
}

// A lane waits in a gather until all others wait in one too, and not in a collective.
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
  EXPECT_EQ(ClusterKey(GatherKind::kClusterArriveRelaxed), 0x200000U);
  EXPECT_EQ(ClusterKey(GatherKind::kClusterWait), 0x300000U);
  WarpScope scope(64);
  WarpRequest request;
  request.op = WarpOp::kGather;
  request.warp = 63;
  request.cta = 31;
  request.lanes = request.live = 0x5;
  request.key = BarrierKey(15, 0xabc, OpKind::kRedAnd);
  request.preds = 0x4;
  const std::vector<WarpArrival> arrivals = scope.Step(request).arrivals;
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].warp, 63);
  EXPECT_EQ(arrivals[0].cta, 31);
  EXPECT_EQ(arrivals[0].lanes, 0x5U);
  EXPECT_EQ(arrivals[0].key, 0x2abcfU);
  EXPECT_EQ(arrivals[0].preds, 0x4U);
}

}  // namespace
}  // namespace muster::golden
