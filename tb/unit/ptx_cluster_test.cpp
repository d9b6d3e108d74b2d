// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Clusters: launch, addresses of other CTAs' shared memory, barrier.cluster.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/isa/fault.h"
#include "sim/ptx/launch/report.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// A kernel with a u32 for each thread of the grid, at %d2; the body begins in line 11.
Kernel Clustered(std::uint32_t threads, std::array<std::uint32_t, 3> grid,
                 std::array<std::uint32_t, 3> cluster, const std::string& body,
                 const std::string& directive = "") {
  Kernel kernel(R"(.version 8.1
.target sm_90
.address_size 64
.visible .entry test(.param .u64 out) )" +
                    directive + R"( {
  .reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %d<12>; .shared .align 8 .b32 s[64];
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank;
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; mov.u32 %r5, %ctaid.y;
  mad.lo.u32 %r3, %r5, %r4, %r3; mov.u32 %r4, %ntid.x; mad.lo.u32 %r3, %r3, %r4, %r1;
  mad.wide.u32 %d2, %r3, 4, %d1; mov.u32 %r10, 0;
  mov.u32 %r6, s; shl.b32 %r7, %r1, 2; add.u32 %r7, %r6, %r7;
)" + body + "\n}\n",
                threads);
  kernel.manifest.grid = grid;
  kernel.manifest.cluster = cluster;
  kernel.manifest.buffers = {
      MakeBuffer("out", Type::kU32, std::uint64_t{threads} * grid[0] * grid[1] * grid[2])};
  return kernel;
}

const std::string kStoreResult = "  st.global.u32 [%d2], %r10; ret;\n";

TEST(PtxCluster, SpecialRegisters) {
  // A grid of 4x6 CTAs in clusters of 2x3; each value in four bits.
  const std::string special[] = {"%cluster_ctaid.x",  "%cluster_ctaid.y", "%cluster_nctaid.x",
                                 "%cluster_nctaid.y", "%clusterid.x",     "%clusterid.y",
                                 "%cluster_ctarank",  "%cluster_nctarank"};
  std::string body;
  for (const std::string& name : special) {
    body += "  mov.u32 %r11, " + name + "; shl.b32 %r10, %r10, 4; or.b32 %r10, %r10, %r11;\n";
  }
  const Ended run(Clustered(1, {4, 6, 1}, {2, 3, 1}, body + kStoreResult));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  for (std::uint32_t y = 0; y < 6; ++y) {
    for (std::uint32_t x = 0; x < 4; ++x) {
      const std::uint32_t rank = x % 2 + y % 3 * 2;
      EXPECT_EQ(run.Words(0)[y * 4 + x], (x % 2) << 28 | (y % 3) << 24 | 0x23U << 16 |
                                             (x / 2) << 12 | (y / 3) << 8 | rank << 4 | 6)
          << x << " " << y;
    }
  }
}

TEST(PtxCluster, NumberOfClusters) {
  const Ended run(
      Clustered(1, {4, 6, 1}, {2, 3, 1},
                "  mov.u32 %r10, %nclusterid.x; mov.u32 %r11, %nclusterid.y; mad.lo.u32 "
                "%r10, %r10, 16, %r11; mov.pred %p1, %is_explicit_cluster; @%p1 "
                "add.u32 %r10, %r10, 256;" +
                    kStoreResult));
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.Words(0), std::vector<std::uint32_t>(24, 0x122));
  Kernel plain = Clustered(1, {2, 1, 1}, {1, 1, 1},
                           "  mov.pred %p1, %is_explicit_cluster; selp.u32 %r10, 1, 0, %p1;"
                           " mov.u32 %r11, %nclusterid.x; mad.lo.u32 %r10, %r10, 16, %r11;" +
                               kStoreResult);
  plain.manifest.cluster.reset();
  EXPECT_EQ(Ended(plain).Words(0), std::vector<std::uint32_t>(2, 2));
}

// Each thread writes its own word; then each CTA reads that of the next rank.
std::string Exchange(const std::string& read) {
  return "  mad.lo.u32 %r11, %r2, 100, %r1; st.shared.u32 [%r7], %r11;" + kMeet +
         "  add.u32 %r12, %r2, 1; mov.u32 %r13, %cluster_nctarank; rem.u32 %r12, %r12, %r13;\n  " +
         read + kMeet + kStoreResult;
}

TEST(PtxCluster, AddressesOfOtherCtas) {
  const std::string ways[] = {
      "mapa.shared::cluster.u32 %r8, %r7, %r12; ld.shared::cluster.u32 %r10, [%r8];",
      ("mapa.shared::cluster.u32 %r8, s, %r12; shl.b32 %r9, %r1, 2; add.u32 %r8, %r8, %r9;"
       " ld.shared::cluster.u32 %r10, [%r8+0];"),
      ("cvt.u64.u32 %d3, %r7; cvta.shared.u64 %d3, %d3; mapa.u64 %d4, %d3, %r12;"
       " ld.u32 %r10, [%d4];"),
      ("mapa.shared::cluster.u32 %r8, %r7, %r12; cvt.u64.u32 %d3, %r8;"
       " cvta.shared::cluster.u64 %d4, %d3; ld.u32 %r10, [%d4];"),
      ("cvt.u64.u32 %d3, %r7; mapa.shared::cluster.u64 %d4, %d3, %r12;"
       " atom.shared::cluster.add.u32 %r10, [%d4], 0;"),
      // From an address that is mapped already, and back from a generic one.
      ("mapa.shared::cluster.u32 %r8, %r7, 0; mapa.shared::cluster.u32 %r8, %r8, %r12;"
       " cvt.u64.u32 %d3, %r8; cvta.shared::cluster.u64 %d4, %d3;"
       " cvta.to.shared::cluster.u64 %d5, %d4; cvt.u32.u64 %r8, %d5;"
       " ld.shared::cluster.u32 %r10, [%r8];")};
  for (const std::string& way : ways) {
    const Ended run(Clustered(40, {8, 1, 1}, {4, 1, 1}, Exchange(way)));
    ASSERT_EQ(run.outcome(), "completes") << way << run.grid().problem();
    for (std::uint32_t i = 0; i < 320; ++i) {
      ASSERT_EQ(run.Words(0)[i], (i / 40 + 1) % 4 * 100 + i % 40) << way << i;
    }
  }
}

TEST(PtxCluster, StoresAndAtomicsReachOtherCtas) {
  // All threads of the cluster count in the memory of rank 1, and leave their rank with rank 0.
  const std::string body =
      "  setp.ne.u32 %p1, %r1, 0; mov.u32 %r8, 0;\n"
      "  mapa.shared::cluster.u32 %r8, s, 1;"
      " mapa.shared::cluster.u32 %r9, s, 0; shl.b32 %r11, %r2, 2;"
      " add.u32 %r9, %r9, %r11;\n  " +
      kMeet +
      "  red.shared::cluster.add.u32 [%r8], 1;"
      " @!%p1 st.shared::cluster.u32 [%r9+4], %r2;" +
      kMeet +
      "  ld.shared::cluster.u32 %r10, [%r8]; ld.shared::cluster.u32 %r11, "
      "[%r9+4]; mad.lo.u32 %r10, %r10, 16, %r11;" +
      kMeet + kStoreResult;
  for (const char* const config : {"small", "default", "full"}) {
    const Ended run(Clustered(48, {3, 1, 1}, {3, 1, 1}, body), config);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    for (std::uint32_t i = 0; i < 144; ++i) {
      ASSERT_EQ(run.Words(0)[i], 144 * 16 + i / 48) << config << i;
    }
  }
}

TEST(PtxCluster, RankOfAnAddressAndWindows) {
  // getctarank in each form; then which windows an address of the next rank, and an own one, is in.
  const std::string body = R"(
  add.u32 %r12, %r2, 1; and.b32 %r12, %r12, 1; mapa.shared::cluster.u32 %r8, s, %r12;
  getctarank.shared::cluster.u32 %r10, %r8; cvt.u64.u32 %d3, %r8;
  cvta.shared::cluster.u64 %d4, %d3; getctarank.u64 %r11, %d4; mad.lo.u32 %r10, %r10, 2, %r11;
  getctarank.shared::cluster.u32 %r11, s; mad.lo.u32 %r10, %r10, 2, %r11;
  isspacep.shared %p1, %d4; selp.u32 %r11, 1, 0, %p1; mad.lo.u32 %r10, %r10, 2, %r11;
  isspacep.shared::cluster %p1, %d4; selp.u32 %r11, 1, 0, %p1; mad.lo.u32 %r10, %r10, 2, %r11;
  mapa.u64 %d5, %d4, %r2;
  isspacep.shared::cta %p1, %d5; selp.u32 %r11, 1, 0, %p1; mad.lo.u32 %r10, %r10, 2, %r11;
  isspacep.shared::cluster %p1, %d1; selp.u32 %r11, 1, 0, %p1; mad.lo.u32 %r10, %r10, 2, %r11;
)";
  const Ended run(Clustered(1, {2, 1, 1}, {2, 1, 1}, body + kStoreResult));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(0), (std::vector<std::uint32_t>{0b1100110, 0b0010110}));
}

TEST(PtxCluster, BadAccessesAreNamed) {
  const struct {
    const char* body;
    const char* problem;
  } rows[] = {
      {"mapa.shared::cluster.u32 %r8, s, 2; ld.shared::cluster.u32 %r9, [%r8];",
       "reads 4 bytes of the CTA with rank 2, in a cluster of 2 CTAs"},
      {"mapa.shared::cluster.u32 %r8, s, -1; st.shared::cluster.u32 [%r8], %r1;",
       "writes 4 bytes at what mapa made of no address of the cluster's shared memory, or of no "
       "rank"},
      {"mapa.u64 %d3, %d1, 1; ld.u32 %r9, [%d3];",
       "reads 4 bytes at what mapa made of no address of the cluster's shared memory, or of no "
       "rank"},
      {"setp.eq.u32 %p1, %r2, 0; @!%p1 ret; mapa.shared::cluster.u32 %r8, s, 1; "
       "ld.shared.u32 %r9, [%r8];",
       "reads 4 bytes of the CTA with rank 1 of the cluster, which only .shared::cluster and "
       "generic addresses reach"},
      {"mapa.shared::cluster.u32 %r8, s, 1; setp.eq.u32 %p1, %r2, 0; @%p1 "
       "ld.shared::cluster.u32 %r9, [%r8+256]; barrier.cluster.arrive; barrier.cluster.wait;",
       "reads 4 bytes at byte 256 of shared memory of the CTA with rank 1 of the cluster, which "
       "has 256"},
      {"setp.eq.u32 %p1, %r2, 1; @%p1 ret; mapa.shared::cluster.u32 %r8, s, 1;\n"
       "L: st.shared::cluster.u32 [%r8], 1; bra L;",
       "writes 4 bytes of shared memory of the CTA with rank 1 of the cluster, which has exited"},
  };
  for (const auto& row : rows) {
    const Ended run(Clustered(1, {2, 1, 1}, {2, 1, 1}, std::string(row.body) + " ret;"));
    EXPECT_EQ(run.outcome(), "memory_fault") << row.body;
    EXPECT_NE(run.grid().problem().find(row.problem), std::string::npos) << run.grid().problem();
  }
}

// "The CTA to which they belong is different from the CTA of the executing thread."
TEST(PtxCluster, AsynchronousStoresToTheOwnCta) {
  const char* const forms[] = {
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r8], %r11, [%r9];",
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r8], %r11, "
      "[%r9];"};
  for (const char* const form : forms) {
    for (const unsigned distance : {0U, 1U}) {
      const Ended run(Clustered(
          2, {2, 1, 1}, {2, 1, 1},
          fmt::format("  .shared .align 8 .b64 bar; setp.eq.u32 %p1, %r1, 0;"
                      " @%p1 mbarrier.init.shared.b64 [bar], 1; st.shared.u32 [%r7], 0;\n{1}"
                      "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8; mov.u32 %r11, 5;"
                      " add.u32 %r12, %r2, {0}; and.b32 %r12, %r12, 1;"
                      " mapa.shared::cluster.u32 %r8, %r7, %r12;"
                      " mapa.shared::cluster.u32 %r9, bar, %r12;\n  {2}\n"
                      "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;"
                      " ld.shared.u32 %r10, [%r7];\n{1}{3}",
                      distance, kMeet, form, kStoreResult)));
      if (distance == 0) {
        EXPECT_EQ(run.outcome(), "fault:async_to_own_cta") << form;
        EXPECT_EQ(run.verdict().code, ExitCode::kFault);
        const std::string text = TextReport(run.session(), run.verdict(), {});
        EXPECT_NE(text.find(":14: async_to_own_cta: thread (0,0,0)"), std::string::npos) << text;
        EXPECT_NE(text.find("stores asynchronously to its own CTA"), std::string::npos) << text;
      } else {
        EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
        EXPECT_EQ(run.Words(0), std::vector<std::uint32_t>(4, 5)) << form;
      }
    }
  }
}

// Compilers carry them out ahead of the branch that guards them.
TEST(PtxCluster, WhatMapsNothingHarmsNobodyUnlessUsed) {
  const Ended run(Clustered(1, {2, 1, 1}, {2, 1, 1},
                            "mapa.shared::cluster.u32 %r8, s, 2; mapa.u64 %d3, %d1, -1;"
                            " getctarank.u64 %r9, %d1; getctarank.u64 %r10, %d3;"
                            " setp.ne.u32 %p1, %r9, %r10; @%p1 trap; ret;"));
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
}

TEST(PtxCluster, BarrierOrdersTheMemoryOfAllCtas) {
  // Twenty rounds in which each CTA reads what the next rank wrote in the round before.
  const std::string forms[] = {"barrier.cluster.arrive; barrier.cluster.wait;",
                               "barrier.cluster.arrive.release.aligned; "
                               "barrier.cluster.wait.acquire.aligned;",
                               "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed; mov.u32 "
                               "%r15, 5; barrier.cluster.wait.aligned;"};
  for (const std::string& form : forms) {
    const std::string body = fmt::format(
        "  add.u32 %r12, %r2, 1; mov.u32 %r13, %cluster_nctarank;"
        " rem.u32 %r12, %r12, %r13; mapa.shared::cluster.u32 %r8, %r7, %r12;\n"
        "  mov.u32 %r9, 0; st.shared.u32 [%r7], %r2;\n"
        "L: {0} ld.shared::cluster.u32 %r10, [%r8]; {0} st.shared.u32 [%r7], %r10;\n"
        "  add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 20; @%p1 bra L; {0}{1}",
        form, kStoreResult);
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      const Ended run(Clustered(64, {7, 1, 1}, {7, 1, 1}, body), "default", seed);
      ASSERT_EQ(run.outcome(), "completes") << form << run.grid().problem();
      for (std::uint32_t i = 0; i < 7 * 64; ++i) {
        ASSERT_EQ(run.Words(0)[i], (i / 64 + 20) % 7) << form << seed;
      }
    }
  }
}

TEST(PtxCluster, ExitedThreadsCountAsArrived) {
  // Odd lanes, and all of rank 2, are gone; lanes that come apart, in each form, meet all the same.
  const Ended run(Clustered(64, {4, 1, 1}, {4, 1, 1}, R"(
  and.b32 %r8, %r1, 1; setp.eq.u32 %p1, %r8, 1; @%p1 exit; setp.eq.u32 %p2, %r2, 2; @%p2 ret;
  setp.lt.u32 %p3, %r1, 9; @%p3 bra A; barrier.cluster.arrive; bra B;
A: barrier.cluster.arrive;
B: barrier.cluster.wait; @%p3 bra C;
  barrier.cluster.arrive.relaxed; barrier.cluster.wait; bra D;
C: barrier.cluster.arrive.relaxed; barrier.cluster.wait;
D: mov.u32 %r10, 7;
)" + kStoreResult));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  for (std::uint32_t i = 0; i < 256; ++i) {
    ASSERT_EQ(run.Words(0)[i], i % 2 == 1 || i / 64 == 2 ? 0U : 7U);
  }
}

TEST(PtxCluster, WavesOfClusters) {
  // More clusters than there is room for, of CTAs of different lengths.
  const Ended run(Clustered(64, {60, 1, 1}, {3, 1, 1}, R"(
  mad.lo.u32 %r8, %r2, 40, 3;
L: sub.u32 %r8, %r8, 1; setp.ne.u32 %p1, %r8, 0; @%p1 bra L;
)" + Exchange("mapa.shared::cluster.u32 %r8, %r7, %r12; ld.shared::cluster.u32 %r10, [%r8];")),
                  "small");
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  for (std::uint32_t i = 0; i < 60 * 64; ++i) {
    ASSERT_EQ(run.Words(0)[i], (i / 64 + 1) % 3 * 100 + i % 64);
  }
  EXPECT_EQ(run.grid().Operations(OpKind::kLaunch), 60U);
  EXPECT_EQ(run.grid().Operations(OpKind::kEnd), 60U);
}

TEST(PtxCluster, ArrivingTwiceIsAFault) {
  for (const char* const between : {"",
                                    "mov.u32 %r8, 900;\nL: sub.u32 %r8, %r8, 1; "
                                    "setp.ne.u32 %p1, %r8, 0; @%p1 bra L;"}) {
    const Ended run(Clustered(
        32, {2, 1, 1}, {2, 1, 1},
        "\n  barrier.cluster.arrive;" + std::string(between) + "\n  barrier.cluster.arrive; ret;"));
    EXPECT_EQ(run.outcome(), "fault:cluster_arrived_twice");
    ASSERT_EQ(run.grid().faults().size(), 1U);
    EXPECT_EQ(run.grid().faults()[0].line, *between == 0 ? 13U : 14U);
  }
}

TEST(PtxCluster, DeadlockNamesWhoIsMissing) {
  const Ended run(Clustered(64, {2, 1, 1}, {2, 1, 1}, R"(
  setp.eq.u32 %p1, %r2, 1; setp.ge.u32 %p2, %r1, 32; and.pred %p3, %p1, %p2;
  @%p3 bra B;
  barrier.cluster.arrive;
  barrier.cluster.wait; ret;
B: barrier.sync 0, 64; ret;)"));
  EXPECT_EQ(run.outcome(), "deadlock");
  const auto stuck = run.grid().StuckClusters();
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck[0].arrived, 3U);
  EXPECT_EQ(stuck[0].expected, 4U);
  ASSERT_EQ(stuck[0].missing.size(), 1U);
  const std::string text = TextReport(run.session(), run.verdict(), {});
  EXPECT_NE(text.find("  cluster (0,0,0), barrier.cluster: 3 of 4 warps have arrived\n"
                      "    came     CTA (0,0,0), warps 0-1 at line 14: wait\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    missing  CTA (1,0,0), warp 1, which waits at barrier 0 (line 16)\n"),
            std::string::npos)
      << text;
  const auto report = JsonReport(run.session(), run.verdict(), {});
  EXPECT_EQ(report["deadlock"][1]["kind"], "barrier.cluster");
  EXPECT_EQ(report["deadlock"][1]["missing"][0]["cta"], 1);
  EXPECT_EQ(report["cluster"], (std::vector<unsigned>{2, 1, 1}));
}

TEST(PtxCluster, WaitingWithoutHavingArrivedIsAFault) {
  const Ended run(Clustered(32, {2, 1, 1}, {2, 1, 1}, "barrier.cluster.wait; ret;"));
  EXPECT_EQ(run.outcome(), "fault:cluster_wait_without_arrive");
  ASSERT_EQ(run.grid().faults().size(), 1U);
  EXPECT_EQ(run.grid().faults()[0].line, 11U);
  EXPECT_EQ(run.grid().faults()[0].lanes, ~0U);
}

TEST(PtxCluster, OfNineAndSixteenCtas) {
  for (const std::uint32_t ctas : {9U, 16U}) {
    const Ended run(Clustered(32, {ctas, 1, 1}, {ctas, 1, 1}, kMeet + "ret;"));
    EXPECT_EQ(run.outcome(), "completes") << ctas;
  }
}

TEST(PtxCluster, OfMoreCtasThanUnits) {
  const std::string body =
      "  add.u32 %r11, %r2, 1; mov.u32 %r12, %cluster_nctarank; rem.u32 %r11, %r11, %r12;\n"
      "  mapa.shared::cluster.u32 %r13, %r7, %r11; mov.u32 %r14, %smid; mov.u32 %r15, %nsmid;\n"
      "  mad.lo.u32 %r14, %r14, 100, %r15; mad.lo.u32 %r14, %r2, 10000, %r14;\n" +
      kMeet + "  st.shared::cluster.u32 [%r13], %r14;\n" + kMeet +
      "  ld.shared.u32 %r10, [%r7];\n" + kStoreResult;
  for (const std::uint32_t ctas : {17U, 24U, 32U}) {
    const char* const config = ctas == 17 ? "small" : ctas == 24 ? "default" : "full";
    const Ended run(Clustered(64, {ctas, 3, 1}, {ctas, 1, 1}, body), config);
    ASSERT_EQ(run.outcome(), "completes") << ctas << run.grid().problem();
    for (std::uint32_t i = 0; i < 3 * ctas * 64; ++i) {
      const std::uint32_t from = (i / 64 % ctas + ctas - 1) % ctas;
      ASSERT_EQ(run.Words(0)[i], from * 10000 + from % 16 * 100 + 16) << ctas << ", " << i;
    }
  }
  EXPECT_THROW(Ended(Clustered(160, {32, 1, 1}, {32, 1, 1}, kMeet + "ret;"), "small"), InputError);
}

// One grid awaits no other, and no grid awaits its dependents.
TEST(PtxCluster, GridControl) {
  const Ended run(Clustered(64, {2, 1, 1}, {2, 1, 1},
                            "griddepcontrol.wait; griddepcontrol.launch_dependents;"
                            " griddepcontrol.wait; griddepcontrol.launch_dependents; ret;"));
  EXPECT_EQ(run.outcome(), "completes");
}

// A deadlock is looked for when nothing has changed for thousands of cycles.
TEST(PtxCluster, LongLoopOfGridControlIsNoDeadlock) {
  const Ended run(Clustered(32, {1, 1, 1}, {1, 1, 1},
                            "mov.u32 %r1, 0; L: griddepcontrol.wait; add.u32 %r1, %r1, 1;"
                            " setp.lt.u32 %p1, %r1, 3000; @%p1 bra L; ret;"));
  EXPECT_EQ(run.outcome(), "completes");
}

TEST(PtxCluster, DirectivesAndTheManifest) {
  const struct {
    const char* directive;
    std::optional<std::array<std::uint32_t, 3>> cluster;
    const char* problem;  // empty: it runs
    std::uint32_t ctas;
  } rows[] = {
      {".reqnctapercluster 2", {}, "", 2},
      {".reqnctapercluster 2, 1, 1", {{2, 1, 1}}, "", 2},
      {".explicitcluster .reqnctapercluster 4", {}, "", 4},
      {".maxclusterrank 4", {{4, 1, 1}}, "", 4},
      {".explicitcluster", {{2, 1, 1}}, "", 2},
      {".explicitcluster", {}, "must be launched in clusters (.explicitcluster)", 0},
      {".maxclusterrank 2",
       {{4, 1, 1}},
       "a cluster of 4 CTAs is more than the kernel test allows:"
       " 2 (.maxclusterrank)",
       0},
      {".reqnctapercluster 2", {{4, 1, 1}}, "the kernel test requires a cluster of 2 CTAs", 0},
      {".reqnctapercluster 33", {}, "but there can be 1 to 32", 0},
      {".reqnctapercluster 0", {}, "but there can be 1 to 32", 0},
      {"", {{3, 1, 1}}, "a grid of 8x1x1 CTAs is not a multiple of clusters of 3x1x1", 0},
  };
  for (const auto& row : rows) {
    Kernel kernel = Clustered(1, {8, 1, 1}, {1, 1, 1},
                              "mov.u32 %r10, %cluster_nctarank;" + kStoreResult, row.directive);
    kernel.manifest.cluster = row.cluster;
    try {
      const Ended run(kernel);
      EXPECT_STREQ(row.problem, "");
      EXPECT_EQ(run.Words(0), std::vector<std::uint32_t>(8, row.ctas)) << row.directive;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(row.problem), std::string::npos) << error.what();
      EXPECT_STRNE(row.problem, "") << error.what();
    }
  }
}

TEST(PtxCluster, BlocksAreClusters) {
  // The grid of the manifest counts clusters: two rows of three, of 2 x 2 CTAs.
  Kernel kernel(R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry test(.param .u64 out) .blocksareclusters .reqntid 32 .reqnctapercluster 2, 2 {
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %nctaid.x;
  mad.lo.u32 %r1, %r2, %r3, %r1; mad.wide.u32 %d2, %r1, 4, %d1; mov.u32 %r4, %nclusterid.y;
  mad.lo.u32 %r4, %r3, 10, %r4; st.global.u32 [%d2], %r4; ret;
})",
                32);
  kernel.manifest.grid = {3, 2, 1};
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 24)};
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "completes");
  EXPECT_EQ(run.Words(0), std::vector<std::uint32_t>(24, 62));
  kernel.manifest.grid = {0x40000000, 1, 1};
  EXPECT_THROW(Ended too_large(kernel), InputError);
}

TEST(PtxCluster, DirectivesAmongThemselves) {
  const struct {
    const char* directives;
    const char* version;
    const char* target;
    const char* finding;  // empty: none
  } rows[] = {
      {".reqnctapercluster 2, 1, 1 .explicitcluster", "7.8", "90", ""},
      {".maxclusterrank 8 .explicitcluster .maxntid 64", "7.8", "90", ""},
      {".blocksareclusters .reqntid 32 .reqnctapercluster 2", "9.0", "90", ""},
      {".reqnctapercluster 2", "7.7", "90", "- .reqnctapercluster needs .version 7.8"},
      {".reqnctapercluster 2", "7.8", "89", "- .reqnctapercluster needs .target sm_90"},
      {".maxclusterrank 2", "7.7", "90", "- .maxclusterrank needs .version 7.8"},
      {".explicitcluster", "7.8", "86", "- .explicitcluster needs .target sm_90"},
      {".blocksareclusters .reqntid 32 .reqnctapercluster 2", "8.8", "90",
       "- .blocksareclusters needs .version 9.0"},
      {".blocksareclusters .reqntid 32", "9.0", "90",
       "! .blocksareclusters needs .reqntid and .reqnctapercluster"},
      {".blocksareclusters .reqnctapercluster 2", "9.0", "90",
       "! .blocksareclusters needs .reqntid and .reqnctapercluster"},
      {".reqnctapercluster 2 .maxclusterrank 4", "9.0", "90",
       "- .reqnctapercluster and .maxclusterrank cannot stand together"},
      {".maxntid 64 .reqntid 32", "9.0", "90", "- .maxntid and .reqntid cannot stand together"},
      {".reqnctapercluster 1, 1, 1, 2", "9.0", "90",
       "! .reqnctapercluster takes at most 3 numbers, not 4"},
      {".maxclusterrank 1, 2", "9.0", "90", "! .maxclusterrank takes at most 1 number, not 2"},
      {".reqntid 32, 0", "9.0", "90", "! .reqntid has a zero"},
  };
  const auto findings = [](const std::string& text) {
    std::string all;
    for (const Finding& finding : Check(*Parse("f.ptx", text))) {
      all += (finding.runs ? "- " : "! ") + finding.text.substr(finding.text.find(' ') + 1);
    }
    return all;
  };
  for (const auto& row : rows) {
    EXPECT_EQ(findings(fmt::format(".version {}\n.target sm_{}\n.address_size 64\n"
                                   ".entry k() {} {{ ret; }}\n",
                                   row.version, row.target, row.directives)),
              row.finding)
        << row.directives;
  }
  EXPECT_EQ(findings(".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n"
                     ".func f() .explicitcluster { ret; }\n"),
            "! .explicitcluster is for an .entry only");
}

TEST(PtxCluster, SameSeedSameRun) {
  const Kernel kernel =
      Clustered(64, {8, 1, 1}, {4, 1, 1},
                Exchange("mapa.shared::cluster.u32 %r8, %r7, %r12; ld.shared::cluster.u32 %r10, "
                         "[%r8];"));
  const Ended a(kernel, "default", 5);
  const Ended b(kernel, "default", 5);
  const Ended c(kernel, "default", 6);
  EXPECT_EQ(a.cycles(), b.cycles());
  EXPECT_NE(a.cycles(), c.cycles());
}

}  // namespace
}  // namespace muster::ptx
