// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Copy engines and other CTAs: cp.async.mbarrier.arrive (PTX ISA 9.7.13.15.15), complete-tx of
// asynchronous operations (.5), remote operations (.8).
#include <gtest/gtest.h>

#include "tb/golden/mbarrier_trace.h"

namespace muster::golden {
namespace {

// "A zero-net change for the pending count."
TEST(GoldenMbCopy, RaisesPendingAndArrivesLater) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: cp.async.mbarrier.arrive [0x40] lanes=0x3 -> p0 4/2
    0: arrive [0x40], 2       -> p0 2/2
    async 0: arrive [0x40]    -> p0 1/2
    async 0: arrive [0x40]    -> completes p1 2/2
  )");
}

// Copies that are done before the arrivals.
TEST(GoldenMbCopy, ArriveOnBeforeTheArrivals) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: cp.async.mbarrier.arrive [0x40] -> p0 2/1
    async 0: arrive [0x40]    -> p0 1/1
    0: arrive [0x40]          -> completes p1 1/1
  )");
}

// "The decrement must be accounted for in the initialization."
TEST(GoldenMbCopy, NoIncOnlyArrives) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 2         -> p0 2/2
    0: cp.async.mbarrier.arrive.noinc [0x40]
    0: cp.async.mbarrier.arrive.noinc [0x43]   # its address is judged when the arrive-on comes
    load 0: [0x40]            -> 0x7ffff000001ffffc
    0: arrive [0x40]          -> p0 1/2
    async 0: arrive [0x40]    -> completes p1 2/2
    async 0: arrive [0x43]    -> fault bad_address
    end 0
  )");
}

// With arrivals at zero and a transaction outstanding, the increment keeps the phase open.
TEST(GoldenMbCopy, IncrementAfterTheLastArrival) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    0: arrive.expect_tx [0x40], 16 -> p0 0/1 tx 16
    0: cp.async.mbarrier.arrive [0x40] -> p0 1/1 tx 16
    async 0: complete_tx [0x40], 16 -> p0 1/1
    async 0: arrive [0x40]    -> completes p1 1/1
  )");
}

// In a report, an arrive-on by a copy is not the arrival of any warp.
TEST(GoldenMbCopy, ArriveOnHasNoWarp) {
  MbTrace trace;
  trace.Run(R"(
    launch 0: 0 1
    0: init [0x40], 3         -> p0 3/3
    1: cp.async.mbarrier.arrive [0x40] -> p0 4/3
    async 0: arrive [0x40]    -> p0 3/3
    async 0: arrive [0x40]    -> p0 2/3
    remote 0: arrive [0x40]   -> p0 1/3
  )");
  EXPECT_EQ(trace.mbarriers().Describe(0, 0x40),
            "mbarrier 0x40 of CTA 0: phase 0, 1 of 3 arrivals pending, tx-count 0");
}

// Completions in any order, in any pieces.
TEST(GoldenMbAsync, CompletionsOutOfOrder) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 1         -> p0 1/1
    async 0: complete_tx [0x40], 1024 -> p0 1/1 tx -1024
    0: arrive.expect_tx [0x40], 4096 -> p0 0/1 tx 3072
    async 0: complete_tx [0x40], 2048 -> p0 0/1 tx 1024
    async 0: complete_tx [0x40], 1008 -> p0 0/1 tx 16
    async 0: complete_tx [0x40], 16 -> completes p1 1/1
  )");
}

// .8: arrive, arrive_drop, their .expect_tx, expect_tx, complete_tx.
TEST(GoldenMbRemote, WhatIsAllowed) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 5         -> p0 5/5
    remote 0: arrive [0x40]   -> p0 4/5
    remote 0: arrive_drop [0x40], 1 -> p0 3/4
    remote 0: arrive.expect_tx [0x40], 16 -> p0 2/4 tx 16
    remote 0: arrive_drop.expect_tx [0x40], 16 -> p0 1/3 tx 32
    remote 0: expect_tx [0x40], 8 -> p0 1/3 tx 40
    remote 0: complete_tx [0x40], 40 -> p0 1/3
    remote 0: arrive [0x40], 1 -> completes p1 3/3
  )");
}

// Where they leave, nothing happens.
TEST(GoldenMbRemote, OutboundChangesNothingHere) {
  MbTrace().Run(R"(
    launch 0: 0
    0: init [0x40], 5         -> p0 5/5
    0: arrive [0x40] lanes=0xf out
    0: arrive_drop [0x40], 2 out
    0: arrive.expect_tx _, [0x40], 16 out
    0: arrive_drop.expect_tx [0x40], 16 out
    0: expect_tx [0x40], 16 out
    0: complete_tx [0x40], 16 out
    0: arrive [0x41], 0 out    # judged at the word
    load 0: [0x40]            -> 0x7fffd800001ffff6
  )");
}

// All sources on one word and one phase.
TEST(GoldenMbRemote, SourcesShareTheWord) {
  MbTrace().Run(R"(
    launch 0: 0 1
    0: init [0x40], 3         -> p0 3/3
    1: try_wait.parity [0x40], 0 lanes=all -> parks
    0: cp.async.mbarrier.arrive [0x40] -> p0 4/3
    remote 0: expect_tx [0x40], 8 -> p0 4/3 tx 8
    0: arrive %r, [0x40], 2   -> p0 2/3 tx 8 token p0 4/3 tx 8
    async 0: arrive [0x40]    -> p0 1/3 tx 8
    remote 0: arrive [0x40]   -> p0 0/3 tx 8
    async 0: complete_tx [0x40], 8 -> completes p1 3/3 answers true to 1
    0: test_wait [0x40], %r   -> true
  )");
}

}  // namespace
}  // namespace muster::golden
