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
#include "tb/golden/mbarrier_trace.h"

namespace muster::golden {
namespace {

// .16, example 1a: N = 4 threads, two of either warp.
TEST(GoldenMbExample, TestWait1aByTestWait) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x0], 4                  -> p0 4/4
    0: arrive %r1, [0x0] lanes=0x3    -> p0 2/4 tokens p0 4/4, p0 3/4
    0: test_wait [0x0], %r1 lanes=0x3 -> false
    1: arrive %r1, [0x0] lanes=0x3    -> completes p1 4/4 tokens p0 2/4, p0 1/4
    1: test_wait [0x0], %r1 lanes=0x3 -> true
    0: test_wait [0x0], %r1 lanes=0x3 -> true
  )");
}

// Example 1b: the same, suspended meanwhile, once beyond the time limit.
TEST(GoldenMbExample, TestWait1bByTryWait) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x0], 4                  -> p0 4/4
    0: arrive %r1, [0x0] lanes=0x3    -> p0 2/4 tokens p0 4/4, p0 3/4
    0: try_wait [0x0], %r1 lanes=0x3  -> parks
    expire 0                          -> answers false to 0
    0: try_wait [0x0], %r1 lanes=0x3  -> parks
    1: arrive %r1, [0x0] lanes=0x3    -> completes p1 4/4 tokens p0 2/4, p0 1/4 answers true to 0
    1: try_wait [0x0], %r1 lanes=0x3  -> true
  )");
}

// Example 2: one phase per iteration, i & 1 its parity; three iterations of two threads, of which
// either may be ahead.
TEST(GoldenMbExample, TestWait2ByParity) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x0], 2                  -> p0 2/2
    0: arrive %r1, [0x0]              -> p0 1/2 token p0 2/2      # i = 0
    0: test_wait.parity [0x0], 0      -> false
    1: arrive %r1, [0x0]              -> completes p1 2/2 token p0 1/2
    1: test_wait.parity [0x0], 0      -> true
    1: arrive %r1, [0x0]              -> p1 1/2 token p1 2/2      # i = 1
    1: test_wait.parity [0x0], 1      -> false
    0: test_wait.parity [0x0], 0      -> true
    0: arrive %r1, [0x0]              -> completes p0 2/2 token p1 1/2
    0: test_wait.parity [0x0], 1      -> true
    0: arrive %r1, [0x0]              -> p0 1/2 token p0 2/2      # i = 2
    0: test_wait.parity [0x0], 0      -> false
    1: test_wait.parity [0x0], 1      -> true
    1: arrive %r1, [0x0]              -> completes p1 2/2 token p0 1/2
    1: test_wait.parity [0x0], 0      -> true
    0: test_wait.parity [0x0], 0      -> true
  )");
}

// Example 3: without .noinc, two threads; the copies of one are done before it arrives.
TEST(GoldenMbExample, TestWait3AsynchronousCopy) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x8], 2                  -> p0 2/2
    0: cp.async.mbarrier.arrive [0x8] -> p0 3/2
    1: cp.async.mbarrier.arrive [0x8] -> p0 4/2
    async 0: arrive [0x8]             -> p0 3/2
    0: arrive %state, [0x8]           -> p0 2/2 token p0 3/2
    0: test_wait [0x8], %state        -> false
    1: arrive %state, [0x8]           -> p0 1/2 token p0 2/2
    1: test_wait [0x8], %state        -> false
    async 0: arrive [0x8]             -> completes p1 2/2
    1: test_wait [0x8], %state        -> true
    0: test_wait [0x8], %state        -> true
    end 0
  )");
}

// Example 4: two threads of CTA 0 and two of another CTA of the cluster arrive at CTA 0's object;
// only those of CTA 0 wait.
TEST(GoldenMbExample, TestWait4Cluster) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x0], 4                  -> p0 4/4
    remote 0: arrive _, [0x0]         -> p0 3/4
    0: arrive _, [0x0]                -> p0 2/4
    0: try_wait.parity [0x0], 0       -> parks
    1: arrive _, [0x0]                -> p0 1/4
    1: try_wait.parity [0x0], 0       -> parks
    remote 0: arrive _, [0x0]         -> completes p1 4/4 answers true to 0 1
  )");
}

// .15, example 1: the init accounts for arrive alone.
TEST(GoldenMbExample, CopyArrive1WithoutNoInc) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x0], 4                  -> p0 4/4
    0: cp.async.mbarrier.arrive [0x0] lanes=0xf -> p0 8/4
    0: arrive %state, [0x0] lanes=0xf -> p0 4/4 tokens p0 8/4, p0 7/4, p0 6/4, p0 5/4
    0: test_wait [0x0], %state lanes=0xf -> false
    async 0: arrive [0x0]             -> p0 3/4
    async 0: arrive [0x0]             -> p0 2/4
    async 0: arrive [0x0]             -> p0 1/4
    0: test_wait [0x0], %state lanes=0xf -> false
    async 0: arrive [0x0]             -> completes p1 4/4
    0: test_wait [0x0], %state lanes=0xf -> true
    end 0
  )");
}

// .15, example 2: two threads, three arrive-ons of copies each, all accounted for in the init.
TEST(GoldenMbExample, CopyArrive2WithNoInc) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x0], 8                  -> p0 8/8
    0: cp.async.mbarrier.arrive.noinc [0x0] lanes=0x3
    async 0: arrive [0x0]             -> p0 7/8
    0: cp.async.mbarrier.arrive.noinc [0x0] lanes=0x3
    0: cp.async.mbarrier.arrive.noinc [0x0] lanes=0x3
    async 0: arrive [0x0]             -> p0 6/8
    async 0: arrive [0x0]             -> p0 5/8
    0: arrive %state, [0x0] lanes=0x3 -> p0 3/8 tokens p0 5/8, p0 4/8
    0: test_wait [0x0], %state lanes=0x3 -> false
    async 0: arrive [0x0]             -> p0 2/8
    async 0: arrive [0x0]             -> p0 1/8
    async 0: arrive [0x0]             -> completes p1 8/8
    0: test_wait [0x0], %state lanes=0x3 -> true
    end 0
  )");
}

// .14, example 1: of five threads one drops out, one drops itself and another (%a = 2), and the
// rest arrive and test.
TEST(GoldenMbExample, ArriveDropOfExitingThreads) {
  MbTrace().Run(R"(
    launch 0: 0 1 2
    0: init [0x0], 5                  -> p0 5/5
    0: arrive_drop _, [0x0]           -> p0 4/4
    0: exit
    1: arrive_drop.noComplete _, [0x0], 2 -> p0 2/2
    1: exit
    2: arrive %r1, [0x0] lanes=0x3    -> completes p1 2/2 tokens p0 2/2, p0 1/2
    2: test_wait [0x0], %r1 lanes=0x3 -> true
    2: arrive %r1, [0x0] lanes=0x3    -> completes p0 2/2 tokens p1 2/2, p1 1/2
  )");
}

// .10, example 2: used, invalidated, used for something else, and again.
TEST(GoldenMbExample, InvalAndReuse) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x0], 12                 -> p0 12/12
    0: arrive [0x0], 12               -> completes p1 12/12
    0: inval [0x0]                    -> p0 0/0
    store 0: [0x0] 0xdeadbeef00c0ffee
    0: init [0x0], 24                 -> p0 24/24
    0: inval [0x0]                    -> p0 0/0
  )");
}

// Two stages of full and empty barriers: the producer, warp 0, passes a fresh "empty" by its odd
// parity; a copy engine fills; warp 1 consumes.
TEST(GoldenMbExample, RingOfFullAndEmpty) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x00], 1                 -> p0 1/1           # full 0
    0: init [0x08], 1                 -> p0 1/1           # full 1
    0: init [0x10], 1                 -> p0 1/1           # empty 0
    0: init [0x18], 1                 -> p0 1/1           # empty 1
    0: try_wait.parity [0x10], 1      -> true
    0: arrive.expect_tx _, [0x00], 512 -> p0 0/1 tx 512
    1: try_wait.parity [0x00], 0      -> parks
    0: try_wait.parity [0x18], 1      -> true
    0: arrive.expect_tx _, [0x08], 512 -> p0 0/1 tx 512
    0: try_wait.parity [0x10], 0      -> parks            # the ring is full
    async 0: complete_tx [0x08], 512  -> completes p1 1/1
    async 0: complete_tx [0x00], 512  -> completes p1 1/1 answers true to 1
    1: arrive _, [0x10]               -> completes p1 1/1 answers true to 0
    0: arrive.expect_tx _, [0x00], 512 -> p1 0/1 tx 512
    1: try_wait.parity [0x08], 0      -> true
    1: arrive _, [0x18]               -> completes p1 1/1
    async 0: complete_tx [0x00], 512  -> completes p0 1/1
    1: try_wait.parity [0x00], 1      -> true
  )");
}

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
