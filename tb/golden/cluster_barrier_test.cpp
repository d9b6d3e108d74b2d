// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// barrier.cluster without exits. Numbers in comments are subsections of PTX ISA 9.7.13.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "tb/golden/cluster_trace.h"

namespace muster::golden {
namespace {

// (.3) "causes the executing thread to wait for all non-exited threads of the cluster to perform
// barrier.cluster.arrive"
TEST(GoldenClusterBarrier, WaitersAreReleasedByTheLastArrival) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.3
    0.0.0: arrive
    phases 0       -> 0 open
    0.0.0: wait
    waiting        -> 0.0:0xf
    state 0.0      -> live 0xf arrived 0xf waiting 0xf
    missing 0      -> 1: unseen 1
    1.3.5: arrive  -> release 0.0:0xf
    phases 0       -> 1
    waiting        ->
    state 0.0      -> live 0xf
    state 1.5      -> live 0xf passed 0xf
    1.3.5: wait    -> go 0xf
    state 1.5      -> live 0xf
  )");
}

// (.3) "the barrier completes and is automatically reinitialized. After using barrier.cluster.wait
// to detect completion of the barrier, a thread may immediately arrive at the barrier once again."
TEST(GoldenClusterBarrier, PhasesBackToBack) {
  std::string text = "grid 0 size=2\nopen 0 size=2\nlaunch 0.0 1.0\n";
  for (unsigned phase = 0; phase < 6; ++phase) {
    const unsigned last = phase % 2;
    text += fmt::format(
        "phases 0 -> {0}\n"
        "{1}.0.0: arrive\n"
        "{1}.0.0: wait\n"
        "{2}.0.0: arrive.relaxed -> release {1}.0:0xf\n"
        "{2}.0.0: wait -> go 0xf\n",
        phase, 1 - last, last);
  }
  RunClusterTrace(text);
}

// arrive "without causing executing thread to wait": no thread waits, and the next phase begins.
TEST(GoldenClusterBarrier, NobodyWaits) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 0 size=2
    launch 0.0 1.0
    0.0.0: arrive
    1.0.0: arrive
    phases 0       -> 1
    state 0.0      -> live 0xf passed 0xf
    0.0.0: wait    -> go 0xf
    0.0.0: arrive
    0.0.0: wait
    1.0.0: wait    -> go 0xf
    1.0.0: arrive  -> release 0.0:0xf
    phases 0       -> 2
  )");
}

TEST(GoldenClusterBarrier, LanesApartInEveryOrder) {
  std::array<unsigned, 4> order = {0, 1, 2, 3};
  do {
    std::string text = "grid 0 size=1\nopen 0 size=1\nlaunch 0.0 warps=2\n0.0.1: arrive\n";
    for (const unsigned lane : order) {
      text += fmt::format("phases 0 -> 0 open\n0.0.0: arrive lanes={:#x}\n", 1U << lane);
    }
    text += "phases 0 -> 1\n";
    for (const unsigned lane : order) {
      text += fmt::format("0.0.0: wait lanes={0:#x} -> go {0:#x}\n", 1U << lane);
    }
    RunClusterTrace(text + "state 0.0 -> live 0xf\n");
  } while (std::next_permutation(order.begin(), order.end()));
}

// Each lane arrives and waits by itself; the last one of all releases the others.
TEST(GoldenClusterBarrier, LanesWaitOneByOne) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=1
    launch 0.0 warps=2
    0.0.0: arrive lanes=0x1
    0.0.0: wait lanes=0x1
    0.0.0: arrive lanes=0x6
    0.0.0: wait lanes=0x4
    0.0.1: arrive lanes=0xe
    0.0.1: wait lanes=0x8
    missing 0                -> 0: 0.0:0x8 0.1:0x1
    0.0.0: arrive lanes=0x8
    0.0.0: wait lanes=0x8
    waiting                  -> 0.0:0xd 0.1:0x8
    0.0.1: arrive lanes=0x1  -> release 0.0:0xd release 0.1:0x8
    state 0.0                -> live 0xf passed 0x2
    state 0.1                -> live 0xf passed 0x7
    0.0.0: wait lanes=0x2    -> go 0x2
    0.0.1: wait lanes=0x7    -> go 0x7
  )");
}

// A lane that has passed has not arrived in the phase that runs.
TEST(GoldenClusterBarrier, LanesOfAWarpInTwoPhases) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=1
    launch 0.0
    0.0.0: arrive
    phases 0                -> 1
    0.0.0: wait lanes=0x7   -> go 0x7
    0.0.0: arrive lanes=0x3
    state 0.0               -> live 0xf arrived 0x3 passed 0x8
    0.0.0: arrive lanes=0x4
    phases 0                -> 1 open
    missing 0               -> 0: 0.0:0x8
    0.0.0: wait lanes=0xb   -> go 0x8
    state 0.0               -> live 0xf arrived 0x7 waiting 0x3
    0.0.0: arrive lanes=0x8 -> release 0.0:0x3
    state 0.0               -> live 0xf passed 0xc
    phases 0                -> 2
  )");
}

// Lanes of a CTA that is not launched yet have not arrived.
TEST(GoldenClusterBarrier, LateCtaIsWaitedFor) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0
    0.0.0: arrive
    0.0.0: wait
    missing 0                 -> 1: not launched, 2: not launched
    launch 0.1 rank=2
    0.1.1: arrive
    missing 0                 -> 1: not launched
    phases 0                  -> 0 open
    launch 2.0 rank=1 warps=2
    missing 0                 -> 1: unseen 2
    2.0.0: arrive
    2.0.1: arrive lanes=0x7
    missing 0                 -> 1: 2.1:0x8
    2.0.1: arrive lanes=0x8   -> release 0.0:0xf
    missing 0                 -> 0: 0.0:0xf, 1: 2.0:0xf 2.1:0xf, 2: 0.1:0xf
  )");
}

// All warps of a CTA are counted from the launch on, whether they have been heard of or not.
TEST(GoldenClusterBarrier, WarpsThatHaveNotBeenHeardOf) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=1
    launch 3.1 warps=3
    3.1.10: arrive
    3.1.20: griddepcontrol.launch_dependents -> launch_o 0
    missing 0       -> 0: unseen 1 3.20:0xf
    3.1.20: arrive
    missing 0       -> 0: unseen 1
    phases 0        -> 0 open
    live 3.30: 0x1
    3.1.30: arrive
    phases 0        -> 1
  )");
}

TEST(GoldenClusterBarrier, ClusterOfOneLane) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 63 size=1
    launch 15.31 cluster=63
    live 15.63: 0x80000000
    15.31.63: arrive
    phases 63       -> 1
    15.31.63: wait  -> go 0x80000000
    15.31.63: arrive.relaxed
    phases 63       -> 2
  )");
}

// The release is of all warps that wait, in all units; none of another cluster's.
TEST(GoldenClusterBarrier, ClusterOfSixteen) {
  std::string text = "grid 0 size=16\nopen 5 size=16\nlaunch";
  std::string released;
  for (unsigned unit = 0; unit < 16; ++unit) {
    text += fmt::format(" {}.{}", unit, unit);
  }
  text += " cluster=5 warps=2\n";
  for (unsigned unit = 0; unit < 16; ++unit) {
    for (unsigned warp = 0; warp < 2; ++warp) {
      const bool is_last = unit == 15 && warp == 1;
      text += fmt::format("{0}.{0}.{1}: arrive", unit, warp);
      text += is_last ? " ->" + released + "\n" : fmt::format("\n{0}.{0}.{1}: wait\n", unit, warp);
      released += fmt::format(" release {}.{}:0xf", unit, warp);
    }
  }
  RunClusterTrace(text + "phases 5 -> 1\n15.15.1: wait -> go 0xf\n");
}

// Two CTAs of a cluster, and one of another, in one unit; and a cluster that was never opened.
TEST(GoldenClusterBarrier, ClustersSideBySide) {
  RunClusterTrace(R"(
    grid 0 size=3
    grid 1 size=2
    open 0 size=2
    open 1 size=1
    open 2 size=2
    launch 0.0 0.1
    launch 0.2 cluster=1
    launch 0.3 1.0 cluster=2 grid=1
    0.0.0: arrive
    0.0.0: wait
    0.2.2: arrive
    phases 0       -> 0 open
    phases 1       -> 1
    phases 2       -> 0
    0.3.3: arrive
    0.3.3: wait
    0.2.2: wait    -> go 0xf
    0.2.2: arrive
    0.2.2: wait    -> go 0xf
    phases 1       -> 2
    waiting        -> 0.0:0xf 0.3:0xf
    0.1.1: arrive  -> release 0.0:0xf
    1.0.0: arrive  -> release 0.3:0xf
    phases 0       -> 1
    phases 2       -> 1
    phases 3       -> 0
  )");
}

// .release and .relaxed are arrivals at one barrier: the model is told of the former after its
// drain.
TEST(GoldenClusterBarrier, ReleaseAndRelaxedMeet) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=1
    launch 0.0
    0.0.0: arrive lanes=0x3
    0.0.0: arrive.relaxed lanes=0xc
    phases 0       -> 1
    0.0.0: arrive.relaxed lanes=0x1 -> fault cluster_arrived_twice 0x1
    0.0.0: wait    -> go 0xf
  )");
}

// Whoever names no lanes does nothing: the warp has not even been heard of.
TEST(GoldenClusterBarrier, RequestWithoutLanesIsNone) {
  for (const char* op : {"arrive", "arrive.relaxed", "wait", "exit",
                         "griddepcontrol.launch_dependents", "griddepcontrol.wait"}) {
    RunClusterTrace(
        fmt::format("grid 0 size=1\nopen 0 size=1\nlaunch 0.0\n"
                    "0.0.0: {0} lanes=0\n"
                    "0.7.0: {0} lanes=0\n"
                    "missing 0 -> 0: unseen 1\n"
                    "0.0.0: arrive lanes=0x7\n"
                    "0.0.0: {0} lanes=0\n"
                    "state 0.0 -> live 0xf arrived 0x7\n"
                    "grids -> in flight 0\n",
                    op));
  }
}

}  // namespace
}  // namespace muster::golden
