// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Exits at barrier.cluster: a phase is one of all threads that have not exited (PTX ISA 9.7.13.3).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tb/golden/cluster_trace.h"

namespace muster::golden {
namespace {

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

}  // namespace
}  // namespace muster::golden
