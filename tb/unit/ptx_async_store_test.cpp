// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// st.async and red.async to other CTAs, and copies there: what the unit of the target makes of
// them, and what they follow.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/golden/atomics.h"
#include "sim/ptx/runtime/on_pins/remote_order.h"
#include "sim/ptx/simt/warp.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kAsyncSeeds = 9;
constexpr std::uint32_t kPairs = 8;

// A cluster of `ctas`. %r1 is the thread, %r2 its rank, %p1 whether it is thread 0; %d1 is `in`,
// and %d2 its word of `out`. Each CTA has eight-byte words, s, and an mbarrier of one arrival; %r7
// is the thread's word, %r12 and %r13 are s and bar of rank 0. The body begins in line 12.
Kernel InCluster(std::uint32_t threads, std::uint32_t ctas, const std::string& body,
                 const std::vector<std::uint64_t>& in) {
  Kernel kernel(R"(.version 8.6
.target sm_100
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out) {
  .reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %d<12>;
  .shared .align 16 .b64 s[64]; .shared .align 8 .b64 bar;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  mov.u32 %r4, %ntid.x; mad.lo.u32 %r4, %r2, %r4, %r1; mad.wide.u32 %d2, %r4, 8, %d2;
  mov.u32 %r6, s; mad.lo.u32 %r7, %r1, 8, %r6; setp.eq.u32 %p1, %r1, 0; mov.u64 %d10, 0;
  mapa.shared::cluster.u32 %r12, s, 0; mapa.shared::cluster.u32 %r13, bar, 0;
  @%p1 mbarrier.init.shared.b64 [bar], 1;
)" + body + "\n  st.global.u64 [%d2], %d10; ret;\n}\n",
                threads);
  kernel.manifest.grid = {ctas, 1, 1};
  kernel.manifest.cluster = {ctas, 1, 1};
  kernel.manifest.buffers = {MakeBuffer("in", in),
                             MakeBuffer("out", Type::kU64, std::uint64_t{threads} * ctas)};
  return kernel;
}

struct Reduction {
  const char* form;
  AtomicOp op;
  bool is_signed;
  bool wide;  // 64 bits
};
std::ostream& operator<<(std::ostream& out, const Reduction& of) { return out << of.form; }
class PtxAsyncReduction : public testing::TestWithParam<Reduction> {};

// Thread k of rank 1 reduces the word of thread k of rank 0 by the second of a pair of numbers.
TEST_P(PtxAsyncReduction, IsThatOfTheGoldenModel) {
  const auto& [form, op, is_signed, wide] = GetParam();
  const std::vector<std::uint64_t> pairs = {
      0,      0,          5,          3,          7,
      7,      0x7fffffff, 1,          0x80000000, 0xffffffff,
      0x1234, 0xff00ff00, ~0ULL << 1, 3,          std::uint64_t{1} << 63,
      ~0ULL};
  const unsigned bytes = wide ? 8 : 4;
  const std::string type = wide ? "b64" : "b32";
  const char* const number = wide ? "%d4" : "%r10";
  const std::string body = fmt::format(
      "  mad.wide.u32 %d3, %r1, 16, %d1; ld.global.u64 %d5, [%d3]; st.shared.u64 [%r7], %d5;\n"
      "  ld.global.u64 %d4, [%d3+8]; cvt.u32.u64 %r10, %d4; setp.eq.u32 %p3, %r2, 0;\n{0}"
      "  @%p3 bra WAIT; mad.lo.u32 %r12, %r1, 8, %r12;\n"
      "  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{1} [%r12], {2}, "
      "[%r13]; bra END;\n"
      "WAIT: @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], {3};\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n"
      "  ld.shared.{4} {5}, [%r7];\nEND:{6}",
      kMeet, form, number, kPairs * bytes, type, wide ? "%d10" : "%r11",
      wide ? "" : " cvt.u64.u32 %d10, %r11;");
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Ended run(InCluster(kPairs, 2, "  mov.u32 %r11, 0;\n" + body, pairs), "default", seed);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    const std::vector<std::uint64_t> out = run.Longs(1);
    const std::uint64_t mask = wide ? ~0ULL : 0xffffffff;
    for (std::uint32_t k = 0; k < kPairs; ++k) {
      EXPECT_EQ(out[k], golden::CombineAtomic(op, wide ? AtomicSize::k64 : AtomicSize::k32,
                                              is_signed, pairs[std::size_t{2} * k] & mask,
                                              pairs[std::size_t{2} * k + 1] & mask, 0))
          << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PtxAsyncReduction,
                         testing::Values(Reduction{"add.u32", AtomicOp::kAdd, false, false},
                                         Reduction{"add.s32", AtomicOp::kAdd, true, false},
                                         Reduction{"add.u64", AtomicOp::kAdd, false, true},
                                         Reduction{"inc.u32", AtomicOp::kInc, false, false},
                                         Reduction{"dec.u32", AtomicOp::kDec, false, false},
                                         Reduction{"min.u32", AtomicOp::kMin, false, false},
                                         Reduction{"min.s32", AtomicOp::kMin, true, false},
                                         Reduction{"max.u32", AtomicOp::kMax, false, false},
                                         Reduction{"max.s32", AtomicOp::kMax, true, false},
                                         Reduction{"and.b32", AtomicOp::kAnd, false, false},
                                         Reduction{"or.b32", AtomicOp::kOr, false, false},
                                         Reduction{"xor.b32", AtomicOp::kXor, false, false}),
                         [](const auto& info) {
                           std::string name = info.param.form;
                           return name.replace(name.find('.'), 1, "_");
                         });

// All threads of three other CTAs add to one word, and to its neighbour's half of the eight bytes.
TEST(PtxAsyncStore, ArithmeticIsPerformedBeforeItsBytesAreCounted) {
  const std::string body =
      "  st.shared.u64 [%r7], 0; setp.eq.u32 %p3, %r2, 0;" + kMeet +
      "  @%p3 bra WAIT; add.u32 %r8, %r1, 1;\n"
      "  red.async.relaxed.cluster.shared::cluster.add.u32 [%r12], %r8, [%r13];\n"
      "  red.async.relaxed.cluster.shared::cluster.add.u32 [%r12+4], 1, [%r13]; bra END;\n"
      "WAIT: @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 768;\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n"
      "  ld.shared.u64 %d10, [s];\nEND:";
  for (std::uint64_t seed = 1; seed <= kAsyncSeeds; ++seed) {
    for (const char* const config : {"small", "default", "full"}) {
      const Ended run(InCluster(32, 4, body, {0}), config, seed);
      ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
      ASSERT_EQ(run.Longs(1)[31], std::uint64_t{96} << 32 | 3 * 32 * 33 / 2) << seed << config;
      EXPECT_TRUE(run.grid().hazards().empty());
    }
  }
}

// At an mbarrier of the CTA that they go to: an arrival that completes a phase, and then bytes that
// the next phase will expect. In the former phase they would hold it up for ever. The operations of
// all lanes that come first keep the arrival from being performed at once.
TEST(PtxAsyncStore, ComesAfterWhatItsThreadHasSentThere) {
  const char* const forms[] = {
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%r12], {%d4, %d5}, [%r13];",
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r12], %d4, [%r13];\n"
      "  red.async.relaxed.cluster.shared::cluster.add.u64 [%r12+8], %d5, [%r13];",
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r12], [s], 16, "
      "[%r13];",
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r12], [%d1], 16, "
      "[%r13];",
      "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 "
      "[%r12], [s], 16, [%r13];",
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], "
      "[%d1], 16, [bar], %h1;"};
  for (const std::string form : forms) {
    const std::string body = fmt::format(
        "  .reg .b16 %h<2>; mov.u16 %h1, 1; setp.eq.u32 %p3, %r2, 0; ld.global.u64 %d4, [%d1];\n"
        "  ld.global.u64 %d5, [%d1+8]; mov.u64 %d6, 0; @%p3 st.shared.v2.u64 [s], {{%d6, %d6}};\n"
        "  @!%p3 st.shared.v2.u64 [s], {{%d4, %d5}}; fence.proxy.async;\n"
        "  @%p1 mbarrier.init.shared.b64 [s+504], 1;\n{0}  @%p3 bra WAIT;\n"
        "  mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r12+504], 1;\n"
        "  @!%p1 bra END;\n"
        "  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13];\n  {1}\n  bra END;\n"
        "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;\n"
        "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;\n"
        "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1; @!%p2 bra W;\n"
        "  ld.shared.v2.u64 {{%d7, %d8}}, [s]; add.u64 %d10, %d7, %d8;\nEND: {0}",
        kMeet, form);
    for (std::uint64_t seed = 1; seed <= kAsyncSeeds; ++seed) {
      const Ended run(InCluster(32, 2, body, {300, 7}), seed % 2 == 0 ? "small" : "default", seed);
      ASSERT_EQ(run.outcome(), "completes") << form << seed << run.grid().problem();
      EXPECT_EQ(run.Longs(1)[0], 307U) << form << seed;
    }
  }
}

// ------------------------------------------------------------------------------------------------
// The order at the target
// ------------------------------------------------------------------------------------------------

Transfer Sent(std::uint32_t line, bool updates, Cta* to, std::uint32_t addr = 0) {
  Transfer sent;
  sent.to = to;
  sent.line = line;
  sent.update.valid = updates;
  sent.update.addr = addr;
  return sent;
}

TEST(RemoteOrder, WhatFollowsAnUpdateWaitsForItsCommit) {
  Cta cta;
  Cta other;
  RemoteOrder order;
  order.Push(Sent(1, false, &cta));
  EXPECT_EQ(order.TakeDue()->line, 1U);
  order.Push(Sent(2, true, &cta));
  order.Push(Sent(3, false, &other));
  order.Push(Sent(4, true, &cta));
  EXPECT_FALSE(order.TakeDue());
  EXPECT_EQ(order.Reaching(&other)->line, 3U);
  order.Commit(Sent(2, true, &cta));
  EXPECT_EQ(order.TakeDue()->line, 2U);
  EXPECT_EQ(order.TakeDue()->line, 3U);
  EXPECT_FALSE(order.TakeDue());
  EXPECT_EQ(order.Reaching(&other), nullptr);
  EXPECT_EQ(order.Reaching(&cta)->line, 4U);
  order.Commit(Sent(4, true, &cta));
  EXPECT_EQ(order.TakeDue()->line, 4U);
}

// Updates of different banks, or of different CTAs, commit in any order; those at one place in
// that in which they came.
TEST(RemoteOrder, WhatFollowsAnUpdateWaitsForThatOne) {
  constexpr std::uint32_t kOther = 16;  // in another bank
  Cta cta;
  Cta other;
  RemoteOrder order;
  order.Push(Sent(1, true, &cta));
  order.Push(Sent(2, true, &cta, kOther));
  order.Push(Sent(3, true, &other));
  order.Push(Sent(4, true, &cta));
  order.Commit(Sent(2, true, &cta, kOther));
  EXPECT_FALSE(order.TakeDue());
  order.Commit(Sent(3, true, &other));
  EXPECT_FALSE(order.TakeDue());
  order.Commit(Sent(1, true, &cta));
  for (std::uint32_t line = 1; line <= 3; ++line) {
    EXPECT_EQ(order.TakeDue()->line, line);
  }
  EXPECT_FALSE(order.TakeDue());
  order.Commit(Sent(4, true, &cta));
  EXPECT_EQ(order.TakeDue()->line, 4U);
}

TEST(RemoteOrder, FourWaitAtMost) {
  Cta cta;
  RemoteOrder order;
  for (std::uint32_t line = 0; line < 4; ++line) {
    EXPECT_TRUE(order.TakesRemote());
    order.Push(Sent(line, true, &cta));
  }
  EXPECT_FALSE(order.TakesRemote());
  order.Commit(Sent(0, true, &cta));
  EXPECT_EQ(order.TakeDue()->line, 0U);
  EXPECT_TRUE(order.TakesRemote());
}

}  // namespace
}  // namespace muster::ptx
