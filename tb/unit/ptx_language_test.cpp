// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Functions through pointers, tables of branches, initialisers with addresses, and what a device
// program finds at run time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "sim/ptx/launch/report.h"
#include "sim/ptx/simt/printf.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// A kernel with one u32 for each thread, %d2 its address; the body begins in line 8 if there are no
// declarations.
Kernel WithOut(const std::string& declarations, const std::string& body,
               std::uint32_t threads = 32) {
  Kernel kernel(Header() + declarations + R"(
.visible .entry test(.param .u64 out) {
  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f64 %g<4>;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %d2, %r1, 4, %d1;
)" + body + "\n ret;\n}\n",
                threads);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, threads)};
  return kernel;
}

std::vector<std::uint32_t> Words(const Kernel& kernel) {
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  return run.Words(0);
}

const char* const kShapes = R"(
.func (.param .b32 r) square(.param .b32 x) {
  .reg .b32 %r<3>; ld.param.u32 %r1, [x]; mul.lo.u32 %r2, %r1, %r1; st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) triple(.param .b32 x) {
  .reg .b32 %r<3>; ld.param.u32 %r1, [x]; mul.lo.u32 %r2, %r1, 3; st.param.b32 [r], %r2; ret; }
.func (.param .b32 r) gauss(.param .b32 x);
.global .align 8 .u64 table[3] = {square, generic(triple), gauss};
.func (.param .b32 r) gauss(.param .b32 x) {
  .reg .b32 %r<4>; .reg .pred %p; ld.param.u32 %r1, [x]; mov.u32 %r2, 0;
L: add.u32 %r2, %r2, %r1; setp.ne.u32 %p, %r1, 0; @%p sub.u32 %r1, %r1, 1; @%p bra L;
  st.param.b32 [r], %r2; ret; }
)";

TEST(PtxLanguage, CallsThroughPointers) {
  // Lanes by turns call each of three functions, found in a table.
  const auto out = Words(WithOut(kShapes, R"(
  rem.u32 %r2, %r1, 3; mul.wide.u32 %d3, %r2, 8; mov.u64 %d4, table; add.u64 %d4, %d4, %d3;
  ld.global.u64 %d5, [%d4];
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
    prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), %d5, (a), prototype; ld.param.b32 %r3, [b]; }
  st.global.u32 [%d2], %r3;)"));
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i % 3 == 0 ? i * i : i % 3 == 1 ? 3 * i : i * (i + 1) / 2) << i;
  }
}

TEST(PtxLanguage, CallTargetsAndAliases) {
  const auto out = Words(WithOut(std::string(kShapes) + R"(
.func (.param .b32 r) cube(.param .b32 x);
.alias cube, triple;
.func (.reg .u32 r) next(.reg .u32 x) { add.u32 r, x, 1; ret; }
)",
                                 R"(
  mov.u64 %d3, square; mov.u64 %d4, cube; setp.lt.u32 %p1, %r1, 10; selp.b64 %d5, %d3, %d4, %p1;
  targets: .calltargets square, triple;
  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1;
    call (b), %d5, (a), targets; ld.param.b32 %r3, [b]; }
  mov.u64 %d6, next; proto: .callprototype (.reg .u32 _) _ (.reg .u32 _);
  call.uni (%r4), %d6, (%r3), proto;
  st.global.u32 [%d2], %r4;)"));
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], (i < 10 ? i * i : 3 * i) + 1) << i;
  }
}

TEST(PtxLanguage, WildPointersAreFaults) {
  const struct {
    const char* body;
    const char* problem;
  } rows[] = {
      {"mov.u64 %d3, 0x1000;", "calls 0x1000, where there is no function"},
      {"mov.u64 %d3, none;", "calls none through a pointer to another kind of function"},
  };
  for (const auto& row : rows) {
    const Ended run(WithOut(".func none() { ret; }\n", std::string(row.body) + R"(
  { .param .b32 a; p: .callprototype _ (.param .b32 _); call %d3, (a), p; })"));
    EXPECT_EQ(run.outcome(), "memory_fault");
    EXPECT_NE(run.grid().problem().find(row.problem), std::string::npos) << run.grid().problem();
  }
}

TEST(PtxLanguage, BranchTables) {
  const std::string body = R"(
  and.b32 %r2, %r1, 3;
  ts: .branchtargets A, B, C, A;
  @%p7 brx.idx %r2, ts;
  brx.idx %r2, ts;
A: mov.u32 %r3, 10; bra DONE;
B: mov.u32 %r3, 20; bra.uni DONE;
C: mov.u32 %r3, 30;
DONE: st.global.u32 [%d2], %r3;)";
  const auto out = Words(WithOut("", body));
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i % 4 == 1 ? 20U : i % 4 == 2 ? 30U : 10U) << i;
  }
  const Ended run(WithOut("", "ts: .branchtargets A; brx.idx %r1, ts;\nA: "));
  EXPECT_EQ(run.outcome(), "memory_fault");
  EXPECT_NE(run.grid().problem().find("branches to target 1, where there are 1"), std::string::npos)
      << run.grid().problem();
}

TEST(PtxLanguage, InitialisersOfAllKinds) {
  // Addresses by bytes, an array that has the size of its initialiser, nested braces, a structure
  // in constant memory that points into global memory.
  const auto out = Words(WithOut(R"(
.global .align 4 .u32 values[] = {7, 11, 0x10, 0b11};
.global .align 8 .b8 packed[8] = {0xFF(values), 0xFF00(values), 0xFF0000(values),
  0xFF000000(values), 0xFF00000000(generic(values)), 0xFF0000000000(values),
  0xFF000000000000(values), 0xFF00000000000000(values)};
.const .align 8 .u64 where = generic(values)+8;
.global .align 8 .f64 reals[2][2] = {{0d3FF0000000000000, 2.5}, {-1e1, 0f3F000000}};
)",
                                 R"(
  ld.global.u64 %d3, [packed]; ld.u32 %r2, [%d3+4];
  ld.const.u64 %d4, [where]; ld.u32 %r3, [%d4];
  ld.global.f64 %g1, [reals+8]; ld.global.f64 %g2, [reals+24]; mul.f64 %g1, %g1, %g2;
  ld.global.f64 %g2, [reals+16]; sub.f64 %g1, %g1, %g2; cvt.rpi.u32.f64 %r4, %g1;
  mad.lo.u32 %r5, %r2, 100, %r3; mad.lo.u32 %r5, %r5, 100, %r4; st.global.u32 [%d2], %r5;)"));
  EXPECT_EQ(out[5], (11U * 100 + 16) * 100 + 12);
}

// What a pointer points to may be aligned to less than the pointer.
TEST(PtxLanguage, AlignmentOfWhatAParameterPointsTo) {
  Kernel kernel(Header() + R"(
.visible .entry test(.param .u64 .ptr .global .align 1 out, .param .u32 .ptr .shared n,
                     .param .u64 .ptr .align 2 last) {
  .reg .b32 %r; .reg .b64 %d<2>;
  ld.param.u64 %d0, [out]; ld.param.u32 %r, [n]; st.global.u32 [%d0], %r;
  ld.param.u64 %d1, [last]; ld.param.u64 %d1, [out+16]; st.global.u64 [%d0+8], %d1; ret; }
)",
                1);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 4)};
  kernel.manifest.arguments = {{"out"}, {"", Type::kU32, 7}, {"", Type::kU64, 9}};
  EXPECT_EQ(Ended(kernel).Words(0), (std::vector<std::uint32_t>{7, 0, 9, 0}));
}

TEST(PtxLanguage, RegistersThatAreVectors) {
  const auto out = Words(WithOut(".global .align 16 .v4 .u32 four = {1, 20, 300, 4000};",
                                 R"(
  .reg .v4 .u32 v; .reg .v2 .b32 w; .shared .align 8 .b8 s[16];
  ld.global.v4.u32 v, [four]; mov.b32 w.x, v.z; add.u32 w.y, v.x, v.w;
  st.shared.v2.b32 [s], w; ld.shared.u32 %r2, [s+4]; add.u32 %r2, %r2, w.r; add.u32 %r2, %r2, v.g;
  st.global.u32 [%d2], %r2;)"));
  EXPECT_EQ(out[0], 4321U);
}

TEST(PtxLanguage, DebugLinesAndDirectivesAreTolerated) {
  const auto out = Words(WithOut(R"(
.file 1 "/a/b.cu", 1700000000, 300
.pragma "nounroll";
.visible .global .attribute(.unified(0x1234, 0x5678)) .u32 unified;
.section .debug_str { info: .b8 115, 109, 95 , 0
  .b32 info+3
}
.extern .func (.param .b32 r) unused(.param .b64 a) .noreturn;
.weak .func other() .noreturn { trap; }
)",
                                 R"(
  .loc 1 10 3, function_name info, inlined_at 1 20 4
  .pragma "used_bytes_mask 15";
  $L__tmp0: mov.u32 %r2, 3; $L__BB0_1: st.global.u32 [%d2], %r2;)"));
  EXPECT_EQ(out[0], 3U);
}

TEST(PtxLanguage, SharedMemoryIsThatOfOneKernel) {
  // What other kernels of the file have, and what only functions that are not called have, takes no
  // place; what is reached through a table of functions does.
  const std::string text = Header() + R"(
.shared .align 4 .b8 of_a[40000];
.shared .align 4 .b8 of_b[30000];
.extern .shared .align 16 .b8 dynamic[];
.func used() { .shared .b8 s[100]; .reg .b32 %r; ld.shared.u32 %r, [of_b]; ret; }
.func unused() { .shared .b8 s[20000]; ret; }
.global .u64 table[1] = {used};
.visible .entry a() { .reg .b32 %r; ld.shared.u32 %r, [of_a]; ld.shared.u32 %r, [dynamic]; ret; }
.visible .entry b() { .reg .b64 %d; ld.global.u64 %d, [table];
  p: .callprototype _ (); call %d, p; ret; }
)";
  Kernel kernel(text, 32);
  kernel.manifest.kernel = "a";
  const Ended a(kernel);
  EXPECT_EQ(a.outcome(), "completes");
  EXPECT_EQ(a.session().program().static_shared, 40000U);
  EXPECT_TRUE(a.session().program().has_dynamic_shared);
  kernel.manifest.kernel = "b";
  const Ended b(kernel);
  EXPECT_EQ(b.outcome(), "completes") << b.grid().problem();
  EXPECT_EQ(b.session().program().static_shared, 30100U);
  EXPECT_FALSE(b.session().program().has_dynamic_shared);
}

TEST(PtxLanguage, MallocAndFree) {
  const std::string runtime = R"(
.extern .func (.param .b64 r) malloc(.param .b64 bytes);
.extern .func free(.param .b64 p);
)";
  const std::string allocate = R"(
  { .param .b64 a; .param .b64 b; st.param.b64 [a], 16; call.uni (b), malloc, (a);
    ld.param.b64 %d3, [b]; }
)";
  const std::string release = "  { .param .b64 a; st.param.b64 [a], %d3; call.uni free, (a); }\n";
  const auto out = Words(WithOut(runtime, allocate + R"(
  st.u32 [%d3+12], %r1; bar.sync 0; ld.u32 %r2, [%d3+12]; st.global.u32 [%d2], %r2;)" +
                                              release));
  std::vector<std::uint32_t> own(32);
  std::iota(own.begin(), own.end(), 0);
  EXPECT_EQ(out, own);
  const struct {
    std::string body;
    const char* problem;
  } rows[] = {
      {allocate + "ld.u32 %r2, [%d3+16];", "reads 4 bytes at byte 16 of memory from malloc"},
      {allocate + release + "ld.u32 %r2, [%d3];", "of memory that was freed"},
      {allocate + release + release, "which malloc has not given"},
      {"mov.u64 %d3, %d1;" + release, "which malloc has not given"},
  };
  for (const auto& row : rows) {
    const Ended run(WithOut(runtime, row.body));
    EXPECT_EQ(run.outcome(), "memory_fault");
    EXPECT_NE(run.grid().problem().find(row.problem), std::string::npos) << run.grid().problem();
  }
  const auto too_much = Words(WithOut(runtime, R"(
  { .param .b64 a; .param .b64 b; st.param.b64 [a], 0x10000000; call.uni (b), malloc, (a);
    ld.param.b64 %d3, [b]; } setp.eq.u64 %p1, %d3, 0; selp.u32 %r2, 1, 0, %p1;
  st.global.u32 [%d2], %r2;)"));
  EXPECT_EQ(too_much[31], 1U);
}

TEST(PtxLanguage, PrintsInTheOrderOfTheLanes) {
  const Ended run(WithOut(R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[16] = {108, 97, 110, 101, 32, 37, 117, 58, 32, 37, 103, 37, 37, 10};
)",
                          R"(
  .local .align 8 .b8 args[16];
  setp.ge.u32 %p1, %r1, 2; @%p1 bra DONE;
  st.local.u32 [args], %r1; st.local.f64 [args+8], 0d3FF8000000000000;
  mov.u64 %d3, args; cvta.local.u64 %d3, %d3; mov.u64 %d4, text; cvta.global.u64 %d4, %d4;
  { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d4; st.param.b64 [a], %d3;
    call.uni (r), vprintf, (f, a); ld.param.b32 %r3, [r]; }
  st.global.u32 [%d2], %r3;
DONE:)"));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.grid().printed().text(), "lane 0: 1.5%\nlane 1: 1.5%\n");
  EXPECT_EQ(run.Words(0)[1], 2U);
}

// A lane prints lines of 2045 bytes; what is beyond 2^20 bytes is counted and said.
TEST(PtxPrintf, WhatIsNotKeptIsSaid) {
  constexpr unsigned kKept = 1U << 20;
  constexpr unsigned kLine = 4 * 511 + 1;
  constexpr unsigned kLines = 520;
  const Ended run(WithOut(R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[22] = {37, 53, 49, 49, 117, 37, 53, 49, 49, 117,
  37, 53, 49, 49, 117, 37, 53, 49, 49, 117, 10};
)",
                          R"(
  .local .align 8 .b8 args[16];
  setp.ne.u32 %p1, %r1, 0; @%p1 bra DONE;
  mov.u64 %d3, args; cvta.local.u64 %d3, %d3; mov.u64 %d4, text; cvta.global.u64 %d4, %d4;
  mov.u32 %r2, 520;  // lines
AGAIN:
  { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d4; st.param.b64 [a], %d3;
    call.uni (r), vprintf, (f, a); }
  sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra AGAIN;
DONE:)"));
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.grid().printed().text().size(), kKept);
  EXPECT_EQ(run.grid().printed().lost(), kLine * kLines - kKept);
  EXPECT_NE(TextReport(run.session(), run.verdict(), {})
                .find(fmt::format("The kernel has printed {} bytes more, which are not kept.\n",
                                  kLine * kLines - kKept)),
            std::string::npos);
}

TEST(PtxPrintf, Conversions) {
  std::vector<std::uint64_t> arguments;
  const auto next = [&](unsigned) {
    const std::uint64_t value = arguments.front();
    arguments.erase(arguments.begin());
    return value;
  };
  const auto text_at = [](std::uint64_t at) { return at == 1 ? "one" : "other"; };
  constexpr std::size_t kShown = 511;  // characters of a conversion
  const std::string long_ones = std::string(kShown - 1, ' ') + "7|8" +
                                std::string(kShown - 1, ' ') + "|" + std::string(kShown - 1, '0') +
                                "9";
  const struct {
    const char* format;
    std::vector<std::uint64_t> arguments;
    std::string text;
  } rows[] = {
      {"plain", {}, "plain"},
      {"%d|%5i|%-4u|%04x|%X|%o", {0xffffffff, 7, 8, 0xab, 0xcd, 8}, "-1|    7|8   |00ab|CD|10"},
      {"%lld %lu %hhd %hu",
       {~std::uint64_t{0}, 1ULL << 40, 0x1ff, 0x12345},
       "-1 1099511627776 -1 9029"},
      {"%.2f %e %g",
       {0x3ff8000000000000, 0x3ff8000000000000, 0x3ff8000000000000},
       "1.50 1.500000e+00 1.5"},
      {"[%s] [%5s] [%.2s]", {1, 1, 2}, "[one] [  one] [ot]"},
      {"%c%c %p %%", {'h', 'i', 0x10}, "hi 0x10 %"},
      {"%*d|%.*f", {4, 7, 1, 0x3ff8000000000000}, "   7|1.5"},
      {"%*d|%.*f|",
       {~std::uint64_t{3}, 7, ~std::uint64_t{0}, 0x3ff8000000000000},
       "7   |1.500000|"},
      {"%2000000000d|%-999999999999d|%.1000000000d", {7, 8, 9}, long_ones},
      {"%*u", {0x7fffffff, 7}, long_ones.substr(0, kShown)},
      {"%*u", {0x80000000, 8}, long_ones.substr(kShown + 1, kShown)},
      {"%y %", {}, "%y %"},
  };
  for (const auto& row : rows) {
    arguments = row.arguments;
    EXPECT_EQ(FormatPrintf(row.format, next, text_at), row.text);
    EXPECT_TRUE(arguments.empty()) << row.format;
  }
}

}  // namespace
}  // namespace muster::ptx
