// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// B2R and R2B: BCU ISA, sections B2R, B2R.RESULT and R2B; the words bit by bit as rtl/README.md
// draws them.
#include <gtest/gtest.h>

#include "sim/isa/state_word.h"
#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

TEST(GoldenWord, BarFields) {
  BarState state;
  EXPECT_EQ(Encode(state), 0U);
  state.value = 0xabc;
  EXPECT_EQ(Encode(state), 0x00000abcU);
  state.arrived = 0x55;
  EXPECT_EQ(Encode(state), 0x00055abcU);
  state.expected = 0x40;
  EXPECT_EQ(Encode(state), 0x02055abcU);
  state.kind = 4;
  EXPECT_EQ(Encode(state), 0x12055abcU);
  state.phase = true;
  EXPECT_EQ(Encode(state), 0x32055abcU);
  state.zero = 2;
  EXPECT_EQ(Encode(state), 0xb2055abcU);

  const BarState decoded = DecodeBarWord(0xb2055abc);
  EXPECT_EQ(decoded.value, 0xabcU);
  EXPECT_EQ(decoded.arrived, 0x55U);
  EXPECT_EQ(decoded.expected, 0x40U);
  EXPECT_EQ(decoded.kind, 4U);
  EXPECT_TRUE(decoded.phase);
  EXPECT_EQ(decoded.zero, 2U);
  EXPECT_FALSE(DecodeBarWord(0xdfffffff).phase);
}

TEST(GoldenWord, WarpFields) {
  WarpState state;
  EXPECT_EQ(Encode(state), 0U);
  state.value = 0x123;
  EXPECT_EQ(Encode(state), 0x00000123U);
  state.bar = 0xe;
  EXPECT_EQ(Encode(state), 0x0000e123U);
  state.kind = 3;
  EXPECT_EQ(Encode(state), 0x0003e123U);
  state.wait_bar = 9;
  EXPECT_EQ(Encode(state), 0x004be123U);
  state.waiting = true;
  EXPECT_EQ(Encode(state), 0x00cbe123U);
  state.apart = true;
  EXPECT_EQ(Encode(state), 0x01cbe123U);
  state.zero = 0x40;
  EXPECT_EQ(Encode(state), 0x81cbe123U);

  const WarpState decoded = DecodeWarpWord(0x81cbe123);
  EXPECT_EQ(decoded.value, 0x123U);
  EXPECT_EQ(decoded.bar, 0xeU);
  EXPECT_EQ(decoded.kind, 3U);
  EXPECT_EQ(decoded.wait_bar, 9U);
  EXPECT_TRUE(decoded.waiting);
  EXPECT_TRUE(decoded.apart);
  EXPECT_EQ(decoded.zero, 0x40U);
  EXPECT_FALSE(DecodeWarpWord(0xfeffffff).apart);
}

// The words that the model gives out, in hexadecimal: phase, kind, expected, arrived, value.
TEST(GoldenWord, OfTheModel) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1 2 3
    0: RED.POPC 5,128 p=0x1ff -> popc 1/4 9
    1: RED.POPC 6,32 p=0x7    -> completes release 1 with popc 3
    1: SYNC 7                 -> sync 1/all
  )");
  EXPECT_EQ(trace.model().EntryWord(0, 5), 0x10201009U);
  EXPECT_EQ(trace.model().EntryWord(0, 6), 0x20000000U);
  EXPECT_EQ(trace.model().EntryWord(0, 7), 0x04001000U);
  EXPECT_EQ(trace.model().WarpWord(0), 0x00ac5000U);
  EXPECT_EQ(trace.model().WarpWord(1), 0x00bc6003U);
  EXPECT_EQ(trace.model().WarpWord(2), 0U);
}

// B2R.BAR reads any entry of the warp's own CTA and changes nothing.
TEST(GoldenB2r, BarReadsTheWholeEntry) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    launch 1: 4 5
    3: B2R.BAR 2              -> reads idle
    0: RED.AND 2,96 p=0xffffffff -> and 1/3 1
    3: B2R.BAR 2              -> reads and 1/3 1
    0: B2R.BAR 2              -> reads and 1/3 1
    1.4: B2R.BAR 2            -> reads idle
    3: B2R.BAR 3              -> reads idle
    1: RED.AND 2,96 p=0       -> and 2/3
    3: B2R.BAR 2              -> reads and 2/3
    2: RED.AND 2,96 p=0       -> completes release 0 1 2 with and 0
    3: B2R.BAR 2              -> reads idle phase 1
  )");
}

// B2R.WARP reads the warp's own copy, also when the entry that made it has gone on since.
TEST(GoldenB2r, WarpReadsTheCopyAndWhereItWaits) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: B2R.WARP               -> reads none
    0: RED.POPC 9,64 p=0xf0   -> popc 1/2 4
    0: B2R.WARP               -> reads popc 0 of 9 waits 9
    1: RED.POPC 9,64 p=0xf0   -> completes release 0 1 with popc 8
    2: RED.OR 9,64 p=1        -> or 1/2 1
    0: B2R.WARP               -> reads popc 8 of 9
    0: SYNC 10                -> sync 1/all
    0: B2R.WARP               -> reads popc 8 of 9 waits 10
    1: B2R.WARP               -> reads popc 8 of 9
    2: B2R.WARP               -> reads or 0 of 9 waits 9
  )");
}

// It tells of the latest reduction that the warp took part in: from its arrival on, the result once
// there is one, whoever completes it, and however the warp waits and arrives afterwards.
TEST(GoldenB2r, WarpTellsOfItsLatestReduction) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: RED.OR 7 p=0x1         -> or 1/all 1
    0: B2R.WARP               -> reads or 0 of 7 waits 7
    1: RED.OR 7 p=0x0         -> or 2/all 1
    2: exit                   -> bar 7 completes release 0 1 with or 1
    0: B2R.WARP               -> reads or 1 of 7
    0: ARV 3,64               -> sync 1/2
    0: SYNC 4                 -> sync 1/all
    0: B2R.WARP               -> reads or 1 of 7 waits 4
    1: SYNC 4                 -> completes release 0 1
    0: B2R.WARP               -> reads or 1 of 7
    0: RED.AND 7,128 p=0x1    -> fault count_above_cta
    0: RED.AND 3,64 p=0x1     -> fault kind_mismatch
    0: B2R.WARP               -> reads or 1 of 7
    0: RED.POPC 6,32 p=0x7    -> completes release 0 with popc 3
    0: B2R.WARP               -> reads popc 3 of 6
  )");
}

// R2B.BAR goes on from where the word left off: arrivals, expected count, kind and result so far.
TEST(GoldenR2b, BarContinues) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: R2B.BAR 4 popc 2/3 17  -> popc 2/3 17
    1: SYNC 4,96              -> fault kind_mismatch
    1: RED.POPC 4,128 p=1     -> fault count_mismatch
    1: RED.POPC 4,96 p=0xf    -> completes release 1 with popc 21
    0: R2B.BAR 4 and 1/2      -> and 1/2
    1: RED.AND 4,64 p=0xffffffff -> completes release 1 with and 0
    0: R2B.BAR 4 or 1/2 1     -> or 1/2 1
    1: RED.OR 4,64 p=0        -> completes release 1 with or 1
    0: R2B.BAR 4 sync 2/all   -> sync 2/all
    3: R2B.WARP none waits 4
    2: R2B.WARP none waits 4
    1: SYNC 4                 -> sync 3/all
    0: SYNC 4                 -> completes release 0 1 2 3
  )");
}

// A restore writes into idle entries. Arrivals that are there would be lost, and who waits for them
// would wait for ever.
TEST(GoldenR2b, BarWritesOverNoArrivals) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: SYNC 1,64              -> sync 1/2
    1: R2B.BAR 1 0x0          -> fault bad_state_word
    1: R2B.BAR 1 sync 1/2     -> fault bad_state_word
    1: R2B.BAR 1 popc 2/3 40  -> fault bad_state_word
    1: R2B.BAR 1 sync 1/all   -> fault bad_state_word
    1: SYNC 1,64              -> completes release 0 1
    1: R2B.BAR 1 0x0          -> idle
    1: ARV 1,64               -> sync 1/2
    1: R2B.BAR 1 0x0          -> fault bad_state_word
    2: SYNC 1,64              -> completes release 2
    0: R2B.BAR 1 or 1/3 1     -> or 1/3 1
    0: R2B.BAR 1 or 1/3 1     -> fault bad_state_word
    0: R2B.BAR 1 0x0          -> fault bad_state_word
    0: SYNC 2                 -> sync 1/all
    1: R2B.BAR 2 0x0          -> fault bad_state_word
    1: R2B.BAR 2 sync 2/all   -> fault bad_state_word
    1: SYNC 2                 -> sync 2/all
    2: SYNC 2                 -> completes release 0 1 2
  )");
}

// R2B.BAR never completes; the exit that makes its count whole does.
TEST(GoldenR2b, AllWarpsEntryIsCompletedByAnExit) {
  Trace().Run(R"(
    launch 0: 0 1 2
    2: R2B.BAR 6 or 2/all 1   -> or 2/all 1
    1: R2B.WARP or 0 of 6 waits 6
    0: R2B.WARP or 0 of 6 waits 6
    2: exit                   -> bar 6 completes release 0 1 with or 1
  )");
}

// Who is counted at an all-warps entry waits there, and at no other; so an exit completes one at
// most, whichever of them an arrival or R2B.BAR came to last.
TEST(GoldenR2b, ExitCompletesTheEntryThatLacksNobody) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: SYNC 2                 -> sync 1/all
    1: R2B.BAR 7 sync 1/all   -> sync 1/all
    1: R2B.WARP none waits 7
    2: exit
    3: exit
    0: B2R.BAR 2              -> reads sync 1/all
    0: B2R.BAR 7              -> reads sync 1/all
    end 0                     -> hazard unfinished_barrier

    launch 0: 0 1 2
    0: SYNC 2                 -> sync 1/all
    1: R2B.BAR 7 sync 1/2     -> sync 1/2
    1: R2B.BAR 2 0x0          -> fault bad_state_word
    1: exit
    2: exit                   -> bar 2 completes release 0
  )");
}

// Arrivals that count to all live warps, and whose warps do not wait yet: no warp may arrive or
// exit until they do. Otherwise barriers 2 and 7 would both be complete when warps 1 and 2 have
// exited.
TEST(GoldenR2b, ArrivalsOweTheirWaitingWarps) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: SYNC 2                 -> sync 1/all
    1: R2B.BAR 7 sync 1/all   -> sync 1/all
    1: R2B.BAR 7 0x0          -> fault bad_state_word
    1: exit                   -> fault restore_unfinished
    1: exit lanes=0x1         -> fault restore_unfinished
    0: exit                   -> fault warp_waiting
    1: SYNC 7                 -> fault restore_unfinished
    1: ARV 3                  -> fault restore_unfinished
    1: RED.AND 3,65 p=1       -> fault restore_unfinished
    0: SYNC 3                 -> fault warp_waiting
    1: B2R.BAR 7              -> reads sync 1/all
    1: R2B.WARP none          # does not wait
    1: R2B.BAR 3 sync 1/2     -> sync 1/2
    1: R2B.WARP and 1 of 3
    2: SYNC 3,64              -> fault restore_unfinished
    2: R2B.WARP none waits 3  # waits, at an entry with a count
    1: ARV 3,64               -> fault restore_unfinished
    1: R2B.WARP none waits 7
    suspend 0

    launch 0: 0 1 2 3
    3: R2B.BAR 7 sync 2/all   -> sync 2/all
    0: R2B.WARP none waits 7
    3: exit                   -> fault restore_unfinished
    1: R2B.WARP none waits 7
    3: exit
    2: exit                   -> bar 7 completes release 0 1
    end 0

    launch 0: 0 1 2           # a slot is launched without debts
    1: R2B.BAR 7 sync 2/all   -> sync 2/all
    end 0                     -> hazard unfinished_barrier
    launch 0: 0 1 2
    0: SYNC 7                 -> sync 1/all
    1: exit
    2: exit                   -> bar 7 completes release 0
  )");
}

// An idle or counted word does not make an entry the latest all-warps entry.
TEST(GoldenR2b, OtherWordsAreNoAllWarpsArrival) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: SYNC 1                 -> sync 1/all
    1: R2B.BAR 6 sync 2/3     -> sync 2/3
    1: R2B.BAR 7 0x0          -> idle
    1: exit
    2: exit                   -> bar 1 completes release 0
  )");
}

// R2B.WARP makes the warp wait, without counting it, and it leaves with the others.
TEST(GoldenR2b, WarpWaitsAgain) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: R2B.BAR 3 popc 1/2 5   -> popc 1/2 5
    1: R2B.WARP popc 0 of 3 waits 3
    0: B2R.BAR 3              -> reads popc 1/2 5
    1: SYNC 0                 -> fault warp_waiting
    1: B2R.WARP               -> reads popc 0 of 3 waits 3
    0: RED.POPC 3,64 p=0x3    -> completes release 0 1 with popc 7
    1: B2R.WARP               -> reads popc 7 of 3
    2: R2B.WARP and 1 of 12
    2: B2R.RESULT             -> reads true
    2: B2R.WARP               -> reads and 1 of 12
    0: R2B.BAR 3 sync 1/2     -> sync 1/2
    2: R2B.WARP and 1 of 12 waits 3
    2: B2R.WARP               -> reads and 1 of 12 waits 3
    1: ARV 3,64               -> completes release 2
    2: B2R.WARP               -> reads and 1 of 12
  )");
}

// A warp waits for arrivals: at an idle entry it would join whatever comes there next.
TEST(GoldenR2b, WarpWaitsOnlyForArrivals) {
  Trace().Run(R"(
    launch 0: 0 1 2
    1: R2B.WARP none waits 3  -> fault bad_state_word
    0: R2B.BAR 3 0x0          -> idle
    1: R2B.WARP none waits 3  -> fault bad_state_word
    0: R2B.BAR 3 sync 1/2     -> sync 1/2
    1: R2B.WARP none waits 2  -> fault bad_state_word
    1: R2B.WARP none waits 3
    0: ARV 3,64               -> completes release 1
    1: R2B.WARP none waits 3  -> fault bad_state_word
    1: R2B.WARP popc 0 of 3 waits 3 -> fault bad_state_word
    1: R2B.WARP popc 5 of 3
  )");
}

// Arrivals that count to all live warps wait already, but for those that R2B.BAR has counted.
TEST(GoldenR2b, WarpWaitsForAllOnlyIfItIsOwed) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: SYNC 2                 -> sync 1/all
    1: R2B.WARP none waits 2  -> fault bad_state_word
    1: SYNC 2                 -> sync 2/all
    2: SYNC 2                 -> completes release 0 1 2
    end 0

    launch 0: 0 1 2 3
    0: R2B.BAR 2 sync 2/all   -> sync 2/all
    0: R2B.BAR 3 sync 1/2     -> sync 1/2
    0: R2B.WARP none waits 2
    1: R2B.WARP none waits 3  # a count owes no warp, and pays nothing back
    2: R2B.WARP none waits 2
    3: R2B.WARP none waits 2  -> fault bad_state_word
    3: R2B.WARP none waits 3
    end 0                     -> hazard unfinished_barrier

    launch 0: 0 1 2           # what another CTA owes is its own
    launch 1: 4 5 6
    4: SYNC 2                 -> fault warp_not_live
    1.4: SYNC 2               -> sync 1/all
    0: R2B.BAR 2 sync 2/all   -> sync 2/all
    1.5: R2B.WARP none waits 2 -> fault bad_state_word
    0: R2B.WARP none waits 2
    1: R2B.WARP none waits 2
    2: SYNC 2                 -> completes release 0 1 2
    1.5: SYNC 2               -> sync 2/all
    1.6: SYNC 2               -> completes release 4 5 6
  )");
}

// Who waits for a reduction has taken part in it, and has no result yet. Who waits for others may
// have any result of before.
TEST(GoldenR2b, WarpThatWaitsForAReductionTellsOfIt) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: R2B.BAR 3 popc 1/3 5   -> popc 1/3 5
    0: R2B.BAR 4 or 1/all 1   -> or 1/all 1
    0: R2B.BAR 5 sync 1/2     -> sync 1/2
    1: R2B.WARP none waits 0  -> fault bad_state_word
    1: R2B.WARP none waits 3  -> fault bad_state_word
    1: R2B.WARP or 0 of 3 waits 3 -> fault bad_state_word
    1: R2B.WARP and 0 of 3 waits 3 -> fault bad_state_word
    1: R2B.WARP popc 0 of 2 waits 3 -> fault bad_state_word
    1: R2B.WARP popc 1 of 3 waits 3 -> fault bad_state_word
    1: R2B.WARP popc 32 of 3 waits 3 -> fault bad_state_word
    1: R2B.WARP popc 0 of 3 waits 3
    1: B2R.WARP               -> reads popc 0 of 3 waits 3
    2: R2B.WARP or 1 of 4 waits 4 -> fault bad_state_word
    2: R2B.WARP or 0 of 3 waits 4 -> fault bad_state_word
    2: R2B.WARP or 0 of 4 waits 4
    3: R2B.WARP popc 9 of 5 waits 5
    3: B2R.WARP               -> reads popc 9 of 5 waits 5
    0: RED.POPC 3,96 p=0x3    -> popc 2/3 7
    0: B2R.WARP               -> reads popc 0 of 3 waits 3
  )");
}

}  // namespace
}  // namespace muster::golden
