// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The mbarrier word bit by bit, as sim/golden/mbarrier.md draws it, and the model's names.
#include "sim/isa/mbarrier_word.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "tb/golden/mbarrier_trace.h"

namespace muster::golden {
namespace {

TEST(GoldenMbWord, Fields) {
  MbWord word;
  EXPECT_EQ(Encode(word), 0U);
  word.reserved = true;
  EXPECT_EQ(Encode(word), 0x0000000000000001U);
  word.expected = 1;  // negated: 0xfffff
  EXPECT_EQ(Encode(word), 0x00000000001fffffU);
  word.tx = 1;
  EXPECT_EQ(Encode(word), 0x000003ffffffffffU);
  word.lock = true;
  EXPECT_EQ(Encode(word), 0x000007ffffffffffU);
  word.pending = 1;
  EXPECT_EQ(Encode(word), 0x7fffffffffffffffU);
  word.phase = true;
  EXPECT_EQ(Encode(word), 0xffffffffffffffffU);

  const MbWord decoded = DecodeMbWord(0xffffffffffffffff);
  EXPECT_TRUE(decoded.phase && decoded.lock && decoded.reserved);
  EXPECT_EQ(decoded.pending, 1U);
  EXPECT_EQ(decoded.expected, 1U);
  EXPECT_EQ(decoded.tx, 1);
}

TEST(GoldenMbWord, LimitsOfTheFields) {
  MbWord word;
  word.pending = kMaxMbCount;  // negated: 1
  EXPECT_EQ(Encode(word), 0x0000080000000000U);
  word = MbWord();
  word.expected = kMaxMbCount;
  EXPECT_EQ(Encode(word), 0x0000000000000002U);
  word = MbWord();
  word.tx = kMaxMbCount;
  EXPECT_EQ(Encode(word), 0x0000020000200000U);
  word.tx = -1;
  EXPECT_EQ(Encode(word), 0x0000000000200000U);
  word.tx = -std::int64_t{kMaxMbCount};
  EXPECT_EQ(Encode(word), 0x000001ffffe00000U);
  EXPECT_EQ(DecodeMbWord(0x0000020000200000).tx, 1048575);
  EXPECT_EQ(DecodeMbWord(0x0000080000000002).pending, 1048575U);
  EXPECT_EQ(DecodeMbWord(0x0000080000000002).expected, 1048575U);
}

// Every word is the encoding of what it decodes to: nothing is lost in memory.
TEST(GoldenMbWord, AnyWordComesBack) {
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 100000; ++i) {
    const std::uint64_t word = random();
    ASSERT_EQ(Encode(DecodeMbWord(word)), word);
  }
}

TEST(GoldenMbWord, PendingCountIsThePendingFieldOfTheToken) {
  EXPECT_EQ(PendingCount(0x7fff0000001fffc0), 32U);
  EXPECT_EQ(PendingCount(0xfffff800001ffffc), 1U);
  EXPECT_EQ(PendingCount(0x0000080000000002), 1048575U);
  EXPECT_EQ(PendingCount(0x800003fffe1ffffc), 0U);
  EXPECT_EQ(PendingCount(0), 0U);
}

TEST(GoldenMbNames, AreSpelledAsInPtxAndDistinct) {
  EXPECT_STREQ(Name(MbOp::kArriveNoComplete), "arrive.noComplete");
  EXPECT_STREQ(Name(MbOp::kArriveDropExpectTx), "arrive_drop.expect_tx");
  EXPECT_STREQ(Name(MbOp::kTryWaitParity), "try_wait.parity");
  EXPECT_STREQ(Name(FaultCause::kNocompleteCompleted), "nocomplete_completed");
  EXPECT_STREQ(Name(Hazard::kInitOverLive), "init_over_live");
  std::set<std::string> names;
  for (unsigned code = 0; code < kNumMbOps; ++code) {
    EXPECT_TRUE(names.insert(Name(static_cast<MbOp>(code))).second);
  }
  for (unsigned code = 0; code < 4; ++code) {
    EXPECT_TRUE(names.insert(Name(static_cast<MbSource>(code))).second);
  }
  EXPECT_EQ(names.count("?"), 0U);
}

TEST(GoldenMbReport, WordsInASentence) {
  MbTrace trace;
  trace.Run(R"(
    launch 0: 0 1 2
    0: init [0x40], 2         -> p0 2/2
    1: arrive [0x40], 2       -> completes p1 2/2
    1: arrive.expect_tx [0x40], 16 -> p1 1/2 tx 16
    2: try_wait.parity [0x40], 1 lanes=0xff -> parks
    0: init [0x10], 1         -> p0 1/1
    0: arrive_drop [0x10]     -> completes p1 0/0
  )");
  const Mbarriers& mbarriers = trace.mbarriers();
  EXPECT_EQ(mbarriers.Describe(0, 0x40),
            "mbarrier 0x40 of CTA 0: phase 1, 1 of 2 arrivals pending, tx-count 16; arrived: warp "
            "1; parked: warp 2 (lanes 0xff, phase 1)");
  EXPECT_EQ(mbarriers.Describe(0, 0x10), "mbarrier 0x10 of CTA 0: phase 1, exhausted");
  EXPECT_EQ(mbarriers.Describe(0, 0x18), "mbarrier 0x18 of CTA 0: not initialised");
  EXPECT_EQ(mbarriers.Objects(0), (std::vector<std::uint32_t>{0x10, 0x40}));
  EXPECT_EQ(mbarriers.Parked(), 0x4U);
  EXPECT_EQ(mbarriers.ParkedLanes(2), 0xffU);

  trace.Run(R"(
    launch 1: 4 5
    1.4: init [0x40], 4       -> p0 4/4
    0: try_wait.parity [0x40], 1 -> parks
    1.5: try_wait.parity [0x40], 0 lanes=0x2 -> parks
    1.5: arrive [0x40]        -> p0 3/4
    1.4: arrive [0x40]        -> p0 2/4
    1.4: try_wait.parity [0x40], 0 -> parks
    expire 2                  -> answers false to 2
  )");
  EXPECT_EQ(mbarriers.Describe(1, 0x40),
            "mbarrier 0x40 of CTA 1: phase 0, 2 of 4 arrivals pending, tx-count 0; arrived: warp "
            "4, warp 5; parked: warp 4 (lanes 0x1, phase 0), warp 5 (lanes 0x2, phase 0)");
  EXPECT_EQ(mbarriers.ParkedLanes(2), 0U);
}

TEST(GoldenMbReport, Reset) {
  Model core(*FindConfig("small"));
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.warps = 3;
  launch.size = 2;
  core.Step(launch);
  Mbarriers mbarriers(core, 64);
  MbOperation operation;
  operation.lanes = 1;
  operation.op = MbOp::kInit;
  operation.operand = 1;
  EXPECT_TRUE(mbarriers.Step(operation).written);
  operation.op = MbOp::kTryWait;
  EXPECT_EQ(mbarriers.Step(operation).parked, 1U);
  operation.op = MbOp::kCopyArrive;
  EXPECT_TRUE(mbarriers.Step(operation).written);
  mbarriers.Reset();
  EXPECT_EQ(mbarriers.Word(0, 0), 0U);
  EXPECT_EQ(mbarriers.Parked(), 0U);
  EXPECT_EQ(mbarriers.ParkedLanes(0), 0U);
  EXPECT_TRUE(mbarriers.Expire(0).answers.empty());
  EXPECT_EQ(mbarriers.Leave(0, OpKind::kEnd).hazards, 0U);
}

}  // namespace
}  // namespace muster::golden
