// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the model tells about itself: names, configurations, who arrived and who waits.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

TEST(GoldenConfig, NamedConfigurations) {
  const Config* small = FindConfig("small");
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(small->num_warps, 8U);
  EXPECT_EQ(small->num_ctas, 2U);
  EXPECT_EQ(small->num_issue, 1U);
  EXPECT_TRUE(small->reduce && small->state && small->faults && small->drain && small->lanes &&
              small->split && small->join);
  const Config* full = FindConfig("full");
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(full->num_warps, 64U);
  EXPECT_EQ(full->num_ctas, 32U);
  EXPECT_EQ(full->num_issue, 4U);
  const Config* vortex_like = FindConfig("vortex_like");
  ASSERT_NE(vortex_like, nullptr);
  EXPECT_FALSE(vortex_like->reduce || vortex_like->state || vortex_like->faults ||
               vortex_like->drain || vortex_like->lanes || vortex_like->join);
  EXPECT_TRUE(vortex_like->split);
  EXPECT_EQ(FindConfig("huge"), nullptr);
  for (const Config& config : Configs()) {
    EXPECT_EQ(FindConfig(config.name), &config);
    EXPECT_TRUE(config.num_warps >= 4 && config.num_warps <= kMaxWarps);
    EXPECT_TRUE(config.num_ctas >= 1 && config.num_ctas <= kMaxCtas);
    EXPECT_TRUE(config.num_issue >= 1 && config.num_issue <= kMaxIssue);
  }
}

TEST(GoldenNames, AreSpelledAsInTheDesignAndDistinct) {
  EXPECT_STREQ(Name(FaultCause::kBadLaunch), "bad_launch");
  EXPECT_STREQ(Name(FaultCause::kArvWithoutCount), "arv_without_count");
  EXPECT_STREQ(Name(Hazard::kUnfinishedBarrier), "unfinished_barrier");
  EXPECT_STREQ(Name(BarKind::kPopc), "popc");
  EXPECT_STREQ(Name(OpKind::kB2rResult), "b2r_result");
  EXPECT_STREQ(Name(OpKind::kArrivePhase), "arrive_phase");
  EXPECT_STREQ(Name(OpKind::kWait), "wait");
  EXPECT_STREQ(Name(Hazard::kLateWait), "late_wait");
  EXPECT_STREQ(Name(OpKind::kJoin), "join");
  EXPECT_STREQ(Name(FaultCause::kBadJoin), "bad_join");
  std::set<std::string> names;
  for (unsigned code = 0; code < kNumFaultCauses; ++code) {
    EXPECT_TRUE(names.insert(Name(static_cast<FaultCause>(code))).second);
  }
  for (unsigned code = 0; code < kNumHazards; ++code) {
    EXPECT_TRUE(names.insert(Name(static_cast<Hazard>(code))).second);
  }
  EXPECT_EQ(names.count("?"), 0U);
}

TEST(GoldenReport, WhoArrivedAndHowOften) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1 2 5
    0: ARV 3,128              -> sync 1/4
    0: ARV 3,128              -> sync 2/4 hazard repeated_arrival
    5: SYNC 3,128             -> sync 3/4
  )");
  const Model& model = trace.model();
  EXPECT_EQ(model.Arrived(0, 3), 0x21U);
  EXPECT_EQ(model.WaitingAt(0, 3), 0x20U);
  EXPECT_EQ(model.TimesArrived(0, 3, 0), 2U);
  EXPECT_EQ(model.TimesArrived(0, 3, 1), 0U);
  EXPECT_EQ(model.TimesArrived(0, 3, 5), 1U);
  EXPECT_EQ(model.Describe(0, 3),
            "barrier 3 of CTA 0: sync, 3 of 4 warps arrived: warp 0 (2 times), warp 5 (waits)");

  trace.Run("1: ARV 3,128 -> completes release 5");
  EXPECT_EQ(model.Arrived(0, 3), 0U);
  EXPECT_EQ(model.TimesArrived(0, 3, 0), 0U);
  EXPECT_EQ(model.Describe(0, 3), "barrier 3 of CTA 0: idle");
  trace.Run("0: ARV 3,128 -> sync 1/4");
  EXPECT_EQ(model.TimesArrived(0, 3, 0), 1U);
  trace.Run(R"(
    1: ARV 3,128              -> sync 2/4
    1: ARV 3,128              -> sync 3/4 hazard repeated_arrival
  )");
  EXPECT_EQ(model.TimesArrived(0, 3, 0), 1U);
  EXPECT_EQ(model.TimesArrived(0, 3, 1), 2U);
  trace.Run(R"(
    2: ARV 3,128              -> completes releases nobody
    1: ARV 3,128              -> sync 1/4
    1: ARV 3,128              -> sync 2/4 hazard repeated_arrival
    1: ARV 3,128              -> sync 3/4 hazard repeated_arrival
  )");
  EXPECT_EQ(model.Describe(0, 3),
            "barrier 3 of CTA 0: sync, 3 of 4 warps arrived: warp 1 (3 times)");
}

// A warp that has arrived at one barrier, and waits for a phase of another.
TEST(GoldenReport, WhereAWarpWaits) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1
    0: ARV.PHASE 3,64         -> sync 1/2 reads 0
    0: WAIT 4,0
  )");
  EXPECT_EQ(trace.model().Describe(0, 3), "barrier 3 of CTA 0: sync, 1 of 2 warps arrived: warp 0");
  EXPECT_EQ(trace.model().Describe(0, 4), "barrier 4 of CTA 0: idle: warp 0 (waits for phase 0)");
}

TEST(GoldenReport, WhoIsMissing) {
  Trace trace;
  trace.Run(R"(
    launch 1: 2 3 6 7
    1.3: RED.POPC 0 p=0x1f    -> popc 1/all 5
    1.7: exit
  )");
  EXPECT_EQ(trace.model().Describe(1, 0),
            "barrier 0 of CTA 1: popc, 1 of all 3 warps arrived, 5 so far: warp 3 (waits); "
            "missing: warp 2, warp 6");
}

TEST(GoldenReport, HowManyHaveNotJoined) {
  Trace trace;
  trace.Run(R"(
    open 1 size 5
    1.3: join
    1.3: SYNC 0               -> sync 1/all
  )");
  EXPECT_EQ(trace.model().Describe(1, 0),
            "barrier 0 of CTA 1: sync, 1 of all 5 warps arrived: warp 3 (waits); "
            "missing: 4 warps that have not joined");
  trace.Run(R"(
    1.6: join
    1.2: join
    1.7: join
    1.6: exit
    1.2: ARV 1,64             -> sync 1/2
  )");
  EXPECT_EQ(trace.model().Describe(1, 0),
            "barrier 0 of CTA 1: sync, 1 of all 4 warps arrived: warp 3 (waits); "
            "missing: warp 2, warp 7, 1 warp that has not joined");
  EXPECT_EQ(trace.model().Describe(1, 1), "barrier 1 of CTA 1: sync, 1 of 2 warps arrived: warp 2");
  trace.Run("1.6: join");
  EXPECT_EQ(trace.model().Describe(1, 0),
            "barrier 0 of CTA 1: sync, 1 of all 4 warps arrived: warp 3 (waits); "
            "missing: warp 2, warp 6, warp 7");
}

// A warp slot that has joined again is named for its present warp alone.
TEST(GoldenReport, ArrivalsOfExitedWarpsHaveNoNames) {
  Trace trace;
  trace.Run(R"(
    open 0 size 6
    1: join
    2: join
    1: ARV 3,192              -> sync 1/6
    1: ARV 3,192              -> sync 2/6 hazard repeated_arrival
    1: exit
    2: ARV 3,192              -> sync 3/6
  )");
  const Model& model = trace.model();
  EXPECT_EQ(model.Describe(0, 3),
            "barrier 3 of CTA 0: sync, 3 of 6 warps arrived: warp 1 (2 times), warp 2");
  trace.Run("1: join");
  EXPECT_EQ(model.Arrived(0, 3), 0x4U);
  EXPECT_EQ(model.TimesArrived(0, 3, 1), 0U);
  EXPECT_EQ(model.Describe(0, 3),
            "barrier 3 of CTA 0: sync, 3 of 6 warps arrived: warp 2; 2 by warps that have exited");
  trace.Run("1: ARV 3,192 -> sync 4/6");
  EXPECT_EQ(model.TimesArrived(0, 3, 1), 1U);
  trace.Run("1: SYNC 3,192 -> sync 5/6 hazard repeated_arrival");
  EXPECT_EQ(model.Describe(0, 3),
            "barrier 3 of CTA 0: sync, 5 of 6 warps arrived: warp 1 (2 times) (waits), warp 2; "
            "2 by warps that have exited");
  trace.Run(R"(
    2: SYNC 3,192             -> completes release 1 2 hazard repeated_arrival
    2: ARV 3,192              -> sync 1/6
  )");
  EXPECT_EQ(model.Describe(0, 3), "barrier 3 of CTA 0: sync, 1 of 6 warps arrived: warp 2");
  trace.Run(R"(
    1: ARV 0,192              -> sync 1/6
    1: exit
    1: join
  )");
  EXPECT_EQ(model.Describe(0, 0),
            "barrier 0 of CTA 0: sync, 1 of 6 warps arrived; 1 by warps that have exited");
  trace.Run("2: R2B.BAR 5 sync 2/6 -> sync 2/6");
  trace.Run(R"(
    1: ARV 5,192              -> sync 3/6
    1: exit
    1: join
  )");
  EXPECT_EQ(model.Describe(0, 5),
            "barrier 5 of CTA 0: sync, 3 of 6 warps arrived; 1 by warps that have exited; "
            "2 restored");
}

TEST(GoldenReport, RestoredArrivalsHaveNoNames) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1 2 3
    3: ARV 2,32               -> completes releases nobody
    0: R2B.BAR 2 sync 2/4     -> sync 2/4
    1: R2B.WARP none waits 2
    2: ARV 2,128              -> sync 3/4
  )");
  EXPECT_EQ(trace.model().Arrived(0, 2), 0x4U);
  EXPECT_EQ(trace.model().Describe(0, 2),
            "barrier 2 of CTA 0: sync, 3 of 4 warps arrived: warp 1 (waits), warp 2; 2 restored");
}

// A warp that waits since R2B is not missing.
TEST(GoldenReport, RestoredWarpsAreThere) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1 2 3
    0: R2B.BAR 2 sync 2/all   -> sync 2/all
    1: R2B.WARP none waits 2
    3: R2B.WARP none waits 2
  )");
  EXPECT_EQ(trace.model().Describe(0, 2),
            "barrier 2 of CTA 0: sync, 2 of all 4 warps arrived: warp 1 (waits), warp 3 (waits); "
            "2 restored; missing: warp 0, warp 2");
}

TEST(GoldenReport, Reset) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1
    0: SYNC 3                 -> sync 1/all
  )");
  Model model = trace.model();
  model.Reset();
  EXPECT_EQ(model.Live(), 0U);
  EXPECT_EQ(model.Waiting(), 0U);
  EXPECT_FALSE(model.Resident(0));
  EXPECT_EQ(model.EntryWord(0, 3), 0U);
}

}  // namespace
}  // namespace muster::golden
