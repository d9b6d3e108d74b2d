// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Misuse of mbarriers: what is refused, in which order causes are reported, and what is carried out
// all the same and reported. Each refused line is checked to have changed nothing.
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

// .9: "the behavior of performing an init on a location containing a valid object is undefined".
TEST(GoldenMbHazard, InitOverLive) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: init [0x40], 2         -> p0 2/2 hazard init_over_live
    0: arrive [0x40]          -> p0 1/2
    0: init [0x40], 0         -> fault bad_init_count
    0: init [0x40], 1         -> p0 1/1 hazard init_over_live
    0: inval [0x40]           -> p0 0/0
    0: init [0x40], 1         -> p0 1/1
    0: arrive_drop [0x40]     -> completes p1 0/0
    0: init [0x40], 1         -> p0 1/1
    store 0: [0x40] 0x1234
    0: init [0x40], 1         -> p0 1/1
  )");
}

// "Performing any mbarrier operation except init on an uninitialized mbarrier object."
TEST(GoldenMbHazard, UninitialisedWord) {
  MbTrace().Run(R"(
    launch 0: 0
    0: inval [0x40]           -> p0 0/0 hazard uninitialised_word
    0: test_wait.parity [0x40], 0 -> false hazard uninitialised_word
    0: arrive [0x40]          -> fault word_exhausted
    0: try_wait.parity [0x40], 0, 10 -> parks hazard uninitialised_word
    expire 0                  -> answers false to 0
    store 0: [0x40] 0x7ffff800001ffffe
    0: arrive [0x40]          -> completes p1 1/1 hazard uninitialised_word
    async 0: complete_tx [0x40], 2 -> p1 1/1 tx -2 hazard uninitialised_word
    0: cp.async.mbarrier.arrive [0x40] -> p1 2/1 tx -2 hazard uninitialised_word
    0: init [0x40], 1         -> p0 1/1
    0: test_wait.parity [0x40], 0 -> false
  )");
}

// A token of a phase before the immediately preceding one.
TEST(GoldenMbHazard, LateToken) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 2         -> p0 2/2
    0: arrive %r, [0x40]      -> p0 1/2 token p0 2/2
    1: arrive [0x40]          -> completes p1 2/2
    0: test_wait [0x40], %r   -> true
    0: arrive %r, [0x40]      -> p1 1/2 token p1 2/2
    1: arrive [0x40]          -> completes p0 2/2
    1: arrive [0x40], 2       -> completes p1 2/2
    0: test_wait [0x40], %r   -> false hazard late_parity
    1: arrive [0x40], 2       -> completes p0 2/2
    1: test_wait.parity [0x40], 1 -> true
  )");
}

// A thread that goes on arriving, or was answered true before, and then waits by its token of two
// phases ago; others may have been given tokens of that parity since.
TEST(GoldenMbHazard, TokensThatWereKept) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 2         -> p0 2/2
    0: arrive %r, [0x40]      -> p0 1/2 token p0 2/2
    1: arrive [0x40]          -> completes p1 2/2
    0: arrive %s, [0x40]      -> p1 1/2 token p1 2/2
    1: arrive [0x40]          -> completes p0 2/2
    0: test_wait [0x40], %s   -> true
    0: try_wait [0x40], %r, 0 -> false hazard late_parity
    1: arrive %t, [0x40]      -> p0 1/2 token p0 2/2
    0: test_wait [0x40], %r   -> false hazard late_parity
    0: arrive %r, [0x40]      -> completes p1 2/2 token p0 1/2
    0: test_wait [0x40], %r   -> true
    1: arrive [0x40], 2       -> completes p0 2/2
    0: test_wait [0x40], %r   -> false hazard late_parity
  )");
}

// One thread arrives for others, each time another one, and hands its token on.
TEST(GoldenMbHazard, TokensThatAreHandedOn) {
  MbTrace().Run(R"(
    launch 0: 0 1 2
    0: init [0x40], 1         -> p0 1/1
    0: arrive %%r, [0x40]      -> completes p1 1/1 token p0 1/1
    2: test_wait [0x40], %%r  -> true
    1: arrive %%r, [0x40]      -> completes p0 1/1 token p1 1/1
    0: test_wait [0x40], %%r  -> true
    2: arrive %%r, [0x40]      -> completes p1 1/1 token p0 1/1
    0: test_wait [0x40], %%r  -> true
    1: test_wait [0x40], %%r  -> true
    0: arrive [0x40] lanes=0x3 -> completes 2 phases p1 1/1
    1: test_wait [0x40], %%r  -> true hazard late_parity
    0: inval [0x40]           -> p0 0/0
    0: init [0x40], 1         -> p0 1/1
    0: test_wait [0x40], %%r  -> false
  )");
}

// A thread that asked for a phase and comes back two later; one that came three later and is told
// the truth by chance; and those that are in time.
TEST(GoldenMbHazard, LateParity) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 1         -> p0 1/1
    1: test_wait.parity [0x40], 0 lanes=0x3 -> false
    0: arrive [0x40] lanes=0x3 -> completes 2 phases p0 1/1
    1: test_wait.parity [0x40], 0 lanes=0x1 -> false hazard late_parity
    0: arrive [0x40]          -> completes p1 1/1
    1: test_wait.parity [0x40], 0 lanes=0x1 -> true
    1: test_wait.parity [0x40], 0 lanes=0x2 -> true hazard late_parity
    1: test_wait.parity [0x40], 0 lanes=0x2 -> true
    1: test_wait.parity [0x40], 1 lanes=0x3 -> false
    0: arrive [0x40]          -> completes p0 1/1
    1: test_wait.parity [0x40], 1 lanes=0x3 -> true
  )");
}

// By a parked thread at its limit, and by one that was answered true.
TEST(GoldenMbHazard, LateAfterParking) {
  MbTrace().Run(R"(
    launch 0: 0 1 2
    0: init [0x40], 1         -> p0 1/1
    1: try_wait.parity [0x40], 0 -> parks
    expire 1                  -> answers false to 1
    2: try_wait.parity [0x40], 0 -> parks
    0: arrive [0x40] lanes=0x3 -> completes 2 phases p0 1/1 answers true to 2
    1: try_wait.parity [0x40], 0 -> parks hazard late_parity
    2: try_wait.parity [0x40], 0 -> parks
    0: arrive [0x40]          -> completes p1 1/1 answers true to 1 2
  )");
}

// Consumers that take every second phase, and other threads' waits, are none.
TEST(GoldenMbHazard, NotLate) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 1         -> p0 1/1
    0: arrive [0x40]          -> completes p1 1/1
    1: test_wait.parity [0x40], 0 lanes=0x2 -> true
    0: arrive [0x40]          -> completes p0 1/1
    1: test_wait.parity [0x40], 0 lanes=0x2 -> false
    0: arrive [0x40]          -> completes p1 1/1
    1: test_wait.parity [0x40], 0 lanes=0x2 -> true
    0: inval [0x40]           -> p0 0/0
    0: init [0x40], 1         -> p0 1/1
    0: arrive [0x40] lanes=0x2 -> completes p1 1/1
    0: arrive [0x40] lanes=0x2 -> completes p0 1/1
    0: test_wait.parity [0x40], 0 lanes=0x1 -> false
    0: test_wait.parity [0x40], 1 lanes=0x2 -> true
  )");
}

// A store, init or inval over a word with parked warps. They stay.
TEST(GoldenMbHazard, StoreOverWaiters) {
  MbTrace().Run(R"(
    launch 0: 0 1
    launch 1: 2
    0: init [0x40], 1         -> p0 1/1
    1: try_wait.parity [0x40], 0 -> parks
    store 0: [0x48] 0x1
    store 1: [0x40] 0x1
    store 0: [0x40] 0x7ffff800001ffffe -> hazard store_over_waiters
    0: init [0x40], 1         -> p0 1/1 hazard store_over_waiters
    0: init [0x40], 1         -> p0 1/1 hazard init_over_live hazard store_over_waiters
    0: arrive [0x40]          -> completes p1 1/1 answers true to 1
    store 0: [0x40] 0x0
  )");
}

// A CTA ends while copies have yet to arrive.
TEST(GoldenMbHazard, UnfinishedAsync) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 4         -> p0 4/4
    0: cp.async.mbarrier.arrive [0x40] lanes=0x3 -> p0 6/4
    async 0: arrive [0x40]    -> p0 5/4
    end 0                     -> hazard unfinished_async
    launch 0: 0
    0: init [0x40], 4         -> p0 4/4
    0: cp.async.mbarrier.arrive.noinc [0x40] lanes=0x3
    async 0: arrive [0x40]    -> p0 3/4
    async 0: arrive [0x40]    -> p0 2/4
    end 0
    launch 0: 0
    0: cp.async.mbarrier.arrive.noinc [0x40]
    end 0                     -> hazard unfinished_async
    launch 0: 0
    0: cp.async.mbarrier.arrive.noinc [0x40]
    suspend 0
    launch 0: 0
    end 0
  )");
}

}  // namespace
}  // namespace muster::golden
