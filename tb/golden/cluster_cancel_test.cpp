// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// clusterlaunchcontrol. Numbers in comments are subsections of PTX ISA 9.7.13.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"
#include "tb/golden/cluster_trace.h"

namespace muster::golden {
namespace {

// (.17) The response is written, and the mbarrier hears of its bytes.
TEST(GoldenClusterCancel, ResponseIsWrittenToTheCtaThatAsked) {
  RunClusterTrace(R"(
    grid 0 size=2
    open 3 size=2
    launch 0.2 1.5 cluster=3
    cancel 1.7 3/1 addr=0x120 mbar=0x48 answer=7,8,9,1 \
        -> write 1.5 0x120 7,8,9,1 complete 1.5 0x48 16
    cancel 0.0 3/0 addr=0x10 mbar=0x8 answer=0,0,0,0 \
        -> write 0.2 0x10 0,0,0,0 complete 0.2 0x8 16
    cancel 0.0 3/0 answer=4294967295,65535,1,1 \
        -> write 0.2 0x100 4294967295,65535,1,1 complete 0.2 0x40 16
  )");
}

// (.17) "written [...] to the corresponding local shared memory addr of each CTA in the requesting
// cluster"; by ascending rank, wherever they run.
TEST(GoldenClusterCancel, MulticastReachesEachCta) {
  RunClusterTrace(R"(
    grid 0 size=4
    open 0 size=3
    open 1 size=1
    launch 2.0 0.1 0.0
    launch 1.0 cluster=1
    cancel 0.3 0/1 addr=0x200 mbar=0x10 multicast answer=4,0,0,1 \
        -> write 2.0 0x200 4,0,0,1 complete 2.0 0x10 16 \
           write 0.1 0x200 4,0,0,1 complete 0.1 0x10 16 \
           write 0.0 0x200 4,0,0,1 complete 0.0 0x10 16
    cancel 1.0 1/0 multicast answer=5,0,0,1 -> write 1.0 0x100 5,0,0,1 complete 1.0 0x40 16
    cancel 0.3 0/1 answer=6,0,0,1           -> write 0.1 0x100 6,0,0,1 complete 0.1 0x40 16
  )");
}

// (.17) "The behavior of instruction with .multicast::cluster::all qualifier is undefined if any
// CTA in the cluster is exited."
TEST(GoldenClusterCancel, MulticastIsRefusedIfACtaIsNotThere) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0 1.0
    cancel 0.3 0/0 addr=0x200 multicast -> lost 0.3 0/2 0x200 lanes=0x0
    launch 2.0 rank=2
    cancel 0.3 0/0 multicast -> write 0.0 0x100 0,0,0,0 complete 0.0 0x40 16 \
        write 1.0 0x100 0,0,0,0 complete 1.0 0x40 16 write 2.0 0x100 0,0,0,0 complete 2.0 0x40 16
    1.0.0: exit lanes=0x7
    cancel 0.3 0/0 answer=1,2,3,1 multicast -> write 0.0 0x100 1,2,3,1 complete 0.0 0x40 16 \
        write 1.0 0x100 1,2,3,1 complete 1.0 0x40 16 write 2.0 0x100 1,2,3,1 complete 2.0 0x40 16
    1.0.0: exit lanes=0x8
    cancel 0.3 0/0 multicast -> lost 0.3 0/1 0x100 lanes=0x0
    cancel 0.3 0/0           -> write 0.0 0x100 0,0,0,0 complete 0.0 0x40 16
    end 0.0
    cancel 2.0 0/2 multicast -> lost 2.0 0/0 0x100 lanes=0x0
    cancel 2.0 0/2           -> write 2.0 0x100 0,0,0,0 complete 2.0 0x40 16
  )");
}

TEST(GoldenClusterCancel, RefusedIfTheCtaIsNotThere) {
  RunClusterTrace(R"(
    grid 0 size=2
    cancel 0.3 0/1           -> lost 0.3 0/1 0x100 lanes=0x0
    cancel 0.3 0/1 multicast -> lost 0.3 0/1 0x100 lanes=0x0
    open 0 size=2
    cancel 0.3 0/1           -> lost 0.3 0/1 0x100 lanes=0x0
    cancel 0.3 0/2 addr=0x80 -> lost 0.3 0/2 0x80 lanes=0x0
    launch 0.0 1.0
    cancel 1.3 0/0           -> must not be presented    # rank 0 runs elsewhere
    cancel 16.3 1/0          -> must not be presented    # there is no such unit
    1.0.0: exit
    cancel 1.3 0/1           -> lost 1.3 0/1 0x100 lanes=0x0
  )");
}

// A CTA has gone, and the scope has not heard of it yet; one that has never been there is
// different.
TEST(GoldenClusterCancel, LateNewsOfAnExit) {
  RunClusterTrace(R"(
    grid 0 size=3
    open 0 size=3
    launch 0.0 1.0
    1.0.0: exit
    cancel 1.0 0/1 late           -> write 1.0 0x100 0,0,0,0 complete 1.0 0x40 16
    cancel 0.0 0/0 late multicast -> lost 0.0 0/2 0x100 lanes=0x0
    launch 2.0 rank=2
    cancel 0.0 0/0 late multicast -> write 0.0 0x100 0,0,0,0 complete 0.0 0x40 16 \
        write 1.0 0x100 0,0,0,0 complete 1.0 0x40 16 write 2.0 0x100 0,0,0,0 complete 2.0 0x40 16
    cancel 0.0 0/0 multicast      -> lost 0.0 0/1 0x100 lanes=0x0
  )");
}

// A cancel takes nothing from the network, the barrier or the grids.
TEST(GoldenClusterCancel, ChangesNothing) {
  RunClusterTrace(R"(
    grid 0 size=1
    open 0 size=1
    launch 0.0
    0.0.0: arrive lanes=0x1
    cancel 0.0 0/0 multicast -> write 0.0 0x100 0,0,0,0 complete 0.0 0x40 16
    state 0.0                -> live 0xf arrived 0x1
    grids                    -> in flight 0
    next 0                   ->
  )");
}

// (.18) is_canceled is a predicate; get_first_ctaid has x, y and z in this order.
TEST(GoldenClusterCancel, Query) {
  const auto query = [](CancelResponse response) { return DecodeCancel(response); };
  EXPECT_TRUE(query({7, 8, 9, 1}).is_canceled);
  EXPECT_EQ(query({7, 8, 9, 1}).first_ctaid, (std::array<std::uint32_t, 3>{7, 8, 9}));
  EXPECT_TRUE(query({0, 0, 0, 1}).is_canceled);
  EXPECT_EQ(query({0, 0, 0, 1}).first_ctaid, (std::array<std::uint32_t, 3>{0, 0, 0}));
  EXPECT_FALSE(query({0, 0, 0, 0}).is_canceled);
  EXPECT_EQ(query({0xffffffff, 0x80000000, 0x1234, 1}).first_ctaid,
            (std::array<std::uint32_t, 3>{0xffffffff, 0x80000000, 0x1234}));
  // The predicate is the lowest bit of the fourth word, and nothing else.
  EXPECT_FALSE(query({1, 1, 1, 0}).is_canceled);
  EXPECT_FALSE(query({1, 1, 1, 0xfffffffe}).is_canceled);
  EXPECT_TRUE(query({0, 0, 0, 0x80000001}).is_canceled);
}

}  // namespace
}  // namespace muster::golden
