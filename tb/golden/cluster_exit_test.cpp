// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Exits at barrier.cluster: a phase is one of all threads that have not exited (PTX ISA 9.7.13.3).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tb/golden/cluster_trace.h"

namespace muster::golden {
namespace {

TEST(GoldenClusterExit, LastMissingLaneExits) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0
    0.0.0: arrive
    0.0.0: wait
    1.0.0: arrive lanes=0x7
    missing 0              -> 1: 1.0:0x8
    1.0.0: exit lanes=0x8  -> release 0.0:0xf
    state 1.0              -> live 0x7 passed 0x7
    phases 0               -> 1
  )");
}

TEST(GoldenClusterExit, LastMissingWarpExits) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=1
    launch 0.0 warps=3
    0.0.0: arrive
    0.0.0: wait
    0.0.1: exit lanes=0x3
    missing 0             -> 0: unseen 1 0.1:0xc
    0.0.2: arrive
    missing 0             -> 0: 0.1:0xc
    0.0.1: exit lanes=0x4
    0.0.1: exit lanes=0x8 -> release 0.0:0xf
    state 0.1             ->
    phases 0              -> 1
  )");
}

// The first thing that is heard of a warp is its exit.
TEST(GoldenClusterExit, WarpThatDidNothing) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0
    0.0.0: arrive
    0.0.0: wait
    1.0.0: exit   -> release 0.0:0xf
    phases 0      -> 1
    place 0/1     ->
  )");
}

// An exited lane neither has arrived nor is missing.
TEST(GoldenClusterExit, LanesThatHaveArrivedExit) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0
    0.0.0: arrive lanes=0x3
    0.0.0: exit lanes=0x1
    state 0.0              -> live 0xe arrived 0x2
    0.0.0: exit lanes=0x2
    phases 0               -> 0
    1.0.0: arrive
    1.0.0: wait
    0.0.0: arrive lanes=0x4
    0.0.0: exit lanes=0x4
    missing 0              -> 0: 0.0:0x8
    0.0.0: arrive lanes=0x8 -> release 1.0:0xf
  )");
}

// After the completion: what has passed is forgotten with the lane.
TEST(GoldenClusterExit, LanesThatHavePassedExit) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=1
    launch 0.0 warps=2
    0.0.0: arrive
    0.0.1: arrive
    0.0.0: exit lanes=0x1
    state 0.0             -> live 0xe passed 0xe
    0.0.0: wait lanes=0xe -> go 0xe
    0.0.0: arrive
    0.0.0: wait
    0.0.1: exit           -> release 0.0:0xe
    phases 0              -> 2
  )");
}

TEST(GoldenClusterExit, WholeCtaBeforeItArrives) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0 1.0 2.0 warps=2
    1.0.0: exit
    1.0.1: exit
    place 0/1      ->
    missing 0      -> 0: unseen 2, 2: unseen 2
    phases 0       -> 0
    0.0.0: arrive
    0.0.1: arrive
    2.0.0: arrive
    2.0.1: arrive
    phases 0       -> 1
    0.0.0: wait    -> go 0xf
    0.0.1: wait    -> go 0xf
    0.0.0: arrive
    0.0.1: arrive
    0.0.0: wait
    2.0.0: wait    -> go 0xf
    2.0.1: exit
    2.0.0: exit    -> release 0.0:0xf
    phases 0       -> 2
  )");
}

TEST(GoldenClusterExit, WholeCtaAfterItArrived) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0 warps=2
    1.0.0: arrive
    1.0.1: arrive
    1.0.0: exit
    1.0.1: exit
    phases 0       -> 0
    missing 0      -> 0: unseen 2
    0.0.0: arrive
    0.0.0: wait
    0.0.1: arrive  -> release 0.0:0xf
    0.0.1: wait    -> go 0xf
    0.0.1: arrive
    0.0.1: wait
    missing 0      -> 0: 0.0:0xf
    0.0.0: arrive  -> release 0.1:0xf
    phases 0       -> 2
  )");
}

// Without anybody who has arrived, nothing completes.
TEST(GoldenClusterExit, EveryoneExits) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0
    0.0.0: exit
    1.0.0: exit lanes=0x7
    phases 0              -> 0
    1.0.0: exit lanes=0x8 -> launch_o 0 flush_o 0
    phases 0              -> 0
    missing 0             ->
  )");
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0
    0.0.0: arrive
    0.0.0: exit
    1.0.0: arrive lanes=0x7
    1.0.0: exit lanes=0x7
    1.0.0: exit lanes=0x8 -> launch_o 0 flush_o 0
    phases 0              -> 0
  )");
}

// The other lanes exit one by one, in each order, before and after those that wait have arrived.
TEST(GoldenClusterExit, AtEachStep) {
  for (unsigned last = 0; last < 4; ++last) {
    for (unsigned moment = 0; moment < 3; ++moment) {
      std::string text = "grid 0 size=2\nopen 0 size=2\nlaunch 0.0 1.0\n";
      unsigned exited = 0;
      const auto exit_one = [&](unsigned lane) {
        text += fmt::format("1.0.0: exit lanes={:#x}\n", 1U << lane);
        ++exited;
      };
      for (unsigned step = 0; step < 3; ++step) {
        if (step == 1) {
          text += "0.0.0: arrive\n";
        }
        if (step == 2) {
          text += "0.0.0: wait\n";
        }
        if (step == moment) {
          for (unsigned lane = 0; lane < 4; ++lane) {
            if (lane != last) {
              exit_one(lane);
            }
          }
        }
      }
      text += "phases 0 -> 0 open\n";
      text += fmt::format("1.0.0: exit lanes={:#x} -> release 0.0:0xf\n", 1U << last);
      RunClusterTrace(text + "phases 0 -> 1\n");
    }
  }
}

// One exit may complete phase after phase of the clusters, but only of its own.
TEST(GoldenClusterExit, OfAnotherClusterDoesNot) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=2
    open 1 size=1
    launch 0.0 0.1
    launch 0.2 cluster=1
    0.0.0: arrive
    0.0.0: wait
    0.2.2: exit
    waiting       -> 0.0:0xf
    0.1.1: exit   -> release 0.0:0xf
  )");
}

// A CTA leaves its slot: its warps that have not exited exit, whether they have been heard of or
// not, and whether they wait or not. Nothing is heard of them any more.
TEST(GoldenClusterExit, EndIsTheExitOfAllThatIsLeft) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0 warps=2
    0.0.0: arrive
    0.0.0: wait
    0.0.1: arrive
    1.0.0: arrive
    1.0.0: wait
    1.0.1: griddepcontrol.wait -> grid_release 1.1:0xf
    end 1.0        -> release 0.0:0xf
    waiting        ->
    state 1.0      ->
    0.0.1: wait    -> go 0xf
    end 0.0        -> launch_o 0 flush_o 0
    phases 0       -> 1
  )");
}

TEST(GoldenClusterExit, EndOfACtaThatHasGoneIsNoExit) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=2
    launch 0.0 1.0
    1.0.0: exit
    0.0.0: arrive lanes=0x7
    0.0.0: wait lanes=0x7
    end 1.0
    waiting                 -> 0.0:0x7
    grids                   -> in flight 0
    0.0.0: exit lanes=0x8   -> release 0.0:0x7
  )");
}

// A CTA that is not launched yet cannot have exited.
TEST(GoldenClusterExit, LateCtaIsNotAnExitedOne) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0 1.0
    0.0.0: arrive
    0.0.0: wait
    1.0.0: exit
    end 1.0
    missing 0            -> 2: not launched
    launch 1.0 rank=2
    1.0.0: arrive lanes=0x1 -> must not be presented   # its lanes have exited
    live 1.0: 0x3
    1.0.0: exit lanes=0x1
    1.0.0: exit lanes=0x2 -> release 0.0:0xf
  )");
}

// The slots of a warp and a CTA whose lanes had arrived, waited or passed: the next ones are idle.
TEST(GoldenClusterExit, NextCtaOfTheSlotIsIdle) {
  RunClusterTrace(R"(
    grid 0 size=4
    open 0 size=2
    open 1 size=2
    launch 0.0 1.0
    0.0.0: arrive
    1.0.0: arrive
    1.0.0: wait    -> go 0xf
    1.0.0: arrive
    1.0.0: wait
    end 0.0        -> release 1.0:0xf
    1.0.0: arrive lanes=0x1
    end 1.0
    launch 0.0 1.0 cluster=1
    0.0.0: wait    -> fault cluster_wait_without_arrive 0xf
    0.0.0: arrive
    1.0.0: wait    -> fault cluster_wait_without_arrive 0xf
    1.0.0: arrive
    phases 1       -> 1
    phases 0       -> 2
  )");
}

// A warp slot is used again in one CTA, by a warp that joins.
TEST(GoldenClusterExit, NextWarpOfTheSlotIsIdle) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=1
    launch 0.0 warps=3
    0.0.0: arrive
    0.0.0: exit
    live 0.0: 0x3
    0.0.0: wait    -> fault cluster_wait_without_arrive 0x3
    0.0.0: arrive
    0.0.0: wait
    0.0.1: arrive  -> release 0.0:0x3
    0.0.1: exit
    live 0.1: 0xf
    0.0.1: arrive  -> must not be presented    # the CTA has no further warp
  )");
}

}  // namespace
}  // namespace muster::golden
