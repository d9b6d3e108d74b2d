// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Operations that go to several CTAs of a cluster by a mask of 32 bits (PTX ISA 9.4).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_forms.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kMulticastSeeds = 4;
constexpr std::uint32_t kMasked = 0x80010021;  // ranks 0, 5, 16 and 31
constexpr const char* kConfigs[] = {"default", "small", "full", "vortex_like"};

// A warp in each CTA of a cluster, and a u32 for each thread, at %d2. The mbarriers bar and bar2
// expect 1000 arrivals, done one; %r5 is bar, %r2 the rank, %r3 the lane. The body begins in
// line 14. Then rank `sender` lets all go on, who have seen by then what it did before.
Kernel Cluster(std::uint32_t ctas, unsigned sender, const std::string& body,
               const std::string& end) {
  Kernel kernel(R"(.version 9.4
.target sm_107f
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out) {
  .reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<24>; .reg .b64 %d<12>;
  .shared .align 16 .b32 s[32]; .shared .align 8 .b64 bar; .shared .align 8 .b64 bar2; .shared .align 8 .b64 done;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r3, %tid.x; mov.u32 %r2, %cluster_ctarank;
  mad.lo.u32 %r4, %r2, 32, %r3; mad.wide.u32 %d2, %r4, 4, %d2; mov.u32 %r5, bar; mov.u32 %r6, done; mov.u32 %r7, s;
  setp.eq.u32 %p1, %r3, 0; @%p1 mbarrier.init.shared.b64 [bar], 1000;
  @%p1 mbarrier.init.shared.b64 [bar2], 1000; @%p1 mbarrier.init.shared.b64 [done], 1;
  barrier.cluster.arrive; barrier.cluster.wait; setp.eq.u32 %p2, %r2, )" +
                    std::to_string(sender) + R"(; and.pred %p3, %p1, %p2;
  cvta.shared.u64 %d4, bar;
)" + body + R"(
  mov.u32 %r20, -1; shr.u32 %r20, %r20, )" +
                    std::to_string(32 - ctas) + R"(;
  @%p3 mbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b.b64 _, [%r6], %r20;
W: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p7, [done], 0; @!%p7 bra W;
)" + end + R"(
  st.global.u32 [%d2], %r10; barrier.cluster.arrive; barrier.cluster.wait; ret;
}
)",
                32);
  kernel.manifest.grid = kernel.manifest.cluster.emplace(std::array<std::uint32_t, 3>{ctas, 1, 1});
  std::vector<std::uint64_t> words(32);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = 100 + i;
  }
  kernel.manifest.buffers = {MakeBuffer("in", words), MakeBuffer("out", Type::kU32, 32 * ctas)};
  return kernel;
}

// The word of the mbarrier is that of bar2, and not what it was at first: 1 and 2.
const std::string kCompare = R"(
  @%p1 mbarrier.init.shared.b64 [done], 1000; bar.sync 0; ld.shared.u64 %d5, [done];
  ld.shared.u64 %d6, [bar]; ld.shared.u64 %d7, [bar2]; setp.eq.u64 %p4, %d6, %d7; setp.ne.u64 %p5, %d6, %d5;
  selp.u32 %r10, 1, 0, %p4; selp.u32 %r11, 2, 0, %p5; add.u32 %r10, %r10, %r11;)";
// How many of the 1000 have arrived.
const std::string kCount = R"(
  ld.shared.u64 %d6, [bar]; shr.u64 %d6, %d6, 43; neg.s64 %d6, %d6; cvt.u32.u64 %r10, %d6; and.b32 %r10, %r10, 0xfffff;
  sub.u32 %r10, 1000, %r10;)";

// Of each operation: what it does to the mbarriers of its mask is what the plain one does to one.
TEST(PtxMulticast, OperationsReachTheCtasOfTheirMask) {
  const struct {
    const char* name;
    const char* operands;  // before the mask
    const char* plain;
  } rows[] = {
      {"mbarrier.arrive.release.cluster", "", "mbarrier.arrive.shared.b64 _, [bar2]"},
      {"mbarrier.arrive", ", 3", "mbarrier.arrive.shared.b64 _, [bar2], 3"},
      {"mbarrier.arrive.relaxed.cluster", ", %r15", "mbarrier.arrive.shared.b64 _, [bar2], 7"},
      {"mbarrier.arrive.expect_tx", ", 48", "mbarrier.arrive.expect_tx.shared.b64 _, [bar2], 48"},
      {"mbarrier.arrive_drop", "", "mbarrier.arrive_drop.shared.b64 _, [bar2]"},
      {"mbarrier.arrive_drop.release.cta", ", 2", "mbarrier.arrive_drop.shared.b64 _, [bar2], 2"},
      {"mbarrier.arrive_drop.expect_tx", ", 16",
       "mbarrier.arrive_drop.expect_tx.shared.b64 _, [bar2], 16"},
      {"mbarrier.expect_tx.relaxed.cluster", ", 32", "mbarrier.expect_tx.shared.b64 [bar2], 32"},
      {"mbarrier.complete_tx.relaxed.cta", ", 80", "mbarrier.complete_tx.shared.b64 [bar2], 80"},
  };
  for (const auto& row : rows) {
    for (const bool generic : {false, true}) {
      const std::string sink =
          std::string(row.name).find("_tx.relaxed") != std::string::npos ? "" : "_, ";
      const std::string body = fmt::format(
          "  mov.u32 %r15, 7; mov.u32 %r11, {:#x}; shr.u32 %r12, %r11, %r2; and.b32 %r12, %r12, "
          "1;\n"
          "  setp.ne.u32 %p4, %r12, 0; and.pred %p4, %p4, %p1; @%p4 {};\n"
          "  @%p3 {}{}.multicast::cluster::32b.b64 {}[{}]{}, %r11;\n",
          kMasked, row.plain, row.name, generic ? "" : ".shared::cluster", sink,
          generic ? "%d4" : "%r5", row.operands);
      for (std::uint64_t seed = 1; seed <= kMulticastSeeds; ++seed) {
        const Ended run(Cluster(32, 5, body, kCompare), kConfigs[seed % 4], seed);
        ASSERT_EQ(run.outcome(), "completes") << run.grid().problem() << "\n" << body;
        for (std::uint32_t i = 0; i < 32 * 32; ++i) {
          ASSERT_EQ(run.Words(1)[i], (kMasked >> i / 32 & 1) != 0 ? 3U : 1U) << body << i / 32;
        }
      }
    }
  }
}

// Each lane has a mask, and a count; half of them have another mbarrier.
TEST(PtxMulticast, LanesHaveMasksOfTheirOwn) {
  const std::string body = R"(
  and.b32 %r11, %r3, 15; add.u32 %r12, %r3, 1; setp.lt.u32 %p4, %r3, 16; mov.u32 %r13, bar2;
  selp.u32 %r13, %r5, %r13, %p4;
  @%p2 mbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b.b64 _, [%r13], %r12, %r11;
  bar.warp.sync -1;)";
  for (std::uint64_t seed = 1; seed <= kMulticastSeeds; ++seed) {
    const Ended run(Cluster(4, 1, body, kCount), kConfigs[seed % 4], seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      std::uint32_t sum = 0;
      for (std::uint32_t lane = 0; lane < 16; ++lane) {
        sum += (lane >> rank & 1) != 0 ? lane + 1 : 0;
      }
      EXPECT_EQ(run.Words(1)[32 * rank], sum) << rank;
    }
  }
}

// The offset counts, whichever CTA the address names.
TEST(PtxMulticast, TheAddressMayBeThatOfAnyCta) {
  const std::string body = R"(
  mapa.shared::cluster.u32 %r11, %r5, 2; @%p3 mbarrier.arrive.shared::cluster.multicast::cluster::32b.b64 _, [%r11], 9;)";
  const Ended run(Cluster(4, 1, body, kCount));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(run.Words(1)[32 * rank], 9 >> rank & 1) << rank;
  }
}

// Copies to the high ranks, and the completions there.
TEST(PtxMulticast, CopiesReachTheHighRanks) {
  const std::string copies[] = {
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b "
      "[%r7], [%d1], 128, "
      "[%r5], %r11;",
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b."
      "L2::cache_hint "
      "[%r7], [%d1], 128, [%r5], %r11, %d9;"};
  for (const std::string& copy : copies) {
    const std::string body = fmt::format(
        "  mov.u32 %r11, {:#x}; mov.u64 %d9, 0; @%p3 "
        "mbarrier.arrive.expect_tx.shared::cluster.multicast::cluster::32b"
        ".b64 _, [%r5], 128, %r11;\n  @%p3 {}\n"
        "  @%p1 mbarrier.arrive.shared.b64 _, [bar], 999; shr.u32 %r12, %r11, %r2; and.b32 %r12, "
        "%r12, 1;\n"
        "  setp.eq.u32 %p4, %r12, 0; @%p4 bra D;\n"
        "X: mbarrier.try_wait.parity.shared.b64 %p5, [bar], 0; @!%p5 bra X; D:\n",
        kMasked, copy);
    const Ended run(
        Cluster(32, 16, body, "  mad.lo.u32 %r12, %r3, 4, %r7; ld.shared.u32 %r10, [%r12];"));
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    for (std::uint32_t i = 0; i < 32 * 32; ++i) {
      ASSERT_EQ(run.Words(1)[i], (kMasked >> i / 32 & 1) == 0 ? 0
                                 : i % 2 == 0                 ? 100 + i % 32 / 2
                                                              : 0)
          << i;
    }
  }
}

TEST(PtxMulticast, Misuse) {
  const std::string arrive =
      "mbarrier.arrive.shared::cluster.multicast::cluster::32b.b64 _, [%r5], %r11;";
  // A mask of no CTA is no operation.
  const Ended none(Cluster(4, 1, "  mov.u32 %r11, 0; @%p3 " + arrive, kCount));
  ASSERT_EQ(none.outcome(), "completes") << none.grid().problem();
  EXPECT_EQ(none.Words(1)[32], 0U);
  const Ended beyond(Cluster(4, 1, "  mov.u32 %r11, 0x12; @%p3 " + arrive, kCount));
  EXPECT_EQ(beyond.outcome(), "fault:bad_address");
  ASSERT_EQ(beyond.grid().faults().size(), 1U);
  EXPECT_EQ(beyond.grid().faults()[0].explanation,
            "arrive: goes to the CTAs 0x12 of a cluster of 4");
  const Ended outside(
      Cluster(4, 1, "  mov.u32 %r11, 3; add.u32 %r5, %r5, 65536; @%p3 " + arrive, kCount));
  EXPECT_EQ(outside.outcome(), "fault:bad_address");
  // A CTA of the mask has exited.
  const Ended exited(Cluster(2, 0,
                             "  @!%p2 ret; mov.u32 %r12, 0; L: add.u32 %r12, %r12, 1; setp.lt.u32 "
                             "%p4, %r12, 2000; @%p4 bra L;\n"
                             "  mov.u32 %r11, 2; @%p3 " +
                                 arrive,
                             kCount));
  EXPECT_EQ(exited.outcome(), "memory_fault");
  EXPECT_NE(exited.grid().problem().find(
                "an mbarrier operation on the CTA with rank 1 of the cluster, which has exited"),
            std::string::npos)
      << exited.grid().problem();
}

TEST(PtxMulticast, Forms) {
  const std::string wide[] = {
      "mbarrier.arrive.shared::cluster.multicast::cluster::32b.b64 _, [%r1], 0xa;",
      "mbarrier.arrive.release.cta.shared::cluster.multicast::cluster::32b.b64 _, [%r1], %r2, %r3;",
      "mbarrier.arrive.expect_tx.relaxed.cluster.multicast::cluster::32b.b64 _, [%d1], %r2, %r3;",
      "mbarrier.arrive_drop.shared::cluster.multicast::cluster::32b.b64 _, [%r1], %r2;",
      "mbarrier.arrive_drop.expect_tx.shared::cluster.multicast::cluster::32b.b64 _, [%r1], 16, "
      "%r3;",
      "mbarrier.expect_tx.relaxed.cta.shared::cluster.multicast::cluster::32b.b64 [%r1], 512, 0x3;",
      "mbarrier.complete_tx.multicast::cluster::32b.b64 [%d1], 512, %r2;",
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b "
      "[%r1], [g], %r2, "
      "[%r3], %r4;",
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
      "cluster::32b [s], [%d1, "
      "{%r1, %r2}], [s], %r3;",
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster::32b."
      "b64 [%r1], %r2;",
  };
  for (const std::string& form : wide) {
    EXPECT_EQ(Judge(form, 94, "107f"), FormVerdict::kAccepted) << form;
    EXPECT_EQ(Judge(form, 94, "107a"), FormVerdict::kAccepted) << form;
    EXPECT_EQ(Judge(form, 93, "107f"), FormVerdict::kMisuse) << form;
    for (const char* const target : {"107", "103f", "110f", "120a"}) {
      EXPECT_EQ(Judge(form, 94, target), FormVerdict::kMisuse) << form << target;
    }
  }
  const std::string narrow[] = {
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::16b "
      "[%r1], [g], %r2, "
      "[%r3], %h1;",
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
      "cluster::16b [s], [%d1, "
      "{%r1, %r2}], [s], %h1;",
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster::16b."
      "b64 [%r1], %h2;",
  };
  for (const std::string& form : narrow) {
    EXPECT_EQ(Judge(form, 94, "100a"), FormVerdict::kAccepted) << form;
    EXPECT_EQ(Judge(form, 93, "100a"), FormVerdict::kMisuse) << form;
  }
  for (const char* const form : {
           "mbarrier.arrive.shared::cluster.multicast::cluster::32b.b64 _, [%r1];",
           "mbarrier.arrive.shared::cluster.multicast::cluster::32b.b64 %d1, [%r1], %r2;",
           "mbarrier.arrive.multicast::cluster::32b.b64 %d1, [%d2], %r2;",
           "mbarrier.arrive.shared::cta.multicast::cluster::32b.b64 _, [s], %r2;",
           "mbarrier.arrive.shared.multicast::cluster::32b.b64 _, [s], %r2;",
           "mbarrier.arrive.noComplete.multicast::cluster::32b.b64 _, [%d1], 2, %r2;",
           "mbarrier.arrive.shared::cluster.multicast::cluster::16b.b64 _, [%r1], %h1;",
           "mbarrier.arrive.shared::cluster.multicast::cluster.b64 _, [%r1], %h1;",
           "mbarrier.arrive.expect_tx.shared::cluster.multicast::cluster::32b.b64 _, [%r1], 16;",
           "mbarrier.expect_tx.shared::cluster.multicast::cluster::32b.b64 [%r1], 16;",
           "mbarrier.complete_tx.shared::cluster.multicast::cluster::32b.b64 [%r1], 16, %h1;",
           "mbarrier.test_wait.multicast::cluster::32b.b64 %p1, [%d1], %d2;",
           "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster::32b "
           "[s], [g], 16, [s], "
           "%h1;",
       }) {
    EXPECT_EQ(Judge(form, 94, "107f"), FormVerdict::kRefused) << form;
  }
}

}  // namespace
}  // namespace muster::ptx
