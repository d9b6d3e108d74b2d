// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Split phases, as rtl/README.md defines them: arrivals that answer the phase, and waits for a
// phase.
#include <gtest/gtest.h>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

TEST(GoldenSplit, WaitBeforeAndAfterTheCompletion) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: ARV.PHASE 1,64         -> sync 1/2 reads 0
    0: WAIT 1,0
    0: B2R.WARP               -> reads none waits 1 apart
    2: B2R.BAR 1              -> reads sync 1/2
    1: ARV.PHASE 1,64         -> completes release 0 reads 0
    0: B2R.WARP               -> reads none
    1: WAIT 1,0               -> release 1
    2: WAIT 1,0               -> release 2        # a warp that never arrived
    2: B2R.BAR 1              -> reads idle phase 1
  )");
}

// The waiting warp is no arrival, and leaves kind and count to the first one that comes.
TEST(GoldenSplit, WaitAtAnIdleEntry) {
  Trace().Run(R"(
    launch 0: 0 1 2
    2: WAIT 3,0
    2: B2R.BAR 3              -> reads idle
    0: SYNC 3,64              -> sync 1/2
    1: SYNC 3,64              -> completes release 0 1 2
    2: WAIT 3,1
    2: B2R.WARP               -> reads none waits 3 apart
    2: B2R.BAR 3              -> reads idle phase 1
    0: RED.POPC 3,32 p=0x7    -> completes release 0 2 with popc 3
    2: WAIT 3,0
    2: B2R.WARP               -> reads none waits 3 apart
    0: ARV 3,32               -> completes release 2
  )");
}

TEST(GoldenSplit, PhasesBackToBack) {
  Trace().Run(R"(
    launch 0: 0 1
    0: ARV.PHASE 1,64         -> sync 1/2 reads 0
    1: ARV.PHASE 1,64         -> completes releases nobody reads 0
    0: WAIT 1,0               -> release 0
    0: ARV.PHASE 1,64         -> sync 1/2 reads 1
    0: WAIT 1,1
    1: WAIT 1,0               -> release 1
    1: ARV.PHASE 1,64         -> completes release 0 reads 1
    1: WAIT 1,1               -> release 1
    0: ARV.PHASE 1,32         -> completes releases nobody reads 0
    1: B2R.BAR 1              -> reads idle phase 1
    0: ARV.PHASE 2,32         -> completes releases nobody reads 0    # each entry has its own
  )");
}

// SYNC, ARV and ARV.PHASE are of one kind; a wait fits every kind and count.
TEST(GoldenSplit, MixesWithTheOtherArrivals) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 6,128             -> sync 1/4
    1: ARV.PHASE 6,128        -> sync 2/4 reads 0
    2: ARV 6,128              -> sync 3/4
    1: WAIT 6,0
    2: WAIT 6,1               -> release 2
    3: ARV.PHASE 6,128        -> completes release 0 1 reads 0
    0: ARV.PHASE 6,64         -> sync 1/2 reads 1
    1: SYNC 6,64              -> completes release 1
    0: WAIT 6,1               -> release 0
  )");
}

TEST(GoldenSplit, ManyWaitAtSeveralEntries) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1 2 3 4
    launch 1: 5 6 7
    0: WAIT 1,0
    1: WAIT 1,0
    2: WAIT 2,0
    1.5: WAIT 1,0
    1.6: WAIT 0,0
    3: ARV 1,64               -> sync 1/2
    4: SYNC 1,64              -> completes release 0 1 4
    3: SYNC 2,32              -> completes release 2 3
    1.7: ARV.PHASE 1,32       -> completes release 5 reads 0
  )");
  EXPECT_EQ(trace.model().Waiting(), 0x40U);
  EXPECT_EQ(trace.model().Apart(), 0x40U);
  EXPECT_EQ(trace.model().WaitingAt(1, 0), 0x40U);
}

// A reduction's result is for the warps that arrived for it: another's copy stays as it is.
TEST(GoldenSplit, ReductionLeavesTheCopiesOfOthers) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    3: RED.POPC 5,32 p=0x7    -> completes release 3 with popc 3
    3: WAIT 5,1
    3: B2R.WARP               -> reads popc 3 of 5 waits 5 apart
    0: RED.AND 5,64 p=0xffffffff -> and 1/2 1
    2: WAIT 5,1
    1: RED.AND 5,64 p=0xffffffff -> completes release 0 1 2 3 with and 1
    3: B2R.WARP               -> reads popc 3 of 5
    3: B2R.RESULT             -> reads 3
    2: B2R.WARP               -> reads none
    2: B2R.RESULT             -> reads 0
    0: B2R.WARP               -> reads and 1 of 5
    0: RED.OR 5,32 p=0x1      -> completes release 0 with or 1
    0: ARV.PHASE 5,64         -> sync 1/2 reads 1
    0: B2R.WARP               -> reads or 1 of 5
  )");
}

// An entry of all warps completes as without split phases, by an exit too; a warp that waits there
// apart is missing.
TEST(GoldenSplit, EntriesOfAllWarps) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 4                 -> sync 1/all
    1: SYNC 4                 -> sync 2/all
    3: ARV.PHASE 9,64         -> sync 1/2 reads 0
    3: exit
    2: WAIT 4,1               -> release 2
    2: exit                   -> bar 4 completes release 0 1
    0: WAIT 4,0               -> release 0
    0: RED.OR 4 p=0x1         -> or 1/all 1
    1: WAIT 4,1
    1: exit                   -> fault warp_waiting
    end 0                     -> hazard unfinished_barrier
  )");
}

TEST(GoldenSplit, NewCtaBeginsInPhase0) {
  Trace().Run(R"(
    launch 0: 0 1
    launch 1: 4 5
    0: ARV.PHASE 7,32         -> completes releases nobody reads 0
    1.4: ARV 7,32             -> completes releases nobody
    0: WAIT 7,1
    end 0
    launch 0: 0 1
    0: B2R.WARP               -> reads none
    0: B2R.BAR 7              -> reads idle
    0: ARV.PHASE 7,32         -> completes releases nobody reads 0
    0: WAIT 8,0
    suspend 0
    open 0 size 3
    1: join
    1: ARV.PHASE 7,32         -> completes releases nobody reads 0
    1: ARV.PHASE 8,32         -> completes releases nobody reads 0
    0: join                   # which changes no phase
    0: B2R.BAR 7              -> reads idle phase 1
    0: WAIT 7,0               -> release 0
    1.4: B2R.BAR 7            -> reads idle phase 1
  )");
}

TEST(GoldenSplit, WithoutLanesNothingHappens) {
  Trace().Run(R"(
    launch 0: 0 1
    0: ARV.PHASE 1,64 lanes=0
    0: WAIT 1,0 lanes=0
    0: WAIT 1,1 lanes=0
    0: ARV.PHASE 1,0 lanes=0
    2: WAIT 1,0 lanes=0
    1: SYNC 1 lanes=0x80      -> sync 1/all
    1: WAIT 1,0 lanes=0
    0: WAIT 1,1 lanes=0x10    -> release 0
  )");
}

// The phase is in bit 0 of the operand; count and other bits are ignored.
TEST(GoldenSplit, WaitReadsOneBit) {
  Model model(*FindConfig("small"));
  model.Step(ParseOperation("launch 0: 0 1"));
  Operation wait = ParseOperation("0: WAIT 2,0xfffffffe");
  wait.count = 0xfff;
  Effects effects = model.Step(wait);
  EXPECT_EQ(effects.fault, FaultCause::kNone);
  EXPECT_FALSE(effects.entry_written || effects.completed || effects.responds);
  EXPECT_EQ(effects.released, 0U);
  EXPECT_EQ(model.WaitingAt(0, 2), 0x1U);
  wait = ParseOperation("1: WAIT 2,3");
  wait.count = 17;
  effects = model.Step(wait);
  EXPECT_EQ(effects.fault, FaultCause::kNone);
  EXPECT_FALSE(effects.entry_written || effects.completed || effects.responds);
  EXPECT_EQ(effects.released, 0x2U);
  EXPECT_EQ(effects.released_kind, BarKind::kSync);
  EXPECT_EQ(effects.released_value, 0U);
}

TEST(GoldenSplit, Refused) {
  Trace().Run(R"(
    launch 0: 0 1 2 3 size 5
    1.0: WAIT 1,0             -> fault cta_not_resident
    1.0: ARV.PHASE 1,0        -> fault cta_not_resident
    2.7: WAIT 1,1             -> fault cta_not_resident
    5: WAIT 1,1               -> fault warp_not_live
    5: ARV.PHASE 1,0          -> fault warp_not_live
    9: WAIT 1,0               -> fault warp_not_live
    0: ARV.PHASE 1            -> fault arv_without_count
    0: ARV.PHASE 1,33         -> fault count_not_multiple
    0: ARV.PHASE 1,192        -> fault count_above_cta
    0: ARV.PHASE 1,193        -> fault count_not_multiple
    0: ARV.PHASE 1,64         -> sync 1/2 reads 0
    1: ARV.PHASE 1,96         -> fault count_mismatch
    1: RED.OR 2,96 p=0x1      -> or 1/3 1
    0: ARV.PHASE 2,64         -> fault count_mismatch
    0: ARV.PHASE 2,96         -> fault kind_mismatch
    0: WAIT 2,0               # which is of no kind, and has no count
    0: SYNC 5                 -> fault warp_waiting
    0: ARV 1,64               -> fault warp_waiting
    0: ARV.PHASE 1            -> fault warp_waiting
    0: WAIT 2,0               -> fault warp_waiting
    0: WAIT 2,1               -> fault warp_waiting
    0: B2R.RESULT             -> fault warp_waiting
    0: R2B.BAR 6 idle         -> fault warp_waiting
    0: R2B.WARP none          -> fault warp_waiting
    0: exit                   -> fault warp_waiting
    1: WAIT 1,1               -> fault warp_waiting
  )");
}

// While warps are owed, no warp runs, whatever the phase; and that goes before what the arrival
// has.
TEST(GoldenSplit, RefusedWhileARestoreIsUnfinished) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    launch 1: 4 5
    0: R2B.BAR 4 sync 1/all   -> sync 1/all
    1: WAIT 4,0               -> fault restore_unfinished
    1: WAIT 4,1               -> fault restore_unfinished
    1: WAIT 5,1               -> fault restore_unfinished
    1: ARV.PHASE 5,64         -> fault restore_unfinished
    1: ARV.PHASE 5            -> fault restore_unfinished
    4: WAIT 5,1               -> fault warp_not_live
    1.4: WAIT 4,1             -> release 4
    1.4: ARV.PHASE 4,64       -> sync 1/2 reads 0
    2: R2B.WARP none waits 4 apart
    1: WAIT 4,1               -> fault restore_unfinished    # it has paid nothing back
    2: WAIT 4,1               -> fault warp_waiting
    3: R2B.WARP none waits 4
    1: WAIT 4,1               -> release 1
    1: ARV.PHASE 5,64         -> sync 1/2 reads 0
  )");
}

TEST(GoldenSplit, R2bBarWritesThePhase) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: R2B.BAR 1 idle phase 1 -> idle phase 1
    0: B2R.BAR 1              -> reads idle phase 1
    0: WAIT 1,0               -> release 0
    0: R2B.BAR 2 popc 1/2 17 phase 1 -> popc 1/2 17 phase 1
    1: WAIT 2,1
    0: R2B.BAR 2 idle phase 1 -> fault bad_state_word
    0: R2B.BAR 2 idle         -> fault bad_state_word
    0: RED.POPC 2,64 p=0x1    -> completes release 0 1 with popc 18
    0: B2R.BAR 2              -> reads idle
    1: ARV.PHASE 1,32         -> completes releases nobody reads 1
    1: R2B.BAR 3 sync 2/2 phase 1 -> fault bad_state_word
    1: R2B.BAR 3 0x60000000   -> fault bad_state_word
    1: R2B.BAR 3 0x20000001   -> fault bad_state_word
    1: R2B.BAR 3 0x20080000   -> fault bad_state_word
    1: R2B.BAR 3 0x20001000   -> fault bad_state_word
    1: R2B.BAR 3 sync 1/all phase 1 -> sync 1/all phase 1
    2: R2B.WARP none waits 3
    3: SYNC 3                 -> sync 2/all
    0: SYNC 3                 -> sync 3/all
    1: SYNC 3                 -> completes release 0 1 2 3
    1: B2R.BAR 3              -> reads idle
  )");
}

// A warp may wait apart at any entry, with any copy; no one owes it.
TEST(GoldenSplit, R2bWarpWaitsApart) {
  Trace().Run(R"(
    launch 0: 0 1 2 3 4 5 6
    6: R2B.WARP 0x01000000    -> fault bad_state_word
    6: R2B.WARP 0x01080000    -> fault bad_state_word
    6: R2B.WARP 0x03800000    -> fault bad_state_word
    6: R2B.WARP 0x81800000    -> fault bad_state_word
    6: R2B.WARP popc 225 of 1 waits 1 apart -> fault bad_state_word
    6: R2B.WARP 0x01800001    -> fault bad_state_word
    6: R2B.WARP none waits 1  -> fault bad_state_word
    0: R2B.WARP popc 7 of 3 waits 1 apart     # idle
    0: B2R.WARP               -> reads popc 7 of 3 waits 1 apart
    6: R2B.BAR 2 and 1/3 1    -> and 1/3 1
    1: R2B.WARP or 1 of 9 waits 2 apart       # a reduction of others
    2: R2B.WARP and 0 of 2 waits 2
    3: R2B.WARP and 1 of 2 waits 2 apart      # its own former one
    6: SYNC 4                 -> sync 1/all
    5: R2B.WARP none waits 4  -> fault bad_state_word
    5: R2B.WARP none waits 4 apart            # of all warps, where none is owed
    4: RED.AND 2,96 p=0       -> and 2/3
    6: B2R.WARP               -> reads none waits 4
    4: B2R.WARP               -> reads and 0 of 2 waits 2
    end 0                     -> hazard unfinished_barrier
    launch 0: 0 1 2 3
    0: R2B.WARP popc 7 of 3 waits 1 apart
    3: R2B.BAR 2 and 1/2 1    -> and 1/2 1
    1: R2B.WARP or 1 of 9 waits 2 apart
    2: R2B.WARP and 0 of 2 waits 2
    3: RED.AND 2,64 p=0xffffffff -> completes release 1 2 3 with and 1
    1: B2R.WARP               -> reads or 1 of 9
    2: B2R.WARP               -> reads and 1 of 2
    3: R2B.BAR 1 sync 1/2     -> sync 1/2      # the entry is idle, though a warp waits there
    3: ARV 1,64               -> completes release 0
    0: B2R.RESULT             -> reads 7
  )");
}

// Apart at an idle entry, a counted one, one of all warps and a reduction; the restore brings back
// the waits in any order, also before it has brought back those who have arrived.
TEST(GoldenSplit, SaveAndRestore) {
  Trace().Run(R"(
    launch 0: 0 1 2 3 4 5 6 7
    7: ARV 1,32               -> completes releases nobody
    7: ARV 2,32               -> completes releases nobody
    7: ARV 3,32               -> completes releases nobody
    0: WAIT 1,1
    6: ARV.PHASE 2,64         -> sync 1/2 reads 1
    1: WAIT 2,1
    5: SYNC 3                 -> sync 1/all
    2: WAIT 3,1
    4: RED.POPC 4,64 p=0x3    -> popc 1/2 2
    3: WAIT 4,0
    7: B2R.BAR 1              -> reads idle phase 1
    7: B2R.BAR 2              -> reads sync 1/2 phase 1
    7: B2R.BAR 3              -> reads sync 1/all phase 1
    7: B2R.BAR 4              -> reads popc 1/2 2
    0: B2R.WARP               -> reads none waits 1 apart
    1: B2R.WARP               -> reads none waits 2 apart
    2: B2R.WARP               -> reads none waits 3 apart
    3: B2R.WARP               -> reads none waits 4 apart
    4: B2R.WARP               -> reads popc 0 of 4 waits 4
    5: B2R.WARP               -> reads none waits 3
    suspend 0
    launch 1: 0 1 2 3 4 5 6 7
    1.0: R2B.BAR 1 idle phase 1       -> idle phase 1
    1.0: R2B.BAR 2 sync 1/2 phase 1   -> sync 1/2 phase 1
    1.0: R2B.BAR 3 sync 1/all phase 1 -> sync 1/all phase 1
    1.0: R2B.BAR 4 popc 1/2 2         -> popc 1/2 2
    1.7: R2B.WARP none waits 1 apart
    1.6: R2B.WARP none waits 2 apart
    1.5: R2B.WARP none waits 3 apart
    1.4: R2B.WARP none waits 4 apart
    1.3: R2B.WARP popc 0 of 4 waits 4
    1.1: ARV 1,32             -> fault restore_unfinished
    1.2: R2B.WARP none waits 3
    1.1: ARV 1,32             -> completes release 7
    1.1: ARV.PHASE 2,64       -> completes release 6 reads 1
    1.1: WAIT 2,1             -> release 1
    1.0: RED.POPC 4,64 p=0x1  -> completes release 0 3 4 with popc 3
    1.3: B2R.WARP             -> reads popc 3 of 4
    1.4: B2R.WARP             -> reads none
    1.5: B2R.WARP             -> reads none waits 3 apart
    1.2: B2R.WARP             -> reads none waits 3
  )");
}

TEST(GoldenSplit, LateWait) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: ARV.PHASE 1,64         -> sync 1/2 reads 0
    1: ARV 1,64               -> completes releases nobody
    1: ARV 1,32               -> completes releases nobody
    0: WAIT 1,0               -> hazard late_wait             # two phases later
    1: ARV 1,32               -> completes release 0
    0: WAIT 1,0               -> release 0                    # three
    0: WAIT 1,1                                               # of which it was never told
    1: ARV 1,32               -> completes release 0
    0: WAIT 1,0               -> hazard late_wait             # four
    1: ARV 1,32               -> completes release 0
    0: ARV.PHASE 1,64         -> sync 1/2 reads 1             # from here on another
    1: ARV 1,64               -> completes releases nobody
    0: WAIT 1,0
    1: ARV 1,32               -> completes release 0
    0: WAIT 1,1               -> hazard late_wait
    1: ARV 1,32               -> completes release 0
  )");
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: ARV.PHASE 1,32         -> completes releases nobody reads 0   # its own completion is one
    0: SYNC 1,32              -> completes release 0
    1: WAIT 1,0                                               # another warp
    0: WAIT 2,0                                               # another entry
    2: ARV 2,32               -> completes release 0
    0: WAIT 1,0               -> hazard late_wait
    2: ARV 1,32               -> completes release 0 1
    2: ARV.PHASE 3,32         -> completes releases nobody reads 0
    3: ARV 3,32               -> completes releases nobody
    2: ARV.PHASE 3,64         -> sync 1/2 reads 0
    2: WAIT 3,0                                               # in time for the latest
  )");
}

// A warp that joins, or a CTA that takes the slot, has not been told of any phase.
TEST(GoldenSplit, PhasesAreToldToAWarpOfACta) {
  Trace().Run(R"(
    open 0 size 3
    0: join
    1: join
    0: ARV.PHASE 1,32         -> completes releases nobody reads 0
    0: ARV 1,32               -> completes releases nobody
    0: exit
    0: join
    0: WAIT 1,0
    1: ARV.PHASE 2,32         -> completes releases nobody reads 0
    1: ARV 2,32               -> completes releases nobody
    suspend 0
    launch 0: 0 1
    1: WAIT 2,0
    0: ARV 2,32               -> completes release 1
    0: ARV 2,32               -> completes releases nobody
    1: WAIT 2,0
  )");
}

TEST(GoldenSplit, WhoWaitsForThePhase) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1 2 3
    3: ARV 1,32               -> completes releases nobody
    0: SYNC 1                 -> sync 1/all
    1: WAIT 1,1
    2: WAIT 2,0
  )");
  EXPECT_EQ(trace.model().Describe(0, 1),
            "barrier 1 of CTA 0: sync, 1 of all 4 warps arrived: warp 0 (waits), "
            "warp 1 (waits for phase 1); missing: warp 1, warp 2, warp 3");
  EXPECT_EQ(trace.model().Describe(0, 2), "barrier 2 of CTA 0: idle: warp 2 (waits for phase 0)");
}

// Without EnSplit, the phase is not kept, and words that have it are impossible.
TEST(GoldenSplit, WordsWithoutIt) {
  Config config = *FindConfig("small");
  config.split = false;
  EXPECT_FALSE(Has(config, OpKind::kArrivePhase) || Has(config, OpKind::kWait));
  EXPECT_TRUE(Has(config, OpKind::kB2rBar));
  Trace(config).Run(R"(
    launch 0: 0 1
    0: ARV 7,32               -> completes releases nobody
    0: B2R.BAR 7              -> reads idle
    0: R2B.BAR 6 idle phase 1 -> fault bad_state_word
    0: R2B.BAR 6 sync 1/2 phase 1 -> fault bad_state_word
    0: R2B.BAR 6 sync 1/2     -> sync 1/2
    0: R2B.WARP none waits 6 apart -> fault bad_state_word
    0: R2B.WARP none waits 6
  )");
  config.reduce = config.state = false;
  EXPECT_FALSE(Has(config, OpKind::kB2rBar));
  config.split = true;
  EXPECT_TRUE(Has(config, OpKind::kArrivePhase) && Has(config, OpKind::kWait));
  EXPECT_TRUE(Has(config, OpKind::kB2rBar));
  EXPECT_FALSE(Has(config, OpKind::kB2rWarp) || Has(config, OpKind::kB2rResult));
}

}  // namespace
}  // namespace muster::golden
