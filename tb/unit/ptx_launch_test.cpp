// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// clusterlaunchcontrol: CTAs that take over the work of clusters which have not started.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// %r1: the thread, %r2-4: the CTA at work, %d1: out, a word for each CTA of the grid, which add()
// adds %r9 to; %p1: the first thread of the CTA. The body begins in line 13.
Kernel Launches(std::array<std::uint32_t, 3> grid, std::uint32_t cluster, const std::string& body) {
  Kernel kernel(R"(.version 8.6
.target sm_100a
.address_size 64
.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %d<12>; .reg .b128 %q<4>;
  .shared .align 16 .b8 answer[32]; .shared .align 8 .b64 bar;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y; mov.u32 %r4, %ctaid.z; mov.u32 %r9, 1;
  mov.u32 %r5, 0; mov.u32 %r6, %cluster_ctaid.x; setp.eq.u32 %p2, %r6, 0; and.pred %p2, %p1, %p2;
  @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
  barrier.cluster.arrive; barrier.cluster.wait;
)" + body + "\n}\n");
  kernel.manifest.grid = grid;
  if (cluster > 1) {
    kernel.manifest.cluster = {cluster, 1, 1};
  }
  kernel.manifest.buffers = {
      MakeBuffer("out", Type::kU32, std::uint64_t{grid[0]} * grid[1] * grid[2])};
  return kernel;
}

const std::string kExpect = "  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n";
const std::string kAsk =
    "  @%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128"
    " [answer], [bar];\n";
const std::string kAskForAll =
    "  @%p2 clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes"
    ".multicast::cluster::all.b128 [answer], [bar];\n";
const std::string kHear =
    "W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], %r5; @!%p3 bra W; xor.b32 %r5, %r5, "
    "1;\n"
    "  ld.shared.b128 %q1, [answer];\n"
    "  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p4, %q1;\n";
const std::string kAdd =
    "  mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y; mad.lo.u32 %r12, %r4, %r11, %r3;\n"
    "  mad.lo.u32 %r12, %r12, %r10, %r2; mad.wide.u32 %d2, %r12, 4, %d1;\n"
    "  @%p1 red.global.add.u32 [%d2], %r9;\n";

void ExpectOnce(const Ended& run, std::uint64_t ctas) {
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(0), std::vector<std::uint32_t>(ctas, 1));
  EXPECT_TRUE(run.grid().hazards().empty());
}

TEST(PtxLaunch, EveryCtaIsLaunchedOrCancelled) {
  const Kernel kernel =
      Launches({5, 4, 10}, 1, "B: bar.sync 0;\n" + kExpect + kAsk + kAdd + kHear + R"(
  @!%p4 ret;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, %q1;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r3, %q1;
  clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r4, %q1;
  fence.proxy.async.shared::cta; bra B;)");
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Ended run(kernel, seed % 2 == 0 ? "small" : "default", seed);
    ExpectOnce(run, 200);
    EXPECT_LT(run.grid().Operations(OpKind::kLaunch), 100U);
  }
}

TEST(PtxLaunch, ClustersHearTogether) {
  const Kernel kernel = Launches({8, 30, 1}, 4, "B: " + kExpect + kAskForAll + kAdd + kHear + R"(
  @%p4 clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r2, %r3, %r4, _}, %q1;
  add.u32 %r2, %r2, %r6; fence.proxy.async.shared::cta;
  barrier.cluster.arrive; barrier.cluster.wait;
  @%p4 bra B; ret;)");
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Ended run(kernel, seed % 2 == 0 ? "small" : "default", seed);
    ExpectOnce(run, 240);
    EXPECT_LT(run.grid().Operations(OpKind::kLaunch), 240U);
  }
}

TEST(PtxLaunch, NothingIsLeftToCancel) {
  // Two requests under way at once: either may find nothing left.
  const Kernel kernel = Launches(
      {1, 1, 1}, 1, "  @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32;\n" + kAsk + R"(
  @%p1 clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [answer+16], [bar];
)" + kHear + R"(
  ld.shared.b128 %q2, [answer+16];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p5, %q2;
  or.pred %p4, %p4, %p5; selp.u32 %r9, 7, 5, %p4;
)" + kAdd + "ret;");
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(0), std::vector<std::uint32_t>{5});
}

TEST(PtxLaunch, WhatTheTextLeavesUndefinedIsAFault) {
  const struct {
    std::uint32_t ctas;
    std::string body;
    std::string outcome;
    std::string problem;  // a part of it
  } rows[] = {
      {1, kExpect + kAsk + kHear + kAsk + "ret;", "fault:cancel_after_failure",
       "though its CTA knows that none is left"},
      {1,
       kExpect + kAsk + kHear +
           "clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r2, %q1; ret;",
       "fault:ctaid_of_failure", "asks for the ctaid of a cluster that was not cancelled"},
      {2,
       "setp.ne.u32 %p6, %r6, 0; @%p6 ret;" + kExpect +
           "  mov.u32 %r12, 0;\nL: add.u32 %r12, "
           "%r12, 1; setp.lt.u32 %p7, %r12, 1000; @%p7 bra L;\n" +
           kAskForAll + kHear + "ret;",
       "fault:rank_not_there", "of its cluster, which has exited"},
      {1,
       "@%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128"
       " [answer+8], [bar]; ret;",
       "memory_fault", "which is not a multiple of 16"},
      {1,
       "@%p1 clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128"
       " [%d1], [bar]; ret;",
       "memory_fault", "writes 16 bytes"},
      {2,
       "cvta.shared.u64 %d2, answer; mapa.u64 %d2, %d2, 1; cvta.shared.u64 %d3, bar; mapa.u64 %d3,"
       " %d3, 1; @%p2 clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128"
       " [%d2], [%d3]; barrier.cluster.arrive; barrier.cluster.wait; ret;",
       "memory_fault", "not both in its own CTA's shared memory"},
      {2,
       "cvta.shared.u64 %d2, bar; mapa.u64 %d2, %d2, 1;"
       " @%p2 clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128"
       " [answer], [%d2]; barrier.cluster.arrive; barrier.cluster.wait; ret;",
       "memory_fault", "not both in its own CTA's shared memory"},
  };
  for (const auto& row : rows) {
    const Ended run(Launches({row.ctas, 1, 1}, row.ctas, row.body));
    EXPECT_EQ(run.outcome(), row.outcome) << row.body;
    EXPECT_NE(run.grid().problem().find(row.problem), std::string::npos) << run.grid().problem();
  }
}

}  // namespace
}  // namespace muster::ptx
