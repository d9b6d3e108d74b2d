// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Memory in its spaces, calls with their stacks, atomics, and accesses that reach outside.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// A kernel with one u32 buffer `out`, %d1 its address and %d2 that of the thread's element.
Kernel WithMemory(const std::string& declarations, const std::string& body,
                  std::uint32_t threads = 32) {
  Kernel kernel(Header() + declarations + R"(
.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<8>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %d2, %r1, 4, %d1;
)" + body + "\n ret;\n}\n",
                threads);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, threads)};
  return kernel;
}

std::vector<std::uint32_t> Iota(std::uint32_t count, std::uint32_t first = 0) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(PtxMemory, NarrowLoadsExtend) {
  const Ended run(WithMemory(".const .align 4 .b8 bytes[4] = {1, 0x80, 0xff, 0x7f};", R"(
  ld.const.s8 %r2, [bytes+1]; st.global.u32 [%d1], %r2;
  ld.const.u8 %r3, [bytes+1]; st.global.u32 [%d1+4], %r3;
  ld.const.s16 %r4, [bytes+0]; st.global.u32 [%d1+8], %r4;
  ld.const.u8 %h1, [bytes+2]; cvt.u32.u16 %r5, %h1; st.global.u32 [%d1+12], %r5;
  ld.const.s8 %h1, [bytes+2]; cvt.u32.u16 %r5, %h1; st.global.u32 [%d1+16], %r5;
  ld.const.u8 %d5, [bytes+3]; st.global.u32 [%d1+20], %d5;
  mov.u32 %r6, 0x12345678; st.global.u8 [%d1+24], %r6; st.global.u16 [%d1+28], %r6;)"));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  const auto out = run.Words(0);
  EXPECT_EQ(out[0], 0xffffff80U);
  EXPECT_EQ(out[1], 0x80U);
  EXPECT_EQ(out[2], 0xffff8001U);
  EXPECT_EQ(out[3], 0xffU);
  EXPECT_EQ(out[4], 0xffffU);
  EXPECT_EQ(out[5], 0x7fU);
  EXPECT_EQ(out[6], 0x78U);
  EXPECT_EQ(out[7], 0x5678U);
}

TEST(PtxMemory, VectorsAndGenericAddresses) {
  const Ended run(WithMemory(
      ".global .align 16 .u32 table[4] = {10, 20, 30, 40}; .global .u64 where = generic(table)+4;",
      R"(
  .shared .align 16 .b8 s[512]; .local .align 16 .b8 l[16];
  ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [table];
  mov.u64 %d3, l; cvta.local.u64 %d3, %d3;
  st.v2.u32 [%d3], {%r2, %r3}; st.v2.u32 [%d3+8], {%r4, %r5};
  mov.u64 %d4, s; mul.wide.u32 %d5, %r1, 16; add.u64 %d4, %d4, %d5;
  ld.local.v2.u64 {%d6, %d7}, [l]; st.shared.v2.u64 [%d4], {%d6, %d7};
  cvta.shared.u64 %d8, %d4; ld.u32 %r6, [%d8+12];
  ld.global.u64 %d9, [where]; ld.u32 %r7, [%d9];
  isspacep.shared %p1, %d8; isspacep.local %p2, %d3; isspacep.global %p3, %d9;
  add.u32 %r6, %r6, %r7; @%p1 add.u32 %r6, %r6, 100; @%p2 add.u32 %r6, %r6, 200;
  @%p3 add.u32 %r6, %r6, 400; cvta.to.shared.u64 %d10, %d8; sub.u64 %d10, %d10, %d4;
  cvt.u32.u64 %r8, %d10; add.u32 %r6, %r6, %r8; add.u32 %r6, %r6, %r1;
  st.global.u32 [%d2], %r6;)"));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(0), Iota(32, 40 + 20 + 700));
}

TEST(PtxMemory, ParametersOfAllSizes) {
  Kernel kernel(Header() + R"(
.visible .entry test(.param .u8 a, .param .s16 b, .param .f32 c, .param .u64 d, .param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .f32 %f<2>;
  ld.param.u8 %r1, [a]; ld.param.s16 %r2, [b]; ld.param.f32 %f1, [c]; ld.param.u64 %d1, [d];
  ld.param.u64 %d2, [out]; cvt.rzi.s32.f32 %r3, %f1;
  mov.b64 %d4, d; ld.param.u64 %d5, [%d4]; sub.u64 %d5, %d5, %d1; cvt.u32.u64 %r5, %d5;
  add.s32 %r1, %r1, %r2; add.s32 %r1, %r1, %r3; cvt.u32.u64 %r4, %d1; add.s32 %r1, %r1, %r4;
  add.s32 %r1, %r1, %r5; st.global.u32 [%d2], %r1;
})",
                1);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 1)};
  kernel.manifest.arguments = {{"", Type::kU8, 200},
                               {"", Type::kS16, 0xfffb},
                               {"", Type::kF32, 0x42280000},
                               {"", Type::kU64, 1000},
                               {"out", Type::kU64, 0}};
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(0)[0], 200U - 5 + 42 + 1000);
}

TEST(PtxMemory, CallsAndRecursion) {
  const std::string functions = R"(
.func (.param .b32 r) factorial(.param .b32 n) {
  .reg .b32 %r<4>; .reg .pred %p; .local .b32 spill;
  ld.param.u32 %r1, [n]; st.local.u32 [spill], %r1;
  setp.lt.u32 %p, %r1, 2; @%p bra LEAF;
  sub.u32 %r2, %r1, 1;
  { .param .b32 a; .param .b32 b; st.param.b32 [a+0], %r2; call (b), factorial, (a);
    ld.param.b32 %r3, [b+0]; }
  ld.local.u32 %r1, [spill]; mul.lo.u32 %r3, %r3, %r1;
  st.param.b32 [r+0], %r3; ret;
LEAF: st.param.b32 [r+0], 1; ret;
}
.func (.reg .u32 r) twice(.reg .u32 x) { add.u32 r, x, x; ret; }
)";
  const Ended run(WithMemory(functions, R"(
  rem.u32 %r2, %r1, 8;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), factorial, (a);
    ld.param.b32 %r3, [b]; }
  call (%r4), twice, (%r3);
  st.global.u32 [%d2], %r4;)"));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  const auto out = run.Words(0);
  std::uint32_t factorial = 1;
  for (std::uint32_t n = 0; n < 8; ++n) {
    if (n > 0) {
      factorial *= n;
    }
    for (std::uint32_t lane = n; lane < 32; lane += 8) {
      EXPECT_EQ(out[lane], 2 * factorial);
    }
  }
}

TEST(PtxMemory, EndlessRecursionIsAFault) {
  const Ended run(WithMemory(".func f() { .local .b8 l[1024]; call f; ret; }", "call f;"));
  EXPECT_EQ(run.outcome(), "memory_fault");
  EXPECT_NE(run.grid().problem().find("512 KiB"), std::string::npos);
}

TEST(PtxMemory, Atomics) {
  const Ended run(WithMemory(".global .u32 g; .global .u64 big;", R"(
  .shared .u32 s;
  red.global.add.u32 [g], %r1; red.shared.max.u32 [s], %r1; red.global.add.u64 [big], 3;
  bar.sync 0;
  atom.global.inc.u32 %r2, [g], 100000;
  atom.shared.or.b32 %r3, [s], 0x100;
  atom.global.cas.b64 %d5, [big], 192, 5; atom.global.exch.b64 %d6, [big], 6;
  bar.sync 0;
  ld.global.u32 %r2, [g]; ld.shared.u32 %r3, [s]; ld.global.u64 %d5, [big];
  cvt.u32.u64 %r4, %d5; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r1;
  st.global.u32 [%d2], %r2;)",
                             64));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(0), Iota(64, 2016 + 64 + (63 | 256) + 6));
}

TEST(PtxMemory, DynamicSharedMemory) {
  const std::string declaration = ".extern .shared .align 16 .b8 dyn[];";
  const std::string body = R"(
  .shared .b8 before[100];
  mov.u32 %r2, dyn; mad.lo.u32 %r2, %r1, 4, %r2; st.shared.u32 [%r2], %r1; bar.sync 0;
  xor.b32 %r3, %r1, 63; mov.u32 %r4, dyn; mad.lo.u32 %r4, %r3, 4, %r4; ld.shared.u32 %r5, [%r4];
  add.u32 %r5, %r5, %r1; st.global.u32 [%d2], %r5;)";
  Kernel kernel = WithMemory(declaration, body, 64);
  kernel.manifest.dynamic_shared = 256;
  EXPECT_EQ(Ended(kernel).Words(0), std::vector<std::uint32_t>(64, 63));
  kernel.manifest.dynamic_shared.reset();  // what is left of 48 KiB
  EXPECT_EQ(Ended(kernel).Words(0), std::vector<std::uint32_t>(64, 63));
  kernel.manifest.dynamic_shared = 252;
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "memory_fault");
}

TEST(PtxMemory, FaultsNameThreadLineAndPlace) {
  const struct {
    std::string body;
    std::string problem;
  } rows[] = {
      {"add.u64 %d2, %d2, 4; st.global.u32 [%d2], %r1;",
       "thread (31,0,0) of CTA (0,0,0): writes 4 bytes at byte 128 of buffer out, which has 128"},
      {"ld.global.u32 %r2, [%d1+-4];",
       "thread (0,0,0) of CTA (0,0,0): reads 4 bytes at byte -4 of buffer out"},
      {"ld.global.u32 %r2, [%d1+2];",
       "thread (0,0,0) of CTA (0,0,0): reads 4 bytes at 0x10000000002, which is not a multiple of "
       "4"},
      {"mov.u64 %d3, 0; ld.u8 %r2, [%d3];",
       "thread (0,0,0) of CTA (0,0,0): reads 1 byte at 0x0, where there is no memory"},
      {".shared .b8 s[8]; ld.shared.u32 %r2, [s+8];",
       "thread (0,0,0) of CTA (0,0,0): reads 4 bytes at byte 8 of shared memory, of which the CTA "
       "has 8"},
      {".local .b8 l[16]; st.local.v4.u32 [l+16], {%r1, %r1, %r1, %r1};",
       "thread (0,0,0) of CTA (0,0,0): writes 16 bytes at byte 16 of local memory, which is not "
       "the thread's"},
      {"mov.u64 %d3, out; cvta.param.u64 %d3, %d3; st.u32 [%d3], %r1;",
       "thread (0,0,0) of CTA (0,0,0): writes 4 bytes at byte 0 of the kernel's parameters, which "
       "that instruction cannot reach"},
      {"atom.global.add.u32 %r2, [%d1+128], 1;",
       "thread (0,0,0) of CTA (0,0,0): writes 4 bytes at byte 128 of buffer out, which has 128"},
  };
  for (const auto& row : rows) {
    const Ended run(WithMemory("", row.body));
    EXPECT_EQ(run.outcome(), "memory_fault") << row.body;
    EXPECT_EQ(run.grid().problem().substr(0, row.problem.size()), row.problem);
    ASSERT_EQ(run.grid().faults().size(), 1U);
    EXPECT_EQ(run.grid().faults()[0].line, 8U);
    EXPECT_EQ(static_cast<int>(run.verdict().code), 5);
  }
}

// Compilers carry out an atomic of one byte on the aligned word around it, which the end of the
// allocation cuts.
TEST(PtxMemory, WordsAroundTheLastByte) {
  // The third thread of a warp sets its byte of three; the others look on.
  const std::string swap = R"(
  mov.u32 %r9, 0; setp.ne.u32 %p1, %r1, 2; @%p1 bra E; mov.u64 %d5, 2;
  add.u64 %d4, %d3, %d5; and.b64 %d6, %d4, -4; and.b64 %d5, %d4, 3; cvt.u32.u64 %r3, %d5;
  shl.b32 %r3, %r3, 3; mov.u32 %r4, 255; shl.b32 %r4, %r4, %r3; ld.relaxed.cta.u32 %r5, [%d6];
L: or.b32 %r6, %r5, %r4; mov.u32 %r7, %r5; atom.cas.b32 %r5, [%d6], %r7, %r6;
  setp.ne.u32 %p1, %r5, %r7; @%p1 bra L; ld.u8 %r9, [%d4];
E: st.global.u32 [%d2], %r9;)";
  const std::string places[] = {
      ".shared .align 1 .b8 v[3]; mov.u64 %d3, v; cvta.shared.u64 %d3, %d3;",
      "mov.u64 %d3, file; cvta.global.u64 %d3, %d3;", "ld.param.u64 %d3, [more];"};
  for (const std::string& place : places) {
    std::string text = Header() + R"(.global .align 1 .b8 file[3];
.visible .entry test(.param .u64 out, .param .u64 more) {
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<9>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %d2, %r1, 4, %d1;
  )";
    Kernel kernel(text.append(place).append(swap).append(" ret; }"));
    kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 32), MakeBuffer("more", Type::kU8, 3)};
    const Ended run(kernel);
    ASSERT_EQ(run.outcome(), "completes") << place << run.grid().problem();
    EXPECT_EQ(run.Words(0)[2], 255U) << place;
    if (place.find("more") != std::string::npos) {
      EXPECT_EQ(run.session().Contents(1), (std::vector<std::uint8_t>{0, 0, 255}));
    }
  }
}

// The rest of the granule reads as zeroes and stays so; what only stores, is a vector or lies
// beyond the end as a whole is refused.
TEST(PtxMemory, BeyondTheLastByteNothingChanges) {
  const struct {
    const char* body;
    const char* problem;  // empty: none
  } rows[] = {
      {"ld.u32 %r2, [%d3]; setp.ne.u32 %p1, %r2, 7; @%p1 trap;", ""},
      {"ld.u64 %d4, [%d3]; setp.ne.u64 %p1, %d4, 7; @%p1 trap;", ""},
      {"atom.add.u32 %r2, [%d3], 1; ld.u8 %r3, [%d3]; setp.ne.u32 %p1, %r3, 8; @%p1 trap;", ""},
      {"atom.cas.b32 %r2, [%d3], 5, 0xffffffff;", ""},
      {"atom.add.u32 %r2, [%d3], 256;", "writes 4 bytes at byte 0 of buffer v, which has 1"},
      {"atom.exch.b32 %r2, [%d3], -1;", "writes 4 bytes at byte 0 of buffer v, which has 1"},
      {"st.u32 [%d3], %r1;", "writes 4 bytes at byte 0 of buffer v, which has 1"},
      {"ld.v2.u32 {%r2, %r3}, [%d3];", "reads 8 bytes at byte 0 of buffer v, which has 1"},
      {"ld.u8 %r2, [%d3+1];", "reads 1 byte at byte 1 of buffer v, which has 1"},
      {"ld.u32 %r2, [%d3+4];", "reads 4 bytes at byte 4 of buffer v, which has 1"},
      {"ld.u32 %r2, [%d3+-4];", "reads 4 bytes at byte -4 of buffer v"},
  };
  for (const auto& row : rows) {
    Kernel kernel(Header() + R"(.visible .entry test(.param .u64 v) {
  .reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %d<9>; ld.param.u64 %d3, [v]; mov.u32 %r1, 9;
  )" + row.body + " ret; }",
                  1);
    Buffer v = MakeBuffer("v", Type::kU8, 1);
    v.initial = {7};
    kernel.manifest.buffers = {v};
    const Ended run(kernel);
    EXPECT_EQ(run.outcome(), *row.problem == '\0' ? "completes" : "memory_fault") << row.body;
    EXPECT_NE(run.grid().problem().find(row.problem), std::string::npos) << run.grid().problem();
  }
}

// The text has atomics in global and shared memory, and vectors of them in global memory alone.
TEST(PtxMemory, AtomicsByGenericAddress) {
  const struct {
    const char* body;
    const char* problem;
  } rows[] = {
      {"red.add.v2.f32 [%d3], {%f1, %f1};",
       "writes 8 bytes at 0x4000000000 in shared memory, but vectors of atomics are for global "
       "memory only"},
      {"atom.add.v4.f32 {%f1, %f2, %f3, %f4}, [%d3], {%f1, %f1, %f1, %f1};", "vectors of atomics"},
      {"atom.add.noftz.v2.f16x2 {%r2, %r3}, [%d3], {%r1, %r1};", "vectors of atomics"},
      {"atom.add.u32 %r2, [%d4], 1;", "in local memory, where there are no atomics"},
      {"atom.add.f32 %f2, [%d3], %f1; atom.add.noftz.f16x2 %r2, [%d3], %r1;", ""},
      {"red.add.v2.f32 [%d5], {%f1, %f1};", ""},
  };
  for (const auto& row : rows) {
    Kernel kernel(R"(.version 8.1
.target sm_90
.address_size 64
.visible .entry test(.param .u64 v) {
  .reg .b32 %r<12>; .reg .b64 %d<9>; .reg .f32 %f<5>; .shared .align 16 .b8 s[32];
  .local .align 16 .b8 l[32]; ld.param.u64 %d5, [v]; mov.u64 %d3, s; cvta.shared.u64 %d3, %d3;
  mov.u64 %d4, l; cvta.local.u64 %d4, %d4; mov.f32 %f1, 0f3F800000; mov.u32 %r1, 0;
  )" + std::string(row.body) +
                      " ret; }",
                  1);
    kernel.manifest.buffers = {MakeBuffer("v", Type::kF32, 2)};
    const Ended run(kernel);
    EXPECT_EQ(run.outcome(), *row.problem == '\0' ? "completes" : "memory_fault") << row.body;
    EXPECT_NE(run.grid().problem().find(row.problem), std::string::npos) << run.grid().problem();
  }
}

// fence.proxy.tensormap::generic.acquire: "the address must fall within the .global state space".
TEST(PtxMemory, TensorMapFencesAreForGlobalMemory) {
  const auto run = [](const std::string& body) {
    Kernel kernel(R"(.version 8.3
.target sm_90
.address_size 64
.visible .entry test(.param .u64 v) {
  .reg .b64 %d<9>; .shared .align 16 .b8 s[128]; ld.param.u64 %d5, [v]; mov.u64 %d3, s;
  cvta.shared.u64 %d3, %d3;
  fence.proxy.tensormap::generic.acquire.gpu )" +
                      body + ", 128; ret; }",
                  1);
    kernel.manifest.buffers = {MakeBuffer("v", Type::kU32, 32)};
    return Ended(kernel);
  };
  EXPECT_EQ(run("[%d5]").outcome(), "completes");
  const Ended shared = run("[%d3]");
  EXPECT_EQ(shared.outcome(), "memory_fault");
  EXPECT_NE(shared.grid().problem().find(
                "fence.proxy.tensormap of 0x4000000000, which is not in global memory"),
            std::string::npos)
      << shared.grid().problem();
}

TEST(PtxMemory, AssertHasItsText) {
  const Ended run(WithMemory(
      ".global .b8 what[6] = {105, 32, 60, 32, 110, 0}; .global .b8 file[5] = {97, 46, 99, 117, 0};"
      ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,"
      ".param .b64 e);",
      R"(
  setp.ne.u32 %p1, %r1, 5; @%p1 ret;
  { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
    mov.u64 %d3, what; st.param.b64 [a], %d3; mov.u64 %d3, file; st.param.b64 [b], %d3;
    st.param.b32 [c], 42; call __assertfail, (a, b, c, d, e); })"));
  EXPECT_EQ(run.outcome(), "assert");
  EXPECT_EQ(run.grid().problem(),
            "thread (5,0,0) of CTA (0,0,0): a.cu:42: assertion \"i < n\" failed");
}

}  // namespace
}  // namespace muster::ptx
