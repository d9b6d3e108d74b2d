// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/ptx_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

std::string KernelOf(const Row& row) {
  const char* const store = row.result == 'h'   ? "cvt.u64.u16 %d10, %h10;"
                            : row.result == 'r' ? "cvt.u64.u32 %d10, %r10;"
                            : row.result == 'f' ? "mov.b32 %r10, %f10; cvt.u64.u32 %d10, %r10;"
                            : row.result == 'g' ? "mov.b64 %d10, %g10;"
                            : row.result == 'p' ? "selp.u64 %d10, 1, 0, %p10;"
                                                : "";
  std::string text = Header() + R"(
.visible .entry test(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 out) {
  .reg .pred %p<12>; .reg .b16 %h<12>; .reg .b32 %r<20>; .reg .b64 %d<20>;
  .reg .f32 %f<12>; .reg .f64 %g<12>; .reg .b128 %q<3>;
  mov.u32 %r15, %tid.x;
  mul.wide.u32 %d15, %r15, 8;
)";
  const char* const names[] = {"pa", "pb", "pc"};
  for (int i = 1; i <= 3; ++i) {
    text += fmt::format(
        "  ld.param.u64 %d16, [{1}]; add.u64 %d16, %d16, %d15; ld.global.u64 %d{0}, [%d16];"
        " cvt.u32.u64 %r{0}, %d{0}; cvt.u16.u64 %h{0}, %d{0}; mov.b32 %f{0}, %r{0};"
        " mov.b64 %g{0}, %d{0};\n",
        i, names[i - 1]);
  }
  return text + "  and.b32 %r16, %r3, 1; setp.ne.u32 %p1, %r16, 0; not.pred %p2, %p1;\n  " +
         row.text + "\n  " + store + R"(
  ld.param.u64 %d16, [out]; add.u64 %d16, %d16, %d15; st.global.u64 [%d16], %d10;
  ret;
})";
}

// 256 triples: every pair of the corner values, then random ones of all magnitudes.
void Draw(Operands operands, std::vector<U>* a, std::vector<U>* b, std::vector<U>* c) {
  const bool halves = operands == Operands::kHalf;
  const bool floats = operands != Operands::kIntegers && !halves;
  const std::vector<U> corners =
      // Zeroes, ones of either format, infinities, NaNs, the least and the greatest numbers.
      halves   ? std::vector<U>{0x00008000, 0x80000000, 0x3c003f80, 0xbf803c00, 0x7f807c00,
                                0x7c00ff80, 0x7fff7e01, 0x00010001, 0x7bff7f7f, 0x04000080}
      : floats ? std::vector<U>{Bits(0.0F),  Bits(-0.0F),    Bits(1.0F), Bits(-1.5F),
                                Bits(1e30F), Bits(INFINITY), Bits(NAN),  Bits(0.1F)}
               : std::vector<U>{0,          1,          2,          31,
                                0x7fff,     0x8000,     0x7fffffff, 0x80000000,
                                0xffffffff, U{1} << 63, ~U{0},      0xfffffffffffffffe};
  std::mt19937_64 random(1);
  for (const U x : corners) {
    for (const U y : corners) {
      a->push_back(x);
      b->push_back(y);
      c->push_back(corners[random() % corners.size()]);
    }
  }
  const auto draw = [&]() -> U {
    if (floats) {
      return Bits(static_cast<float>(std::ldexp(static_cast<double>(SignedWord(random())), -20)));
    }
    if (halves) {
      // Exponents near each other, so that sums are inexact; near zero, too.
      const U near = random() % 8 * 0x04000400;
      return (random() & 0x8fff8fff) + near;
    }
    return random() >> (random() % 64);
  };
  while (a->size() < 256) {
    a->push_back(draw());
    b->push_back(draw());
    c->push_back(draw());
  }
}

}  // namespace

void RunRows(const std::vector<Row>& rows, Operands operands) {
  std::vector<U> a;
  std::vector<U> b;
  std::vector<U> c;
  Draw(operands, &a, &b, &c);
  if (operands == Operands::kDouble) {
    for (auto* const list : {&a, &b, &c}) {
      for (U& x : *list) {
        x = Bits(static_cast<double>(F(x)) * (1 + 1e-12));
      }
    }
  }
  for (const Row& row : rows) {
    SCOPED_TRACE(row.text);
    Kernel kernel(KernelOf(row), 256);
    kernel.manifest.buffers = {MakeBuffer("a", a), MakeBuffer("b", b), MakeBuffer("c", c),
                               MakeBuffer("out", Type::kU64, 256)};
    const Ended run(kernel);
    ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
    const std::vector<U> out = run.Longs(3);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const U wanted = row.value(a[i], b[i], c[i]);
      const bool both_nan = (row.result == 'f' && std::isnan(F(out[i])) && std::isnan(F(wanted))) ||
                            (row.result == 'g' && std::isnan(G(out[i])) && std::isnan(G(wanted)));
      if (both_nan) {
        continue;
      }
      ASSERT_EQ(out[i], wanted) << std::hex << "of " << a[i] << ", " << b[i] << ", " << c[i];
    }
  }
}

}  // namespace muster::ptx
