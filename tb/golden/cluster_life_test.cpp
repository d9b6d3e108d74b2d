// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Grids, clusters and CTAs come and go: what is refused, and what must not be presented.
#include <gtest/gtest.h>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"
#include "tb/golden/cluster_trace.h"

namespace muster::golden {
namespace {

constexpr ClusterConfig SmallConfig() {
  ClusterConfig config;
  config.num_units = 3;
  config.num_warps = 6;
  config.num_ctas = 5;
  config.num_clusters = 4;
  config.num_grids = 2;
  return config;
}

TEST(GoldenClusterLife, GridTakesASlotThatIsOver) {
  RunClusterTrace(R"(
    grid 0 size=0   -> fault bad_launch
    grid 2 size=1   -> fault bad_launch
    grid 0 size=1
    grid 0 size=1   -> fault bad_launch
    open 0 size=1
    launch 0.0
    0.0.0: exit     -> launch_o 0 flush_o 0
    grid 0 size=1   -> fault bad_launch
    end 0.0
    grid 0 size=1   -> fault bad_launch
    flushed 0
    grid 0 size=0   -> fault bad_launch
    grid 0 size=4294967295
    grids           -> in flight 0
    grid 1 size=1 awaits=0
  )",
                  SmallConfig());
}

TEST(GoldenClusterLife, PrerequisitesAreOtherGrids) {
  RunClusterTrace(R"(
    grid 0 size=1
    grid 1 size=1 awaits=1   -> must not be presented
    grid 1 size=1 awaits=0,1 -> must not be presented
    grid 1 size=1 awaits=2   -> must not be presented
    grid 1 size=1 awaits=0
  )",
                  SmallConfig());
}

TEST(GoldenClusterLife, ClusterTakesASlotWithoutCtas) {
  RunClusterTrace(R"(
    grid 0 size=6
    open 0 size=0    -> fault bad_launch
    open 0 size=33   -> fault bad_launch
    open 4 size=1    -> fault bad_launch
    open 0 size=32
    open 0 size=2                   # no CTA has come yet 
    launch 0.0 1.0
    open 0 size=2    -> fault bad_launch
    0.0.0: exit
    open 0 size=2    -> fault bad_launch
    open 1 size=2
    1.0.0: exit lanes=0x7
    open 0 size=2    -> fault bad_launch
    1.0.0: exit lanes=0x8
    place 0/1        ->
    open 0 size=1
    missing 0        -> 0: not launched
    launch 1.0       -> fault bad_launch    # the slot has not been ended
    end 1.0
    launch 1.0
    end 1.0
    open 0 size=3                   # two of its CTAs never come
    launch 1.0 rank=2
    end 1.0
    open 0 size=1
    open 3 size=2
    launch 2.0 2.1 cluster=3
    end 2.1
    open 3 size=2    -> fault bad_launch    # the first rank is still there
    end 2.0          -> launch_o 0 flush_o 0
    open 3 size=2
  )",
                  SmallConfig());
}

TEST(GoldenClusterLife, LaunchNeedsASlotAndARank) {
  RunClusterTrace(R"(
    grid 0 size=9
    launch 0.0                       -> fault bad_launch    # the cluster is not open
    open 0 size=3
    launch 0.0 grid=1                -> fault bad_launch    # there is no such grid
    launch 0.0 grid=2                -> fault bad_launch
    launch 0.0 cluster=1             -> fault bad_launch
    launch 0.0 cluster=4             -> fault bad_launch
    launch 3.0                       -> fault bad_launch
    launch 0.5                       -> fault bad_launch
    launch 0.0 rank=3                -> fault bad_launch
    launch 0.0 rank=15               -> fault bad_launch
    launch 0.0 warps=0               -> fault bad_launch
    launch 0.0 warps=7               -> fault bad_launch
    place 0/0                        ->
    launch 2.4 warps=6
    place 0/0                        -> 2.4
    launch 2.4 rank=1                -> fault bad_launch    # the slot is taken
    launch 1.0 rank=0                -> fault bad_launch    # the rank is there
    end 2.4
    launch 1.0 rank=0                -> fault bad_launch    # it has been there
    launch 2.4 rank=2
    launch 0.0 rank=1
    missing 0                        -> 1: unseen 1, 2: unseen 1
  )",
                  SmallConfig());
}

// A grid is over when its memory operations are performed, and not when its CTAs have completed.
TEST(GoldenClusterLife, LaunchNeedsAGrid) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=2
    launch 0.0
    end 0.0            -> launch_o 0 flush_o 0
    launch 0.0 rank=1  -> must not be presented   # the grid has no further CTA
    flushed 0
    launch 0.0 rank=1  -> fault bad_launch
    grid 1 size=1
    launch 0.0 rank=1 grid=1 -> must not be presented   # a cluster is of one grid
  )",
                  SmallConfig());
}

TEST(GoldenClusterLife, EndNeedsACta) {
  RunClusterTrace(R"(
    end 0.0        -> fault cta_not_resident
    grid 0 size=2
    open 0 size=2
    launch 0.0
    end 0.1        -> fault cta_not_resident
    end 1.0        -> fault cta_not_resident
    end 7.0        -> fault cta_not_resident
    0.0.0: exit
    0.0.0: arrive lanes=0x1 -> must not be presented
    end 0.0
    end 0.0        -> fault cta_not_resident
    launch 1.0 rank=1
    end 1.0        -> launch_o 0 flush_o 0
    end 1.0        -> fault cta_not_resident
  )",
                  SmallConfig());
}

// A scope whose clusters have sixteen ranks.
TEST(GoldenClusterLife, ClustersOfSixteenRanks) {
  ClusterConfig config = SmallConfig();
  config.num_ranks = 16;
  RunClusterTrace(R"(
    grid 0 size=6
    open 0 size=17   -> fault bad_launch
    open 0 size=16
    launch 0.0 rank=16 -> fault bad_launch
    launch 0.0 rank=15
  )",
                  config);
}

// Eight grids, 64 clusters of one CTA each, all at once, and the last slots of all kinds.
TEST(GoldenClusterLife, AllSlotsAtOnce) {
  ClusterScope scope;
  for (std::uint8_t grid = 0; grid < kMaxGrids; ++grid) {
    ClusterLife life;
    life.grid = grid;
    life.size = 8;
    EXPECT_EQ(scope.Step(life).fault, FaultCause::kNone);
  }
  EXPECT_EQ(scope.GridsInFlight(), 0xff);
  for (std::uint8_t cluster = 0; cluster < kMaxClusters; ++cluster) {
    ClusterLife life;
    life.op = ClusterLifeOp::kOpen;
    life.cluster = cluster;
    life.size = 1;
    EXPECT_EQ(scope.Step(life).fault, FaultCause::kNone);
    life.op = ClusterLifeOp::kLaunch;
    life.grid = cluster % kMaxGrids;
    life.unit = cluster % kMaxUnits;
    life.cta = static_cast<std::uint8_t>(kMaxCtas - 1 - cluster / kMaxUnits);
    life.size = kMaxWarps;
    EXPECT_TRUE(scope.MayBePresented(life));
    EXPECT_EQ(scope.Step(life).fault, FaultCause::kNone);
    EXPECT_EQ(scope.Place(cluster, 0), (CtaPlace{life.unit, life.cta}));
    EXPECT_EQ(scope.Missing(cluster).at(0).unseen, kMaxWarps);
  }
  ClusterLife life;
  life.op = ClusterLifeOp::kEnd;
  life.unit = 63 % kMaxUnits;
  life.cta = kMaxCtas - 4;
  EXPECT_EQ(scope.Step(life).fault, FaultCause::kNone);
  EXPECT_FALSE(scope.Place(63, 0).has_value());
  EXPECT_TRUE(scope.Place(62, 0).has_value());
}

}  // namespace
}  // namespace muster::golden
