// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The examples of PTX ISA 9.7.13.15, each with a few threads, and the ways in which kernels use
// mbarriers. Lines stand for the instructions of the text, in an order that a machine may choose.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"

namespace muster::golden {
namespace {

// Random groups on few words against the same lanes one by one, each as an operation of its own.
TEST(GoldenMbRandom, GroupsAreTheirLanesOneByOne) {
  Model core(*FindConfig("small"));
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.warps = 0xff;
  launch.size = 8;
  core.Step(launch);
  Mbarriers grouped(core, 64);
  Mbarriers single(core, 64);
  std::mt19937 random(3);
  constexpr unsigned kCommon = 2;  // of the operations, that many are half of all
  constexpr std::array kOps = {MbOp::kInit,
                               MbOp::kArrive,
                               MbOp::kArriveExpectTx,
                               MbOp::kCompleteTx,
                               MbOp::kInval,
                               MbOp::kArriveNoComplete,
                               MbOp::kArriveDrop,
                               MbOp::kArriveDropNoComplete,
                               MbOp::kArriveDropExpectTx,
                               MbOp::kExpectTx,
                               MbOp::kTestWait,
                               MbOp::kCopyArrive};
  unsigned completions = 0;
  unsigned partly_refused = 0;
  for (unsigned step = 0; step < 100000; ++step) {
    MbOperation operation;
    operation.op = kOps[random() % (random() % 2 == 0 ? kCommon : kOps.size())];
    operation.warp = random() % 8;
    operation.lanes = random() % 2 == 0 ? random() : 1U << random() % 32;
    operation.addr = random() % 3 * 8;
    operation.operand = operation.op == MbOp::kInit ? random() % 40 : random() % 3;
    operation.phase = random() % 2 != 0;
    operation.has_token = IsMbArrival(operation.op);
    const MbEffects all = grouped.Step(operation);
    std::uint64_t before = single.Word(0, operation.addr);
    unsigned refused = 0;
    unsigned completed = 0;
    for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
      if ((operation.lanes >> lane & 1) == 0) {
        continue;
      }
      MbOperation one = operation;
      one.lanes = 1U << lane;
      const MbEffects effects = single.Step(one);
      const std::uint64_t after = single.Word(0, operation.addr);
      ASSERT_EQ(all.fault[lane], effects.fault[lane]);
      ASSERT_EQ(all.token[lane], effects.token[lane]);
      ASSERT_EQ(all.complete >> lane & 1, effects.complete >> lane & 1);
      if (effects.fault[lane] != FaultCause::kNone) {
        ++refused;
        ASSERT_EQ(effects.token[lane], 0U);
        ASSERT_EQ(after, before);
      } else if (operation.has_token) {
        ASSERT_EQ(effects.token[lane], before);
      }
      // The phase bit changes when the phase completes, at an init and at an inval, and with
      // nothing else.
      if (operation.op != MbOp::kInit && operation.op != MbOp::kInval) {
        ASSERT_EQ((after ^ before) >> 63, effects.completions);
      }
      completed += effects.completions;
      before = after;
    }
    ASSERT_EQ(all.completions, completed);
    ASSERT_EQ(grouped.Word(0, operation.addr), before);
    // A phase with nothing left to come is over, unless nothing will ever come.
    const MbWord word = DecodeMbWord(before);
    ASSERT_TRUE(word.pending != 0 || word.tx != 0 || word.expected == 0);
    completions += completed;
    partly_refused += refused != 0 && all.written ? 1 : 0;
  }
  EXPECT_GT(completions, 10000U);
  EXPECT_GT(partly_refused, 1000U);
}

}  // namespace
}  // namespace muster::golden
