// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Launches and exits. BAR.SYNC: with SrcCnt = 0 a barrier is complete when its count plus the
// threads of the warps that "have completely exited" equals the threads of the CTA; BAR.RED,
// completion, likewise.
#include <gtest/gtest.h>

#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

// The last warp's exit leaves the slot resident and empty; nothing can be complete then.
TEST(GoldenExit, LastWarp) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1
    0: SYNC 0                 -> sync 1/all
    1: exit                   -> bar 0 completes release 0
    0: exit
  )");
  EXPECT_TRUE(trace.model().Resident(0));
  EXPECT_EQ(trace.model().Live(), 0U);
  trace.Run(R"(
    0: SYNC 0                 -> fault warp_not_live
    launch 0: 0               -> fault bad_launch
    end 0
    launch 0: 0
    0: SYNC 0                 -> completes release 0
  )");
}

// All warp slots of a core of 64, the highest CTA slot, and a CTA that once had more warps.
TEST(GoldenLaunch, TakesTheWholeCore) {
  Trace trace("full");
  trace.Run(R"(
    launch 31: 63 0 size 64
    31.63: SYNC 15            -> sync 1/all
    31.0: SYNC 15             -> completes release 0 63
    31.0: SYNC 15,2048        -> sync 1/64
  )");
  EXPECT_EQ(trace.model().Live(), 0x8000000000000001U);
  EXPECT_EQ(trace.model().Waiting(), 1U);
}

}  // namespace
}  // namespace muster::golden
