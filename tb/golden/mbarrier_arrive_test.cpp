// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// init, inval, arrive, arrive_drop, expect_tx, complete_tx: PTX ISA 9.7.13.15.2 to .14.
#include <gtest/gtest.h>

#include <cstdint>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"
#include "tb/golden/mbarrier_trace.h"

namespace muster::golden {
namespace {

// A whole warp, against its 32 lanes one after another written out in numbers.
TEST(GoldenMbLanes, WholeWarpInOneUpdate) {
  Model core(*FindConfig("small"));
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.warps = 1;
  launch.size = 1;
  core.Step(launch);
  Mbarriers mbarriers(core, 64);
  MbOperation operation;
  operation.lanes = 1;
  operation.op = MbOp::kInit;
  operation.operand = 32;
  mbarriers.Step(operation);
  operation.op = MbOp::kArrive;
  operation.lanes = ~std::uint32_t{0};
  operation.operand = 1;
  operation.has_token = true;
  const MbEffects effects = mbarriers.Step(operation);
  EXPECT_EQ(effects.completions, 1U);
  EXPECT_EQ(effects.word, 0xffff0000001fffc0U);
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    EXPECT_EQ(effects.token[lane],
              0x7fff0000001fffc0U + (std::uint64_t{lane} << 43));  // one pending less each
    EXPECT_EQ(PendingCount(effects.token[lane]), kMaxLanes - lane);
  }
}

// The reading of kExpectTxCompletes.
TEST(GoldenMbTx, LoneExpectTxCompletes) {
  ASSERT_TRUE(kExpectTxCompletes);
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: complete_tx [0x40], 8  -> p0 1/1 tx -8
    0: arrive [0x40]          -> p0 0/1 tx -8
    0: expect_tx [0x40], 8    -> completes p1 1/1
  )");
}

}  // namespace
}  // namespace muster::golden
