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

// The largest cluster has two CTAs on each of sixteen units.
TEST(GoldenClusterBarrier, ClusterOfThirtyTwo) {
  std::string text = "grid 0 size=32\nopen 5 size=32\nlaunch";
  for (unsigned rank = 0; rank < 32; ++rank) {
    text += fmt::format(" {}.{}", rank % 16, rank / 16);
  }
  text += " cluster=5\n";
  std::string released;
  for (unsigned cta = 0; cta < 2; ++cta) {
    for (unsigned unit = 0; unit < 16; ++unit) {
      const bool is_last = unit == 15 && cta == 1;
      text += fmt::format("{0}.{1}.{1}: arrive", unit, cta);
      text += is_last ? " ->" + released + "\n" : fmt::format("\n{0}.{1}.{1}: wait\n", unit, cta);
      released += fmt::format(" release {}.{}:0xf", unit, cta);
    }
  }
  RunClusterTrace(text + "phases 5 -> 1\n15.1.1: wait -> go 0xf\n");
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
