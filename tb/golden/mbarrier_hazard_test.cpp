// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Hazards of mbarriers: what is carried out all the same, and reported.
#include <gtest/gtest.h>

#include "tb/golden/mbarrier_trace.h"

namespace muster::golden {
namespace {

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
// phases ago; and as soon as any thread has been given one of this phase, that may be the one.
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
    0: test_wait [0x40], %r   -> false
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
    0: arrive [0x40] lanes=0x3 -> completes 2 phases p1 1/1 hazard arrival_past_phase
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
    0: arrive [0x40] lanes=0x3 -> completes 2 phases p0 1/1 hazard arrival_past_phase
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
    0: arrive [0x40] lanes=0x3 -> completes 2 phases p0 1/1 answers true to 2 \
                                  hazard arrival_past_phase
    1: try_wait.parity [0x40], 0 -> parks hazard late_parity
    2: try_wait.parity [0x40], 0 -> parks
    0: arrive [0x40]          -> completes p1 1/1 answers true to 1 2
  )");
}

// A thread that has arrived means the phase of its arrival.
TEST(GoldenMbHazard, LateAfterTheOwnArrival) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 1         -> p0 1/1
    1: arrive [0x40] lanes=0x7 -> completes 3 phases p1 1/1 hazard arrival_past_phase
    1: test_wait.parity [0x40], 0 lanes=0x4 -> true
    1: test_wait.parity [0x40], 0 lanes=0x1 -> true hazard late_parity
    0: arrive [0x40]          -> completes p0 1/1
    1: test_wait.parity [0x40], 1 lanes=0x2 -> true hazard late_parity
  )");
}

// By the other parity it means another phase; and after a true answer, which one is not known.
TEST(GoldenMbHazard, NotLateByTheOtherParity) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 1         -> p0 1/1
    1: arrive [0x40]          -> completes p1 1/1
    0: arrive [0x40]          -> completes p0 1/1
    1: test_wait.parity [0x40], 1 -> true
    0: arrive [0x40] lanes=0x3 -> completes 2 phases p0 1/1 hazard arrival_past_phase
    1: test_wait.parity [0x40], 0 -> false
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

// Lanes of one instruction of which one completes the phase and others arrive behind it, in the
// same group or, with another count, in the next; also if these are refused.
TEST(GoldenMbHazard, ArrivalPastPhase) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 3         -> p0 3/3
    0: arrive [0x40] lanes=0x7 -> completes p1 3/3
    0: arrive [0x40] lanes=0xf -> completes p0 2/3 hazard arrival_past_phase
    0: arrive [0x40] lanes=0x8 -> p0 1/3
    1: arrive [0x40] lanes=0xc0000000 -> completes p1 2/3 hazard arrival_past_phase
    1: arrive [0x40], 2 lanes=0x80000000 -> completes p0 3/3
    0: arrive [0x40] lanes=0x1 behind=0x4 -> p0 2/3
    0: arrive [0x40], 2 lanes=0x4 -> completes p1 3/3
    0: arrive [0x40], 3 lanes=0x2 behind=0x4 -> completes p0 3/3 hazard arrival_past_phase
    0: arrive.expect_tx [0x40], 4 lanes=0xf -> fault bad_arrive_count lanes=0x8 p0 0/3 tx 12
    async 0: complete_tx [0x40], 12 -> completes p1 3/3
    0: arrive_drop [0x40] lanes=0x7 -> completes p0 0/0
    0: init [0x40], 1         -> p0 1/1
    0: arrive_drop [0x40] lanes=0x3 -> fault word_exhausted lanes=0x2 completes p1 0/0 \
                                 hazard arrival_past_phase
    0: init [0x40], 1         -> p0 1/1
    remote 0: arrive [0x40] lanes=0x3 -> completes 2 phases p0 1/1 hazard arrival_past_phase
    0: arrive.noComplete [0x40] behind=0x2 -> fault nocomplete_completed
    0: expect_tx [0x40], 4    -> p0 1/1 tx 4
    0: complete_tx [0x40], 4 lanes=0x3 -> p0 1/1 tx -4
    0: arrive [0x40] behind=0x2 -> p0 0/1 tx -4
    0: expect_tx [0x40], 4 behind=0x2 -> completes p1 1/1
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
    0: try_wait.parity [0x40], 0 -> parks hazard uninitialised_word
    store 0: [0x40] 0x0       -> hazard store_over_waiters
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
    launch 0: 0               # neither an arrival of a warp ends it, nor bytes of another copy
    0: init [0x40], 4         -> p0 4/4
    0: cp.async.mbarrier.arrive.noinc [0x40]
    0: arrive [0x40]          -> p0 3/4
    async 0: complete_tx [0x40], 2 -> p0 3/4 tx -2
    end 0                     -> hazard unfinished_async
    launch 0: 0               # an arrive-on that nothing has announced leaves none
    0: init [0x40], 4         -> p0 4/4
    async 0: arrive [0x40]    -> p0 3/4
    end 0
    launch 0: 0
    0: cp.async.mbarrier.arrive.noinc [0x40]
    suspend 0
    launch 0: 0
    end 0
  )");
}

}  // namespace
}  // namespace muster::golden
