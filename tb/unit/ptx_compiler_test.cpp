// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What compilers write besides plain arithmetic: stacks that grow, vectors of one element, hints to
// caches, registers that only a driver sets, scopes of inline assembly.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

std::vector<std::uint32_t> OfEachLane(std::uint32_t (*value)(std::uint32_t)) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    values.push_back(value(lane));
  }
  return values;
}

// Runs `body`, which leaves a number in %r10; of the buffer `in`, %rd1 is the address: 0, 1, 2, ...
std::string KernelOf(const std::string& body, const std::string& before = "") {
  return Header("sm_90") + before + R"(
.visible .entry test(.param .u64 in, .param .u64 out) {
  .reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd2, %rd2, %rd3;
)" + body +
         "\n  st.global.u32 [%rd2], %r10;\n  ret;\n}\n";
}

Kernel Prepared(const std::string& text) {
  Kernel kernel(text);
  std::vector<std::uint64_t> numbers(32);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i;
  }
  kernel.manifest.buffers = {MakeBuffer("in", numbers), MakeBuffer("out", Type::kU32, 32)};
  return kernel;
}

// Each lane takes as many words as its number is and 8 KiB, writes to the words, calls a function
// that does so too, and reads its own; a hundred times: too much if it were left behind.
TEST(PtxCompiler, StacksGrowAndShrink) {
  const Ended run(Prepared(KernelOf(R"(
  mov.u32 %r9, 0;
  mov.u32 %r10, 0;
AGAIN:
  stacksave.u64 %rd9;
  mad.wide.u32 %rd4, %r1, 4, 8192;
  alloca.u64 %rd5, %rd4, 64;
  and.b64 %rd6, %rd5, 63;
  cvt.u32.u64 %r11, %rd6;
  add.u32 %r10, %r10, %r11;
  mov.u32 %r2, 0;
FILL:
  setp.eq.u32 %p1, %r2, %r1;
  @%p1 bra FILLED;
  mul.wide.u32 %rd6, %r2, 4;
  add.u64 %rd7, %rd5, %rd6;
  st.local.u32 [%rd7], %r2;
  add.u32 %r2, %r2, 1;
  bra FILL;
FILLED:
  {
  .param .b32 a;
  st.param.b32 [a], %r1;
  call.uni inner, (a);
  }
  mov.u32 %r2, 0;
SUM:
  setp.eq.u32 %p1, %r2, %r1;
  @%p1 bra SUMMED;
  mul.wide.u32 %rd6, %r2, 4;
  add.u64 %rd7, %rd5, %rd6;
  cvta.local.u64 %rd7, %rd7;
  ld.u32 %r3, [%rd7];
  add.u32 %r10, %r10, %r3;
  add.u32 %r2, %r2, 1;
  bra SUM;
SUMMED:
  stackrestore.u64 %rd9;
  add.u32 %r9, %r9, 1;
  setp.lt.u32 %p1, %r9, 100;
  @%p1 bra AGAIN;
  div.u32 %r10, %r10, 100;)",
                                    R"(
.func inner(.param .b32 n) {
  .reg .b32 %r<4>; .reg .pred %p<2>;
  ld.param.u32 %r1, [n];
  alloca.u32 %r2, 64;
  st.local.u32 [%r2], 77;
  st.local.u32 [%r2+60], 77;
  ret;
}
)")));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1), OfEachLane([](std::uint32_t lane) { return lane * (lane - 1) / 2; }));
}

TEST(PtxCompiler, StacksHaveAnEnd) {
  const struct {
    const char* body;
    const char* problem;
  } rows[] = {
      {"alloca.u64 %rd4, 1048576;", "the stack is larger than 512 KiB"},
      {"alloca.u64 %rd4, -1;", "the stack is larger than 512 KiB"},
      {"MORE: alloca.u64 %rd4, 4096; bra MORE;", "the stack is larger than 512 KiB"},
      {"stackrestore.u64 %rd1;", "restores what is no stack of this function"},
  };
  for (const auto& row : rows) {
    const Ended run(Prepared(KernelOf(row.body)));
    EXPECT_EQ(run.outcome(), "memory_fault") << row.body;
    EXPECT_NE(run.grid().problem().find(row.problem), std::string::npos) << run.grid().problem();
  }
}

TEST(PtxCompiler, VectorsOfOneElement) {
  const Ended run(Prepared(KernelOf(R"(
  mul.wide.u32 %rd4, %r1, 8;
  add.u64 %rd4, %rd1, %rd4;
  mov.u32 %r10, 0x0;
  setp.gt.u32 %p1, %r1, 3;
  @%p1 ld.global.b32 { %r10 }, [ %rd4 + 0 ];
  @%p1 st.global.b32 [ %rd4 + 0 ], { %r1 };)")));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1), OfEachLane([](std::uint32_t lane) { return lane > 3 ? lane : 0; }));
}

TEST(PtxCompiler, HintsAndOrdersLoadTheSame) {
  const Ended run(Prepared(KernelOf(R"(
  mul.wide.u32 %rd4, %r1, 8;
  add.u64 %rd4, %rd1, %rd4;
  createpolicy.fractional.L2::evict_first.b64 %rd5, 1.0;
  ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.u32 %r2, [%rd4], %rd5;
  ld.mmio.relaxed.sys.global.u32 %r3, [%rd4];
  ld.volatile.global.u32 %r4, [%rd4];
  ld.relaxed.gpu.global.L1::evict_last.u32 %r5, [%rd4];
  ld.global.u32 %r6, [%rd4].unified;
  ld.weak.global.cg.v2.u32 {%r7, _}, [%rd4];
  prefetch.global.L2::evict_last [%rd4];
  prefetchu.L1 [%rd4];
  add.u32 %r10, %r2, %r3;
  add.u32 %r10, %r10, %r4;
  add.u32 %r10, %r10, %r5;
  add.u32 %r10, %r10, %r6;
  add.u32 %r10, %r10, %r7;)")));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1), OfEachLane([](std::uint32_t lane) { return 6 * lane; }));
}

TEST(PtxCompiler, RegistersOfTheDriver) {
  const Ended run(Prepared(KernelOf(R"(
  mov.b32 %r2, %envreg31;
  mov.u64 %rd4, %pm7_64;
  mov.u32 %r3, %pm0;
  cvt.u32.u64 %r5, %rd4;
  or.b32 %r10, %r2, %r3;
  or.b32 %r10, %r10, %r5;)")));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1), OfEachLane([](std::uint32_t) { return 0U; }));
}

// Each lane leaves words at both places, as headers do: they are not the CTA's own.
TEST(PtxCompiler, SharedMemoryHasAPartOfTheSystems) {
  const Ended run(Prepared(KernelOf(R"(
  .shared .align 4 .b32 own[33];
  mov.u32 %r2, own;
  mad.lo.u32 %r2, %r1, 4, %r2;
  mov.u32 %r3, %reserved_smem_offset_0;
  mad.lo.u32 %r3, %r1, 4, %r3;
  mov.u32 %r4, %reserved_smem_offset_1;
  mad.lo.u32 %r4, %r1, 16, %r4;
  st.shared.u32 [%r2], 3;
  st.shared.u32 [%r3], 40;
  st.shared.u32 [%r4], 500;
  bar.warp.sync -1;
  ld.shared.u32 %r5, [%r2];
  ld.shared.u32 %r6, [%r3];
  ld.shared.u32 %r7, [%r4];
  add.u32 %r10, %r5, %r6;
  add.u32 %r10, %r10, %r7;
  mov.u32 %r5, %reserved_smem_offset_begin;
  mov.u32 %r6, %reserved_smem_offset_cap;
  add.u32 %r5, %r5, %r6;
  mov.u32 %r6, %reserved_smem_offset_end;
  mov.u32 %r7, %aggr_smem_size;
  mov.u32 %r8, %total_smem_size;
  setp.eq.u32 %p1, %r5, %r6;
  setp.eq.and.u32 %p1, %r6, %r7, %p1;
  setp.ge.and.u32 %p1, %r8, 132, %p1;
  setp.lt.and.u32 %p1, %r8, %r7, %p1;
  @%p1 add.u32 %r10, %r10, 6000;)")));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1), OfEachLane([](std::uint32_t) { return 6543U; }));
}

// A parameter of the kernel lies in the global window, and can be asked for.
TEST(PtxCompiler, ParametersAreInTheGlobalWindow) {
  const Ended run(Prepared(KernelOf(R"(
  mov.b64 %rd4, in;
  cvta.param.u64 %rd4, %rd4;
  isspacep.param::entry %p1, %rd4;
  isspacep.global %p2, %rd4;
  isspacep.shared::cluster %p3, %rd4;
  selp.u32 %r2, 1, 0, %p1;
  selp.u32 %r3, 2, 0, %p2;
  selp.u32 %r4, 4, 0, %p3;
  or.b32 %r10, %r2, %r3;
  or.b32 %r10, %r10, %r4;)")));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1), OfEachLane([](std::uint32_t) { return 3U; }));
}

// mov takes the address of a parameter in a space of its own: ld.param takes it as it is.
TEST(PtxCompiler, ParametersHaveASpaceOfTheirOwn) {
  const Ended run(Prepared(KernelOf(R"(
  mov.b64 %rd4, in;
  isspacep.global %p1, %rd4;
  isspacep.param::entry %p2, %rd4;
  cvta.param.u64 %rd5, %rd4;
  cvta.to.param.u64 %rd6, %rd5;
  setp.eq.u64 %p3, %rd4, %rd6;
  ld.param.u64 %rd6, [%rd4];
  ld.u64 %rd5, [%rd5];
  setp.eq.and.u64 %p3, %rd5, %rd6, %p3;
  selp.u32 %r2, 1, 0, %p1;
  selp.u32 %r3, 2, 0, %p2;
  selp.u32 %r4, 4, 0, %p3;
  or.b32 %r10, %r2, %r3;
  or.b32 %r10, %r10, %r4;)")));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1), OfEachLane([](std::uint32_t) { return 4U; }));
}

// The compiler cannot know that the pointer names a constant; a store to it is a fault all the
// same.
TEST(PtxCompiler, ConstantsAreInTheGlobalWindow) {
  const std::string variables =
      ".const .align 4 .u32 numbers[4] = {3, 1, 4, 15};\n"
      ".global .align 8 .u64 pointer = generic(numbers)+8;\n";
  const std::string load = R"(
  ld.global.u64 %rd4, [pointer];
  cvta.to.global.u64 %rd4, %rd4;
  isspacep.global %p1, %rd4;
  ld.global.u32 %r10, [%rd4+4];
  @!%p1 mov.u32 %r10, 0;)";
  const Ended run(Prepared(KernelOf(load, variables)));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(1), OfEachLane([](std::uint32_t) { return 15U; }));
  const Ended store(Prepared(KernelOf(load + "\n  st.global.u32 [%rd4], %r10;", variables)));
  EXPECT_EQ(store.outcome(), "memory_fault");
}

// The same labels and registers in scopes of their own, a structure by value, a table of functions
// in constant memory.
TEST(PtxCompiler, ScopesStructuresAndTables) {
  const Ended run(Prepared(KernelOf(R"(
  mov.u32 %r10, 0;
  { .reg .pred p; .reg.b32 q;
    mov.b32 q, 3;
  LOOP: add.u32 %r10, %r10, q; setp.lt.u32 p, %r10, %r1; @p bra LOOP;
  }
  { .reg .pred p; .reg.b32 q;
    mov.b32 q, 1;
  LOOP: sub.u32 %r10, %r10, q; setp.gt.u32 p, %r10, %r1; @p bra LOOP;
  }
  and.b32 %r2, %r1, 1;
  mul.wide.u32 %rd4, %r2, 8;
  mov.u64 %rd5, table;
  add.u64 %rd5, %rd5, %rd4;
  ld.const.u64 %rd6, [%rd5];
  { // callseq 0, 0
  .reg .b32 temp_param_reg;
  .param .align 8 .b8 param0[24];
  st.param.b64 [param0+0], %rd3;
  st.param.v2.b32 [param0+16], {%r10, %r1};
  .param .align 4 .b8 retval0[8];
  prototype_0 : .callprototype (.param .align 4 .b8 _[8]) _ (.param .align 8 .b8 _[24]);
  call (retval0), %rd6, (param0), prototype_0;
  ld.param.b32 %r10, [retval0+4];
  } // callseq 0)",
                                    R"(
.weak .func (.param .align 4 .b8 func_retval0[8]) plus(.param .align 8 .b8 p0[24]) {
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [p0+16];
  ld.param.u32 %r2, [p0+20];
  add.u32 %r3, %r1, %r2;
  st.param.b32 [func_retval0+4], %r3;
  ret;
}
.visible .func (.param .align 4 .b8 func_retval0[8]) times(.param .align 8 .b8 p0[24]) {
  .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p0];
  cvt.u32.u64 %r1, %rd1;
  ld.param.u32 %r2, [p0+20];
  mul.lo.u32 %r3, %r1, %r2;
  st.param.b32 [func_retval0+4], %r3;
  ret;
}
.const .align 8 .u64 table[2] = {plus, times};
)")));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  // The first loop ends at a multiple of 3, and the second one takes one more from the lane's
  // number where it began there. Even lanes add that number, odd ones multiply it by 4 * lane.
  EXPECT_EQ(run.Words(1), OfEachLane([](std::uint32_t lane) {
              const std::uint32_t left = lane % 3 == 0 && lane != 0 ? lane - 1 : lane;
              return lane % 2 == 1 ? 4 * lane * lane : left + lane;
            }));
}

}  // namespace
}  // namespace muster::ptx
