// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Misuse: each cause of a fault, their precedence, and the hazards. A trace checks at every fault
// that the model's state is what it was.
#include <gtest/gtest.h>

#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

TEST(GoldenFault, BadLaunch) {
  Trace().Run(R"(
    launch 0: 0 1
    launch 0: 2 3             -> fault bad_launch
    launch 1:                 -> fault bad_launch
    launch 1: 2 3 4 size 2    -> fault bad_launch
    launch 1: 2 3 4 size 9    -> fault bad_launch
    launch 2: 2 3             -> fault bad_launch
    launch 1: 2 3 4 size 8
  )");
}

// An open names no warps, but else is judged as a launch is.
TEST(GoldenFault, BadLaunchByOpen) {
  Trace().Run(R"(
    open 0 size 0             -> fault bad_launch
    open 0 size 9             -> fault bad_launch
    open 0 size 255           -> fault bad_launch
    open 2 size 2             -> fault bad_launch
    open 31 size 2            -> fault bad_launch
    open 0 size 8
    open 0 size 8             -> fault bad_launch
    open 0 size 0             -> fault bad_launch
    launch 0: 0 1             -> fault bad_launch
    launch 1: 0 1
    open 1 size 2             -> fault bad_launch
    suspend 1
    open 1 size 1
  )");
  Trace("full").Run(R"(
    open 32 size 1            -> fault bad_launch
    open 31 size 65           -> fault bad_launch
    open 31 size 64
  )");
}

// A refused join leaves the warp its lanes, and its place to whom it is for.
TEST(GoldenFault, BadJoin) {
  Trace().Run(R"(
    open 0 size 3
    8: join                   -> fault bad_join
    63: join                  -> fault bad_join
    0: join lanes=0           -> fault bad_join
    0: join lanes=0x1
    0: join lanes=0x3         -> fault bad_join
    0: join lanes=0           -> fault bad_join
    1: join
    1: SYNC 4                 -> sync 1/all
    1: join                   -> fault bad_join
    2: join lanes=0           -> fault bad_join
    0: exit lanes=0x1
    0: SYNC 4                 -> fault warp_not_live
    7: join lanes=0x80000000
    7: join                   -> fault bad_join
    0: join                   -> fault bad_join
    1: join                   -> fault bad_join
    8: join                   -> fault bad_join
    7: SYNC 4                 -> completes release 1 7
    7: exit
    7: join                   -> fault bad_join
  )");
  Trace("full").Run(R"(
    open 31 size 64
    31.64: join               -> fault bad_join
    31.255: join              -> fault bad_join
    31.63: join
    31.63: join               -> fault bad_join
  )");
}

// All warps of a launch have joined, those that had exited before a save included.
TEST(GoldenFault, BadJoinOfALaunchedCta) {
  Trace().Run(R"(
    launch 0: 0 1 size 4
    2: join                   -> fault bad_join
    0: join                   -> fault bad_join
    0: SYNC 0                 -> sync 1/all
    1: exit                   -> bar 0 completes release 0
    1: join                   -> fault bad_join
    0: SYNC 0                 -> completes release 0
  )");
}

// The slot of a warp that has exited is free, though its CTA goes on.
TEST(GoldenFault, LaunchMayTakeTheSlotOfAnExitedWarp) {
  Trace().Run(R"(
    launch 0: 0 1
    1: exit
    launch 1: 1 2
    0.1: SYNC 0               -> fault warp_not_live
    1.1: SYNC 0               -> sync 1/all
    0.0: SYNC 0               -> completes release 0
  )");
}

TEST(GoldenFault, CtaNotResident) {
  Trace().Run(R"(
    0: SYNC 0                 -> fault cta_not_resident
    0: B2R.WARP               -> fault cta_not_resident
    0: exit                   -> fault cta_not_resident
    suspend 0                 -> fault cta_not_resident
    end 0                     -> fault cta_not_resident
    2.0: SYNC 0               -> fault cta_not_resident
    end 31                    -> fault cta_not_resident
    launch 0: 0
    end 0
    0: SYNC 0                 -> fault cta_not_resident
    launch 0: 0
    suspend 0
    0: SYNC 0                 -> fault cta_not_resident
  )");
  Trace("full").Run(R"(
    32.0: SYNC 0              -> fault cta_not_resident
    launch 32: 0              -> fault bad_launch
  )");
}

TEST(GoldenFault, WarpNotLive) {
  Trace().Run(R"(
    launch 0: 0 1
    launch 1: 4 5
    2: SYNC 0                 -> fault warp_not_live
    0.4: ARV 0,64             -> fault warp_not_live
    1.0: RED.OR 0 p=1         -> fault warp_not_live
    9: SYNC 0                 -> fault warp_not_live
    63: exit                  -> fault warp_not_live
    1: exit
    1: B2R.BAR 0              -> fault warp_not_live
    1: B2R.RESULT             -> fault warp_not_live
    1: R2B.BAR 0 0x0          -> fault warp_not_live
    1: exit                   -> fault warp_not_live
  )");
  Trace("full").Run(R"(
    launch 0: 0 63
    64: SYNC 0                -> fault warp_not_live
  )");
}

// A save reads the words of a waiting warp on its behalf; everything else of such a warp is
// refused.
TEST(GoldenFault, WarpWaiting) {
  Trace().Run(R"(
    launch 0: 0 1
    0: SYNC 0                 -> sync 1/all
    0: SYNC 0                 -> fault warp_waiting
    0: ARV 1,32               -> fault warp_waiting
    0: RED.POPC 1 p=1         -> fault warp_waiting
    0: R2B.BAR 1 0x0          -> fault warp_waiting
    0: R2B.WARP none          -> fault warp_waiting
    0: B2R.RESULT             -> fault warp_waiting
    0: exit                   -> fault warp_waiting
    0: exit lanes=0x1         -> fault warp_waiting
    0: B2R.BAR 0              -> reads sync 1/all
    0: B2R.WARP               -> reads none waits 0
    1: SYNC 0                 -> completes release 0 1
    0: exit
  )");
}

TEST(GoldenFault, BadBarWord) {
  Trace().Run(R"(
    launch 0: 0 1 2 3 size 6
    0: R2B.BAR 1 0x04182000   -> sync 2/3
    0: R2B.BAR 0 0x44182000   -> fault bad_state_word
    0: R2B.BAR 0 0x40000000   -> fault bad_state_word
    0: R2B.BAR 0 0x80000000   -> fault bad_state_word
    0: R2B.BAR 0 none 1/2     -> fault bad_state_word
    0: R2B.BAR 0 0x14102000   -> fault bad_state_word
    0: R2B.BAR 0 0x1c101000   -> fault bad_state_word
    0: R2B.BAR 0 sync 0/2     -> fault bad_state_word
    0: R2B.BAR 0 sync 0/all   -> fault bad_state_word
    0: R2B.BAR 0 sync 2/2     -> fault bad_state_word
    0: R2B.BAR 0 sync 3/2     -> fault bad_state_word
    0: R2B.BAR 0 sync 1/7     -> fault bad_state_word
    0: R2B.BAR 2 sync 5/6     -> sync 5/6
    0: R2B.BAR 0 sync 4/all   -> fault bad_state_word
    0: R2B.BAR 0 sync 1/2 1   -> fault bad_state_word
    0: R2B.BAR 0 and 1/2 2    -> fault bad_state_word
    0: R2B.BAR 3 and 1/2 1    -> and 1/2 1
    0: R2B.BAR 0 or 1/2 3     -> fault bad_state_word
    0: R2B.BAR 4 or 1/2       -> or 1/2
    0: R2B.BAR 0 popc 2/3 65  -> fault bad_state_word
    0: R2B.BAR 5 popc 2/3 64  -> popc 2/3 64
    0: R2B.BAR 0 0x0          -> idle
    0: R2B.BAR 0 sync 3/all   -> sync 3/all
  )");
}

TEST(GoldenFault, BadWarpWord) {
  Trace().Run(R"(
    launch 0: 0 1 size 2
    0: R2B.WARP 0x01000000    -> fault bad_state_word
    0: R2B.WARP 0x80020001    -> fault bad_state_word
    0: R2B.WARP 0x02020001    -> fault bad_state_word
    0: R2B.WARP 0x00000001    -> fault bad_state_word
    0: R2B.WARP 0x00001000    -> fault bad_state_word
    0: R2B.WARP sync 0 of 0   -> fault bad_state_word
    0: R2B.WARP 0x00050000    -> fault bad_state_word
    0: R2B.WARP 0x00070000    -> fault bad_state_word
    0: R2B.WARP and 2 of 1    -> fault bad_state_word
    0: R2B.WARP or 2 of 1     -> fault bad_state_word
    0: R2B.WARP popc 65 of 1  -> fault bad_state_word
    0: R2B.WARP 0x00080000    -> fault bad_state_word
    0: R2B.WARP and 1 of 1
    0: R2B.WARP popc 64 of 15
    0: R2B.WARP none
    0: R2B.BAR 15 sync 1/2    -> sync 1/2
    0: R2B.WARP none waits 15
    0: B2R.WARP               -> reads none waits 15
  )");
}

TEST(GoldenFault, ArvWithoutCount) {
  Trace().Run(R"(
    launch 0: 0 1
    0: ARV 0                  -> fault arv_without_count
    0: SYNC 0                 -> sync 1/all
    1: ARV 0                  -> fault arv_without_count
  )");
}

TEST(GoldenFault, CountNotMultiple) {
  Trace().Run(R"(
    launch 0: 0 1
    0: SYNC 0,1               -> fault count_not_multiple
    0: SYNC 0,33              -> fault count_not_multiple
    0: ARV 0,48               -> fault count_not_multiple
    0: RED.AND 0,63 p=1       -> fault count_not_multiple
  )");
}

// Counted in warps, with those of the CTA that have exited.
TEST(GoldenFault, CountAboveCta) {
  Trace().Run(R"(
    launch 0: 0 1 2
    2: exit
    0: SYNC 0,128             -> fault count_above_cta
    0: ARV 0,4064             -> fault count_above_cta
    0: RED.OR 0,256 p=1       -> fault count_above_cta
    0: SYNC 0,96              -> sync 1/3
  )");
  Trace("full").Run(R"(
    launch 0: 0 1 size 64
    0: SYNC 0,2080            -> fault count_above_cta
    0: ARV 0,2048             -> sync 1/64
  )");
}

// BAR.ARV: counts of arrivals at one barrier must be strictly equal; 0 and the full count differ.
TEST(GoldenFault, CountMismatch) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 0,64              -> sync 1/2
    1: SYNC 0,96              -> fault count_mismatch
    1: ARV 0,32               -> fault count_mismatch
    1: SYNC 0                 -> fault count_mismatch
    1: SYNC 1                 -> sync 1/all
    2: SYNC 1,128             -> fault count_mismatch
    2: ARV 1,128              -> fault count_mismatch
    2: RED.AND 3,128 p=1      -> and 1/4
    3: RED.AND 3 p=1          -> fault count_mismatch
  )");
}

// BAR.RED, notes: it cannot share a barrier with SYNC and ARV; nor can two operators.
TEST(GoldenFault, KindMismatch) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: RED.AND 0,64 p=1       -> and 1/2
    1: SYNC 0,64              -> fault kind_mismatch
    1: ARV 0,64               -> fault kind_mismatch
    1: RED.OR 0,64 p=1        -> fault kind_mismatch
    1: RED.POPC 0,64 p=1      -> fault kind_mismatch
    1: ARV 1,64               -> sync 1/2
    2: RED.AND 1,64 p=1       -> fault kind_mismatch
    2: RED.OR 1,64 p=1        -> fault kind_mismatch
    2: RED.POPC 1,64 p=1      -> fault kind_mismatch
    2: SYNC 1,64              -> completes release 2
    2: RED.POPC 1 p=1         -> popc 1/all 1
    3: SYNC 1                 -> fault kind_mismatch
  )");
}

// A refused arrival leaves the generation to the right one.
TEST(GoldenFault, ChangesNothing) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: RED.POPC 2,64 p=0xf    -> popc 1/2 4
    1: RED.OR 2,64 p=0xf      -> fault kind_mismatch
    1: RED.POPC 2,96 p=0xf    -> fault count_mismatch
    1: RED.POPC 2,64 p=0x3    -> completes release 0 1 with popc 6
  )");
}

// For each two neighbours that one operation can be guilty of at once, the first is reported.
TEST(GoldenPrecedence, CtaNotResidentBeforeWarpNotLive) {
  Trace().Run(R"(
    launch 1: 4
    0.7: SYNC 0               -> fault cta_not_resident
    2.9: SYNC 0               -> fault cta_not_resident
    0.4: SYNC 0               -> fault cta_not_resident
  )");
}

TEST(GoldenPrecedence, CtaNotResidentBeforeBadJoin) {
  Trace().Run(R"(
    0: join                   -> fault cta_not_resident
    open 1 size 1
    0: join lanes=0           -> fault cta_not_resident
    0.9: join                 -> fault cta_not_resident
    2.9: join                 -> fault cta_not_resident
    31.0: join lanes=0        -> fault cta_not_resident
    1.4: join
    1.4: SYNC 0,33            -> fault count_not_multiple
    end 1
    1.4: join                 -> fault cta_not_resident
  )");
}

TEST(GoldenPrecedence, WarpNotLiveBeforeWarpWaiting) {
  Trace().Run(R"(
    launch 0: 0 1
    launch 1: 4 5
    1.4: SYNC 0               -> sync 1/all
    0.4: SYNC 0               -> fault warp_not_live
    0.4: exit                 -> fault warp_not_live
  )");
}

TEST(GoldenPrecedence, WarpWaitingBeforeBadStateWord) {
  Trace().Run(R"(
    launch 0: 0 1
    0: SYNC 0                 -> sync 1/all
    0: R2B.BAR 0 0xffffffff   -> fault warp_waiting
    0: R2B.WARP 0xffffffff    -> fault warp_waiting
  )");
}

// An R2B carries no count, so bad_state_word and arv_without_count cannot meet; both come after
// warp_waiting.
TEST(GoldenPrecedence, WarpWaitingBeforeCounts) {
  Trace().Run(R"(
    launch 0: 0 1
    0: SYNC 0                 -> sync 1/all
    0: ARV 0                  -> fault warp_waiting
    0: SYNC 0,33              -> fault warp_waiting
    0: SYNC 0,128             -> fault warp_waiting
    0: SYNC 0,64              -> fault warp_waiting
    0: RED.OR 0 p=1           -> fault warp_waiting
  )");
}

// Count 0 is a multiple and above nothing, so what can meet arv_without_count is the entry's.
TEST(GoldenPrecedence, ArvWithoutCountBeforeMismatches) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: RED.OR 0,64 p=1        -> or 1/2 1
    1: ARV 0                  -> fault arv_without_count
    1: RED.OR 1 p=1           -> or 1/all 1
    2: ARV 1                  -> fault arv_without_count
  )");
}

TEST(GoldenPrecedence, CountNotMultipleBeforeCountAboveCta) {
  Trace().Run(R"(
    launch 0: 0 1
    0: SYNC 0,97              -> fault count_not_multiple
    0: ARV 0,4095             -> fault count_not_multiple
    0: SYNC 1,64              -> sync 1/2
    1: RED.OR 1,33 p=1        -> fault count_not_multiple
  )");
}

TEST(GoldenPrecedence, CountAboveCtaBeforeCountMismatch) {
  Trace().Run(R"(
    launch 0: 0 1
    0: SYNC 0,64              -> sync 1/2
    1: SYNC 0,96              -> fault count_above_cta
    1: RED.OR 0,96 p=1        -> fault count_above_cta
  )");
}

TEST(GoldenPrecedence, CountMismatchBeforeKindMismatch) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: SYNC 0,64              -> sync 1/2
    1: RED.OR 0,96 p=1        -> fault count_mismatch
    1: RED.OR 0 p=1           -> fault count_mismatch
    1: RED.OR 0,64 p=1        -> fault kind_mismatch
  )");
}

// PTX: "Care must be taken to keep a warp from executing more barrier instructions than intended
// (barrier.arrive followed by any other barrier instruction to the same barrier) prior to the reset
// of the barrier."
TEST(GoldenHazard, RepeatedArrival) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: ARV 1,96               -> sync 1/3
    0: SYNC 1,96              -> sync 2/3 hazard repeated_arrival
    1: ARV 1,96               -> completes release 0
    1: ARV 1,96               -> sync 1/3
    0: ARV 1,96               -> sync 2/3
    1: ARV 1,96               -> completes releases nobody hazard repeated_arrival
    1: ARV 1,96               -> sync 1/3
    1: ARV 2,96               -> sync 1/3
    2: ARV 1,96               -> sync 2/3
  )");
}

// A refused arrival is none, and a state word brings back counts, not names.
TEST(GoldenHazard, NoRepeatedArrivalWithoutAnArrival) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: ARV 1                  -> fault arv_without_count
    0: ARV 1,64               -> sync 1/2
    0: ARV 1,96               -> fault count_mismatch
    1: ARV 1,64               -> completes releases nobody
    1: R2B.BAR 1 sync 1/3     -> sync 1/3
    0: ARV 1,96               -> sync 2/3
    1: B2R.BAR 1              -> reads sync 2/3
    1: R2B.BAR 1 sync 1/3     -> fault bad_state_word
    1: ARV 1,96               -> completes releases nobody
  )");
}

TEST(GoldenHazard, UnfinishedBarrier) {
  Trace().Run(R"(
    launch 0: 0 1
    0: ARV 15,64              -> sync 1/2
    end 0                     -> hazard unfinished_barrier
    launch 0: 0 1
    0: ARV 15,64              -> sync 1/2
    suspend 0
    launch 0: 0 1
    0: SYNC 2                 -> sync 1/all
    1: SYNC 2                 -> completes release 0 1
    end 0
  )");
}

}  // namespace
}  // namespace muster::golden
