// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Values that are not known, since an instruction is accepted and not computed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_tensor_kernel.h"

namespace muster::ptx {
namespace {

// %r1 is the thread, %d1 where its word of `out` is; %r8 and %r9 are unknown.
const std::string kSparse =
    "  mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.f32.e2m1."
    "e2m1.f32.ue8m0 {%f4, %f5, %f6, %f7}, {%r1, %r1, %r1, %r1}, {%r1, %r1, %r1, %r1}, {%f0, %f1, "
    "%f2, %f3}, %r1, 0x0, %r1, {0, 0}, %r1, {0, 0}; mov.b32 %r8, %f4; mov.b32 %r9, %f5;\n";
std::string OpaqueBody(const std::string& body, const std::string& target = "sm_120a") {
  return ".version 8.7\n.target " + target + R"(
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 8 .u32 g[32];
.global .align 1 .b8 text[4] = {37, 117, 10, 0};
.func (.reg .b32 %back) pass(.reg .b32 %in) { mov.b32 %back, %in; ret; }
.func (.param .b32 back) pass_in_memory(.param .b32 in) {
  .reg .b32 %r1; ld.param.b32 %r1, [in]; st.param.b32 [back], %r1; ret;
}
.visible .entry test(.param .u64 out) {
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<8>; .reg .f32 %f<8>;
  .shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar; .local .align 8 .b8 l[16];
  .reg .b16 %h<4>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %d1, %r1, 4, %d1; mov.u32 %r2, s;
)" + (target == "sm_120a" ? kSparse : "") +
         body + "  ret;\n}\n";
}

Kernel Expecting(const std::string& ptx, std::uint32_t value) {
  Kernel kernel(ptx);
  Buffer out = MakeBuffer("out", Type::kU32, 32);
  out.expected.emplace(128);
  for (unsigned i = 0; i < 32; ++i) {
    std::memcpy(&(*out.expected)[4 * i], &value, sizeof value);
  }
  kernel.manifest.buffers = {out};
  return kernel;
}

struct Way {
  const char* name;
  const char* body;  // from %r8 or %r9 to %r3
};
std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.name; }
class PtxOpaqueWay : public testing::TestWithParam<Way> {};

// The upper half of the threads stores what is known, and right but for one.
TEST_P(PtxOpaqueWay, LeadsToTheResult) {
  const Ended run(Expecting(OpaqueBody(std::string("  ") + GetParam().body +
                                       "\n  setp.ge.u32 %p1, %r1, 16; @%p1 mov.u32 %r3, 7;\n"
                                       "  setp.eq.u32 %p1, %r1, 20; @%p1 mov.u32 %r3, 8;\n"
                                       "  st.global.u32 [%d1], %r3;\n"),
                            7));
  const Verdict verdict = run.verdict();
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(verdict.code, ExitCode::kDiffers);
  ASSERT_EQ(verdict.differences.size(), 1U);
  const std::string& told = verdict.differences[0];
  EXPECT_EQ(told.rfind("of buffer out 16 of 32 elements are not known, as they depend on what "
                       "mma.sp::ordered_metadata.sync.aligned.m16n8k64",
                       0),
            0U)
      << told;
  EXPECT_NE(
      told.find("test.ptx:16) has written, which is not computed; and buffer out differs in 1 of "
                "32 elements: [20] is 8, not 7"),
      std::string::npos)
      << told;
}

INSTANTIATE_TEST_SUITE_P(
    All, PtxOpaqueWay,
    testing::Values(
        Way{"sum", "add.u32 %r3, %r8, 1;"}, Way{"product", "mul.lo.u32 %r3, %r1, %r9;"},
        Way{"selection", "selp.b32 %r3, %r8, %r1, 1;"},
        Way{"predicate", "setp.gt.u32 %p2, %r8, 5; selp.b32 %r3, 1, 7, %p2;"},
        Way{"predicates",
            "setp.gt.u32 %p2, %r8, 5; setp.eq.or.u32 %p3, %r1, %r1, %p2; selp.b32 %r3, 7, 7, %p3;"},
        Way{"guard", "setp.gt.u32 %p2, %r8, 5; mov.u32 %r3, 7; @%p2 add.u32 %r3, %r3, 1;"},
        Way{"negation", "mov.b32 %r3, %r9; not.b32 %r3, %r3;"},
        Way{"conversion", "cvt.u64.u32 %d3, %r9; cvt.u32.u64 %r3, %d3;"},
        Way{"parts", "mov.b32 {%h1, %h2}, %r8; mov.b32 %r3, {%h2, %h1};"},
        Way{"carry", "add.cc.u32 %r4, %r8, %r8; addc.u32 %r3, %r1, 0;"},
        Way{"shuffle", "shfl.sync.idx.b32 %r3, %r8, 0, 31, -1;"},
        Way{"vote", "setp.gt.u32 %p2, %r8, 5; vote.sync.ballot.b32 %r3, %p2, -1;"},
        Way{"vote_of_one",
            "setp.eq.u32 %p3, %r1, 3; mov.u32 %r3, 1; selp.b32 %r3, %r8, %r3, %p3; setp.ne.u32 "
            "%p2, %r3, 0; vote.sync.all.pred %p2, %p2, -1; selp.b32 %r3, 1, 7, %p2;"},
        Way{"match", "match.any.sync.b32 %r3, %r8, -1;"},
        Way{"reduction", "redux.sync.add.u32 %r3, %r9, -1;"},
        Way{"stack", "st.local.u32 [l], %r8; ld.local.u32 %r3, [l];"},
        Way{"half_of_a_word",
            "st.local.u32 [l], 0; mov.b32 {%h1, %h2}, %r8; st.local.u16 [l+2], %h1; ld.local.u32 "
            "%r3, [l];"},
        Way{"shared",
            "mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], %r9; ld.shared.u32 %r3, [%r4];"},
        Way{"generic",
            "cvta.shared.u64 %d3, s; mad.wide.u32 %d3, %r1, 4, %d3; st.u32 [%d3], %r9; "
            "mad.lo.u32 %r4, %r1, 4, %r2; ld.shared.u32 %r3, [%r4];"},
        Way{"global",
            "mov.u64 %d3, g; mad.wide.u32 %d3, %r1, 4, %d3; st.global.u32 [%d3], %r8; "
            "ld.global.u32 %r3, [%d3];"},
        Way{"vector",
            "mov.u32 %r4, 1; st.local.v2.u32 [l], {%r4, %r8}; ld.local.v2.u32 {%r4, %r3}, [l]; "
            "bar.warp.sync -1; setp.eq.u32 %p2, %r4, 1; @!%p2 trap;"},
        Way{"one_store_of_many",
            "setp.eq.u32 %p2, %r1, 7; mov.u32 %r4, 7; selp.b32 %r4, %r9, %r4, %p2; st.shared.u32 "
            "[s], %r4; ld.shared.u32 %r3, [s];"},
        Way{"atomic",
            "mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], 5; atom.shared.add.u32 %r3, [%r4], "
            "%r8; ld.shared.u32 %r3, [%r4];"},
        Way{"atomic_result",
            "mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], %r8; atom.shared.exch.b32 %r3, "
            "[%r4], 7;"},
        Way{"atomic_of_a_later_lane",
            "setp.eq.u32 %p2, %r1, 31; mov.u32 %r4, 0; selp.b32 %r4, %r9, %r4, %p2; "
            "atom.global.add.u32 %r3, [g], %r4;"},
        Way{"reduction_in_memory",
            "mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], 5; red.shared.max.u32 [%r4], %r8; "
            "ld.shared.u32 %r3, [%r4];"},
        Way{"swap",
            "mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], 0; atom.shared.cas.b32 %r3, [%r4], "
            "%r8, 7; ld.shared.u32 %r3, [%r4];"},
        Way{"copy",
            "mov.u64 %d3, g; mad.wide.u32 %d3, %r1, 4, %d3; st.global.u32 [%d3], %r8; mad.lo.u32 "
            "%r4, %r1, 4, %r2; cp.async.ca.shared.global [%r4], [%d3], 4; cp.async.wait_all; "
            "ld.shared.u32 %r3, [%r4];"},
        Way{"bulk_copy",
            "mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], %r8; bar.sync 0; "
            "fence.proxy.async; setp.eq.u32 %p2, %r1, 0; mov.u64 %d3, g; @%p2 "
            "cp.async.bulk.global.shared::cta.bulk_group [%d3], [s], 128; "
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bar.sync 0; mad.wide.u32 "
            "%d3, %r1, 4, %d3; ld.global.u32 %r3, [%d3];"},
        Way{"bulk_reduction",
            "mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], %r8; bar.sync 0; "
            "fence.proxy.async; setp.eq.u32 %p2, %r1, 0; mov.u64 %d3, g; @%p2 "
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d3], [s], 128; "
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bar.sync 0; mad.wide.u32 "
            "%d3, %r1, 4, %d3; ld.global.u32 %r3, [%d3];"},
        Way{"matrix_load",
            "mad.lo.u32 %r4, %r1, 16, %r2; st.shared.u32 [%r4], %r8; bar.warp.sync -1; "
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r4];"},
        Way{"matrix_store",
            "mad.lo.u32 %r4, %r1, 16, %r2; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {%r9}; "
            "bar.warp.sync -1; mad.lo.u32 %r4, %r1, 4, %r2; ld.shared.u32 %r3, [%r4];"},
        Way{"matrix_product",
            "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r3, %r4}, {%r1, %r1}, {%r8}, {%r1, "
            "%r1};"},
        Way{"sum_of_products",
            "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r8, %r9}, {%r1, %r1}, {%r1}, {%r8, "
            "%r9}; mov.u32 %r3, %r8;"},
        Way{"in_place", "shfl.sync.bfly.b32 %r8, %r8, 1, 31, -1; mov.u32 %r3, %r8;"},
        Way{"atomic_in_place",
            "mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], 5; atom.shared.add.u32 %r8, [%r4], "
            "%r8; ld.shared.u32 %r3, [%r4];"},
        Way{"product_after_lanes_came_apart",
            "mov.u32 %r5, 0; setp.lt.u32 %p2, %r1, 16; @%p2 bra L; nanosleep.u32 100; mov.u32 "
            "%r5, %r9; L: mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r3, %r4}, {%r1, %r1}, "
            "{%r5}, {%r1, %r1};"},
        Way{"shuffle_after_lanes_came_apart",
            "mov.u32 %r5, 0; setp.lt.u32 %p2, %r1, 16; @%p2 bra L; nanosleep.u32 100; mov.u32 "
            "%r5, %r9; L: shfl.sync.idx.b32 %r3, %r5, 31, 31, -1;"},
        Way{"atomic_between_known_ones",
            "mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], 5; atom.shared.add.u32 %r3, [%r4], "
            "1; "
            "red.shared.add.u32 [%r4], %r8; red.shared.add.u32 [%r4], 1; ld.shared.u32 %r3, "
            "[%r4];"},
        Way{"call", "call (%r3), pass, (%r8);"},
        Way{"call_in_memory",
            "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r8; call (b), pass_in_memory, (a); "
            "ld.param.b32 %r3, [b]; }"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PtxOpaque, AKnownValueReplacesIt) {
  for (const std::string way :
       {"mov.u32 %r8, 7;", "xor.b32 %r8, %r1, %r1; add.u32 %r8, %r8, 7;",
        "st.local.u32 [l], %r8; st.local.u32 [l], 7; ld.local.u32 %r8, [l];",
        "mad.lo.u32 %r4, %r1, 4, %r2; st.shared.u32 [%r4], %r9; st.shared.u32 [%r4], 7;"
        " ld.shared.u32 %r8, [%r4];",
        "shfl.sync.idx.b32 %r5, %r8, 0, 31, -1; mov.u32 %r5, 7; shfl.sync.idx.b32 %r8, %r5, 0, 31, "
        "-1;",
        "call (%r8), pass, (%r8); mov.u32 %r9, 7; call (%r8), pass, (%r9);",
        "st.shared.u32 [%r2], %r9; bar.warp.sync -1; st.bulk.weak.shared::cta [%r2], 8, 0; "
        "bar.warp.sync -1; ld.shared.u32 %r8, [%r2]; add.u32 %r8, %r8, 7;"}) {
    const Ended run(Expecting(OpaqueBody("  " + way + " st.global.u32 [%d1], %r8;\n"), 7));
    EXPECT_EQ(run.verdict().code, ExitCode::kAsExpected) << way;
  }
}

// What another lane has does not matter to one that reads its own.
TEST(PtxOpaque, AShuffleOfOthersIsKnown) {
  const Ended run(Expecting(
      OpaqueBody("  setp.ge.u32 %p1, %r1, 16; @%p1 mov.u32 %r8, 7; shfl.sync.bfly.b32 %r3, %r8, 1, "
                 "31, -1; setp.lt.u32 %p1, %r1, 16; @%p1 mov.u32 %r3, 7; st.global.u32 [%d1], "
                 "%r3;\n"),
      7));
  EXPECT_EQ(run.verdict().code, ExitCode::kAsExpected) << run.verdict().differences[0];
}

struct Use {
  const char* name;
  const char* body;
  const char* says;
};
std::ostream& operator<<(std::ostream& out, const Use& use) { return out << use.name; }
class PtxOpaqueUse : public testing::TestWithParam<Use> {};

TEST_P(PtxOpaqueUse, EndsTheRun) {
  Kernel kernel(OpaqueBody(GetParam().body));
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 32)};
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "fault:unknown_value") << run.grid().problem();
  EXPECT_NE(run.grid().problem().find(GetParam().says), std::string::npos) << run.grid().problem();
  EXPECT_NE(run.grid().problem().find("test.ptx:16) has written, which is not computed"),
            std::string::npos)
      << run.grid().problem();
}

INSTANTIATE_TEST_SUITE_P(
    All, PtxOpaqueUse,
    testing::Values(
        Use{"guarded_store", "setp.eq.u32 %p1, %r8, 0; @%p1 st.global.u32 [%d1], 1;",
            "has a guard"},
        Use{"branch", "setp.eq.u32 %p1, %r8, 0; @%p1 bra L; mov.u32 %r3, 1; L:", "has a guard"},
        Use{"branch_of_one_lane",
            "setp.eq.u32 %p2, %r1, 9; selp.b32 %r3, %r8, %r1, %p2; setp.eq.u32 %p1, %r3, 0; @%p1 "
            "bra L; mov.u32 %r3, 1; L:",
            "thread (9,0,0) of CTA (0,0,0): has a guard"},
        Use{"branch_on_a_vote",
            "setp.eq.u32 %p1, %r8, 0; vote.sync.any.pred %p1, %p1, -1; @%p1 bra L; mov.u32 %r3, 1; "
            "L:",
            "has a guard"},
        Use{"indexed_branch", "L: T: .branchtargets L; brx.idx %r8, T;", "has an operand"},
        Use{"load", "ld.shared.u32 %r3, [%r8];", "reads at an address"},
        Use{"store", "st.shared.u32 [%r8], 1;", "writes at an address"},
        Use{"atomic", "atom.shared.add.u32 %r3, [%r9], 1;", "swaps at an address"},
        Use{"barrier", "barrier.sync %r8;", "has an operand"},
        Use{"barrier_count", "barrier.sync 1, %r8;", "has an operand"},
        Use{"barrier_reduction", "setp.eq.u32 %p1, %r8, 0; bar.red.popc.u32 %r3, 0, %p1;",
            "has an operand"},
        Use{"members", "bar.warp.sync %r8;", "has an operand"},
        Use{"mbarrier", "mbarrier.init.shared.b64 [bar], %r8;", "has an operand"},
        Use{"mbarrier_address", "mbarrier.init.shared.b64 [%r8], 1;", "has an operand"},
        Use{"mbarrier_parity",
            "mbarrier.init.shared.b64 [bar], 1; mbarrier.test_wait.parity.shared.b64 %p1, [bar], "
            "%r8;",
            "has an operand"},
        Use{"mbarrier_bytes",
            "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 %d3, [bar], "
            "%r8;",
            "has an operand"},
        Use{"copy", "cp.async.ca.shared.global [s], [%d1], 4, %r8;", "has an operand"},
        Use{"bulk_size",
            "mbarrier.init.shared.b64 [bar], 1; "
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], %r8, "
            "[bar];",
            "has an operand"},
        Use{"matrix_address", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r8];",
            "reads at an address"},
        Use{"lane", "shfl.sync.idx.b32 %r3, %r1, %r8, 31, -1;", "has an operand"},
        Use{"sleep", "nanosleep.u32 %r8;", "has an operand"},
        Use{"stack", "cvt.u64.u32 %d3, %r8; alloca.u64 %d3, %d3;", "has an operand"},
        Use{"through_memory",
            "st.shared.u32 [s], %r8; ld.shared.u32 %r3, [s]; setp.eq.u32 %p1, %r3, 0; @%p1 bra L; "
            "mov.u32 %r3, 1; L:",
            "has a guard"},
        Use{"print",
            "{ .param .b64 f; .param .b64 a; .param .b32 r; st.local.u32 [l], %r8; "
            "cvta.global.u64 %d3, text; st.param.b64 [f], %d3; cvta.local.u64 %d4, l; "
            "st.param.b64 [a], %d4; call (r), vprintf, (f, a); }",
            "is given a value on its stack"}),
    [](const auto& info) { return std::string(info.param.name); });

// Of 32 columns, in which there are zeroes at first: how many cells are unknown after `body`.
// %d4 describes a matrix of zeroes in shared memory.
unsigned UnknownCells(const std::string& body) {
  Kernel kernel(TensorPrologue(32) + R"(
  mov.u32 %r20, 0; mov.u32 %r21, %r10;
ZERO: tcgen05.st.sync.aligned.32x32b.x1.b32 [%r21], {%r20};
  add.u32 %r21, %r21, 1; sub.u32 %r22, %r21, %r10;
  setp.lt.u32 %p5, %r22, 32; @%p5 bra ZERO;
  tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0;
  tcgen05.fence::after_thread_sync;
  mov.u32 %r22, data; shr.b32 %r22, %r22, 4; cvt.u64.u32 %d4, %r22;
  or.b64 %d4, %d4, 0x0000400800080000;
)" + body + TensorEpilogue(32, 32),
                kTensorThreads);
  Buffer out = MakeBuffer("out", Type::kU32, kTensorThreads * 32);
  out.expected = out.initial;
  kernel.manifest.buffers = {MakeBuffer("in", Type::kU32, 1), out};
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "completes") << body << run.grid().problem();
  const auto differences = run.verdict().differences;
  if (differences.empty()) {
    return 0;
  }
  unsigned cells = 0;
  EXPECT_EQ(std::sscanf(differences[0].c_str(), "of buffer out %u of 4096", &cells), 1)
      << differences[0];
  EXPECT_EQ(differences[0].find("differs"), std::string::npos) << differences[0];
  return cells;
}
std::string TensorProductBy(const char* what, const char* operands) {
  return fmt::format("  @%p1 tcgen05.mma{}.cta_group::1.kind::f16 [%r10], %d4, %d4, {};\n", what,
                     operands);
}

TEST(PtxOpaque, SpreadsThroughTensorMemory) {
  const std::string m128 = "0x08080010";  // f16, sums of f32, N 32
  const std::string sparse = TensorProductBy(".sp", "[%r10+16], 0x08080014, 0");
  const std::string load =
      "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r23}, [%r10+2]; "
      "tcgen05.wait::ld.sync.aligned;\n";
  const std::string quarter = TensorProductBy(".ws.sp", "[%r10+16], 0x02080014, 0");
  const unsigned all = 4096;
  EXPECT_EQ(UnknownCells(TensorProductBy("", (m128 + ", 0").c_str()) + kCommitAndWait), 0U);
  EXPECT_EQ(UnknownCells(sparse + kCommitAndWait), all);
  // A product that adds to it, and one that does not.
  EXPECT_EQ(UnknownCells(sparse + TensorProductBy("", (m128 + ", 1").c_str()) + kCommitAndWait),
            all);
  EXPECT_EQ(UnknownCells(sparse + TensorProductBy("", (m128 + ", 0").c_str()) + kCommitAndWait),
            0U);
  // Lanes that a product leaves as they were.
  EXPECT_EQ(UnknownCells(sparse + TensorProductBy("", (m128 + ", {1, 0, 0, 0}, 0").c_str()) +
                         kCommitAndWait),
            all);
  // Half of the columns, half of the rows in all lanes, a quarter of the rows.
  EXPECT_EQ(UnknownCells(TensorProductBy(".sp", "[%r10+16], 0x08040014, 0") + kCommitAndWait),
            all / 2);
  EXPECT_EQ(UnknownCells(TensorProductBy(".sp", "[%r10+16], 0x04080014, 0") + kCommitAndWait),
            all / 2);
  EXPECT_EQ(UnknownCells(TensorProductBy(".ws.sp", "[%r10+16], 0x04080014, 0") + kCommitAndWait),
            all / 2);
  EXPECT_EQ(UnknownCells(quarter + kCommitAndWait), all / 4);
  // Registers take it elsewhere; known ones replace it.
  EXPECT_EQ(UnknownCells(sparse + kCommitAndWait + load +
                         "  tcgen05.st.sync.aligned.32x32b.x2.b32 [%r10], {%r20, %r20};\n"),
            all - 2 * 128);
  EXPECT_EQ(UnknownCells(quarter + kCommitAndWait + load +
                         "  tcgen05.st.sync.aligned.32x32b.x1.b32 [%r10+20], {%r23};\n"),
            all / 4 + 128);
  EXPECT_EQ(UnknownCells(quarter + kCommitAndWait + load +
                         "  setp.lt.u32 %p5, %r1, 37; selp.b32 %r23, %r20, %r23, %p5; "
                         "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r10+20], {%r20};\n"),
            all / 4);
  // An operand in shared memory, and one in tensor memory.
  EXPECT_EQ(UnknownCells(
                sparse + kCommitAndWait + load +
                "  st.shared.u32 [data], %r23; fence.proxy.async; bar.sync 0;\n" +
                TensorProductBy("", (m128 + ", 0").c_str()) +
                "  @%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                "[mbar];\nW: mbarrier.try_wait.parity.shared.b64 %p3, [mbar], 1; @!%p3 bra W;\n"),
            all);
  EXPECT_EQ(
      UnknownCells(quarter +
                   "  @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r10+16], [%r10], %d4, 0x08040010, "
                   "0;\n" +
                   kCommitAndWait),
      all / 4 + all / 2);
}

// Through the network, and the unit of the CTA that it goes to.
TEST(PtxOpaque, GoesToOtherCtas) {
  for (const char* const form :
       {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6], %r8, [%r7];",
        "red.async.relaxed.cluster.shared::cluster.max.u32 [%r6], %r8, [%r7];"}) {
    Kernel kernel(OpaqueBody(
        "  setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [bar], 1;\n"
        "  mad.lo.u32 %r10, %r1, 4, %r2; st.shared.u32 [%r10], 5;" +
        kMeet +
        "  mov.u32 %r5, %cluster_ctarank; setp.eq.u32 %p2, %r5, 0; @!%p2 bra WAIT;\n"
        "  mapa.shared::cluster.u32 %r6, %r10, 1; mapa.shared::cluster.u32 %r7, bar, 1;\n"
        "  setp.lt.u32 %p1, %r1, 9; @!%p1 mov.u32 %r8, 6;\n  " +
        form +
        "\n  ret;\nWAIT: @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"
        "W: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra W;\n"
        "  ld.shared.u32 %r3, [%r10]; st.global.u32 [%d1], %r3;\n"));
    kernel.manifest.grid = {2, 1, 1};
    kernel.manifest.cluster = {2, 1, 1};
    Buffer out = MakeBuffer("out", Type::kU32, 32);
    out.expected.emplace(128);
    for (unsigned i = 0; i < 32; ++i) {
      (*out.expected)[std::size_t{4} * i] = 6;
    }
    kernel.manifest.buffers = {out};
    const Ended run(kernel);
    EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
    ASSERT_EQ(run.verdict().differences.size(), 1U) << form;
    EXPECT_EQ(run.verdict().differences[0].rfind("of buffer out 9 of 32 elements are not known", 0),
              0U)
        << run.verdict().differences[0];
  }
}

// Forms of which the text does not say how they are made, of kinds that are computed otherwise.
TEST(PtxOpaque, ProductsThatTheTextLeavesOpen) {
  const auto of = [](const char* form) {
    return UnknownCells(
        fmt::format("  mov.u64 %d5, 0x8000000000;\n  @%p1 tcgen05.mma.{};\n", form) +
        kCommitAndWait);
  };
  // A mask of columns; rows of A that are shifted; A in tensor memory beside a D in all lanes.
  EXPECT_EQ(of("ws.cta_group::1.kind::f16 [%r10], %d4, %d4, 0x02100010, 0, %d5"), 16U * 128);
  EXPECT_EQ(of("ws.cta_group::1.kind::f16 [%r10], %d4, %d4, 0x02100010, 0, 0"), 0U);
  EXPECT_EQ(of("cta_group::1.kind::f16.ashift [%r10], [%r10+16], %d4, 0x08040010, 0"), 16U * 128);
  EXPECT_EQ(of("cta_group::1.kind::f16 [%r10], [%r10+16], %d4, 0x08040010, 0"), 0U);
  EXPECT_EQ(of("ws.cta_group::1.kind::f16 [%r10], [%r10], %d4, 0x04100010, 0"), 32U * 128);
  // K of 96.
  EXPECT_EQ(of("cta_group::1.kind::mxf4.block_scale [%r10], %d4, %d4, 0x88840480, [%r10+16], "
               "[%r10+20], 0"),
            16U * 128);
}

}  // namespace
}  // namespace muster::ptx
