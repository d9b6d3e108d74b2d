// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Copies, stores and arrivals that threads start and do not wait for, within a CTA and between
// those of a cluster.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/isa/fault.h"
#include "sim/ptx/simt/copy_engine.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kCopySeeds = 6;

// A kernel with a u32 for each thread of the grid, at %d2, and 256 u32 in, at %d1, each its index;
// %r6 is s, %r7 the thread's word of it, %r5 bar. The body begins in line 12.
Kernel Copies(std::uint32_t threads, std::uint32_t ctas, const std::string& body,
              const std::string& end = "st.global.u32 [%d2], %r10; ret;") {
  Kernel kernel(R"(.version 8.6
.target sm_100
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out) {
  .reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<24>; .reg .b64 %d<12>; .reg .f32 %f<4>;
  .shared .align 16 .b32 s[256]; .shared .align 8 .b64 bar; .shared .align 8 .b64 bar2;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %cluster_nctarank; mov.u32 %r4, %ntid.x; mad.lo.u32 %r4, %r2, %r4, %r1;
  mad.wide.u32 %d2, %r4, 4, %d2; mov.u32 %r10, 0; mov.u32 %r6, s; mov.u32 %r5, bar;
  shl.b32 %r7, %r1, 2; mad.wide.u32 %d3, %r1, 4, %d1; add.u32 %r7, %r6, %r7;
  setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, %cluster_ctarank;
)" + body + "\n  " + end +
                    "\n}\n",
                threads);
  kernel.manifest.grid = {ctas, 1, 1};
  if (ctas > 1) {
    kernel.manifest.cluster = {ctas, 1, 1};
  }
  Buffer in = MakeBuffer("in", Type::kU32, 256);
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&i), 4, &in.initial[std::size_t{4} * i]);
  }
  kernel.manifest.buffers = {in, MakeBuffer("out", Type::kU32, std::uint64_t{threads} * ctas)};
  return kernel;
}

const std::string kInit =  // one arrival
    "  @%p1 mbarrier.init.shared.b64 [bar], 1; barrier.cluster.arrive; barrier.cluster.wait;\n";
const std::string kWait = "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n";

template <typename F>
std::vector<std::uint32_t> Each(std::size_t count, F value) {
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    values[i] = value(i);
  }
  return values;
}

// Runs it with several seeds, on units of several sizes, and compares the output.
template <typename F>
void Expect(const Kernel& kernel, F value) {
  for (std::uint64_t seed = 1; seed <= kCopySeeds; ++seed) {
    const Ended run(kernel, seed % 3 == 0 ? "full" : seed % 3 == 1 ? "default" : "small", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    EXPECT_EQ(run.Words(1), Each(run.Words(1).size(), value)) << seed;
    EXPECT_TRUE(run.grid().hazards().empty()) << run.grid().hazards()[0].name;
  }
}

TEST(PtxCopy, BulkCopiesCompleteTransactions) {
  const std::string start =
      "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;\n"
      "  @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], 1024, "
      "[bar];\n";
  Expect(Copies(64, 1, kInit + start + kWait + "  ld.shared.u32 %r10, [%r7+512];"),
         [](std::uint32_t i) { return 128 + i; });
}

TEST(PtxCopy, MulticastReachesTheCtasOfItsMask) {
  // Rank 1 copies to ranks 0, 1 and 3; rank 2 keeps what it has.
  const std::string body =
      kInit + "  st.shared.u32 [%r7], 7777; setp.ne.u32 %p3, %r2, 2; and.pred %p4, %p1, %p3;\n" +
      kMeet +
      "  @%p4 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256; mov.u16 %h1, 11;\n"
      "  setp.eq.u32 %p5, %r2, 1; and.pred %p5, %p5, %p1;\n" +
      kMeet +
      "  @%p5 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [s], [%d1], 256, [bar], %h1;\n  @!%p3 bra D;\n" +
      kWait + "D: ld.shared.u32 %r10, [%r7];" + kMeet;
  Expect(Copies(64, 4, body), [](std::uint32_t i) { return i / 64 == 2 ? 7777 : i % 64; });
}

TEST(PtxCopy, CopiesAndReductionsBetweenCtas) {
  // Each rank adds its words to those of rank 0, which waits for all; the sum of four.
  const std::string body =
      "  mad.lo.u32 %r11, %r2, 1000, %r1; st.shared.u32 [%r7], %r11; st.shared.u32 [%r7+512], 0;\n"
      "  setp.eq.u32 %p3, %r2, 0; and.pred %p4, %p1, %p3;\n" +
      kInit + "  @%p4 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;\n" + kMeet +
      "  add.u32 %r12, %r6, 512; mapa.shared::cluster.u32 %r12, %r12, 0;"
      " mapa.shared::cluster.u32 %r13, bar, 0;\n"
      "  @%p1 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
      ".add.u32 [%r12], [s], 256, [%r13];\n  @!%p3 bra D;\n" +
      kWait + "  ld.shared.u32 %r10, [%r7+512];\nD:" + kMeet;
  Expect(Copies(64, 4, body), [](std::uint32_t i) { return i < 64 ? 6000 + 4 * i : 0; });
  const std::string copies =
      "  mad.lo.u32 %r11, %r2, 1000, %r1; st.shared.u32 [%r7], %r11;\n" + kInit +
      "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256; add.u32 %r12, %r6, 512;\n"
      "  xor.b32 %r14, %r2, 1; mapa.shared::cluster.u32 %r12, %r12, %r14;"
      " mapa.shared::cluster.u32 %r13, bar, %r14;\n" +
      kMeet +
      "  @%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r12], [s],"
      " 256, [%r13];\n" +
      kWait + "  ld.shared.u32 %r10, [%r7+512];" + kMeet;
  Expect(Copies(64, 2, copies), [](std::uint32_t i) { return (1 - i / 64) * 1000 + i % 64; });
}

TEST(PtxCopy, BulkGroupsToGlobalMemory) {
  // The words go out, and come again, when the source has been read, as other words.
  const std::string body =
      "  add.u32 %r11, %r1, 500; st.shared.u32 [%r7], %r11; bar.sync 0; @!%p1 bra D;\n"
      "  cp.async.bulk.global.shared::cta.bulk_group [%d2], [s], 128;\n"
      "  cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; st.shared.u32 [s], 9;\n"
      "  cp.async.bulk.wait_group 0; ld.global.u32 %r12, [%d2];\n"
      "  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2], [s], 16;\n"
      "  cp.async.bulk.prefetch.L2.global [%d1], 64; st.shared.u32 [s+128], %r12;\n"
      "  cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\nD:";
  const auto value = [](std::uint32_t i) { return i == 0 ? 509 : i < 4 ? 1000 + 2 * i : 500 + i; };
  Expect(Copies(32, 1, body, "ret;"), value);
}

TEST(PtxCopy, FloatsAndOperatorsOfReductions) {
  const struct {
    const char* form;
    std::uint32_t value;
  } rows[] = {
      {"add.f32", 0x40600000}, {"min.u32", 0x3fc00000}, {"max.s32", 0x40000000},
      {"and.b32", 0},          {"or.b32", 0x7fc00000},  {"xor.b32", 0x7fc00000},
      {"inc.u32", 0},          {"dec.u32", 0x3fc00000}, {"add.u64", 0x7fc00000},
  };
  for (const auto& row : rows) {  // 1.5 to what is 2.0 there
    const std::string body =
        "  st.shared.u32 [%r7], 0x3fc00000; st.global.u32 [%d2], 0x40000000;"
        " bar.sync 0; @!%p1 bra D;\n"
        "  cp.reduce.async.bulk.global.shared::cta.bulk_group." +
        std::string(row.form) +
        " [%d2], [s], 16; cp.async.bulk.commit_group;"
        " cp.async.bulk.wait_group 0;\nD: bar.sync 0;";
    const Ended run(Copies(4, 1, body, "ret;"));
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    EXPECT_EQ(run.Words(1)[0], row.value) << row.form;
  }
}

TEST(PtxCopy, ReductionsOfHalves) {
  // Of what lies in shared memory, 16 times the word, to what is in global memory.
  const struct {
    const char* form;
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t value;
  } rows[] = {
      {"add.noftz.f16", 0x3c004000, 0x3e00c000, 0x41000000},   // 1 + 1.5, 2 - 2
      {"add.noftz.f16", 0x00010001, 0x00010000, 0x00020001},   // subnormal numbers
      {"min.f16", 0x3c00c000, 0x3e003c00, 0x3c00c000},         // of 1 and 1.5, of -2 and 1
      {"max.f16", 0x3c007e00, 0x3e003c00, 0x3e003c00},         // a NaN is no number
      {"add.noftz.bf16", 0x3f804000, 0x3fc0c000, 0x40200000},  // 1 + 1.5, 2 - 2
      {"min.bf16", 0xbf804000, 0x3fc0c000, 0xbf80c000},
      {"max.bf16", 0xbf804000, 0x3fc0c000, 0x3fc04000},
  };
  for (const auto& row : rows) {
    const std::string body = fmt::format(
        "  st.shared.u32 [%r7], {:#x}; st.global.u32 [%d2], {:#x}; bar.sync 0; @!%p1 bra D;\n"
        "  cp.reduce.async.bulk.global.shared::cta.bulk_group.{} [%d2], [s], 16;\n"
        "  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nD: bar.sync 0;",
        row.from, row.to, row.form);
    const Ended run(Copies(4, 1, body, "ret;"));
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    EXPECT_EQ(run.Words(1), std::vector<std::uint32_t>(4, row.value)) << row.form;
  }
}

TEST(PtxCopy, StoresToGlobalMemory) {
  // They come after a time: after what the thread stores next, for some.
  const struct {
    const char* form;
    std::uint32_t value;  // of the thread's word, which was 0x01020304
  } rows[] = {
      {"st.async.release.gpu.global.u32 [%d2], %r12;", 0xa0b0c0d0},
      {"st.async.mmio.release.sys.global.b32 [%d2], %r12;", 0xa0b0c0d0},
      {"st.async.release.sys.u16 [%d2+2], %h1;", 0xc0d00304},
      {"st.async.release.gpu.u8 [%d2+1], %h1;", 0x0102d004},
      {"red.async.release.gpu.global.add.u32 [%d2], %r12;", 0xa1b2c3d4},
      {"red.async.release.cluster.add.s32 [%d2], %r12;", 0xa1b2c3d4},
      {"red.async.mmio.release.sys.global.add.u32 [%d2], 1;", 0x01020305},
  };
  const auto words = [](const char* form, const char* then, std::uint64_t seed) {
    const std::string body = fmt::format(
        "  mov.u32 %r12, 0xa0b0c0d0; cvt.u16.u32 %h1, %r12; st.global.u32 [%d2], 0x01020304;\n"
        "  {} {}",
        form, then);
    const Ended run(Copies(64, 1, body, "ret;"), "default", seed);
    EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
    return run.Words(1);
  };
  for (const auto& row : rows) {
    bool late = false;
    for (std::uint64_t seed = 1; seed <= kCopySeeds; ++seed) {
      EXPECT_EQ(words(row.form, "", seed), std::vector<std::uint32_t>(64, row.value)) << row.form;
      for (const std::uint32_t word : words(row.form, "st.global.u32 [%d2], 0;", seed)) {
        late = late || word != 0;
      }
    }
    EXPECT_TRUE(late) << row.form;
  }
  const char* const outside[] = {
      "cvta.shared.u64 %d5, s; st.async.release.gpu.u32 [%d5], %r1;",
      "add.u64 %d5, %d2, 2; st.async.release.gpu.global.u32 [%d5], %r1;",
      "add.u64 %d5, %d2, 4096; red.async.release.gpu.global.add.u32 [%d5], %r1;",
  };
  for (const char* const body : outside) {
    EXPECT_EQ(Ended(Copies(1, 1, std::string(body) + "\n")).outcome(), "memory_fault") << body;
  }
}

TEST(PtxCopy, SumsOfSubnormalNumbers) {
  // In global memory they are zeroes, in shared memory numbers.
  const std::string body =
      "  st.shared.u32 [%r7], 1; st.global.u32 [%d2], 1; mov.b32 %f1, 0x80000003;"
      " red.shared.add.f32 [%r7], %f1; red.global.add.f32 [%d2], %f1;\n"
      "  ld.shared.u32 %r11, [%r7]; ld.global.u32 %r12, [%d2]; shl.b32 %r12, %r12, 4;"
      " add.u32 %r10, %r11, %r12;";
  Expect(Copies(32, 1, body), [](std::uint32_t) { return 0x80000002; });
}

TEST(PtxCopy, FenceCopiesATensorMap) {
  // 128 bytes, by each warp to a place of its own.
  const std::string body =
      "  add.u32 %r11, %r1, 700; st.shared.u32 [%r7], %r11; bar.sync 0; shr.u32 %r12, %r1, 5;\n"
      "  mul.lo.u32 %r12, %r12, 128; ld.param.u64 %d5, [out]; cvt.u64.u32 %d6, %r12;"
      " add.u64 %d5, %d5, %d6; add.u32 %r12, %r6, %r12;\n"
      "  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned"
      " [%d5], [%r12], 128;";
  const auto value = [](std::uint32_t i) { return 700 + i; };
  Expect(Copies(96, 1, body, "ret;"), value);
}

TEST(PtxCopy, GroupsOfSmallCopies) {
  // Three groups; the first is there when at most two are left, then the second.
  const std::string body =
      "  cp.async.ca.shared.global [%r7], [%d3], 4; cp.async.commit_group;\n"
      "  cp.async.ca.shared.global [%r7+256], [%d3+128], 4; cp.async.commit_group;\n"
      "  cp.async.ca.shared.global [%r7+512], [%d3+256], 4; cp.async.commit_group;\n"
      "  cp.async.wait_group 2; ld.shared.u32 %r10, [%r7]; cp.async.wait_group 1;\n"
      "  ld.shared.u32 %r11, [%r7+256]; add.u32 %r10, %r10, %r11; cp.async.wait_all;\n"
      "  ld.shared.u32 %r11, [%r7+512]; add.u32 %r10, %r10, %r11;";
  Expect(Copies(64, 1, body), [](std::uint32_t i) { return 3 * i + 32 + 64; });
}

TEST(PtxCopy, WhatIsNotWaitedForIsNotThere) {
  // Copies that are not of a group yet, or of a later one: some come late, and out of order.
  const std::string body =
      "  st.shared.u32 [%r7], 999; st.shared.u32 [%r7+512], 999;\n"
      "  cp.async.ca.shared.global [%r7], [%d3], 4; cp.async.ca.shared.global [%r7+512], [%d3], 4;"
      " cp.async.wait_group 0;\n"
      "  ld.shared.u32 %r10, [%r7]; ld.shared.u32 %r11, [%r7+512]; sub.u32 %r10, %r10, %r11;"
      " cp.async.wait_all;";
  bool first = false;
  bool second = false;
  for (std::uint64_t seed = 1; seed < 10; ++seed) {
    const Ended run(Copies(64, 1, body), "default", seed);
    ASSERT_EQ(run.outcome(), "completes");
    for (std::uint32_t i = 0; i < 64; ++i) {
      first = first || run.Words(1)[i] == i - 999;
      second = second || run.Words(1)[i] == 999 - i;
    }
  }
  EXPECT_TRUE(first && second);
}

TEST(PtxCopy, ArriveOnsOfCopies) {
  // With the increment, 64 arrivals of threads are all that is counted; without it, twice as many.
  const std::string copy =
      "  cp.async.ca.shared.global [%r7], [%d3], 4;\n"
      "  cp.async.ca.shared.global [%r7+512], [%d3], 4;\n";
  const std::string read = kWait +
                           "  xor.b32 %r8, %r7, 4; ld.shared.u32 %r10, [%r8];"
                           " ld.shared.u32 %r11, [%r8+512]; add.u32 %r10, %r10, %r11;";
  const std::string arrive = "  mbarrier.arrive.shared.b64 _, [bar];\n";
  const auto value = [](std::uint32_t i) { return 2 * (i ^ 1U); };
  Expect(Copies(64, 1,
                "  @%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;\n" + copy +
                    "  cp.async.mbarrier.arrive.shared.b64 [bar];\n" + arrive + read),
         value);
  Expect(Copies(64, 1,
                "  @%p1 mbarrier.init.shared.b64 [bar], 128; bar.sync 0;\n" + copy +
                    "  cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n" + arrive + read),
         value);
}

TEST(PtxCopy, StoresToOtherCtas) {
  // Each thread stores to the next rank's word, in every form; the mbarrier counts the bytes.
  const struct {
    const char* form;
    unsigned bytes;
  } rows[] = {
      {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r12], %r11, [%r13];", 4},
      {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r12], %r11, [%r13];", 4},
      {"st.async.cluster.mbarrier::complete_tx::bytes.u32 [%d5], %r11, [%d6];", 4},
      {"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r12], {%r11, %r11}, "
       "[%r13];",
       8},
      {"st.async.shared::cluster.v4.b32 [%r12], {%r11, %r11, %r11, %r11}, [%r13];", 16},
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12], "
       "%r11, [%r13];",
       4},
      {"red.async.relaxed.cluster.max.s32 [%d5], %r11, [%d6];", 4},
      {"red.async.relaxed.cluster.shared::cluster.or.b32 [%r12], %r11, [%r13];", 4},
  };
  for (const auto& row : rows) {
    const std::string body = fmt::format(
        "  st.shared.u32 [%r7], 0;\n{0}"
        "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], {1}; add.u32 %r14, %r2, 1;\n"
        "  rem.u32 %r14, %r14, %r3; mad.lo.u32 %r8, %r1, {2}, %r6;\n"
        "  mapa.shared::cluster.u32 %r12, %r8, %r14; mapa.shared::cluster.u32 %r13, bar, %r14;\n"
        "  cvt.u64.u32 %d5, %r12; cvta.shared::cluster.u64 %d5, %d5; cvt.u64.u32 %d6, %r13;\n"
        "  cvta.shared::cluster.u64 %d6, %d6; mad.lo.u32 %r11, %r2, 100, %r1;\n"
        "{3}  {4}\n{5}  ld.shared.u32 %r10, [%r8];{3}",
        kInit, 16 * row.bytes, row.bytes, kMeet, row.form, kWait);
    Expect(Copies(16, 3, body), [](std::uint32_t i) { return (i / 16 + 2) % 3 * 100 + i % 16; });
  }
}

TEST(PtxCopy, ArrivalsFromOtherCtas) {
  // Rank 0 waits for a thread of each of four ranks; each has written to it before.
  const char* const forms[] = {
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13];",
      "mbarrier.arrive.shared::cluster.b64 _, [%r13], 1;",
      ("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r13], 8;"
       " mbarrier.complete_tx.shared::cluster.b64 [%r13], 8;"
       " mbarrier.arrive.shared::cluster.b64 _, [%r13];"),
      ("mbarrier.arrive.expect_tx.shared::cluster.b64 _, [%r13], 4;"
       " mbarrier.complete_tx.shared::cluster.b64 [%r13], 4;"),
      "mbarrier.arrive_drop.shared::cluster.b64 _, [%r13];",
  };
  for (const char* const form : forms) {
    const std::string body = fmt::format(
        "  @%p1 mbarrier.init.shared.b64 [bar], 4;{0}"
        "  mapa.shared::cluster.u32 %r12, s, 0; mapa.shared::cluster.u32 %r13, bar, 0;\n"
        "  mad.lo.u32 %r12, %r2, 4, %r12; @!%p1 bra D; add.u32 %r11, %r2, 50;\n"
        "  st.shared::cluster.u32 [%r12], %r11; {1}\n"
        "  setp.ne.u32 %p3, %r2, 0; @%p3 bra D;\n{2}"
        "  ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [s]; add.u32 %r10, %r10, %r11;"
        " add.u32 %r10, %r10, %r12; add.u32 %r10, %r10, %r13;\nD:{0}",
        kMeet, form, kWait);
    Expect(Copies(32, 4, body), [](std::uint32_t i) { return i == 0 ? 206 : 0; });
  }
}

TEST(PtxCopy, OrderOfOneThreadsArrivalsIsKept) {
  // An expect_tx overtaken by its complete_tx would be seen as a phase that completes too early.
  const std::string body =
      "  @%p1 mbarrier.init.shared.b64 [bar], 1;" + kMeet +
      "  mapa.shared::cluster.u32 %r13, bar, 0; setp.eq.u32 %p3, %r2, 1; and.pred %p3, %p3, %p1;\n"
      "  mov.u32 %r8, 0; @!%p3 bra D;\n"
      "L: mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r13], 64;"
      " mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r13], 64;\n"
      "  add.u32 %r8, %r8, 1; setp.lt.u32 %p4, %r8, 40; @%p4 bra L;\n"
      "  mbarrier.arrive.shared::cluster.b64 _, [%r13];\nD: setp.ne.u32 %p4, %r2, 0; @%p4 bra "
      "E;\n" +
      kWait +
      "  ld.shared.u64 %d5, [bar]; shr.u64 %d5, %d5, 63; cvt.u32.u64 %r10, %d5;\nE:" + kMeet;
  Expect(Copies(32, 2, body), [](std::uint32_t i) { return i < 32 ? 1 : 0; });
}

TEST(PtxCopy, MisuseIsNamed) {
  const struct {
    const char* body;
    const char* problem;
  } rows[] = {
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], 24, [bar];",
       "copies 24 bytes from"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s+8], [%d1], 32, [bar];",
       "size and addresses must be multiples of 16"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1+512], 1024, "
       "[bar];",
       "reads 1024 bytes at byte 512 of buffer in, which has 1024"},
      {"mapa.shared::cluster.u32 %r8, bar, 1; "
       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], 32, [%r8];",
       "which is no word of the CTA that it copies to"},
      {"mov.u16 %h1, 4; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
       ".multicast::cluster [s], [%d1], 32, [bar], %h1;",
       "copies to the CTAs 0x4 of a cluster of 2"},
      {"mapa.shared::cluster.u32 %r8, s, 1; st.async.shared::cluster.u32 [%r8], %r1, [bar];",
       "which is no word of the CTA that it stores to"},
      {"cp.async.ca.shared.global [%r7+2], [%d3], 4;", "which is not a multiple of 4"},
      {"cp.async.ca.shared.global [%r7+1200], [%d3], 4;", "of shared memory, of which the CTA has"},
  };
  for (const auto& row : rows) {
    const Ended run(Copies(1, 2, kInit + row.body + "\n"));
    EXPECT_EQ(run.outcome(), "memory_fault") << row.body;
    EXPECT_NE(run.grid().problem().find(row.problem), std::string::npos) << run.grid().problem();
    EXPECT_EQ(run.grid().faults()[0].line, 13U);
  }
}

TEST(PtxCopy, CtasThatEndTooEarly) {
  // Arrive-ons of copies are lost, and reported; copies to a CTA that has gone are a fault.
  const Ended lost(Copies(64, 1,
                          "  @%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0;\n"
                          "  cp.async.ca.shared.global [%r7], [%d3], 4;\n"
                          "  cp.async.mbarrier.arrive.noinc.shared.b64 [bar];"));
  EXPECT_EQ(lost.outcome(), "completes");
  EXPECT_EQ(lost.Hazards(Hazard::kUnfinishedAsync), 1U);
  unsigned gone = 0;
  for (std::uint64_t seed = 1; seed < 9; ++seed) {
    const Ended run(Copies(32, 2,
                           kInit + "  setp.eq.u32 %p3, %r2, 1; @%p3 bra D; xor.b32 %r14, %r2, 1;"
                                   " mapa.shared::cluster.u32 %r12, %r7, 1;"
                                   " mapa.shared::cluster.u32 %r13, bar, 1;\n"
                                   "  st.async.shared::cluster.u32 [%r12], %r1, [%r13];\nD:"),
                    "default", seed);
    const std::string& problem = run.grid().problem();
    EXPECT_EQ(run.outcome(), "memory_fault") << seed;
    if (problem.find("warp 0 of CTA (0,0,0): a copy to shared memory of the CTA with rank 1 of the "
                     "cluster, which has exited") != std::string::npos) {
      EXPECT_EQ(run.grid().faults()[0].line, 14U);
      ++gone;
    }
  }
  EXPECT_GT(gone, 0U);
  const Ended arrival(Copies(1, 2,
                             kInit + "  setp.eq.u32 %p3, %r2, 1; @%p3 ret; mapa.shared::cluster.u32"
                                     " %r13, bar, 1;\nL: mbarrier.expect_tx.relaxed.cluster"
                                     ".shared::cluster.b64 [%r13], 0; bra L;"));
  EXPECT_EQ(arrival.outcome(), "memory_fault");
  EXPECT_NE(arrival.grid().problem().find("an mbarrier operation on the CTA with rank 1 of the "
                                          "cluster, which has exited"),
            std::string::npos)
      << arrival.grid().problem();
}

TEST(PtxCopy, WaitForBytesThatNobodySendsIsADeadlock) {
  const Ended run(
      Copies(32, 1, kInit + "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n" + kWait),
      "default");
  EXPECT_EQ(run.outcome(), "deadlock");
  ASSERT_EQ(run.grid().StuckMbarriers().size(), 1U);
  EXPECT_EQ(run.grid().StuckMbarriers()[0].tx, 64);
}

TEST(CopyGroups, CountsGroupsFromTheLatest) {
  CopyGroups groups;
  const std::uint32_t a = groups.Start();
  EXPECT_TRUE(groups.Done(0, false));  // of no group yet
  EXPECT_FALSE(groups.AllDone());
  groups.Commit();
  EXPECT_FALSE(groups.Done(0, false));
  EXPECT_TRUE(groups.Done(1, false));
  const std::uint32_t b = groups.Start();
  groups.Commit();
  EXPECT_FALSE(groups.Done(1, false));
  EXPECT_FALSE(groups.DoneBefore(b));
  groups.Read(a);
  EXPECT_TRUE(groups.Done(1, true));
  groups.End(a);
  EXPECT_TRUE(groups.Done(1, false));
  EXPECT_TRUE(groups.DoneBefore(b));
  EXPECT_FALSE(groups.Done(0, false));
  groups.End(b);
  EXPECT_TRUE(groups.AllDone());
}

}  // namespace
}  // namespace muster::ptx
