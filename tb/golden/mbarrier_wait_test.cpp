// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// test_wait and try_wait, by token and by parity: PTX ISA 9.7.13.15.16, and how lanes park.
#include <gtest/gtest.h>

#include "tb/golden/mbarrier_trace.h"

namespace muster::golden {
namespace {

// "The current incomplete phase, for which waitComplete returns False; the immediately preceding
// phase, for which waitComplete returns True."
TEST(GoldenMbTestWait, ByToken) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 2         -> p0 2/2
    0: arrive %a, [0x40]      -> p0 1/2 token p0 2/2
    0: test_wait [0x40], %a   -> false
    1: arrive %b, [0x40]      -> completes p1 2/2 token p0 1/2
    0: test_wait [0x40], %a   -> true
    1: test_wait [0x40], %b   -> true
    0: arrive %a, [0x40]      -> p1 1/2 token p1 2/2
    0: test_wait [0x40], %a   -> false
    1: test_wait [0x40], %b   -> true
    1: arrive [0x40]          -> completes p0 2/2
    0: test_wait [0x40], %a   -> true
  )");
}

TEST(GoldenMbTestWait, ByParity) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: test_wait.parity [0x40], 0 -> false
    0: arrive [0x40]          -> completes p1 1/1
    0: test_wait.parity [0x40], 0 -> true
    0: test_wait.parity [0x40], 1 -> false
    0: arrive [0x40]          -> completes p0 1/1
    0: test_wait.parity [0x40], 1 -> true
    0: test_wait.parity [0x40], 0 -> false
  )");
}

// Before phase 0 there is an odd one, complete: how a producer passes a fresh "empty" barrier.
TEST(GoldenMbTestWait, OddParityOfAFreshObject) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: test_wait.parity [0x40], 1 -> true
    0: try_wait.parity [0x40], 1 -> true
  )");
}

// The phase does not complete before its transactions have.
TEST(GoldenMbTestWait, WaitsForTransactions) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: arrive.expect_tx %r, [0x40], 64 -> p0 0/1 tx 64 token p0 1/1
    0: test_wait [0x40], %r   -> false
    async 0: complete_tx [0x40], 32 -> p0 0/1 tx 32
    0: test_wait [0x40], %r   -> false
    async 0: complete_tx [0x40], 32 -> completes p1 1/1
    0: test_wait [0x40], %r   -> true
  )");
}

TEST(GoldenMbTestWait, LanesAreAnsweredAlike) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 4         -> p0 4/4
    0: arrive %r, [0x40] lanes=0x7 -> p0 1/4 tokens p0 4/4, p0 3/4, p0 2/4
    0: test_wait [0x40], %r lanes=0x7 -> false
    0: arrive [0x40] lanes=0x80000000 -> completes p1 4/4
    0: test_wait [0x40], %r lanes=0x7 -> true
    0: test_wait.parity [0x40], 0 lanes=all -> true
  )");
}

// Exhausted and invalidated words still answer, by their phase bit.
TEST(GoldenMbTestWait, WordsWithNothingToCome) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: arrive_drop %r, [0x40] -> completes p1 0/0 token p0 1/1
    0: test_wait [0x40], %r   -> true
    0: test_wait.parity [0x40], 1 -> false
    0: inval [0x40]           -> p0 0/0
    0: test_wait [0x40], %r   -> false hazard uninitialised_word
    0: test_wait.parity [0x40], 1 -> true hazard uninitialised_word
  )");
}

TEST(GoldenMbTryWait, AnswersAtOnceWhenComplete) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: arrive %r, [0x40]      -> completes p1 1/1 token p0 1/1
    0: try_wait [0x40], %r    -> true
    0: try_wait [0x40], %r, 100 -> true
    0: try_wait.parity [0x40], 0, 0 -> true
  )");
}

// Suspended until the phase completes.
TEST(GoldenMbTryWait, ParksUntilThePhaseCompletes) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 2         -> p0 2/2
    0: arrive %r, [0x40]      -> p0 1/2 token p0 2/2
    0: try_wait [0x40], %r    -> parks
    1: arrive [0x40]          -> completes p1 2/2 answers true to 0
    expire 0
    0: try_wait.parity [0x40], 1, 50 -> parks
    1: arrive [0x40], 2       -> completes p0 2/2 answers true to 0
  )");
}

// Several warps park at one word, others elsewhere.
TEST(GoldenMbTryWait, CompletionAnswersTheWaitersOfItsWord) {
  MbTrace().Run(R"(
    launch 0: 0 1 2 3 4
    launch 1: 5
    0: init [0x40], 1         -> p0 1/1
    0: init [0x48], 1         -> p0 1/1
    1.5: init [0x40], 1       -> p0 1/1
    0: try_wait.parity [0x40], 0 lanes=0x2 -> parks
    1: try_wait.parity [0x48], 0 lanes=all -> parks
    2: try_wait.parity [0x40], 0 lanes=0xff00 -> parks
    3: try_wait.parity [0x40], 0 -> parks
    1.5: try_wait.parity [0x40], 0 -> parks
    4: arrive [0x40]          -> completes p1 1/1 answers true to 0 2 3
    4: arrive [0x48]          -> completes p1 1/1 answers true to 1
    remote 1: arrive [0x40]   -> completes p1 1/1 answers true to 5
  )");
}

// Every operation that completes the phase wakes the waits.
TEST(GoldenMbTryWait, WhateverCompletesThePhase) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 2         -> p0 2/2
    1: try_wait.parity [0x40], 0 -> parks
    0: complete_tx [0x40], 8  -> p0 2/2 tx -8
    0: arrive [0x40], 2       -> p0 0/2 tx -8
    0: expect_tx [0x40], 8    -> completes p1 2/2 answers true to 1
    1: try_wait.parity [0x40], 1 -> parks
    0: arrive.expect_tx [0x40], 8 -> p1 1/2 tx 8
    0: arrive [0x40]          -> p1 0/2 tx 8
    async 0: complete_tx [0x40], 8 -> completes p0 2/2 answers true to 1
    1: try_wait.parity [0x40], 0 -> parks
    0: arrive_drop [0x40], 2  -> completes p1 0/0 answers true to 1
  )");
}

// The completion wakes the wait, not the word: after two completions the parity is what it was.
TEST(GoldenMbTryWait, TwoCompletionsAtOnce) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 1         -> p0 1/1
    1: try_wait.parity [0x40], 0 -> parks
    0: arrive [0x40] lanes=0x3 -> completes 2 phases p0 1/1 answers true to 1 \
                                  hazard arrival_past_phase
    0: arrive [0x40] lanes=0x7 -> completes 3 phases p1 1/1 hazard arrival_past_phase
  )");
}

// Before the phase completes, at the limit: false. A completion in the same cycle comes first.
TEST(GoldenMbTryWait, TimeLimit) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 1         -> p0 1/1
    1: try_wait.parity [0x40], 0, 1000 -> parks
    expire 0
    expire 1                  -> answers false to 1
    expire 1
    0: arrive [0x40]          -> completes p1 1/1
    1: try_wait.parity [0x40], 1 -> parks
    0: arrive [0x40]          -> completes p0 1/1 answers true to 1
    expire 1
    expire 0
  )");
}

TEST(GoldenMbTryWait, HintZeroDoesNotPark) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: try_wait.parity [0x40], 0, 0 -> false
    0: try_wait.parity [0x40], 0, 0 lanes=all -> false
    0: try_wait.parity [0x40], 0, 1 -> parks
  )");
}

// Lanes that name several words or phases are answered as by test_wait.
TEST(GoldenMbTryWait, SeveralWordsDoNotPark) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: init [0x48], 1         -> p0 1/1
    0: arrive [0x48]          -> completes p1 1/1
    0: try_wait.parity [0x40], 0 lanes=0xff part -> false
    0: try_wait.parity [0x48], 0 lanes=0xff00 part -> true
    0: try_wait.parity [0x48], 1, 500 lanes=0xff0000 part -> false
    0: arrive [0x40]          -> completes p1 1/1
  )");
}

// One slot per warp: other lanes of a warp that has parked are answered at once.
TEST(GoldenMbTryWait, SlotIsTaken) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 3         -> p0 3/3
    0: try_wait.parity [0x40], 0 lanes=0xf -> parks
    0: try_wait.parity [0x40], 0 lanes=0xf0 -> false
    0: arrive [0x40] lanes=0x300 -> p0 1/3
    1: try_wait.parity [0x40], 0 -> parks
    expire 0                  -> answers false to 0
    0: try_wait.parity [0x40], 0 lanes=0xf0 -> parks
    1: arrive [0x40] lanes=0x2 -> completes p1 3/3 answers true to 0 1
  )");
}

// Nothing that leaves the phase as it is answers.
TEST(GoldenMbTryWait, OnlyACompletionAnswers) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 3         -> p0 3/3
    1: try_wait.parity [0x40], 0 -> parks
    0: arrive [0x40], 2       -> p0 1/3
    0: expect_tx [0x40], 16   -> p0 1/3 tx 16
    0: complete_tx [0x40], 16 -> p0 1/3
    0: arrive [0x40], 2       -> fault bad_arrive_count
    0: arrive.noComplete [0x40], 1 -> fault nocomplete_completed
    0: test_wait.parity [0x40], 0 -> false
    0: arrive [0x40]          -> completes p1 3/3 answers true to 1
  )");
}

TEST(GoldenMbTryWait, SuspendAndEndAnswerFalse) {
  MbTrace().Run(R"(
    launch 0: 0 1
    launch 1: 2 3
    0: init [0x40], 1         -> p0 1/1
    1.2: init [0x40], 1       -> p0 1/1
    0: try_wait.parity [0x40], 0 -> parks
    1: try_wait.parity [0x40], 0 -> parks
    1.2: try_wait.parity [0x40], 0 -> parks
    suspend 0                 -> answers false to 0 1
    1.3: arrive [0x40]        -> completes p1 1/1 answers true to 2
    1.2: try_wait.parity [0x40], 1 -> parks
    end 1                     -> answers false to 2
    launch 1: 2
    1.2: init [0x40], 1       -> p0 1/1
    1.2: arrive [0x40]        -> completes p1 1/1
  )");
}

// An object that takes the place of another does not answer for it: only a completion out of the
// parity that was waited for does.
TEST(GoldenMbTryWait, WaitersOfAWordThatIsOverwritten) {
  MbTrace().Run(R"(
    launch 0: 0 1 2
    0: init [0x40], 1         -> p0 1/1
    0: arrive [0x40]          -> completes p1 1/1
    1: try_wait.parity [0x40], 1 -> parks
    0: inval [0x40]           -> p0 0/0 hazard store_over_waiters
    0: init [0x40], 1         -> p0 1/1 hazard store_over_waiters
    2: try_wait.parity [0x40], 0 -> parks
    0: arrive [0x40]          -> completes p1 1/1 answers true to 2
    0: arrive [0x40]          -> completes p0 1/1 answers true to 1
  )");
}

}  // namespace
}  // namespace muster::golden
