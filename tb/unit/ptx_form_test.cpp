// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Forms of arithmetic, conversion and memory instructions, as ptx_corpus_test.cpp has those of
// synchronization.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "tb/unit/ptx_forms.h"

namespace muster::ptx {
namespace {

const Form kHalves[] = {
    {"add.f16 %h1, %h2, %h3;", 42, 53},
    {"add.rn.ftz.sat.f16x2 %r1, %r2, %r3;", 42, 53},
    {"sub.rn.bf16 %h1, %h2, %h3;", 78, 90},
    {"mul.bf16x2 %r1, %r2, %r3;", 78, 90},
    {"fma.rn.ftz.sat.f16 %h1, %h2, %h3, %h4;", 42, 53},
    {"fma.rn.ftz.relu.f16x2 %r1, %r2, %r3, %r4;", 70, 80},
    {"fma.rn.relu.bf16x2 %r1, %r2, %r3, %r4;", 70, 80},
    {"neg.ftz.f16x2 %r1, %r2;", 60, 53},
    {"neg.bf16 %h1, %h2;", 70, 80},
    {"abs.f16 %h1, %h2;", 65, 53},
    {"abs.bf16x2 %r1, %r2;", 70, 80},
    {"min.ftz.NaN.f16 %h1, %h2, %h3;", 70, 80},
    {"max.NaN.bf16x2 %r1, %r2, %r3;", 70, 80},
    {"max.NaN.xorsign.abs.f16x2 %r1, %r2, %r3;", 72, 86},
    {"min.ftz.xorsign.abs.f32 %f1, %f2, %f3;", 72, 86},
    {"min.NaN.f32 %f1, %f2, %f3, %f4;", 88, 100},
    {"ex2.approx.f16x2 %r1, %r2;", 70, 75},
    {"ex2.approx.ftz.bf16 %h1, %h2;", 78, 90},
    {"tanh.approx.bf16x2 %r1, %r2;", 78, 90},
    {"setp.neu.ftz.f16 %p1, %h1, %h2;", 42, 53},
    {"setp.lt.and.bf16x2 %p1|%p2, %r1, %r2, !%p3;", 78, 90},
    {"set.gt.ftz.f16.f16 %h1, %h2, %h3;", 42, 53},
    {"set.num.or.u32.bf16x2 %r1, %r2, %r3, %p1;", 78, 90},
    {"set.lt.s16.f16 %h1, %h2, %h3;", 42, 53},
    {"set.eq.bf16.f64 %h1, %g1, %g2;", 78, 90},
    {"add.rz.sat.f32.f16 %f1, %h1, %f2;", 86, 100},
    {"fma.rn.f32.bf16 %f1, %h1, %h2, %f2;", 86, 100},
};

const Form kPairs[] = {
    {"add.u16x2 %r1, %r2, %r3;", 80, 90},         {"min.relu.s16x2 %r1, %r2, %r3;", 80, 90},
    {"max.u16x2 %r1, %r2, %r3;", 80, 90},         {"max.relu.s32 %r1, %r2, %r3;", 80, 90},
    {"add.rz.ftz.f32x2 %d1, %d2, %d3;", 86, 100}, {"sub.f32x2 %d1, %d2, %d3;", 86, 100},
    {"mul.rn.f32x2 %d1, %d2, %d3;", 86, 100},     {"fma.rn.ftz.f32x2 %d1, %d2, %d3, %d4;", 86, 100},
};

const Form kBits[] = {
    {"shf.l.wrap.b32 %r1, %r2, %r3, %r4;", 31, 32},
    {"lop3.b32 %r1, %r2, %r3, %r4, 0xe8;", 43, 50},
    {"lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x80, %p2;", 82, 70},
    {"dp4a.u32.s32 %r1, %r2, %r3, %r4;", 50, 61},
    {"dp2a.lo.u32.u32 %r1, %r2, %r3, %r4;", 50, 61},
    {"fns.b32 %r1, %r2, 0, 2;", 60, 30},
    {"szext.wrap.u32 %r1, %r2, %r3;", 76, 70},
    {"bmsk.clamp.b32 %r1, %r2, %r3;", 76, 70},
};

const Form kConversions[] = {
    {"cvt.rz.relu.satfinite.f16.f32 %h1, %f1;", 81, 80},
    {"cvt.rn.relu.bf16x2.f32 %r1, %f1, %f2;", 70, 80},
    {"cvt.rna.tf32.f32 %r1, %f1;", 70, 80},
    {"cvt.rn.relu.tf32.f32 %r1, %f1;", 78, 90},
    {"cvt.rn.satfinite.relu.e4m3x2.f32 %h1, %f1, %f2;", 78, 89},
    {"cvt.rn.satfinite.e5m2x2.f16x2 %h1, %r1;", 78, 89},
    {"cvt.rn.relu.f16x2.e5m2x2 %r1, %h1;", 78, 89},
    {"cvt.rpi.s8.bf16 %h1, %h2;", 0, 0},
    {"cvt.rz.bf16.f16 %h1, %h2;", 0, 0},
    {"cvt.rn.f16.u64 %h1, %d1;", 0, 0},
    {"cvt.pack.sat.s16.s32 %r1, %r2, %r3;", 65, 72},
    {"cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, 0;", 65, 72},
    {"cvt.pack.sat.s2.s32.b32 %r1, %r2, %r3, %r4;", 65, 75},
    {"rcp.approx.ftz.f64 %g1, %g2;", 0, 0},
    {"rsqrt.approx.ftz.f64 %g1, %g2;", 0, 0},
};

const Form kMemory[] = {
    {"ld.mmio.relaxed.sys.global.u32 %r1, [%d1];", 82, 70},
    {"st.mmio.relaxed.sys.u32 [%d1], %r1;", 82, 70},
    {"ld.global.u32 %r1, [g].unified;", 0, 0},
    {"ld.global.v2.u32 {_, %r1}, [%d1];", 0, 0},
    {"st.global.b32 [ %d1 + 0 ], { %r1 };", 0, 0},
    {"ld.global.nc.L1::no_allocate.L2::cache_hint.v4.f32 {%f1,%f2,%f3,%f4}, [%d1], %d2;", 74, 80},
    {"ld.global.L1::evict_last.L2::128B.u64 %d1, [%d2];", 74, 75},
    {"ld.global.L2::256B.u32 %r1, [%d2];", 74, 80},
    {"st.global.L1::no_allocate.u32 [%d2], %r1;", 74, 70},
    {"prefetch.global.L1 [%d1];", 0, 0},
    {"prefetch.L2 [g];", 0, 0},
    {"prefetchu.L1 [%d1];", 0, 0},
    {"applypriority.global.L2::evict_normal [%d1], 128;", 74, 80},
    {"discard.global.L2 [%d1], 128;", 74, 80},
    {"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %d1, 0.5;", 74, 80},
    {"createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %d1, [%d2], 1, 2;", 74, 80},
    {"createpolicy.cvt.L2.b64 %d1, %d2;", 74, 80},
    {"alloca.u64 %d1, %d2, 16;", 73, 52},
    {"stacksave.u32 %r1;", 73, 52},
    {"stackrestore.u64 %d1;", 73, 52},
};

TEST(PtxForm, Memory) { CheckForms(std::begin(kMemory), std::end(kMemory)); }
TEST(PtxForm, Halves) { CheckForms(std::begin(kHalves), std::end(kHalves)); }
TEST(PtxForm, Pairs) { CheckForms(std::begin(kPairs), std::end(kPairs)); }
TEST(PtxForm, Bits) { CheckForms(std::begin(kBits), std::end(kBits)); }
TEST(PtxForm, Conversions) { CheckForms(std::begin(kConversions), std::end(kConversions)); }

TEST(PtxForm, WhatThereIsNot) {
  const char* const forms[] = {
      "div.rn.f16 %h1, %h2, %h3;",
      "add.rz.f16 %h1, %h2, %h3;",
      "add.ftz.bf16 %h1, %h2, %h3;",
      "add.sat.bf16x2 %r1, %r2, %r3;",
      "add.f16 %h1, %h2, 0f3F800000;",
      "add.f16 %r1, %r2, %r3;",
      "add.f16x2 %h1, %h2, %h3;",
      "mad.f16 %h1, %h2, %h3, %h4;",
      "sub.relu.f16 %h1, %h2, %h3;",
      "neg.ftz.bf16 %h1, %h2;",
      "min.relu.u32 %r1, %r2, %r3;",
      "min.xorsign.f16 %h1, %h2, %h3;",
      "min.f32x2 %d1, %d2, %d3;",
      "mul.lo.u16x2 %r1, %r2, %r3;",
      "mul.lo.cc.u32 %r1, %r2, %r3;",
      "mul.hi.cc.s64 %d1, %d2, %d3;",
      "fma.rn.cc.f32 %f1, %f2, %f3, %f1;",
      "ex2.approx.f32x2 %d1, %d2;",
      "sqrt.approx.f16 %h1, %h2;",
      "set.lt.f16x2.bf16x2 %r1, %r2, %r3;",
      "set.lt.u16.f16x2 %h1, %r2, %r3;",
      "set.lt.u16.f32 %h1, %f2, %f3;",
      "cvt.rna.f16.f32 %h1, %f1;",
      "cvt.tf32.f32 %r1, %f1;",
      "cvt.rna.tf32.f64 %r1, %g1;",
      "cvt.rn.e4m3x2.f32 %h1, %f1, %f2;",
      "cvt.rn.satfinite.e4m3x2.bf16x2 %h1, %r1;",
      "cvt.rn.bf16x2.e4m3x2 %r1, %h1;",
      "cvt.rn.f16x2.f32 %r1, %f1;",
      "cvt.pack.u8.s32.b32 %r1, %r2, %r3, 0;",
      "cvt.pack.sat.u8.u32.b32 %r1, %r2, %r3, 0;",
      "cvt.pack.sat.u16.s32 %r1, %r2, %r3, 0;",
      "ld.mmio.global.u32 %r1, [%d1];",
      "ld.global.L2::512B.u32 %r1, [%d1];",
      "ld.global.L1::evict_never.u32 %r1, [%d1];",
      "ld.global.gl.u32 %r1, [%d1];",
      "st.global.b32 [%d1], {%r1, %r2};",
      "ld.global.v2.u32 {%r1}, [%d1];",
      "prefetch.shared.L1 [s], 4;",
      "prefetch.global.L3 [%d1];",
      "discard.global.L1 [%d1], 128;",
      "createpolicy.fractional.b64 %d1;",
      "createpolicy.range.L2::evict_last.b64 %d1;",
      "alloca.u64 %d1, %d2, 12;",
      "alloca.b64 %d1, %d2;",
      "stacksave.u64 %d1, %d2;",
      "mov.u32 %r1, %envreg32;",
      "mov.u32 %r1, %pm8;",
  };
  for (const char* const form : forms) {
    EXPECT_EQ(Judge(form), FormVerdict::kRefused) << form;
  }
}

TEST(PtxForm, WhatHasNoRounding) {
  const char* const forms[] = {
      "fma.f32 %f1, %f2, %f3, %f4;", "fma.f16x2 %r1, %r2, %r3, %r4;",
      "mad.f32 %f1, %f2, %f3, %f4;", "div.f32 %f1, %f2, %f3;",
      "div.ftz.f32 %f1, %f2, %f3;",  "div.f64 %g1, %g2, %g3;",
      "sqrt.f32 %f1, %f2;",          "sqrt.f64 %g1, %g2;",
      "rcp.ftz.f32 %f1, %f2;",       "rcp.approx.f64 %g1, %g2;",
      "rsqrt.f32 %f1, %f2;",         "sin.f32 %f1, %f2;",
      "ex2.approx.bf16 %h1, %h2;",   "tanh.f32 %f1, %f2;",
  };
  for (const char* const form : forms) {
    EXPECT_EQ(Judge(form), FormVerdict::kMisuse) << form;
  }
  for (const char* const form :
       {"lg2.ftz.f32 %f1, %f2;", "div.rn.sat.f32 %f1, %f2, %f3;", "sqrt.rn.sat.f32 %f1, %f2;",
        "ex2.approx.sat.f32 %f1, %f2;", "tanh.approx.ftz.f32 %f1, %f2;", "sin.rn.f32 %f1, %f2;",
        "sin.approx.f64 %g1, %g2;", "ex2.approx.ftz.f16 %h1, %h2;", "sqrt.approx.f64 %g1, %g2;"}) {
    EXPECT_EQ(Judge(form), FormVerdict::kRefused) << form;
  }
}

// What may stand between cvt and the types: all else is refused.
struct Conversion {
  std::vector<const char*> pairs;  // "f16.f32"
  std::vector<const char*> modifiers;
};

const char* RegisterOf(const std::string& type) {
  if (type == "f32" || type == "f64") {
    return type == "f32" ? "%f" : "%g";
  }
  const bool wide = type.substr(1) == "64";
  const bool single =
      type.substr(1) == "32" || type == "tf32" || type == "f16x2" || type == "bf16x2";
  return wide ? "%d" : single ? "%r" : "%h";
}

TEST(PtxForm, ModifiersOfConversions) {
  const Conversion rows[] = {
      {{"u8.s8", "s8.u16", "u16.s32", "u32.u64", "s32.u32", "u64.s16", "s16.u16"}, {"", ".sat"}},
      {{"u8.u8", "u32.u8", "s32.u16", "s64.s32", "u64.u32", "s64.u32"}, {""}},
      {{"f16.u8", "f16.s64", "f64.s32", "f64.u64", "f16.f64"},
       {".rn", ".rz", ".rm", ".rp", ".rn.sat", ".rz.sat", ".rm.sat", ".rp.sat"}},
      {{"f32.u16", "f32.s64", "f32.f64"},
       {".rn", ".rz", ".rm", ".rp", ".rn.sat", ".rz.sat", ".rm.sat", ".rp.sat", ".rn.ftz",
        ".rz.ftz", ".rm.ftz", ".rp.ftz", ".rn.ftz.sat", ".rz.ftz.sat", ".rm.ftz.sat",
        ".rp.ftz.sat"}},
      {{"u8.f64", "s32.f16", "u64.f64", "s16.f16"},
       {".rni", ".rzi", ".rmi", ".rpi", ".rni.sat", ".rzi.sat", ".rmi.sat", ".rpi.sat"}},
      {{"s8.f32", "u64.f32"},
       {".rni", ".rzi", ".rmi", ".rpi", ".rni.sat", ".rzi.sat", ".rmi.sat", ".rpi.sat", ".rni.ftz",
        ".rzi.ftz", ".rmi.ftz", ".rpi.ftz", ".rni.ftz.sat", ".rzi.ftz.sat", ".rmi.ftz.sat",
        ".rpi.ftz.sat"}},
      {{"bf16.u32", "bf16.s16", "bf16.f64"}, {".rn", ".rz", ".rm", ".rp"}},
      {{"u32.bf16", "s16.bf16"}, {".rni", ".rzi", ".rmi", ".rpi"}},
      {{"f64.bf16", "f16.bf16", "bf16.f16"}, {"", ".rn", ".rz", ".rm", ".rp"}},
      {{"f32.bf16"},
       {"", ".rn", ".rz", ".rm", ".rp", ".ftz", ".rn.ftz", ".rz.ftz", ".rm.ftz", ".rp.ftz"}},
      {{"f64.f16"}, {"", ".sat"}},
      {{"f32.f16", "f64.f32"}, {"", ".sat", ".ftz", ".ftz.sat"}},
      {{"f64.f64", "f16.f16"},
       {"", ".sat", ".rni", ".rzi", ".rmi", ".rpi", ".rni.sat", ".rzi.sat", ".rmi.sat",
        ".rpi.sat"}},
      {{"f32.f32"}, {"",         ".sat",         ".ftz",         ".ftz.sat",     ".rni",
                     ".rzi",     ".rmi",         ".rpi",         ".rni.sat",     ".rzi.sat",
                     ".rmi.sat", ".rpi.sat",     ".rni.ftz",     ".rzi.ftz",     ".rmi.ftz",
                     ".rpi.ftz", ".rni.ftz.sat", ".rzi.ftz.sat", ".rmi.ftz.sat", ".rpi.ftz.sat"}},
      {{"bf16.bf16"}, {"", ".rni", ".rzi", ".rmi", ".rpi"}},
      {{"f16.f32"},
       {".rn",
        ".rz",
        ".rm",
        ".rp",
        ".rn.sat",
        ".rz.sat",
        ".rm.sat",
        ".rp.sat",
        ".rn.ftz",
        ".rz.ftz",
        ".rm.ftz",
        ".rp.ftz",
        ".rn.ftz.sat",
        ".rz.ftz.sat",
        ".rm.ftz.sat",
        ".rp.ftz.sat",
        ".rn.relu",
        ".rz.relu",
        ".rn.satfinite",
        ".rz.satfinite",
        ".rn.relu.satfinite",
        ".rz.relu.satfinite"}},
      {{"bf16.f32"},
       {".rn", ".rz", ".rm", ".rp", ".rn.ftz", ".rz.ftz", ".rm.ftz", ".rp.ftz", ".rn.relu",
        ".rz.relu", ".rn.satfinite", ".rz.satfinite", ".rn.relu.satfinite", ".rz.relu.satfinite"}},
      {{"f16x2.f32", "bf16x2.f32"},
       {".rn", ".rz", ".rn.relu", ".rz.relu", ".rn.satfinite", ".rz.satfinite",
        ".rn.relu.satfinite", ".rz.relu.satfinite"}},
      {{"tf32.f32"},
       {".rn", ".rz", ".rna", ".rn.relu", ".rz.relu", ".rn.satfinite", ".rz.satfinite",
        ".rna.satfinite", ".rn.relu.satfinite", ".rz.relu.satfinite"}},
      {{"e4m3x2.f32", "e5m2x2.f16x2"}, {".rn.satfinite", ".rn.relu.satfinite"}},
      {{"f16x2.e4m3x2", "f16x2.e5m2x2"}, {".rn", ".rn.relu"}},
  };
  for (const Conversion& row : rows) {
    for (const std::string pair : row.pairs) {
      const std::string to = pair.substr(0, pair.find('.'));
      const std::string from = pair.substr(pair.find('.') + 1);
      const std::string source = RegisterOf(from);
      const bool two = from == "f32" && to.size() > 2 && to.substr(to.size() - 2) == "x2";
      for (const char* const round :
           {"", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi", ".rna"}) {
        for (const char* const rest : {"", ".sat", ".ftz", ".ftz.sat", ".relu", ".satfinite",
                                       ".relu.satfinite", ".ftz.relu", ".sat.satfinite"}) {
          const std::string modifiers = std::string(round) + rest;
          const bool fits = std::any_of(row.modifiers.begin(), row.modifiers.end(),
                                        [&](const char* other) { return modifiers == other; });
          const std::string form =
              fmt::format("cvt{}.{} {}1, {}2{};", modifiers, pair, RegisterOf(to), source,
                          two ? ", " + source + "3" : "");
          EXPECT_EQ(Judge(form), fits ? FormVerdict::kAccepted : FormVerdict::kRefused) << form;
        }
      }
    }
  }
}

const Form kVideo[] = {
    {"vadd.s32.u32.s32.sat.min %r1, %r2.b0, %r3.h0, %r4;", 0, 0},
    {"vadd.u32.u32.u32 %r1, %r2, 7;", 0, 0},
    {"vadd.u32.u32.u32 %r1, %r2, %tid.x;", 0, 0},
    {"vabsdiff.s32.s32.s32.sat %r1.h0, %r2.b0, %r3.b2, %r4;", 0, 0},
    {"vshr.u32.s32.u32.sat.clamp.max %r1, %r2, %r3.h1, %r4;", 0, 0},
    {"vmad.u32.s32.u32.po.sat.shr7 %r1, %r2.h0, %r3.h0, %r4;", 0, 0},
    {"vset.s32.u32.le %r1.h0, %r2, %r3, %r4;", 0, 0},
    {"vavrg4.u32.u32.u32.sat %r1.b3, %r2.b0007, %r3.b7654, %r4;", 0, 0},
    {"vset4.u32.s32.eq.add %r1, %r2, %r3, %r4;", 0, 0},
};

TEST(PtxForm, Video) { CheckForms(std::begin(kVideo), std::end(kVideo)); }

TEST(PtxForm, VideoThereIsNot) {
  const char* const forms[] = {
      "vadd.u32.u32 %r1, %r2, %r3;",
      "vadd.u16.u32.u32 %r1, %r2, %r3;",
      "vadd.u32.u32.u32 %r1, %r2, %r3, %r4;",
      "vadd.u32.u32.u32.add %r1, %r2, %r3;",
      "vadd.u32.u32.u32.add %r1.h0, %r2, %r3, %r4;",
      "vadd.u32.u32.u32 %r1.h0, %r2, %r3;",
      "vadd.u32.u32.u32 %r1, %r2.h2, %r3;",
      "vadd.u32.u32.u32 %r1, %r2.b4, %r3;",
      "vadd.u32.u32.u32 %r1, %r2.b10, %r3;",
      "vadd.u32.u32.u32 %r1, -%r2, %r3;",
      "vadd.u32.u32.u32 %d1, %r2, %r3;",
      "vadd.u32.u32.u32 %r1, %h2, %r3;",
      "vavrg.u32.u32.u32 %r1, %r2, %r3;",
      "vshl.u32.u32.u32 %r1, %r2, %r3;",
      "vshr.u32.u32.s32.clamp %r1, %r2, %r3;",
      "vmad.s32.s32.s32 %r1, %r2, %r3;",
      "vmad.s32.s32.s32.po %r1, -%r2, %r3, %r4;",
      "vmad.s32.s32.s32 %r1, -%r2, %r3, -%r4;",
      "vmad.s32.s32.s32.shr8 %r1, %r2, %r3, %r4;",
      "vset.u32.u32.lo %r1, %r2, %r3;",
      "vset.u32.u32 %r1, %r2, %r3;",
      "vadd2.u32.u32.u32 %r1, %r2, %r3;",
      "vadd2.u32.u32.u32.sat.add %r1, %r2, %r3, %r4;",
      "vadd2.u32.u32.u32.min %r1, %r2, %r3, %r4;",
      "vadd2.u32.u32.u32 %r1.h01, %r2, %r3, %r4;",
      "vadd2.u32.u32.u32 %r1, %r2.h04, %r3, %r4;",
      "vadd2.u32.u32.u32 %r1, %r2.b00, %r3, %r4;",
      "vadd2.u32.u32.u32 %r1, %r2, %r3, 0;",
      "vadd4.u32.u32.u32 %r1.b00, %r2, %r3, %r4;",
      "vadd4.u32.u32.u32 %r1, %r2.b01, %r3, %r4;",
      "vset4.u32.u32.max %r1, %r2, %r3, %r4;",
      "add.u32 %r1, -%r2, %r3;",
      "add.u32 %r1, %r2.h0, %r3;",
  };
  for (const char* const form : forms) {
    EXPECT_EQ(Judge(form), FormVerdict::kRefused) << form;
  }
}

}  // namespace
}  // namespace muster::ptx
