// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Launches and exits. BAR.SYNC: with SrcCnt = 0 a barrier is complete when its count plus the
// threads of the warps that "have completely exited" equals the threads of the CTA; BAR.RED,
// completion, likewise.
#include <gtest/gtest.h>

#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

TEST(GoldenExit, ExitedWarpsAreNotWaitedFor) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    3: exit
    0: SYNC 1                 -> sync 1/all
    1: SYNC 1                 -> sync 2/all
    2: SYNC 1                 -> completes release 0 1 2
  )");
}

TEST(GoldenExit, CompletesWhatTheOthersWaitFor) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 7                 -> sync 1/all
    1: SYNC 7                 -> sync 2/all
    2: exit
    3: exit                   -> bar 7 completes release 0 1
    0: SYNC 7                 -> sync 1/all
    1: SYNC 7                 -> completes release 0 1
  )");
}

// A completion by exit carries the reduction like any other, to those that wait.
TEST(GoldenExit, CompletesAReduction) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: RED.POPC 4 p=0xff      -> popc 1/all 8
    1: RED.POPC 4 p=0x1       -> popc 2/all 9
    2: exit                   -> bar 4 completes release 0 1 with popc 9
    0: B2R.RESULT             -> reads 9
    1: B2R.WARP               -> reads popc 9 of 4
    0: RED.AND 5 p=0xffffffff -> and 1/all 1
    1: exit                   -> bar 5 completes release 0 with and 1
    0: B2R.RESULT             -> reads true
  )");
}

TEST(GoldenExit, BeforeAReductionItContributesNothing) {
  Trace().Run(R"(
    launch 0: 0 1 2
    2: exit
    0: RED.AND 4 p=0xffffffff -> and 1/all 1
    1: RED.AND 4 p=0xffffffff -> completes release 0 1 with and 1
  )");
}

// A count is a count: exits neither complete it nor lower it.
TEST(GoldenExit, DoesNotTouchAnExplicitCount) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 1,96              -> sync 1/3
    1: SYNC 1,96              -> sync 2/3
    2: exit
    3: exit
    0: B2R.BAR 1              -> reads sync 2/3
  )");
}

// An ARV of a warp that exits afterwards stays.
TEST(GoldenExit, ArrivalOutlivesItsWarp) {
  Trace().Run(R"(
    launch 0: 0 1 2
    2: ARV 1,64               -> sync 1/2
    2: exit
    0: SYNC 1,64              -> completes release 0
  )");
}

// Only the exit of the last live lane is the warp's.
TEST(GoldenExit, LastLaneIsTheWarp) {
  Trace().Run(R"(
    launch 0: 0 1
    0: SYNC 0                 -> sync 1/all
    1: exit lanes=0xfffffffe
    1: exit lanes=0xf0
    1: exit lanes=0x1         -> bar 0 completes release 0
    1: exit lanes=0x1         -> fault warp_not_live
  )");
}

// A CTA of 100 threads is four warps; the lanes that the last one lacks exit right after launch.
TEST(GoldenExit, PartialWarpAtLaunch) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    3: exit lanes=0xfffffff0
    0: SYNC 0,128             -> sync 1/4
    1: SYNC 0,128             -> sync 2/4
    2: SYNC 0,128             -> sync 3/4
    3: SYNC 0,128 lanes=0xf   -> completes release 0 1 2 3
    3: exit lanes=0xf
    0: SYNC 0                 -> sync 1/all
    1: SYNC 0                 -> sync 2/all
    2: SYNC 0                 -> completes release 0 1 2
  )");
}

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

// The entry that an exit may complete is the latest that took an all-warps arrival.
TEST(GoldenExit, CompletesTheLatestAllWarpsEntry) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: SYNC 3                 -> sync 1/all
    1: SYNC 3                 -> sync 2/all
    2: SYNC 3                 -> completes release 0 1 2
    1: SYNC 9,64              -> sync 1/2
    0: ARV 9,64               -> completes release 1
    0: SYNC 12                -> sync 1/all
    2: ARV 3,64               -> sync 1/2
    2: exit
    1: SYNC 12                -> completes release 0 1
    0: SYNC 14                -> sync 1/all
    1: exit                   -> bar 14 completes release 0
  )");
}

// Order matters: an arrival before the exit, or after it, of the warp that completes.
TEST(GoldenExit, BeforeAndAfterTheLastReduction) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: RED.OR 0 p=1           -> or 1/all 1
    2: exit
    1: RED.OR 0 p=0           -> completes release 0 1 with or 1
    launch 1: 4 5 6
    1.4: RED.OR 0 p=1         -> or 1/all 1
    1.5: RED.OR 0 p=0         -> or 2/all 1
    1.6: exit                 -> bar 0 completes release 4 5 with or 1
  )");
}

// Without lane exits any exit is the warp's.
TEST(GoldenExit, WholeWarpsWhereLanesAreNotKnown) {
  Trace("vortex_like").Run(R"(
    launch 0: 0 1
    0: SYNC 0                 -> sync 1/all
    1: exit lanes=0x1         -> bar 0 completes release 0
  )");
}

// A CTA's first warp arrives before its second one does anything: launch has announced both.
TEST(GoldenLaunch, AnnouncesAllWarpsAtOnce) {
  Trace().Run(R"(
    launch 0: 0 1
    0: SYNC 0                 -> sync 1/all
    1: SYNC 0                 -> completes release 0 1
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
