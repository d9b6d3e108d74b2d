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

// .9: phase 0, both arrival counts, tx-count 0; anywhere in shared memory.
TEST(GoldenMbInit, SetsPhaseAndCounts) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x0], 1          -> p0 1/1
    0: init [0x8], 1048575    -> p0 1048575/1048575
    1: init [0x3f8], 12       -> p0 12/12
    load 0: [0x10]            -> 0x0
  )");
}

// .10 and the second half of its second example: used again with another count.
TEST(GoldenMbInit, StartsOverAfterInval) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: arrive [0x40], 2       -> completes p1 2/2
    0: expect_tx [0x40], 8    -> p1 2/2 tx 8
    0: inval [0x40]           -> p0 0/0
    load 0: [0x40]            -> 0x0
    store 0: [0x40] 0x123456789
    0: init [0x40], 24        -> p0 24/24
    0: inval [0x40]           -> p0 0/0
  )");
}

// The second init starts over; counts are not summed.
TEST(GoldenMbInit, SeveralDoNotAddUp) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 4 lanes=0xf -> p0 4/4 hazard init_over_live
    0: arrive [0x40], 3       -> p0 1/4
    0: init [0x40], 5         -> p0 5/5 hazard init_over_live
  )");
}

// .7: count defaults to 1.
TEST(GoldenMbArrive, LowersPending) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 7         -> p0 7/7
    0: arrive [0x40]          -> p0 6/7
    1: arrive [0x40], 3       -> p0 3/7
    0: arrive [0x40], 2       -> p0 1/7
  )");
}

// .6: the phase completes, pending is what is expected, and the object is used again at once.
TEST(GoldenMbArrive, LastOneCompletesThePhase) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 3         -> p0 3/3
    0: arrive [0x40], 2       -> p0 1/3
    1: arrive [0x40]          -> completes p1 3/3
    1: arrive [0x40], 3       -> completes p0 3/3
    0: arrive [0x40]          -> p0 2/3
    0: arrive [0x40], 2       -> completes p1 3/3
  )");
}

TEST(GoldenMbArrive, CountOfOneCompletesEveryTime) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: arrive %r, [0x40]      -> completes p1 1/1 token p0 1/1
    0: arrive %r, [0x40]      -> completes p0 1/1 token p1 1/1
    0: arrive %r, [0x40]      -> completes p1 1/1 token p0 1/1
  )");
}

TEST(GoldenMbArrive, LargestCount) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1048575   -> p0 1048575/1048575
    0: arrive [0x40], 1048574 -> p0 1/1048575
    0: arrive %r, [0x40]      -> completes p1 1048575/1048575 token p0 1/1048575
    0: arrive [0x40], 1048575 -> completes p0 1048575/1048575
  )");
}

// .13: the token captures the object before the arrive-on; `_` captures nothing.
TEST(GoldenMbToken, IsTheWordBefore) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 3         -> p0 3/3
    0: arrive %a, [0x40]      -> p0 2/3 token p0 3/3
    0: arrive _, [0x40]       -> p0 1/3
    1: arrive %b, [0x40]      -> completes p1 3/3 token p0 1/3
    1: arrive %c, [0x40], 2   -> p1 1/3 token p1 3/3
    0: pending_count %a       -> 3
    1: pending_count %b       -> 1
    1: pending_count %c       -> 3
  )");
}

// Expect-tx and drop are part of the operation: the token shows neither.
TEST(GoldenMbToken, IsBeforeExpectTxAndDrop) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 8         -> p0 8/8
    0: arrive.expect_tx %a, [0x40], 64 -> p0 7/8 tx 64 token p0 8/8
    0: arrive_drop %b, [0x40], 2 -> p0 5/6 tx 64 token p0 7/8 tx 64
    0: arrive_drop.expect_tx %c, [0x40], 4 -> p0 4/5 tx 68 token p0 5/6 tx 64
    0: arrive.noComplete %d, [0x40], 3 -> p0 1/5 tx 68 token p0 4/5 tx 68
    0: arrive_drop.noComplete %e, [0x40], 1 -> p0 0/4 tx 68 token p0 1/5 tx 68
    0: pending_count %d       -> 4
    0: pending_count %e       -> 1
  )");
}

// .8: text of pending_count: the count before the noComplete arrive-on.
TEST(GoldenMbToken, PendingCountExample) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 12        -> p0 12/12
    0: arrive.noComplete %state, [0x40], 1 -> p0 11/12 token p0 12/12
    0: pending_count %state   -> 12
  )");
}

// Lanes one after another: each has its own token, before its own arrival.
TEST(GoldenMbLanes, EachHasItsToken) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 10        -> p0 10/10
    0: arrive %r, [0x40] lanes=0x7 -> p0 7/10 tokens p0 10/10, p0 9/10, p0 8/10
    0: arrive %r, [0x40], 2 lanes=0x90 -> p0 3/10 tokens p0 7/10, p0 5/10
    0: arrive.expect_tx %r, [0x40], 16 lanes=0x3 -> p0 1/10 tx 32 tokens p0 3/10, p0 2/10 tx 16
    0: pending_count %r lanes=0x4 -> 8
    0: pending_count %r lanes=0x80 -> 5
  )");
}

TEST(GoldenMbLanes, DropsOneByOne) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 9         -> p0 9/9
    0: arrive_drop %r, [0x40], 2 lanes=0x7 -> p0 3/3 tokens p0 9/9, p0 7/7, p0 5/5
    0: arrive_drop.expect_tx %r, [0x40], 4 lanes=0x3 -> p0 1/1 tx 8 tokens p0 3/3, p0 2/2 tx 4
  )");
}

// The lane that completes ends its update; those after it find the next phase.
TEST(GoldenMbLanes, PhaseCompletesAmongThem) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 3         -> p0 3/3
    0: arrive %r, [0x40] lanes=0x1f -> completes p1 1/3 \
                                       tokens p0 3/3, p0 2/3, p0 1/3, p1 3/3, p1 2/3 \
                                       hazard arrival_past_phase
    0: arrive %r, [0x40] lanes=0xf -> completes 2 phases p1 3/3 \
                                      tokens p1 1/3, p0 3/3, p0 2/3, p0 1/3 hazard arrival_past_phase
  )");
}

// With a drop, the lanes after the completion find the lowered count.
TEST(GoldenMbLanes, DropCompletesAmongThem) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 3         -> p0 3/3
    0: arrive [0x40], 2       -> p0 1/3
    0: arrive_drop %r, [0x40] lanes=0x7 -> completes 2 phases p0 0/0 tokens p0 1/3, p1 2/2, p1 1/1 \
                                            hazard arrival_past_phase
  )");
}

// A lane that asks for more than is pending is refused; those after it are checked one by one.
TEST(GoldenMbLanes, RefusedAmongThem) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0], 5            -> p0 5/5
    0: arrive %r, [0], 2 lanes=0xf -> fault bad_arrive_count lanes=0xc p0 1/5 tokens p0 5/5, p0 3/5
    0: pending_count %r lanes=0x2 -> 3
    0: pending_count %r lanes=0x4 -> 0
    0: arrive.noComplete %r, [0], 1 lanes=0x3 -> fault nocomplete_completed
    0: arrive_drop %r, [0] lanes=0xff -> fault word_exhausted lanes=0xe0 completes 2 phases p0 0/0 \
                                         tokens p0 1/5, p1 4/4, p1 3/3, p1 2/2, p1 1/1 \
                                         hazard arrival_past_phase
  )");
}

TEST(GoldenMbLanes, ExpectTxOneByOne) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: expect_tx [0x40], 8 lanes=0xff -> p0 1/1 tx 64
    0: complete_tx [0x40], 8 lanes=0xf00 -> p0 1/1 tx 32
    0: expect_tx [0x40], 524288 lanes=0x7 -> fault tx_overflow lanes=0x6 p0 1/1 tx 524320
  )");
}

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

TEST(GoldenMbLanes, WithoutLanesNothingHappens) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: arrive [0x40] lanes=0
    0: init [0x44], 0 lanes=0
    0: try_wait.parity [0x40], 0 lanes=0
    7: inval [0x40] lanes=0
    load 0: [0x40]            -> 0x7ffff000001ffffc
  )");
}

// .5: expect-tx raises, complete-tx lowers; the phase waits for both counts.
TEST(GoldenMbTx, PhaseWaitsForBothCounts) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: expect_tx [0x40], 512  -> p0 2/2 tx 512
    0: arrive [0x40], 2       -> p0 0/2 tx 512
    0: complete_tx [0x40], 256 -> p0 0/2 tx 256
    0: complete_tx [0x40], 256 -> completes p1 2/2
    0: expect_tx [0x40], 32   -> p1 2/2 tx 32
    0: complete_tx [0x40], 32 -> p1 2/2
    0: arrive [0x40], 2       -> completes p0 2/2
  )");
}

// A tx-count back at zero does not complete the phase while arrivals are pending, in either order.
TEST(GoldenMbTx, TransactionBeforeAnyArrivalDoesNotComplete) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: expect_tx [0x40], 16   -> p0 1/1 tx 16
    0: complete_tx [0x40], 16 -> p0 1/1
    0: expect_tx [0x40], 0    -> p0 1/1
    0: complete_tx [0x40], 0  -> p0 1/1
    0: arrive [0x40]          -> completes p1 1/1
  )");
}

// .2: tx-count may be negative.
TEST(GoldenMbTx, CompleteBeforeExpect) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: complete_tx [0x40], 100 -> p0 1/1 tx -100
    0: arrive.expect_tx %r, [0x40], 100 -> completes p1 1/1 token p0 1/1 tx -100
    0: complete_tx [0x40], 60 -> p1 1/1 tx -60
    0: arrive [0x40]          -> p1 0/1 tx -60
    0: expect_tx [0x40], 20   -> p1 0/1 tx -40
    0: expect_tx [0x40], 60   -> p1 0/1 tx 20
    0: complete_tx [0x40], 20 -> completes p0 1/1
  )");
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

// .13: expect-tx is before the arrive-on, and one test follows both.
TEST(GoldenMbTx, ArriveExpectTx) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: arrive.expect_tx [0x40], 32 -> p0 1/2 tx 32
    0: arrive.expect_tx [0x40], 16 -> p0 0/2 tx 48
    0: complete_tx [0x40], 48 -> completes p1 2/2
    0: arrive.expect_tx [0x40], 0 -> p1 1/2
    0: arrive.expect_tx [0x40], 0 -> completes p0 2/2
  )");
}

TEST(GoldenMbTx, LimitsOnBothSides) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: expect_tx [0x40], 1048575 -> p0 2/2 tx 1048575
    0: complete_tx [0x40], 1048575 -> p0 2/2
    0: complete_tx [0x40], 1048575 -> p0 2/2 tx -1048575
    0: arrive [0x40]          -> p0 1/2 tx -1048575
    0: arrive.expect_tx [0x40], 1048575 -> completes p1 2/2
  )");
}

// .14: expected is lowered for the phases that follow.
TEST(GoldenMbDrop, LowersThePhasesThatFollow) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 4         -> p0 4/4
    0: arrive_drop %r, [0x40] -> p0 3/3 token p0 4/4
    1: arrive [0x40], 3       -> completes p1 3/3
    1: arrive [0x40]          -> p1 2/3
    0: arrive_drop [0x40], 2  -> completes p0 1/1
    1: arrive [0x40]          -> completes p1 1/1
  )");
}

TEST(GoldenMbDrop, LastArrivalOfThePhase) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 3         -> p0 3/3
    0: arrive [0x40], 2       -> p0 1/3
    0: arrive_drop [0x40]     -> completes p1 2/2
    0: arrive [0x40], 2       -> completes p0 2/2
  )");
}

// Dropped to zero: the phase completes once more, and nothing is expected ever after.
TEST(GoldenMbDrop, ToZeroExhausts) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: arrive_drop [0x40]     -> p0 1/1
    0: arrive_drop [0x40]     -> completes p1 0/0
    load 0: [0x40]            -> 0x8000000000000000
    0: arrive [0x40]          -> fault word_exhausted
    0: test_wait.parity [0x40], 0 -> true
    0: test_wait.parity [0x40], 1 -> false
    0: inval [0x40]           -> p0 0/0
    0: init [0x40], 1         -> p0 1/1
  )");
}

// Nothing is expected any more, but the phase that runs is not over.
TEST(GoldenMbDrop, ToZeroWithArrivalsPending) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: cp.async.mbarrier.arrive [0x40] -> p0 3/2
    0: arrive_drop [0x40], 2  -> p0 1/0
    0: expect_tx [0x40], 4    -> p0 1/0 tx 4
    async 0: arrive [0x40]    -> p0 0/0 tx 4
    0: expect_tx [0x40], 4    -> p0 0/0 tx 8
    0: arrive [0x40]          -> fault bad_arrive_count
    async 0: complete_tx [0x40], 8 -> completes p1 0/0
    async 0: complete_tx [0x40], 8 -> fault word_exhausted
  )");
}

TEST(GoldenMbDrop, ExpectTx) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: arrive_drop.expect_tx %r, [0x40], 8 -> p0 1/1 tx 8 token p0 2/2
    0: arrive [0x40]          -> p0 0/1 tx 8
    0: complete_tx [0x40], 8  -> completes p1 1/1
  )");
}

// .13, .14: allowed as long as the phase goes on, also when only transactions are left.
TEST(GoldenMbNoComplete, DoesNotComplete) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 6         -> p0 6/6
    0: arrive.noComplete [0x40], 2 -> p0 4/6
    0: arrive_drop.noComplete [0x40], 3 -> p0 1/3
    0: arrive.noComplete [0x40], 1 -> fault nocomplete_completed
    0: arrive_drop.noComplete [0x40], 1 -> fault nocomplete_completed
    0: expect_tx [0x40], 1    -> p0 1/3 tx 1
    0: arrive.noComplete [0x40], 1 -> p0 0/3 tx 1
    0: complete_tx [0x40], 1  -> completes p1 3/3
  )");
}

TEST(GoldenMbInval, WritesZeroes) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: arrive [0x40]          -> completes p1 1/1
    0: inval [0x40]           -> p0 0/0
    0: arrive [0x40]          -> fault word_exhausted
    0: expect_tx [0x40], 1    -> fault word_exhausted
    0: test_wait.parity [0x40], 1 -> true hazard uninitialised_word
  )");
}

}  // namespace
}  // namespace muster::golden
