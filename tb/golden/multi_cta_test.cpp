// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Several CTAs on one core. BAR, semantics: barriers synchronize threads of one CTA only.
#include <gtest/gtest.h>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/operation.h"

namespace muster::golden {
namespace {

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

}  // namespace
}  // namespace muster::golden
