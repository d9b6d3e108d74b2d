// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Misuse of mbarriers: what is refused, and in which order causes are reported. Each refused line
// is checked to have changed nothing.
#include <gtest/gtest.h>

#include "tb/golden/mbarrier_trace.h"

namespace muster::golden {
namespace {

TEST(GoldenMbFault, BadAddress) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x44], 1         -> fault bad_address
    0: init [0x41], 1         -> fault bad_address
    0: init [0x3f8], 1        -> p0 1/1
    0: init [0x400], 1        -> fault bad_address
    0: arrive %r, [0x402] lanes=0x3 -> fault bad_address
    0: pending_count %r lanes=0x2 -> 0
    0: inval [0xfffffff8]     -> fault bad_address
    0: test_wait.parity [0x7], 1 -> fault bad_address
    0: try_wait.parity [0x404], 0 -> fault bad_address
    0: expect_tx [0x3fc], 1   -> fault bad_address
    0: cp.async.mbarrier.arrive [0x3f9] -> fault bad_address
    remote 0: arrive [0x3fa]  -> fault bad_address
    async 0: complete_tx [0x3fc], 16 -> fault bad_address
    async 0: arrive [0x800]   -> fault bad_address
  )");
}

// .9: "The valid range of values for the operand count is [1, ..., 2^20 - 1]."
TEST(GoldenMbFault, BadInitCount) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 0         -> fault bad_init_count
    0: init [0x40], 1048576   -> fault bad_init_count
    0: init [0x40], 0x80000001 -> fault bad_init_count
    0: init [0x40], 1048577   -> fault bad_init_count
    0: init [0x40], 0xffffffff -> fault bad_init_count
    0: init [0x40], 1048575   -> p0 1048575/1048575
    0: init [0x40], 0         -> fault bad_init_count
  )");
}

// The operand's own range.
TEST(GoldenMbFault, BadArriveCountOfTheOperand) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1048575   -> p0 1048575/1048575
    0: arrive %r, [0x40], 0   -> fault bad_arrive_count
    0: arrive [0x40], 1048576 -> fault bad_arrive_count
    0: arrive [0x40], 1048577 -> fault bad_arrive_count
    0: arrive [0x40], 0x80000000 -> fault bad_arrive_count
    0: arrive.noComplete [0x40], 0 -> fault bad_arrive_count
    0: arrive_drop [0x40], 0  -> fault bad_arrive_count
    0: arrive_drop [0x40], 0xffffffff -> fault bad_arrive_count
    0: arrive_drop.noComplete [0x40], 1048576 -> fault bad_arrive_count
    remote 0: arrive [0x40], 0 -> fault bad_arrive_count
  )");
}

// More than what is pending.
TEST(GoldenMbFault, BadArriveCountOfTheWord) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 4         -> p0 4/4
    0: arrive [0x40], 5       -> fault bad_arrive_count
    0: arrive [0x40], 2       -> p0 2/4
    0: arrive %r, [0x40], 3   -> fault bad_arrive_count
    0: arrive.noComplete [0x40], 3 -> fault bad_arrive_count
    0: arrive_drop [0x40], 3  -> fault bad_arrive_count
    0: arrive.expect_tx [0x40], 9 -> p0 1/4 tx 9
    0: arrive [0x40]          -> p0 0/4 tx 9
    0: arrive [0x40]          -> fault bad_arrive_count
    0: arrive.expect_tx [0x40], 1 -> fault bad_arrive_count
    async 0: arrive [0x40]    -> fault bad_arrive_count
    remote 0: arrive [0x40]   -> fault bad_arrive_count
    async 0: complete_tx [0x40], 9 -> completes p1 4/4
  )");
}

// A drop of more than what is expected, though that much is pending.
TEST(GoldenMbFault, DropOfMoreThanIsExpected) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: cp.async.mbarrier.arrive [0x40] lanes=0x3 -> p0 4/2
    0: arrive_drop [0x40], 3  -> fault bad_arrive_count
    0: arrive_drop.noComplete [0x40], 3 -> fault bad_arrive_count
    0: arrive_drop [0x40], 2  -> p0 2/0
    0: arrive_drop.expect_tx [0x40], 1 -> fault bad_arrive_count
    0: arrive [0x40], 2       -> completes p1 0/0
  )");
}

TEST(GoldenMbFault, TxOverflow) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 4         -> p0 4/4
    0: expect_tx [0x40], 1048576 -> fault tx_overflow
    0: complete_tx [0x40], 0x80000000 -> fault tx_overflow
    0: arrive.expect_tx %r, [0x40], 0xffffffff -> fault tx_overflow
    0: arrive_drop.expect_tx [0x40], 2097153 -> fault tx_overflow
    0: expect_tx [0x40], 1048574 -> p0 4/4 tx 1048574
    0: expect_tx [0x40], 2    -> fault tx_overflow
    0: arrive.expect_tx [0x40], 2 -> fault tx_overflow
    0: arrive_drop.expect_tx [0x40], 2 -> fault tx_overflow
    0: expect_tx [0x40], 1    -> p0 4/4 tx 1048575
    0: complete_tx [0x40], 1048575 -> p0 4/4
    0: complete_tx [0x40], 1048575 -> p0 4/4 tx -1048575
    0: complete_tx [0x40], 1  -> fault tx_overflow
    async 0: complete_tx [0x40], 16 -> fault tx_overflow
    remote 0: expect_tx [0x40], 1048576 -> fault tx_overflow
  )");
}

// .15: "The pending count after the increment should not exceed the limit."
TEST(GoldenMbFault, PendingOverflow) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1048574   -> p0 1048574/1048574
    0: cp.async.mbarrier.arrive [0x40] lanes=0x7 -> fault pending_overflow lanes=0x6 \
                                                    p0 1048575/1048574
    0: cp.async.mbarrier.arrive [0x40] -> fault pending_overflow
    async 0: arrive [0x40]    -> p0 1048574/1048574
    end 0                     # the refused lanes have no arrive-on to come
  )");
}

TEST(GoldenMbFault, NocompleteCompleted) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: arrive.noComplete %r, [0x40], 2 -> fault nocomplete_completed
    0: arrive_drop.noComplete [0x40], 2 -> fault nocomplete_completed
    0: arrive.noComplete [0x40], 1 lanes=0x3 -> fault nocomplete_completed lanes=0x2 p0 1/2
    0: arrive [0x40]          -> completes p1 2/2
  )");
}

TEST(GoldenMbFault, WordExhausted) {
  MbTrace().Run(R"(
    launch 0: 0
    0: arrive [0x40]          -> fault word_exhausted
    0: init [0x40], 1         -> p0 1/1
    0: arrive_drop [0x40]     -> completes p1 0/0
    0: arrive %r, [0x40]      -> fault word_exhausted
    0: arrive.noComplete [0x40], 1 -> fault word_exhausted
    0: arrive.expect_tx [0x40], 1 -> fault word_exhausted
    0: arrive_drop [0x40]     -> fault word_exhausted
    0: arrive_drop.noComplete [0x40], 1 -> fault word_exhausted
    0: arrive_drop.expect_tx [0x40], 1 -> fault word_exhausted
    0: expect_tx [0x40], 0    -> fault word_exhausted
    0: complete_tx [0x40], 1  -> fault word_exhausted
    0: cp.async.mbarrier.arrive [0x40] -> fault word_exhausted
    async 0: arrive [0x40]    -> fault word_exhausted
    remote 0: arrive [0x40]   -> fault word_exhausted
    0: test_wait.parity [0x40], 0 -> true
  )");
}

// .8: what cannot be done to another CTA's word, where it leaves and where it comes.
TEST(GoldenMbFault, RemoteNotAllowed) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 4         -> p0 4/4
    0: init [0x40], 4 out     -> fault remote_not_allowed
    0: inval [0x40] out       -> fault remote_not_allowed
    0: arrive %r, [0x40] out  -> fault remote_not_allowed
    0: arrive.noComplete [0x40], 1 out -> fault remote_not_allowed
    0: arrive_drop.noComplete [0x40], 1 out -> fault remote_not_allowed
    0: arrive.expect_tx %r, [0x40], 1 out -> fault remote_not_allowed
    0: test_wait.parity [0x40], 0 out -> fault remote_not_allowed
    0: try_wait.parity [0x40], 0 out -> fault remote_not_allowed
    0: cp.async.mbarrier.arrive [0x40] out -> fault remote_not_allowed
    0: cp.async.mbarrier.arrive.noinc [0x40] out -> fault remote_not_allowed
    remote 0: init [0x40], 4  -> fault remote_not_allowed
    remote 0: arrive.noComplete [0x40], 1 -> fault remote_not_allowed
    remote 0: test_wait.parity [0x40], 0 -> fault remote_not_allowed
    load 0: [0x40]            -> 0x7fffe000001ffff8
    end 0
  )");
}

TEST(GoldenMbFault, CtaNotResident) {
  MbTrace().Run(R"(
    0: init [0x40], 1         -> fault cta_not_resident
    launch 0: 0
    1.0: init [0x40], 1       -> fault cta_not_resident
    32.0: arrive [0x40]       -> fault cta_not_resident
    200.0: arrive [0x40]      -> fault cta_not_resident
    async 1: complete_tx [0x40], 1 -> fault cta_not_resident
    remote 1: arrive [0x40]   -> fault cta_not_resident
    0: init [0x40], 1         -> p0 1/1
    end 0
    0: arrive [0x40]          -> fault cta_not_resident
    async 0: arrive [0x40]    -> fault cta_not_resident
  )");
}

TEST(GoldenMbFault, WarpNotLive) {
  MbTrace().Run(R"(
    launch 0: 0 1
    launch 1: 2
    0: init [0x40], 1         -> p0 1/1
    2: arrive [0x40]          -> fault warp_not_live
    3: test_wait.parity [0x40], 1 -> fault warp_not_live
    64: arrive [0x40]         -> fault warp_not_live
    99: arrive [0x40]         -> fault warp_not_live
    1: exit
    1: arrive [0x40]          -> fault warp_not_live
    1: arrive [0x40] out      -> fault warp_not_live
    async 0: arrive [0x40]    -> completes p1 1/1
  )");
}

// A warp that waits at a named barrier.
TEST(GoldenMbFault, WarpWaiting) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 1         -> p0 1/1
    0: SYNC 0
    0: arrive [0x40]          -> fault warp_waiting
    0: try_wait.parity [0x40], 0 -> fault warp_waiting
    0: arrive [0x40] out      -> fault warp_waiting
    1: arrive [0x40]          -> completes p1 1/1
    1: SYNC 0
    0: arrive [0x40]          -> completes p0 1/1
  )");
}

// Refused operations in between leave no trace in counts or waiters.
TEST(GoldenMbFault, ChangesNothing) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 2         -> p0 2/2
    1: try_wait.parity [0x40], 0 -> parks
    0: arrive_drop.expect_tx %r, [0x40], 1048576 -> fault tx_overflow
    0: arrive_drop [0x40], 3  -> fault bad_arrive_count
    0: arrive [0x40]          -> p0 1/2
    0: arrive_drop.noComplete [0x40], 1 -> fault nocomplete_completed
    0: arrive [0x40]          -> completes p1 2/2 answers true to 1
  )");
}

TEST(GoldenMbPrecedence, CoreBeforeRemote) {
  MbTrace().Run(R"(
    launch 0: 0 1
    1.0: init [0x41], 0 out   -> fault cta_not_resident
    2: init [0x41], 0 out     -> fault warp_not_live
    0: SYNC 0
    0: init [0x41], 0 out     -> fault warp_waiting
    1: init [0x41], 0 out     -> fault remote_not_allowed
    remote 0: init [0x41], 0  -> fault remote_not_allowed
  )");
}

TEST(GoldenMbPrecedence, AddressBeforeOperands) {
  MbTrace().Run(R"(
    launch 0: 0 1
    2: init [0x41], 0         -> fault warp_not_live
    0: init [0x41], 0         -> fault bad_address
    0: arrive [0x41], 0       -> fault bad_address
    0: expect_tx [0x41], 1048576 -> fault bad_address
  )");
}

// An operand that can never be right is reported before the word is looked at.
TEST(GoldenMbPrecedence, OperandsBeforeTheWord) {
  MbTrace().Run(R"(
    launch 0: 0
    0: arrive [0x40], 0       -> fault bad_arrive_count
    0: arrive_drop [0x40], 1048576 -> fault bad_arrive_count
    0: expect_tx [0x40], 1048576 -> fault tx_overflow
    0: arrive.expect_tx [0x40], 1048576 -> fault tx_overflow
    0: arrive [0x40], 2       -> fault word_exhausted
    0: init [0x40], 1         -> p0 1/1
    0: arrive.expect_tx [0x40], 4 -> p0 0/1 tx 4
    0: arrive.expect_tx [0x40], 1048576 -> fault tx_overflow
  )");
}

TEST(GoldenMbPrecedence, ExhaustedBeforeCounts) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: arrive_drop [0x40]     -> completes p1 0/0
    0: arrive [0x40], 7       -> fault word_exhausted
    0: arrive_drop.noComplete [0x40], 7 -> fault word_exhausted
  )");
}

TEST(GoldenMbPrecedence, CountBeforeTx) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: arrive.expect_tx [0x40], 1048575 -> p0 0/1 tx 1048575
    0: arrive.expect_tx [0x40], 1 -> fault bad_arrive_count
    0: arrive_drop.expect_tx [0x40], 1 -> fault bad_arrive_count
    0: expect_tx [0x40], 1    -> fault tx_overflow
  )");
}

TEST(GoldenMbPrecedence, CountBeforeNoComplete) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: cp.async.mbarrier.arrive [0x40] -> p0 3/2
    0: arrive_drop.noComplete [0x40], 3 -> fault bad_arrive_count
    0: arrive.noComplete [0x40], 3 -> fault nocomplete_completed
  )");
}

}  // namespace
}  // namespace muster::golden
