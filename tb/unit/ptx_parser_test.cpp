// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What is PTX and what is not, and what a user is told.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

Program LinkText(const std::string& text, const std::string& kernel = "") {
  return Link(*Parse("f.ptx", text), kernel);
}

std::string SyntaxRefusal(const std::string& text, const std::string& kernel = "") {
  try {
    LinkText(text, kernel);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// A kernel with some registers around `body`, which begins in line 5.
std::string Body(const std::string& body, const std::string& target = "sm_80") {
  return Header(target) +
         ".visible .entry k(.param .u64 q) { .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; "
         ".reg .b64 %d<8>; .reg .f32 %f<4>; .shared .align 8 .b8 s[64];\n" +
         body + "\n}\n";
}

TEST(PtxParser, Accepts) {
  const std::vector<std::string> bodies = {
      "ret;",
      "",
      "// a comment\n/* another\n one */ ret;",
      ".loc 1 23 5\n.pragma \"nounroll\";\nret;",
      "mov.u32 %r1, 0x1F; mov.u32 %r1, 017; mov.u32 %r1, 0b101; mov.u32 %r1, 12U;",
      "mov.u32 %r1, -1; mov.u32 %r1, WARP_SZ;",
      "mov.f32 %f1, 0f3F800000; mov.f32 %f1, 1.5; mov.f32 %f1, 1e-3; mov.f32 %f1, -2.5e+2;",
      "ld.shared.u32 %r1, [s+4]; ld.shared.u32 %r1, [%r2+-4]; ld.shared.u32 %r1, [%d1];",
      "ld.shared.u32 %r1, [16];",
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1]; ld.global.v2.u32 {%r1, _}, [%d1];",
      "ld.global.nc.L1::no_allocate.u32 %r1, [%d1]; ld.relaxed.gpu.global.u32 %r1, [%d1];",
      "ld.volatile.shared.u32 %r1, [s]; st.release.cta.u32 [%d1], %r1;",
      "L1: bra L2; L2: @%p1 bra L1; @!%p1 bra.uni L2;",
      "{ .reg .b32 t; L: mov.u32 t, 1; @%p1 bra L; } { .reg .b32 t; L: mov.u32 t, 1; bra L; }",
      "bar.sync 0; bar.sync %r1; bar.sync 0, 64; bar.sync %r1, %r2; bar.cta.sync 1, %r2;",
      "bar.arrive 1, 64; bar.cta.arrive %r1, %r2; barrier.arrive 1, 64;",
      "barrier.cta.arrive.aligned 1, 64;",
      "bar.red.popc.u32 %r1, 0, %p1; bar.red.popc.u32 %r1, 0, 64, !%p1;",
      "bar.red.and.pred %p2, %r1, %p1; bar.red.or.pred %p2, %r1, %r2, %p1;",
      "barrier.red.popc.u32 %r1, 0, %p1; barrier.cta.red.and.aligned.pred %p1, 0, 32, %p2;",
      "barrier.red.or.pred %p1, 0, !%p2;",
      "barrier.sync 0; barrier.sync.aligned 0, 32; barrier.cta.sync 0;",
      "bar.warp.sync 0xffffffff; activemask.b32 %r1; vote.sync.ballot.b32 %r1, %p1, -1;",
      "vote.sync.any.pred %p1, !%p2, %r1; shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1;",
      "atom.global.add.u32 %r1, [%d1], 1; atom.shared.cas.b32 %r1, [s], %r2, %r3;",
      "red.global.max.s32 [%d1], %r1; atom.acq_rel.gpu.global.exch.b64 %d1, [%d2], %d3;",
      "membar.gl; membar.cta; fence.acq_rel.gpu; fence.sc.sys;",
      "setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3; add.u32 %r1, %tid.x, %ntid.x;",
      "cvta.to.global.u64 %d1, %d2; cvta.shared.u64 %d1, %d2; isspacep.shared %p1, %d1;",
      "mov.u64 %d1, s; mov.u64 %d1, s+8; mov.u32 %r1, s;",
      "exit; trap;",
  };
  for (const std::string& body : bodies) {
    EXPECT_EQ(SyntaxRefusal(Body(body)), "accepted") << body;
  }
}

TEST(PtxParser, AcceptsModules) {
  const std::vector<std::string> modules = {
      Header() +
          ".extern .shared .align 16 .b8 dyn[];\n.entry k() { .reg .b32 %r; "
          "ld.shared.u32 %r, [dyn]; }",
      Header() +
          ".global .align 4 .u32 g[3] = {1, 2, 3}; .const .f32 c = 1.5;\n"
          ".global .u64 p = g; .global .u64 p2[2] = {generic(g)+4, g+8};\n"
          ".visible .entry k() .maxntid 256, 1, 1 .minnctapersm 2 .maxnreg 32 { ret; }",
      Header() +
          ".weak .func (.param .b32 r) f(.param .b32 a) { ret; }\n"
          ".func g(.reg .u32 x); .func g(.reg .u32 x) { ret; }\n"
          ".visible .entry k() .reqntid 32 {\n.reg .b32 %r; .param .b32 a; .param .b32 b;\n"
          "st.param.b32 [a+0], %r; call.uni (b), f, (a); ld.param.b32 %r, [b+0];\n"
          "call g, (%r); }",
      Header() + ".file 1 \"a.cu\"\n.section .debug_str { .b8 0 }\n.entry k() { ret; }",
      "#1 \"a.cu\"\n" + Header() +
          ".entry k(.param .u64 .ptr .global .align 8 a,\n"
          ".param .align 16 .b8 b[16]) { ret; }",
  };
  for (const std::string& module : modules) {
    EXPECT_EQ(SyntaxRefusal(module), "accepted") << module;
  }
}

TEST(PtxParser, SyntaxErrorsNameLineAndColumn) {
  const struct {
    std::string text;
    std::string message;
  } rows[] = {
      {"", "f.ptx:1:1: the file has no .version directive: is it PTX?"},
      {"hello", R"(f.ptx:1:1: expected a directive, a variable or a function, found "hello")"},
      {".version x", R"(f.ptx:1:10: expected a version such as 7.5, found "x")"},
      {".version 7.5\n.target sm_80\n.address_size 32",
       R"(f.ptx:3:15: expected 64, the only .address_size there is here, found "32")"},
      {Header() + "/* no end",
       R"(f.ptx:4:10: expected the end of the comment, "*/", found the end of the file)"},
      {Header() + ".entry { }", R"(f.ptx:4:8: expected the name of a function, found "{")"},
      {Header() + ".entry k() { ret }", R"(f.ptx:4:18: expected ";", found "}")"},
      {Header() + ".entry k() { ret;",
       R"(f.ptx:4:18: expected an instruction, a label, a declaration or "}", found the end of )"
       "the file"},
      {Header() + ".entry k() { 12; }",
       R"(f.ptx:4:14: expected an instruction, a label, a declaration or "}", found "12")"},
      {Header() + ".entry k() { @; }", R"(f.ptx:4:15: expected a predicate after "@", found ";")"},
      {Header() + ".entry k() { ld.u32 %r, [a; }", R"(f.ptx:4:27: expected "]", found ";")"},
      {Header() + ".entry k() " + std::string(200, '{'),
       R"(f.ptx:4:113: expected at most 100 brackets in each other, found "{")"},
      {Header() + ".global .u32 x = " + std::string(200, '{'),
       R"(f.ptx:4:118: expected at most 100 brackets in each other, found "{")"},
      {Header() + ".global .u64 x = 0x10000000000000000;",
       R"(f.ptx:4:18: expected a number that 64 bits hold, found "0x10000000000000000")"},
      {Header() + ".global .u64 x = 1e999;",
       R"(f.ptx:4:18: expected a number that 64 bits hold, found "1e999")"},
      {Header() + ".reg\x01", R"(f.ptx:4:5: expected a type, found "\x01")"},
      {Header() + ".reg .b32 ;", R"(f.ptx:4:11: expected the name of a variable, found ";")"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(SyntaxRefusal(row.text), row.message) << row.text;
  }
}

TEST(PtxParser, MeaninglessInstructionsAreRefused) {
  const struct {
    std::string body;
    std::string message;
  } rows[] = {
      {"frob.u32 %r1;", "f.ptx:5:1: the instruction frob.u32 is not supported"},
      {" mbarrier.wait.shared.b64 [s], 1;",
       "f.ptx:5:2: the instruction mbarrier.wait.shared.b64 is not supported"},
      {"barrier.cluster.sync;", "f.ptx:5:1: barrier.cluster.sync lacks .arrive or .wait"},
      {"div.f16 %h1, %h1, %h1;", "f.ptx:5:1: the type .f16 of div.f16 is not supported"},
      {"add.ftz.f64 %f1, %f1, %f1;",
       "f.ptx:5:1: the modifier .ftz of add.ftz.f64 is not supported"},
      {"add %r1, %r1, %r1;", "f.ptx:5:1: add lacks a type"},
      {"add.u32 %r1, %r2;", "f.ptx:5:1: add.u32 takes 3 operands, not 2"},
      {"add.u32 %r1, %r2, %d1;", "f.ptx:5:19: the register %d1 does not fit add.u32"},
      {"add.u32 %d1, %r2, %r1;",
       "f.ptx:5:9: the register %d1 does not fit the destination of add.u32"},
      {"add.u32 %r1, %r2, %r99;", "f.ptx:5:19: %r99 is not declared"},
      {"add.u32 5, %r2, %r1;", "f.ptx:5:9: the destination of add.u32 is not a register"},
      {"mov.u32 %r1, %tid.w;", "f.ptx:5:14: %tid.w is not a special register that is supported"},
      {"mul.u32 %r1, %r2, %r1;", "f.ptx:5:1: mul.u32 lacks .lo, .hi or .wide"},
      {"setp.u32 %p1, %r2, %r1;", "f.ptx:5:1: setp.u32 lacks a comparison"},
      {"bra NOWHERE;", "f.ptx:5:5: there is no label NOWHERE here"},
      {"call f;", "f.ptx:5:6: there is no function f in this file"},
      {"ld.global.u32 %r1, [s];",
       "f.ptx:5:21: ld.global.u32 accesses the global space, where s does not lie"},
      {"ld.global.u32 %r1, %d1;", "f.ptx:5:20: ld.global.u32 takes an address in brackets"},
      {"ld.global.v2.u32 %r1, [%d1];", "f.ptx:5:18: ld.global.v2.u32 takes 2 registers in braces"},
      {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.cp_mask [%d1], [s], "
       "16, [s], %r1;",
       "f.ptx:5:1: the modifier .cp_mask of "
       "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.cp_mask is not "
       "supported"},
      {"multimem.frob.u32 [%d1], %r1;",
       "f.ptx:5:1: the instruction multimem.frob.u32 is not supported"},
      {"st.bulk.weak.shared::cta [s], 16, 1;",
       "f.ptx:5:1: the value of st.bulk is 0, and nothing else"},
      {"st.bulk.weak.shared::cluster [s], 16, 0;",
       "f.ptx:5:1: the modifier .shared::cluster of st.bulk.weak.shared::cluster is not supported"},
      {"add.frob.u32 %r1, %r2, %r1, 1;",
       "f.ptx:5:1: the modifier .frob of add.frob.u32 is not supported"},
      {"bar.arrive 1;", "f.ptx:5:1: bar.arrive takes 2 operands, not 1"},
      {"bar.sync 1, 2, 3;", "f.ptx:5:1: bar.sync takes 1 to 2 operands, not 3"},
      {"bar.red.u32 %r1, 0, %p1;", "f.ptx:5:1: bar.red.u32 lacks .popc, .and or .or"},
      {"bar.red.and.pred %r1, 0, %p1;",
       "f.ptx:5:18: the register %r1 does not fit the destination of bar.red.and.pred"},
      {"bar.red.popc.u32 %r1, 0, %r2;",
       "f.ptx:5:26: the register %r2 does not fit bar.red.popc.u32"},
      {".reg .b32 a; .reg .b32 a;", "f.ptx:5:24: a is declared twice"},
      {"L: L: ret;", "f.ptx:5:4: L is declared twice"},
      {".reg .e4m3 x;", "f.ptx:5:12: the type .e4m3 of x is not supported"},
      {".reg .b32 q<4294967297>;", "f.ptx:5:11: q makes more than 131072 registers"},
      {".local .align 4294967296 .b8 q;", "f.ptx:5:30: the alignment of q is not a power of two"},
      {".local .b8 q1[524280]; .local .b8 q2[9];",
       "f.ptx:5:35: q2 brings the .local variables to more than 524288 bytes"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(SyntaxRefusal(Body(row.body)), row.message) << row.body;
  }
}

TEST(PtxParser, AllUnsupportedInstructionsAreNamedAtOnce) {
  EXPECT_EQ(SyntaxRefusal(Body("frob %r1;\nret;\n  istypep.texref;\nadd.u32 %r1, %r1;")),
            "f.ptx:5:1: the instruction frob is not supported\n"
            "f.ptx:7:3: the instruction istypep.texref is not supported\n"
            "f.ptx:8:1: add.u32 takes 3 operands, not 2");
}

TEST(PtxParser, KernelIsChosenByName) {
  const std::string two = Header() + ".entry a() { ret; }\n.entry b() { ret; }\n";
  EXPECT_EQ(SyntaxRefusal(two), R"(f.ptx: the kernel must be named: one of a, b)");
  EXPECT_EQ(SyntaxRefusal(two, "c"), "f.ptx: there is no kernel c; the file has a, b");
  EXPECT_EQ(LinkText(two, "b").Kernel().name, "b");
  EXPECT_EQ(SyntaxRefusal(Header() + ".func f() { ret; }"), "f.ptx: the file has no .entry");
  // What a kernel cannot come to does not keep it from running.
  const std::string bad =
      Header() + ".func f() { frob; }\n.entry a() { call f; ret; }\n.entry b() { ret; }\n";
  EXPECT_EQ(LinkText(bad, "b").Kernel().name, "b");
  EXPECT_EQ(SyntaxRefusal(bad, "a").substr(6), "4:13: the instruction frob is not supported");
}

TEST(PtxParser, InstructionsKeepTheirLines) {
  const Program program = LinkText(Body("mov.u32 %r1, 1;\n\n// three\nadd.u32 %r1,\n%r1, 2; ret;"));
  ASSERT_EQ(program.code.size(), 4U);  // and the end of the body
  EXPECT_EQ(program.code[0].line, 5U);
  EXPECT_EQ(program.code[1].line, 8U);
  EXPECT_EQ(program.code[2].line, 9U);
}

TEST(PtxParser, BarriersOfOldTargetsAreAligned) {
  const auto aligned = [](const std::string& body) {
    return LinkText(body).code[0].As<CtaBarrier>().aligned;
  };
  EXPECT_FALSE(aligned(Body("barrier.sync 0;")));
  EXPECT_TRUE(aligned(Body("barrier.sync 0;", "sm_60")));
  EXPECT_TRUE(aligned(Body("barrier.sync.aligned 0;")));
  EXPECT_TRUE(aligned(Body("bar.sync 0;")));
}

}  // namespace
}  // namespace muster::ptx
