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
