// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Several CTAs on one core. BAR, semantics: barriers synchronize threads of one CTA only.
#include <gtest/gtest.h>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

TEST(GoldenCtas, SameBarrierInTwoCtas) {
  Trace().Run(R"(
    launch 0: 0 1
    launch 1: 4 5
    0.0: SYNC 3               -> sync 1/all
    1.4: SYNC 3               -> sync 1/all
    0.1: SYNC 3               -> completes release 0 1
    1.5: SYNC 3               -> completes release 4 5
    1.4: SYNC 3,64            -> sync 1/2
    0.0: RED.POPC 3 p=1       -> popc 1/all 1
    1.5: SYNC 3,64            -> completes release 4 5
    0.1: RED.POPC 3 p=1       -> completes release 0 1 with popc 2
  )");
}

// Completion is judged against the CTA's own live warps, not the core's.
TEST(GoldenCtas, OtherLiveWarpsDoNotCount) {
  Trace().Run(R"(
    launch 0: 0 1
    launch 1: 4 5 6
    0.0: SYNC 0               -> sync 1/all
    0.1: SYNC 0               -> completes release 0 1
    1.4: SYNC 0               -> sync 1/all
    1.5: SYNC 0               -> sync 2/all
    1.6: SYNC 0               -> completes release 4 5 6
  )");
}

// A core without a CTA scheduler: every slot has its CTA from reset on, with its share of the
// warps.
TEST(GoldenCtas, WithoutASchedulerTheyAreThereFromReset) {
  Config config;
  config.state = config.join = config.lifecycle = false;
  Model model(config);
  for (unsigned round = 0; round < 2; ++round) {
    EXPECT_TRUE(model.Resident(0) && model.Resident(1));
    EXPECT_FALSE(model.Resident(2) || model.Resident(kMaxCtas));
    EXPECT_EQ(model.Live(), 0xffU);
    EXPECT_EQ(model.LiveWarps(0), 0x0fU);
    EXPECT_EQ(model.LiveWarps(1), 0xf0U);
    Operation operation;
    operation.cta = 1;
    operation.lanes = ~0U;
    for (unsigned warp = 4; warp < 8; ++warp) {
      EXPECT_EQ(model.WarpWord(warp), 0U);
      operation.warp = static_cast<std::uint8_t>(warp);
      operation.kind = warp == 7 ? OpKind::kExit : OpKind::kRedPopc;
      EXPECT_EQ(model.Step(operation).released, warp == 7 ? 0x70U : 0U);
    }
    operation.warp = 4;
    operation.kind = OpKind::kArrive;
    operation.count = 128;
    EXPECT_EQ(model.Step(operation).fault, FaultCause::kNone);
    operation.count = 160;
    EXPECT_EQ(model.Step(operation).fault, FaultCause::kCountAboveCta);
    model.Reset();
  }
}

TEST(GoldenCtas, WithoutASchedulerOneMayHaveAllWarps) {
  Config config;
  config.state = config.join = config.lifecycle = false;
  config.num_warps = kMaxWarps;
  config.num_ctas = 1;
  EXPECT_EQ(Model(config).LiveWarps(0), ~WarpSet{0});
}

TEST(GoldenCtas, ExitConcernsItsOwnCta) {
  Trace().Run(R"(
    launch 0: 0 1
    launch 1: 4 5
    1.4: SYNC 3               -> sync 1/all
    0.0: exit
    0.1: SYNC 3               -> completes release 1
    0.1: exit
    1.5: exit                 -> bar 3 completes release 4
  )");
}

// A CTA that ends leaves its slot clean, its warps free for another CTA, and the others alone.
TEST(GoldenCtas, TurnoverOfASlot) {
  Trace().Run(R"(
    launch 0: 0 1
    launch 1: 4 5
    1.5: SYNC 2               -> sync 1/all
    0.0: SYNC 2               -> sync 1/all
    end 0                     -> hazard unfinished_barrier
    launch 0: 1 0 2
    0.0: SYNC 2,96            -> sync 1/3
    0.1: SYNC 2,96            -> sync 2/3
    1.4: SYNC 2               -> completes release 4 5
    0.2: SYNC 2,96            -> completes release 0 1 2
  )");
}

// Arrivals at different barriers and CTAs, one right after another, each with its own state.
TEST(GoldenCtas, InterleavedArrivals) {
  Trace().Run(R"(
    launch 0: 0 1 2
    launch 1: 4 5 6
    0.0: SYNC 1,64            -> sync 1/2
    1.4: SYNC 1               -> sync 1/all
    0.1: SYNC 2,64            -> sync 1/2
    1.5: SYNC 1               -> sync 2/all
    0.2: ARV 1,64             -> completes release 0
    1.6: SYNC 1               -> completes release 4 5 6
    0.0: SYNC 2,64            -> completes release 0 1
  )");
}

}  // namespace
}  // namespace muster::golden
