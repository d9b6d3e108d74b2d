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

// The word that independent probes agree on, and what becomes of it.
TEST(GoldenMbWord, OfTheModel) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 32        -> p0 32/32
    load 0: [0x40]            -> 0x7fff0000001fffc0
    0: init [0x48], 2         -> p0 2/2
    load 0: [0x48]            -> 0x7ffff000001ffffc
    0: arrive [0x48]          -> p0 1/2
    load 0: [0x48]            -> 0x7ffff800001ffffc
    0: expect_tx [0x48], 16   -> p0 1/2 tx 16
    load 0: [0x48]            -> 0x7ffffbfffe1ffffc
    0: arrive [0x48]          -> p0 0/2 tx 16
    load 0: [0x48]            -> 0x3fffe1ffffc
    0: complete_tx [0x48], 16 -> completes p1 2/2
    load 0: [0x48]            -> 0xfffff000001ffffc
    0: complete_tx [0x48], 1  -> p1 2/2 tx -1
    load 0: [0x48]            -> 0xfffff000003ffffc
    0: arrive_drop [0x48], 2  -> p1 0/0 tx -1
    load 0: [0x48]            -> 0x8000000000200000
    0: expect_tx [0x48], 1    -> completes p0 0/0
    load 0: [0x48]            -> 0x0
  )");
}

// Pending arrivals run out while a transaction is outstanding: the phase bit must not change.
TEST(GoldenMbWord, PhaseBitIsNotTheCarryOfPending) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: arrive.expect_tx [0x40], 1 -> p0 0/1 tx 1
    load 0: [0x40]            -> 0x3fffffffffe
    0: complete_tx [0x40], 1  -> completes p1 1/1
    load 0: [0x40]            -> 0xfffff800001ffffe
  )");
}

TEST(GoldenMbWord, PendingCountIsThePendingFieldOfTheToken) {
  EXPECT_EQ(PendingCount(0x7fff0000001fffc0), 32U);
  EXPECT_EQ(PendingCount(0xfffff800001ffffc), 1U);
  EXPECT_EQ(PendingCount(0x0000080000000002), 1048575U);
  EXPECT_EQ(PendingCount(0x800003fffe1ffffc), 0U);
  EXPECT_EQ(PendingCount(0), 0U);
}

// An ordinary store over a word: it is decoded again, and reads back until an update.
TEST(GoldenMbStore, IsDecodedAgain) {
  MbTrace().Run(R"(
    launch 0: 0
    store 0: [0x40] 0xfffff3fffc1ffffe
    0: test_wait.parity [0x40], 0 -> true hazard uninitialised_word
    0: test_wait.parity [0x40], 1 -> false hazard uninitialised_word
    load 0: [0x40]            -> 0xfffff3fffc1ffffe
    0: arrive %r, [0x40], 2   -> p1 0/1 tx 32 token p1 2/1 tx 32 hazard uninitialised_word
    0: complete_tx [0x40], 32 -> completes p0 1/1 hazard uninitialised_word
  )");
}

// The lock and reserved bits count for nothing; the first update writes them as zeroes.
TEST(GoldenMbStore, LockAndReservedBits) {
  MbTrace().Run(R"(
    launch 0: 0
    store 0: [0x40] 0x7ffff400001ffffd     # pending 2, expected 2, and both bits
    0: test_wait.parity [0x40], 0 -> false hazard uninitialised_word
    load 0: [0x40]            -> 0x7ffff400001ffffd
    0: arrive [0x40]          -> p0 1/2 hazard uninitialised_word
    load 0: [0x40]            -> 0x7ffff800001ffffc
    store 0: [0x48] 0x40000000001          # nothing but both bits
    0: arrive [0x48]          -> fault word_exhausted
    load 0: [0x48]            -> 0x40000000001
    0: init [0x48], 2         -> p0 2/2
    load 0: [0x48]            -> 0x7ffff000001ffffc
  )");
}

// Words that no operation leaves: both counts at zero, which the next completion test finds;
// a tx-count of 2^20, which a plain arrive-on does not look at.
TEST(GoldenMbStore, WordsThatNoOperationLeaves) {
  MbTrace().Run(R"(
    launch 0: 0
    store 0: [0x40] 0x1ffffc               # pending 0, expected 2, tx-count 0
    0: arrive [0x40]          -> fault bad_arrive_count
    0: complete_tx [0x40], 0  -> completes p1 2/2 hazard uninitialised_word
    store 0: [0x40] 0x7ffff200001ffffc     # pending 2, expected 2, tx-count 2^20
    0: complete_tx [0x40], 0  -> fault tx_overflow
    0: arrive [0x40]          -> p0 1/2 tx 1048576 hazard uninitialised_word
    0: complete_tx [0x40], 1  -> p0 1/2 tx 1048575 hazard uninitialised_word
  )");
}

TEST(GoldenMbStore, RestoredObjectGoesOn) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 3         -> p0 3/3
    0: arrive %r, [0x40]      -> p0 2/3 token p0 3/3
    load 0: [0x40]            -> 0x7ffff000001ffffa
    suspend 0
    launch 1: 0 1
    restore 1: [0x40] 0x7ffff000001ffffa
    1.0: test_wait [0x40], %r -> false
    1.1: arrive [0x40], 2     -> completes p1 3/3
    1.0: test_wait [0x40], %r -> true
    1.0: init [0x40], 1       -> p0 1/1 hazard init_over_live
  )");
}

// A CTA's shared memory is its own, and forgotten when it leaves.
TEST(GoldenMbStore, SharedMemoryIsTheCtas) {
  MbTrace().Run(R"(
    launch 0: 0
    launch 1: 1
    0: init [0x40], 1         -> p0 1/1
    1.1: init [0x40], 2       -> p0 2/2
    0: arrive [0x40]          -> completes p1 1/1
    load 1: [0x40]            -> 0x7ffff000001ffffc
    end 0
    launch 0: 0
    load 0: [0x40]            -> 0x0
    0: init [0x40], 1         -> p0 1/1
    1.1: arrive [0x40]        -> p0 1/2
  )");
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
