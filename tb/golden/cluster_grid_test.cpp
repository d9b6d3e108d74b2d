// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// griddepcontrol. Numbers in comments are subsections of PTX ISA 9.7.13.
#include <gtest/gtest.h>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"
#include "tb/golden/cluster_trace.h"

namespace muster::golden {
namespace {

// (.13) "Repeated invocations of this instruction by threads in the current CTA will have no
// additional side effects past that of the first invocation."
TEST(GoldenClusterTrigger, FirstLaneOfACtaCounts) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0 warps=2
    0.0.0: griddepcontrol.launch_dependents lanes=0x4
    0.0.0: griddepcontrol.launch_dependents lanes=0x4
    0.0.0: griddepcontrol.launch_dependents lanes=0xb
    0.0.1: griddepcontrol.launch_dependents
    grids                     -> in flight 0
    1.0.1: griddepcontrol.launch_dependents lanes=0x8 -> launch_o 0
    1.0.0: griddepcontrol.launch_dependents
    0.0.0: griddepcontrol.launch_dependents
    grids                     -> in flight 0 launch_o 0
    flushed 0                 -> must not be presented
  )");
}

// (.13) "as soon as all other CTAs in the grid issue the same instruction or have completed"
TEST(GoldenClusterTrigger, CompletedCtaNeedNotExecuteIt) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0 1.0 2.0 warps=2
    0.0.0: griddepcontrol.launch_dependents
    1.0.0: exit
    1.0.1: exit lanes=0x7
    2.0.0: griddepcontrol.launch_dependents
    grids                  -> in flight 0
    1.0.1: exit lanes=0x8  -> launch_o 0
    0.0.0: exit
    0.0.1: exit
    2.0.0: exit
    2.0.1: exit            -> flush_o 0
  )");
}

TEST(GoldenClusterTrigger, CtaThatEndsNeedNotExecuteIt) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0 warps=2
    end 0.0
    grids          -> in flight 0
    1.0.0: griddepcontrol.launch_dependents -> launch_o 0
    end 1.0        -> flush_o 0
  )");
}

// A CTA that has executed it and completes counts once.
TEST(GoldenClusterTrigger, CompletionOfATriggeredCtaDoesNotCountAgain) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0 1.0
    0.0.0: griddepcontrol.launch_dependents
    0.0.0: exit
    end 0.0
    1.0.0: griddepcontrol.launch_dependents
    end 1.0
    grids          -> in flight 0
    launch 0.0 rank=2
    live 0.0: 0xf
    0.0.0: griddepcontrol.launch_dependents -> launch_o 0
    0.0.0: exit    -> flush_o 0
  )");
}

// CTAs of the grid that are not launched yet have neither executed it nor completed.
TEST(GoldenClusterTrigger, LateCtasOfTheGrid) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=1
    launch 0.0
    0.0.0: griddepcontrol.launch_dependents
    0.0.0: exit
    grids          -> in flight 0
    end 0.0
    open 0 size=1
    launch 0.0
    grids          -> in flight 0
    live 0.0: 0x1
    0.0.0: exit    -> launch_o 0 flush_o 0
  )");
}

TEST(GoldenClusterTrigger, GridsCountApart) {
  RunClusterTrace(R"(
    grid 0 size=1
    grid 7 size=1
    grid 3 size=2
    open 0 size=1
    open 1 size=1
    open 2 size=2
    launch 0.0 cluster=0
    launch 0.1 cluster=1 grid=7
    launch 0.2 0.3 cluster=2 grid=3
    0.1.1: griddepcontrol.launch_dependents -> launch_o 7
    0.2.2: griddepcontrol.launch_dependents
    0.0.0: exit    -> launch_o 0 flush_o 0
    0.3.3: exit    -> launch_o 3
    grids          -> in flight 0,3,7 launch_o 0,3,7 flush_o 0
    flushed 0
    grids          -> in flight 3,7 launch_o 3,7
  )");
}

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

// (.13) "wait until all prerequisite grids in flight have completed and all the memory operations
// from the prerequisite grids are performed and made visible"
TEST(GoldenClusterGridWait, UntilThePrerequisiteIsPerformed) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=1
    open 1 size=1
    open 2 size=1
    launch 0.0
    launch 1.0 cluster=1
    0.0.0: griddepcontrol.launch_dependents
    1.0.0: griddepcontrol.launch_dependents -> launch_o 0
    grid 1 size=1 awaits=0
    launch 2.0 cluster=2 grid=1 warps=2
    2.0.0: griddepcontrol.wait
    2.0.1: griddepcontrol.wait lanes=0x3
    0.0.0: exit
    1.0.0: exit    -> flush_o 0
    2.0.1: griddepcontrol.wait lanes=0x4
    waiting for grids -> 2.0:0xf 2.1:0x7
    grids          -> in flight 0,1 launch_o 0 flush_o 0 awaits 1:0
    flushed 0      -> grid_release 2.0:0xf grid_release 2.1:0x7
    grids          -> in flight 1
    2.0.1: griddepcontrol.wait -> grid_release 2.1:0xf
    2.0.0: griddepcontrol.wait lanes=0x1 -> grid_release 2.0:0x1
  )");
}

TEST(GoldenClusterGridWait, WithoutPrerequisites) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=1
    launch 0.0 warps=2
    0.0.0: griddepcontrol.wait lanes=0x1 -> grid_release 0.0:0x1
    0.0.0: griddepcontrol.wait           -> grid_release 0.0:0xf
    0.0.1: griddepcontrol.wait           -> grid_release 0.1:0xf
    waiting for grids                    ->
  )");
}

TEST(GoldenClusterGridWait, ForAllPrerequisites) {
  RunClusterTrace(R"(
    grid 0 size=1
    grid 1 size=1
    grid 2 size=1
    grid 4 size=1 awaits=0,1,2
    open 0 size=1
    open 1 size=1
    open 2 size=1
    open 4 size=1
    launch 0.0
    launch 0.1 cluster=1 grid=1
    launch 0.2 cluster=2 grid=2
    launch 0.4 cluster=4 grid=4
    0.4.4: griddepcontrol.wait
    0.1.1: exit -> launch_o 1 flush_o 1
    flushed 1
    grids       -> in flight 0,2,4 awaits 4:0,2
    0.2.2: exit -> launch_o 2 flush_o 2
    0.0.0: exit -> launch_o 0 flush_o 0
    flushed 0
    flushed 2   -> grid_release 0.4:0xf
  )");
}

// One grid that is performed releases the warps of all grids that await it alone.
TEST(GoldenClusterGridWait, OfSeveralDependents) {
  RunClusterTrace(R"(
    grid 0 size=1
    grid 1 size=1 awaits=0
    grid 2 size=1 awaits=0,1
    grid 3 size=1 awaits=0
    open 0 size=1
    open 1 size=1
    open 2 size=1
    open 3 size=1
    launch 0.0
    launch 0.1 cluster=1 grid=1
    launch 0.2 cluster=2 grid=2
    launch 1.3 cluster=3 grid=3
    0.1.1: griddepcontrol.wait
    0.2.2: griddepcontrol.wait
    1.3.3: griddepcontrol.wait lanes=0x8
    end 0.0     -> launch_o 0 flush_o 0
    flushed 0   -> grid_release 0.1:0xf grid_release 1.3:0x8
    0.1.1: exit -> launch_o 1 flush_o 1
    flushed 1   -> grid_release 0.2:0xf
  )");
}

// The next grid in the slot of a prerequisite is another one.
TEST(GoldenClusterGridWait, NextGridOfTheSlotIsNotAwaited) {
  RunClusterTrace(R"(
    grid 0 size=1
    grid 1 size=1 awaits=0
    open 0 size=1
    open 1 size=1
    launch 0.0
    launch 0.1 cluster=1 grid=1
    0.0.0: exit -> launch_o 0 flush_o 0
    end 0.0
    flushed 0
    grid 0 size=1 awaits=1
    grids       -> in flight 0,1 awaits 0:1
    open 0 size=1
    launch 0.0
    live 0.0: 0xf
    0.0.0: griddepcontrol.wait
    0.1.1: griddepcontrol.wait -> grid_release 0.1:0xf
    0.1.1: exit -> launch_o 1 flush_o 1
    flushed 1   -> grid_release 0.0:0xf
  )");
}

// (.13) "prerequisite grids in flight": one that is over is not waited for.
TEST(GoldenClusterGridWait, GridThatIsOverIsNotAwaited) {
  RunClusterTrace(R"(
    grid 1 size=1 awaits=0,2
    open 0 size=1
    launch 0.0 grid=1
    grid 0 size=1
    grids       -> in flight 0,1
    0.0.0: griddepcontrol.wait -> grid_release 0.0:0xf
  )");
}

// What a lane has done at barrier.cluster has nothing to do with it, and the reverse.
TEST(GoldenClusterGridWait, BesideABarrier) {
  RunClusterTrace(R"(
    grid 0 size=1
    grid 1 size=2 awaits=0
    open 0 size=1
    open 1 size=2
    launch 0.0
    launch 0.1 1.0 cluster=1 grid=1
    0.1.1: arrive
    0.1.1: griddepcontrol.wait lanes=0x3
    0.1.1: wait lanes=0xc
    state 0.1    -> live 0xf arrived 0xf waiting 0xc at_grid 0x3
    1.0.0: griddepcontrol.launch_dependents
    1.0.0: arrive -> release 0.1:0xc
    state 0.1    -> live 0xf passed 0x3 at_grid 0x3
    0.1.1: griddepcontrol.launch_dependents lanes=0x8 -> launch_o 1
    0.1.1: arrive lanes=0xc
    0.1.1: wait lanes=0xc
    end 0.0      -> launch_o 0 flush_o 0
    flushed 0    -> grid_release 0.1:0x3
    state 0.1    -> live 0xf arrived 0xc waiting 0xc passed 0x3
    0.1.1: wait lanes=0x3 -> go 0x3
    1.0.0: wait  -> go 0xf
    1.0.0: arrive
    0.1.1: arrive lanes=0x3 -> release 0.1:0xc
  )");
}

TEST(GoldenClusterGridWait, EndTakesWaitingLanesAway) {
  RunClusterTrace(R"(
    grid 0 size=1
    grid 1 size=2 awaits=0
    open 0 size=1
    open 1 size=2
    launch 0.0
    launch 0.1 1.0 cluster=1 grid=1
    0.1.1: griddepcontrol.wait
    1.0.0: griddepcontrol.wait
    end 0.1
    end 0.0     -> launch_o 0 flush_o 0
    flushed 0   -> grid_release 1.0:0xf
    1.0.0: exit -> launch_o 1 flush_o 1
  )");
}

}  // namespace
}  // namespace muster::golden
