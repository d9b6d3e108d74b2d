// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// griddepcontrol. Numbers in comments are subsections of PTX ISA 9.7.13.
#include <gtest/gtest.h>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"

namespace muster::golden {
namespace {

// launch_o is high from the reset until a grid takes the slot, and from the end of one to the next.
TEST(GoldenClusterTrigger, LaunchIsHighWithoutAGrid) {
  ClusterConfig config;
  config.num_grids = 3;
  ClusterScope scope(config);
  EXPECT_EQ(scope.Launches(), 0x7);
  EXPECT_EQ(scope.Flushes(), 0);
  ClusterLife life;
  life.grid = 1;
  life.size = 1;
  scope.Step(life);
  EXPECT_EQ(scope.Launches(), 0x5);
  life.op = ClusterLifeOp::kOpen;
  scope.Step(life);
  life.op = ClusterLifeOp::kLaunch;
  scope.Step(life);
  EXPECT_EQ(scope.Launches(), 0x5);
  life.op = ClusterLifeOp::kEnd;
  scope.Step(life);
  EXPECT_EQ(scope.Launches(), 0x7);
  EXPECT_EQ(scope.Flushes(), 0x2);
  scope.Flushed(1);
  EXPECT_EQ(scope.Launches(), 0x7);
  EXPECT_EQ(scope.Flushes(), 0);
  life.op = ClusterLifeOp::kGrid;
  scope.Step(life);
  EXPECT_EQ(scope.Launches(), 0x5);
}

}  // namespace
}  // namespace muster::golden
