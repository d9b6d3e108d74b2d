// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Arithmetic beyond the everyday: carries, saturation, rounding, fields and halves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_rows.h"

namespace muster::ptx {
namespace {

constexpr U kNan32 = 0x7fffffff;

U Clamped(S64 value) {
  return Low32(
      std::clamp<S64>(value, std::numeric_limits<S32>::min(), std::numeric_limits<S32>::max()));
}

// What `f` gives under a rounding mode of the host; the operands come from memory, so that nothing
// is computed before the mode is set.
template <typename T, typename F>
U Rounded(int mode, U a, U b, F f) {
  volatile T x = 0;
  volatile T y = 0;
  if constexpr (sizeof(T) == 4) {
    x = muster::ptx::F(a);
    y = muster::ptx::F(b);
  } else {
    x = G(a);
    y = G(b);
  }
  std::fesetround(mode);
  volatile T result = f(static_cast<T>(x), static_cast<T>(y));
  std::fesetround(FE_TONEAREST);
  const T value = result;
  if constexpr (sizeof(T) == 4) {
    return std::isnan(value) ? kNan32 : Bits(value);
  } else {
    return Bits(value);
  }
}

float Flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x; }

TEST(PtxArithmetic, Carries) {
  RunRows({
      {"add.cc.u32 %r4, %r1, %r2; addc.u32 %r10, %r3, 0;", 'r',
       [](U a, U b, U c) { return Low32(SignedLong(((Long(Word(a)) + Word(b)) >> 32) + c)); }},
      {"add.cc.u64 %d4, %d1, %d2; addc.cc.u64 %d5, %d3, %d3; addc.u64 %d10, 0, 0;", 'd',
       [](U a, U b, U c) {
         const U carry = a + b < a ? 1 : 0;
         return Long((static_cast<unsigned __int128>(c) + c + carry) >> 64);
       }},
      {"sub.cc.u32 %r4, %r1, %r2; subc.u32 %r10, %r3, 5;", 'r',
       [](U a, U b, U c) { return Low32(SignedLong(c - 5 - (Word(a) < Word(b) ? 1 : 0))); }},
      {"sub.cc.s64 %d4, %d1, %d2; subc.cc.s64 %d5, 0, %d3; subc.s64 %d10, 0, 0;", 'd',
       [](U a, U b, U c) { return c + (a < b ? 1 : 0) > 0 || (a < b && c == ~U{0}) ? ~U{0} : 0; }},
      // A difference leaves 1 where it has borrowed nothing.
      {"sub.cc.u32 %r4, %r1, %r2; addc.u32 %r10, %r3, 0;", 'r',
       [](U a, U b, U c) { return Low32(SignedLong(c + (Word(a) < Word(b) ? 0 : 1))); }},
      {"sub.cc.u64 %d4, %d1, %d2; subc.cc.u64 %d5, 0, 0; addc.cc.u64 %d6, %d1, %d3;"
       "subc.u64 %d10, %d6, %d2;",
       'd',
       [](U a, U b, U c) {
         const unsigned __int128 sum = static_cast<unsigned __int128>(a) + c + (a < b ? 0 : 1);
         return Long(sum) - b - 1 + Long(sum >> 64);
       }},
      // 64 x 64 bits by words, the upper half.
      {"cvt.u32.u64 %r4, %d1; shr.u64 %d4, %d1, 32; cvt.u32.u64 %r5, %d4;"
       "cvt.u32.u64 %r6, %d2; shr.u64 %d4, %d2, 32; cvt.u32.u64 %r7, %d4;"
       "mul.lo.u32 %r8, %r4, %r6; mul.hi.u32 %r9, %r4, %r6;"
       "mad.lo.cc.u32 %r9, %r4, %r7, %r9; madc.hi.u32 %r11, %r4, %r7, 0;"
       "mad.lo.cc.u32 %r9, %r5, %r6, %r9; madc.hi.cc.u32 %r11, %r5, %r6, %r11; addc.u32 %r12, 0, 0;"
       "mad.lo.cc.u32 %r11, %r5, %r7, %r11; madc.hi.u32 %r12, %r5, %r7, %r12;"
       "mov.b64 %d10, {%r11, %r12};",
       'd', [](U a, U b, U) { return Long(static_cast<unsigned __int128>(a) * b >> 64); }},
  });
}

TEST(PtxArithmetic, SaturationAndOddWidths) {
  RunRows({
      {"add.sat.s32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Clamped(SignedLong(SignedWord(a)) + SignedWord(b)); }},
      {"sub.sat.s32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Clamped(SignedLong(SignedWord(a)) - SignedWord(b)); }},
      {"mad.hi.sat.s32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) {
         return Clamped((SignedLong(SignedWord(a)) * SignedWord(b) >> 32) + SignedWord(c));
       }},
      {"mul24.lo.u32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Long(Word((a & 0xffffff) * (b & 0xffffff))); }},
      {"mul24.hi.s32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) {
         const S64 x = SignedWord(a << 8) >> 8;
         const S64 y = SignedWord(b << 8) >> 8;
         return Low32(x * y >> 16);
       }},
      {"mad24.lo.s32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) {
         const S64 x = SignedWord(a << 8) >> 8;
         const S64 y = SignedWord(b << 8) >> 8;
         return Low32(x * y + SignedWord(c));
       }},
      {"sad.u32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) {
         return Low32(SignedLong(c + (Word(a) < Word(b) ? Word(b) - Word(a) : Word(a) - Word(b))));
       }},
      {"sad.s16 %h10, %h1, %h2, %h3;", 'h',
       [](U a, U b, U c) {
         return Low16(SignedHalf(c) + std::abs(SignedHalf(a) - SignedHalf(b)));
       }},
      {"dp4a.u32.s32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) {
         U sum = c;
         for (int i = 0; i < 32; i += 8) {
           sum += Long(SignedLong((a >> i) & 0xff) * static_cast<std::int8_t>(b >> i));
         }
         return Low32(SignedLong(sum));
       }},
      {"dp2a.hi.s32.u32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) {
         return Low32(SignedLong(c + Long(SignedHalf(a) * SignedLong((b >> 16) & 0xff) +
                                          SignedHalf(a >> 16) * SignedLong((b >> 24) & 0xff))));
       }},
      {"bfind.u32 %r10, %r1;", 'r',
       [](U a, U, U) { return Word(a) == 0 ? U{0xffffffff} : Long(31 - __builtin_clz(Word(a))); }},
      {"bfind.shiftamt.s64 %r10, %d1;", 'r',
       [](U a, U, U) {
         const U x = SignedLong(a) < 0 ? ~a : a;
         return x == 0 ? U{0xffffffff} : Long(__builtin_clzll(x));
       }},
      {"fns.b32 %r10, %r1, 0, 2;", 'r',
       [](U a, U, U) {
         const U32 rest = Word(a) & (Word(a) - 1);
         return rest == 0 ? U{0xffffffff} : Long(__builtin_ctz(rest));
       }},
      {"fns.b32 %r10, %r1, 31, -1;", 'r',
       [](U a, U, U) { return Word(a) == 0 ? U{0xffffffff} : Long(31 - __builtin_clz(Word(a))); }},
      {"szext.clamp.s32 %r10, %r1, 12;", 'r',
       [](U a, U, U) { return Low32(SignedWord(a << 20) >> 20); }},
      {"szext.wrap.u32 %r10, %r1, 33;", 'r', [](U a, U, U) { return a & 1; }},
      {"bmsk.clamp.b32 %r10, 4, 100;", 'r', [](U, U, U) { return U{0xfffffff0}; }},
      {"prmt.b32.f4e %r10, %r1, %r2, 1;", 'r',
       [](U a, U b, U) { return Long(Word((b << 24) | (Word(a) >> 8))); }},
      {"prmt.b32.rc16 %r10, %r1, %r2, 3;", 'r',
       [](U a, U, U) { return Long((Word(a) >> 16) * 0x10001U); }},
      {"lop3.or.b32 %r10|%p10, %r1, %r2, %r3, 0x80, %p2;", 'p',
       [](U a, U b, U c) { return Long(Word(a & b & c) != 0 || (c & 1) == 0); }},
      {"slct.u32.s32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) { return Long(Word(SignedWord(c) >= 0 ? a : b)); }},
      {"mov.b128 %q1, {%d1, %d2}; mov.b128 %q2, %q1; mov.b128 {%d4, %d10}, %q2;", 'd',
       [](U, U b, U) { return b; }},
  });
}

TEST(PtxArithmetic, RoundingModes) {
  RunRows(
      {
          {"add.rz.f32 %f10, %f1, %f2;", 'f',
           [](U a, U b, U) {
             return Rounded<float>(FE_TOWARDZERO, a, b, [](float x, float y) { return x + y; });
           }},
          {"mul.rm.f32 %f10, %f1, %f2;", 'f',
           [](U a, U b, U) {
             return Rounded<float>(FE_DOWNWARD, a, b, [](float x, float y) { return x * y; });
           }},
          {"div.rp.f32 %f10, %f1, %f2;", 'f',
           [](U a, U b, U) {
             return Rounded<float>(FE_UPWARD, a, b, [](float x, float y) { return x / y; });
           }},
          {"sqrt.rm.f32 %f10, %f1;", 'f',
           [](U a, U b, U) {
             return Rounded<float>(FE_DOWNWARD, a, b, [](float x, float) { return std::sqrt(x); });
           }},
          {"cvt.rz.f16.f32 %h4, %f1; cvt.f32.f16 %f10, %h4;", 'f',
           [](U a, U, U) {
             const float x = F(a);
             if (std::isnan(x) || std::isinf(x)) {
               return Bits(x);
             }
             const float step = std::ldexp(1.0F, std::max(std::ilogb(x), -14) - 10);
             return Bits(x == 0
                             ? x
                             : std::copysign(
                                   std::min(std::trunc(std::fabs(x) / step) * step, 65504.0F), x));
           }},
          {"cvt.rn.bf16.f32 %h4, %f1; cvt.f32.bf16 %f10, %h4;", 'f',
           [](U a, U, U) {
             if (std::isnan(F(a))) {
               return kNan32;
             }
             const U32 bits = Word(a);
             return Long((bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U);
           }},
          {"cvt.rn.f16x2.f32 %r10, %f1, 0f3F800000; mov.b32 {%h4, %h5}, %r10;"
           "cvt.f32.f16 %f10, %h5;",
           'f',
           [](U a, U, U) {
             const float x = F(a);
             if (std::isnan(x) || std::isinf(x) || x == 0) {
               return Bits(x);
             }
             const float step = std::ldexp(1.0F, std::max(std::ilogb(x), -14) - 10);
             const float rounded = std::nearbyint(x / step) * step;
             return Bits(std::fabs(rounded) > 65504 ? std::copysign(INFINITY, x) : rounded);
           }},
      },
      Operands::kSingle);
  RunRows(
      {
          {"fma.rp.f64 %g10, %g1, %g2, 0dBFF0000000000000;", 'g',
           [](U a, U b, U) {
             return Rounded<double>(FE_UPWARD, a, b,
                                    [](double x, double y) { return std::fma(x, y, -1.0); });
           }},
          {"sub.rm.f64 %g10, %g1, %g2;", 'g',
           [](U a, U b, U) {
             return Rounded<double>(FE_DOWNWARD, a, b, [](double x, double y) { return x - y; });
           }},
          {"cvt.rz.f32.f64 %f10, %g1;", 'f',
           [](U a, U, U) {
             const double x = G(a);
             const auto nearest = static_cast<float>(x);
             if (std::isnan(x)) {
               return kNan32;
             }
             return Bits(std::fabs(static_cast<double>(nearest)) > std::fabs(x)
                             ? std::nextafter(nearest, 0.0F)
                             : nearest);
           }},
      },
      Operands::kDouble);
  RunRows({
      {"cvt.rm.f32.u64 %f10, %d1;", 'f',
       [](U a, U, U) {
         auto nearest = static_cast<float>(a);
         return Bits(static_cast<double>(nearest) > static_cast<long double>(a)
                         ? std::nextafter(nearest, 0.0F)
                         : nearest);
       }},
      {"cvt.rp.f32.s32 %f10, %r1;", 'f',
       [](U a, U, U) {
         const auto nearest = static_cast<float>(SignedWord(a));
         return Bits(static_cast<double>(nearest) < SignedWord(a) ? std::nextafter(nearest, 1e30F)
                                                                  : nearest);
       }},
  });
}

TEST(PtxArithmetic, FlushesSaturatesAndKeepsNans) {
  RunRows(
      {
          {"mul.f32 %f4, %f1, 0f00200000; add.ftz.f32 %f10, %f4, 0f80000000;", 'f',
           [](U a, U, U) {
             const float tiny = F(a) * F(0x00200000);
             return Bits(Flushed(tiny) + -0.0F);
           }},
          {"fma.rn.ftz.sat.f32 %f10, %f1, %f2, %f3;", 'f',
           [](U a, U b, U c) {
             const float x = Flushed(std::fma(F(a), F(b), F(c)));
             return Bits(std::isnan(x) ? 0.0F : std::clamp(x, 0.0F, 1.0F) + 0.0F);
           }},
          {"min.NaN.f32 %f10, %f1, 0f00000000;", 'f',
           [](U a, U, U) { return std::isnan(F(a)) ? kNan32 : Bits(std::min(F(a), 0.0F)); }},
          {"setp.eq.ftz.f32 %p10, %f1, 0f00000001;", 'p',
           [](U a, U, U) { return Long(F(a) == 0.0F); }},
          {"copysign.f32 %f10, %f1, %f2;", 'f',
           [](U a, U b, U) { return Long((Word(a) & 0x80000000U) | (Word(b) & 0x7fffffffU)); }},
          {"testp.notanumber.f32 %p10, %f1;", 'p',
           [](U a, U, U) { return Long(std::isnan(F(a))); }},
          {"testp.finite.f32 %p10, %f1;", 'p', [](U a, U, U) { return Long(std::isfinite(F(a))); }},
          {"slct.b32.f32 %r10, %r1, %r2, %f3;", 'r',
           [](U a, U b, U c) { return Long(Word(F(c) >= 0 ? a : b)); }},
          {"slct.ftz.b32.f32 %r10, %r1, %r2, 0f80000001;", 'r',
           [](U a, U, U) { return Long(Word(a)); }},
          {"slct.b32.f32 %r10, %r1, %r2, 0f80000001;", 'r',
           [](U, U b, U) { return Long(Word(b)); }},
          {"ex2.approx.ftz.f32 %f10, %f1;", 'f',
           [](U a, U, U) {
             return Bits(Flushed(static_cast<float>(std::exp2(static_cast<double>(F(a))))));
           }},
          {"rsqrt.approx.f32 %f10, %f1;", 'f',
           [](U a, U, U) {
             return Bits(static_cast<float>(1 / std::sqrt(static_cast<double>(F(a)))));
           }},
          {"cvt.rzi.u64.f32 %d10, %f1;", 'd',
           [](U a, U, U) {
             const float x = F(a);
             if (std::isnan(x)) {
               return U{1} << 63;
             }
             return x >= 0x1p64F ? ~U{0} : x <= 0 ? 0 : static_cast<U>(x);
           }},
      },
      Operands::kSingle);
}

}  // namespace
}  // namespace muster::ptx
