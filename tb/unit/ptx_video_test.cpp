// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Video instructions: worked examples, and every form against the text's own words in C++, on
// random operands.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_rows.h"

namespace muster::ptx {
namespace {

// One thread for each form: the result of each, of the same three operands.
std::vector<U32> ResultsOf(const std::vector<std::string>& forms,
                           const std::vector<U32>& operands) {
  std::string body;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    body += fmt::format(
        "  mov.u32 %r2, {:#x}; mov.u32 %r3, {:#x}; mov.u32 %r4, {:#x}; mov.u32 %r1, 0;\n  {}\n"
        "  st.global.u32 [%d1+{}], %r1;\n",
        operands[3 * k], operands[3 * k + 1], operands[3 * k + 2], forms[k], 4 * k);
  }
  Kernel kernel(Header() + R"(.visible .entry test(.param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %d<4>; ld.param.u64 %d1, [out];
)" + body + "  ret; }",
                1);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, forms.size())};
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  return run.Words(0);
}

TEST(PtxVideo, WorkedExamples) {
  const struct {
    const char* form;
    U32 a;
    U32 b;
    U32 c;
    U32 result;
  } rows[] = {
      // Bytes and halves, extended by the type of their operand.
      {"vadd.s32.u32.s32 %r1, %r2.b0, %r3.h1;", 0x123456ff, 0xfffe0000, 0, 253},
      {"vadd.s32.s32.s32 %r1, %r2.b0, %r3.h1;", 0x123456ff, 0xfffe0000, 0, 0xfffffffd},
      {"vadd.u32.u32.u32 %r1, %r2.b3, %r3.h0;", 0x123456ff, 0xfffe8001, 0, 0x8013},
      {"vsub.s32.u32.u32 %r1, %r2, %r3;", 1, 3, 0, 0xfffffffe},
      {"vsub.u32.u32.u32.sat %r1, %r2, %r3;", 1, 3, 0, 0},
      {"vadd.u32.u32.u32.sat %r1, %r2, %r3;", 0xffffffff, 2, 0, 0xffffffff},
      {"vadd.s32.u32.u32.sat %r1, %r2, %r3;", 0xffffffff, 2, 0, 0x7fffffff},
      {"vadd.s32.s32.s32.sat %r1, %r2, %r3;", 0x80000000, 0xffffffff, 0, 0x80000000},
      {"vabsdiff.u32.s32.s32 %r1, %r2, %r3;", 0x80000000, 0x7fffffff, 0, 0xffffffff},
      {"vabsdiff.s32.s32.s32.sat %r1, %r2, %r3;", 0x80000000, 0x7fffffff, 0, 0x7fffffff},
      {"vmin.s32.u32.s32 %r1, %r2, %r3;", 0xffffffff, 0xffffffff, 0, 0xffffffff},
      {"vmax.u32.u32.s32 %r1, %r2, %r3;", 5, 0xffffffff, 0, 5},
      // What is put into c, clamped to what is written.
      {"vadd.s32.s32.s32.sat %r1.h0, %r2, %r3, %r4;", 40000, 1, 0xaaaabbbb, 0xaaaa7fff},
      {"vadd.u32.s32.s32.sat %r1.b2, %r2, %r3, %r4;", 300, 1, 0xaaaabbbb, 0xaaffbbbb},
      {"vadd.u32.s32.s32 %r1.b2, %r2, %r3, %r4;", 300, 1, 0xaaaabbbb, 0xaa2dbbbb},
      {"vsub.s32.s32.s32 %r1.h1, %r2, %r3, %r4;", 1, 2, 0xaaaabbbb, 0xffffbbbb},
      {"vsub.s32.s32.s32.sat %r1.b3, %r2, %r3, %r4;", 0, 1000, 0xaaaabbbb, 0x80aabbbb},
      // What is done with c, which has the sign of d.
      {"vadd.u32.u32.u32.add %r1, %r2, %r3, %r4;", 1, 2, 0xffffffff, 2},
      {"vadd.u32.u32.u32.max %r1, %r2, %r3, %r4;", 1, 2, 0xffffffff, 0xffffffff},
      {"vadd.s32.u32.u32.max %r1, %r2, %r3, %r4;", 1, 2, 0xffffffff, 3},
      {"vadd.s32.u32.u32.min %r1, %r2, %r3, %r4;", 1, 2, 0xffffffff, 0xffffffff},
      {"vmin.s32.s32.s32.sat.add %r1, %r2, %r3, %r4;", 7, 9, 0xfffffffe, 5},
      // Shifts.
      {"vshl.u32.u32.u32.clamp %r1, %r2, %r3;", 0x80000001, 40, 0, 0},
      {"vshl.u32.u32.u32.wrap %r1, %r2, %r3;", 0x80000001, 33, 0, 2},
      {"vshl.u32.u32.u32.sat.clamp %r1, %r2, %r3;", 0x80000001, 1, 0, 0xffffffff},
      {"vshl.s32.s32.u32.sat.clamp %r1, %r2, %r3;", 0xc0000000, 2, 0, 0x80000000},
      {"vshr.s32.s32.u32.clamp %r1, %r2, %r3.b0;", 0x80000000, 0xffffff28, 0, 0xffffffff},
      {"vshr.u32.u32.u32.clamp %r1, %r2, %r3;", 0x80000000, 32, 0, 0},
      {"vshr.u32.u32.u32.wrap %r1, %r2.h1, %r3;", 0x80001234, 32 + 4, 0, 0x800},
      {"vshr.s32.s32.u32.wrap.add %r1, %r2, %r3, %r4;", 0xfffffff0, 2, 10, 6},
      // Products.
      {"vmad.u32.u32.u32 %r1, %r2, %r3, %r4;", 0xffff, 0x10001, 5, 4},
      {"vmad.u32.u32.u32.sat %r1, %r2, %r3, %r4;", 0xffff, 0x10001, 5, 0xffffffff},
      {"vmad.s32.s32.u32.sat %r1, %r2, %r3, -%r4;", 3, 4, 20, 0xfffffff8},
      {"vmad.s32.u32.u32 %r1, -%r2, %r3, %r4;", 3, 4, 2, 0xfffffff6},
      {"vmad.s32.u32.u32 %r1, -%r2, -%r3, %r4;", 3, 4, 2, 14},
      {"vmad.s32.s32.s32.sat %r1, %r2, -%r3, %r4;", 0x80000000, 0x80000000, 0, 0x80000000},
      {"vmad.u32.u32.u32.shr15 %r1, %r2.h0, %r3.h0, %r4;", 0x12348000, 0x8000, 0x8000, 0x8001},
      {"vmad.u32.u32.u32.po.shr7 %r1, %r2.b1, %r3.b0, %r4;", 0x1000, 0x7f, 0, 15},
      {"vmad.u32.u32.u32.po.shr7 %r1, %r2.b1, %r3.b0, %r4;", 0x1000, 0x7f, 15, 16},
      {"vmad.s32.s32.s32.shr7 %r1, %r2, %r3, %r4;", 0xffffffff, 1, 0, 0xffffffff},
      // Comparisons.
      {"vset.s32.u32.lt %r1, %r2, %r3;", 0xffffffff, 0, 0, 1},
      {"vset.u32.u32.lt %r1, %r2, %r3;", 0xffffffff, 0, 0, 0},
      {"vset.s32.s32.ge.add %r1, %r2.b0, %r3.b1, %r4;", 0x80, 0x8000, 41, 42},
      {"vset.u32.u32.ne %r1.b1, %r2, %r3, %r4;", 1, 2, 0xffffffff, 0xffff01ff},
      // Halves: by default those of a with those of b.
      {"vadd2.u32.u32.u32 %r1, %r2, %r3, %r4;", 0x0001ffff, 0x00020001, 0, 0x00030000},
      {"vadd2.u32.u32.u32.sat %r1, %r2, %r3, %r4;", 0x0001ffff, 0x00020001, 0, 0x0003ffff},
      {"vadd2.s32.s32.s32.sat %r1.h1, %r2, %r3, %r4;", 0x7fff0000, 0x00010001, 0xabcd, 0x7fffabcd},
      {"vsub2.s32.s32.s32 %r1, %r2.h01, %r3.h23, %r4;", 0x00010002, 0x00030005, 0, 0xfffdfffe},
      {"vmin2.s32.u32.u32.add %r1.h10, %r2.h00, %r3.h22, %r4;", 0x00010007, 0x00030005, 100, 110},
      {"vavrg2.s32.s32.s32 %r1, %r2, %r3, %r4;", 0xfffe0003, 0xffff0004, 0, 0xfffe0004},
      {"vavrg2.u32.u32.u32 %r1, %r2, %r3, %r4;", 0xffff0003, 0xffff0003, 0, 0xffff0003},
      {"vabsdiff2.s32.s32.s32.add %r1, %r2, %r3, %r4;", 0x80000003, 0x7fff0004, 1, 0x10001},
      {"vset2.s32.u32.lt %r1.h0, %r2, %r3, %r4;", 0xffffffff, 0, 0x12345678, 0x12340001},
      {"vset2.u32.u32.ne.add %r1, %r2, %r3, %r4;", 0x00010002, 0x00020001, 5, 7},
      // Bytes.
      {"vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;", 0xff020304, 0x01010101, 0, 0x00030405},
      {"vadd4.u32.u32.u32.sat %r1, %r2, %r3, %r4;", 0xff020304, 0x01010101, 0, 0xff030405},
      {"vsub4.s32.s32.s32.sat %r1.b310, %r2, %r3, %r4;", 0x80020304, 0x01010101, 0xaaaaaaaa,
       0x80aa0203},
      {"vsub4.u32.u32.u32 %r1, %r2.b7654, %r3.b0123, %r4;", 0x01020304, 0x0a0b0c0d, 0, 0x06080a0c},
      {"vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;", 0x10203040, 0x11223344, 1000, 1010},
      {"vmax4.s32.s32.s32.sat %r1, %r2, %r3, %r4;", 0x80ff0102, 0x00000000, 0, 0x00000102},
      {"vavrg4.u32.u32.u32 %r1, %r2, %r3, %r4;", 0xff010003, 0xff020004, 0, 0xff020004},
      {"vset4.s32.s32.gt.add %r1.b210, %r2, %r3, %r4;", 0x01010180, 0, 0, 2},
  };
  std::vector<std::string> forms;
  std::vector<U32> operands;
  for (const auto& row : rows) {
    forms.emplace_back(row.form);
    operands.insert(operands.end(), {row.a, row.b, row.c});
  }
  const std::vector<U32> results = ResultsOf(forms, operands);
  for (std::size_t k = 0; k < forms.size(); ++k) {
    EXPECT_EQ(results[k], rows[k].result) << forms[k] << std::hex << " gives " << results[k];
  }
}

// The text again, on wide integers, with a form drawn as its parts.
struct Drawn {
  std::string text;
  U32 result;
};

S64 Extended(U32 word, unsigned from, unsigned width, bool is_signed) {
  const S64 modulus = S64{1} << width;
  const S64 bits = (S64{word} >> from) % modulus;
  return is_signed && bits >= modulus / 2 ? bits - modulus : bits;
}

S64 Clamp(S64 value, unsigned width, bool is_signed) {
  const S64 most = is_signed ? (S64{1} << (width - 1)) - 1 : (S64{1} << width) - 1;
  return std::max(std::min(value, most), is_signed ? -most - 1 : S64{0});
}

constexpr std::array<const char*, 6> kOps = {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"};
S64 Apply(std::size_t op, S64 a, S64 b) {
  switch (op) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a > b ? a - b : b - a;
    case 3:
      return a < b ? a : b;
    case 4:
      return a > b ? a : b;
    default:
      return a + b >= 0 ? (a + b + 1) / 2 : -((-(a + b) + 1) / 2);
  }
}

const char* TypeName(bool is_signed) { return is_signed ? ".s32" : ".u32"; }

Drawn DrawScalar(std::mt19937* random, U32 a, U32 b, U32 c) {
  const auto draw = [&](U32 below) { return (*random)() % below; };
  static constexpr std::array<const char*, 7> kParts = {".b0", ".b1", ".b2", ".b3",
                                                        ".h0", ".h1", ""};
  static constexpr std::array<unsigned, 7> kFrom = {0, 8, 16, 24, 0, 16, 0};
  static constexpr std::array<unsigned, 7> kWidth = {8, 8, 8, 8, 16, 16, 32};
  const std::size_t op = draw(5);
  const bool signed_d = draw(2) != 0;
  const bool signed_a = draw(2) != 0;
  const bool signed_b = draw(2) != 0;
  const bool sat = draw(2) != 0;
  const U32 second = draw(5);  // 1 to 3: .add, .min, .max; 4: into a part of c
  const U32 part_a = draw(7);
  const U32 part_b = draw(7);
  const U32 part_d = second == 4 ? draw(6) : 6;
  const S64 x = Extended(a, kFrom[part_a], kWidth[part_a], signed_a);
  const S64 y = Extended(b, kFrom[part_b], kWidth[part_b], signed_b);
  S64 t = Apply(op, x, y);
  if (sat) {
    t = Clamp(t, kWidth[part_d], signed_d);
  } else {  // 33 bits
    t = ((t % (S64{1} << 33)) + (S64{1} << 33)) % (S64{1} << 33);
    t = t >= S64{1} << 32 ? t - (S64{1} << 33) : t;
  }
  const S64 z = Extended(c, 0, 32, signed_d);
  t = second == 1 ? t + z : second == 2 ? std::min(t, z) : second == 3 ? std::max(t, z) : t;
  const U32 mask = kWidth[part_d] == 32 ? ~0U : ((1U << kWidth[part_d]) - 1) << kFrom[part_d];
  const U32 result = (Word(t) << kFrom[part_d] & mask) | (c & ~mask);
  static constexpr std::array<const char*, 5> kSecond = {"", ".add", ".min", ".max", ""};
  return {fmt::format("{}{}{}{}{}{} %r1{}, %r2{}, %r3{}{};", kOps[op], TypeName(signed_d),
                      TypeName(signed_a), TypeName(signed_b), sat ? ".sat" : "", kSecond[second],
                      kParts[part_d], kParts[part_a], kParts[part_b], second != 0 ? ", %r4" : ""),
          result};
}

Drawn DrawSeveral(std::mt19937* random, unsigned count, U32 a, U32 b, U32 c) {
  const auto draw = [&](U32 below) { return (*random)() % below; };
  const unsigned width = 32 / count;
  const std::size_t op = draw(6);
  const bool signed_d = draw(2) != 0;
  const bool signed_a = draw(2) != 0;
  const bool signed_b = draw(2) != 0;
  const bool adds = draw(2) != 0;
  const bool sat = !adds && draw(2) != 0;
  const U32 mask = 1 + draw((1U << count) - 1);
  std::string mask_text = count == 2 ? ".h" : ".b";
  std::string text_a = mask_text;
  std::string text_b = mask_text;
  U32 d = c;
  for (unsigned k = count; k-- > 0;) {
    const U32 from_a = draw(2 * count);
    const U32 from_b = draw(2 * count);
    text_a += std::to_string(from_a);
    text_b += std::to_string(from_b);
    if ((mask >> k & 1U) == 0) {
      continue;
    }
    mask_text += std::to_string(k);
    const auto element = [&](U32 which, bool is_signed) {
      return Extended(which < count ? a : b, which % count * width, width, is_signed);
    };
    S64 t = Apply(op, element(from_a, signed_a), element(from_b, signed_b));
    t = sat ? Clamp(t, width, signed_d) : t;
    const U32 field = ((1U << width) - 1) << (k * width);
    d = adds ? d + Word(t) : (d & ~field) | ((Word(t) << (k * width)) & field);
  }
  return {fmt::format("{}{}{}{}{}{}{} %r1{}, %r2{}, %r3{}, %r4;", kOps[op], count,
                      TypeName(signed_d), TypeName(signed_a), TypeName(signed_b), sat ? ".sat" : "",
                      adds ? ".add" : "", mask_text, text_a, text_b),
          d};
}

TEST(PtxVideo, RandomForms) {
  std::mt19937 random(7);
  constexpr std::array<U32, 8> kCorners = {0,          1,          0x7f80ff01, 0x80007fff,
                                           0x7fffffff, 0x80000000, 0xffffffff, 0xff00ff00};
  std::vector<std::string> forms;
  std::vector<U32> operands;
  std::vector<U32> wanted;
  for (int k = 0; k < 3000; ++k) {
    const auto draw = [&]() -> U32 {
      return random() % 3 == 0 ? kCorners[random() % kCorners.size()] : Word(random());
    };
    const U32 a = draw();
    const U32 b = draw();
    const U32 c = draw();
    const Drawn drawn = k % 3 == 0 ? DrawScalar(&random, a, b, c)
                                   : DrawSeveral(&random, k % 3 == 1 ? 2 : 4, a, b, c);
    forms.push_back(drawn.text);
    wanted.push_back(drawn.result);
    operands.insert(operands.end(), {a, b, c});
  }
  const std::vector<U32> results = ResultsOf(forms, operands);
  for (std::size_t k = 0; k < forms.size(); ++k) {
    ASSERT_EQ(results[k], wanted[k]) << forms[k] << std::hex << " of " << operands[3 * k] << ", "
                                     << operands[3 * k + 1] << ", " << operands[3 * k + 2];
  }
}

}  // namespace
}  // namespace muster::ptx
