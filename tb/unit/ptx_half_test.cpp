// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// f16, bf16 and narrower formats against an oracle of their own: all numbers of a format in a row,
// and the one that is nearest to the exact result. The host gives that as the two doubles around
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "sim/ptx/alu/small_float.h"
#include "tb/unit/ptx_rows.h"

namespace muster::ptx {
namespace {

constexpr U kNan16 = 0x7fff;

struct Format {
  int fraction_bits;
  int bias;
  U greatest;
  U sign;
};
constexpr Format kF16 = {10, 15, 0x7bff, 0x8000};
constexpr Format kBF16 = {7, 127, 0x7f7f, 0x8000};
constexpr Format kE4M3 = {3, 7, 0x7e, 0x80};
constexpr Format kE5M2 = {2, 15, 0x7b, 0x80};
constexpr Format kTF32 = {10, 127, 0x3fbff, 0x40000};

// The number of a code without sign; that above the greatest is the one that would come next.
double NumberOf(const Format& format, U code) {
  const U one = U{1} << format.fraction_bits;
  const U field = code / one;
  const auto significand = static_cast<double>(field == 0 ? code : one + code % one);
  return std::ldexp(significand,
                    static_cast<int>(std::max<U>(field, 1)) - format.bias - format.fraction_bits);
}

double ValueOf(const Format& format, U bits) {
  const U code = bits & (format.sign - 1);
  const double value = code > format.greatest + 1    ? NAN
                       : code == format.greatest + 1 ? INFINITY
                                                     : NumberOf(format, code);
  return (bits & format.sign) != 0 ? -value : value;
}
double H(U bits) { return ValueOf(kF16, bits & 0xffff); }
double B(U bits) { return ValueOf(kBF16, bits & 0xffff); }

struct Real {
  double nearest;
  double below;
  double above;
};

// The exact result of an operation on doubles that come from memory.
template <typename Operation>
Real Exactly(U a, U b, U c, double (*value)(U), Operation operation) {
  const auto under = [&](int mode) {
    volatile double x = value(a);
    volatile double y = value(b);
    volatile double z = value(c);
    std::fesetround(mode);
    volatile double result = operation(x, y, z);
    std::fesetround(FE_TONEAREST);
    return static_cast<double>(result);
  };
  return {under(FE_TONEAREST), under(FE_DOWNWARD), under(FE_UPWARD)};
}
Real Just(double value) { return {value, value, value}; }

// The greatest code whose number is not above a value that is not negative.
U CodeBelow(const Format& format, double value) {
  U low = 0;
  U high = format.greatest + 1;
  while (high - low > 1) {
    const U middle = (low + high) / 2;
    (NumberOf(format, middle) <= value ? low : high) = middle;
  }
  return low;
}

enum class Ties : std::uint8_t { kEven, kAway };

U Nearest(const Format& format, const Real& real, Ties ties = Ties::kEven) {
  if (std::isnan(real.nearest)) {
    return format.sign - 1;
  }
  const bool negative = std::signbit(real.nearest);
  const double low = negative ? -real.above : real.below;
  const double high = negative ? -real.below : real.above;
  const U code = CodeBelow(format, low);
  const double middle = (NumberOf(format, code) + NumberOf(format, code + 1)) / 2;
  const bool tie = low == middle && high == middle;
  const bool up = tie ? ties == Ties::kAway || code % 2 != 0 : low >= middle;
  return (negative ? format.sign : 0) | (code + (up ? 1 : 0));
}

U Sum16(U a, U b) {
  return Nearest(kF16, Exactly(a, b, 0, H, [](double x, double y, double) { return x + y; }));
}
U SumB16(U a, U b) {
  return Nearest(kBF16, Exactly(a, b, 0, B, [](double x, double y, double) { return x + y; }));
}
U Product16(U a, U b) {
  return Nearest(kF16, Exactly(a, b, 0, H, [](double x, double y, double) { return x * y; }));
}
U Fma16(U a, U b, U c) {
  return Nearest(
      kF16, Exactly(a, b, c, H, [](double x, double y, double z) { return std::fma(x, y, z); }));
}
U FmaB16(U a, U b, U c) {
  return Nearest(
      kBF16, Exactly(a, b, c, B, [](double x, double y, double z) { return std::fma(x, y, z); }));
}
bool IsNan16(U bits) { return (bits & 0x7fff) > 0x7c00; }
bool IsNanB16(U bits) { return (bits & 0x7fff) > 0x7f80; }

// Numbers as integers in their order, -0 below +0.
int Rank(U bits) {
  const int code = static_cast<int>(bits & 0x7fff);
  return (bits & 0x8000) != 0 ? -1 - code : code;
}
U Least(U a, U b, bool (*is_nan)(U)) {
  const U x = Half(a);
  const U y = Half(b);
  if (is_nan(x) || is_nan(y)) {
    return is_nan(x) && is_nan(y) ? kNan16 : is_nan(x) ? y : x;
  }
  return Rank(x) < Rank(y) ? x : y;
}
U Flushed(U bits) { return (bits & 0x7c00) == 0 ? bits & 0x8000 : bits & 0xffff; }

// Both halves of a register, each by itself.
template <typename F>
U Each(F f, U a, U b, U c) {
  return (f(a & 0xffff, b & 0xffff, c & 0xffff) & 0xffff) |
         (f((a >> 16) & 0xffff, (b >> 16) & 0xffff, (c >> 16) & 0xffff) & 0xffff) << 16;
}

TEST(PtxHalf, F16Arithmetic) {
  RunRows(
      {
          {"add.f16 %h10, %h1, %h2;", 'h', [](U a, U b, U) { return Sum16(a, b); }},
          {"sub.rn.f16 %h10, %h1, %h2;", 'h', [](U a, U b, U) { return Sum16(a, b ^ 0x8000); }},
          {"mul.f16 %h10, %h1, %h2;", 'h', [](U a, U b, U) { return Product16(a, b); }},
          {"fma.rn.f16 %h10, %h1, %h2, %h3;", 'h', [](U a, U b, U c) { return Fma16(a, b, c); }},
          {"add.ftz.f16 %h10, %h1, %h2;", 'h',
           [](U a, U b, U) { return Flushed(Sum16(Flushed(a), Flushed(b))); }},
          {"add.sat.f16 %h10, %h1, %h2;", 'h',
           [](U a, U b, U) {
             const U sum = Sum16(a, b);
             return IsNan16(sum) || sum >= 0x8000 ? 0 : std::min<U>(sum, 0x3c00);
           }},
          {"fma.rn.relu.f16 %h10, %h1, %h2, %h3;", 'h',
           [](U a, U b, U c) {
             const U sum = Fma16(a, b, c);
             return sum >= 0x8000 ? 0 : sum;
           }},
          {"neg.f16 %h10, %h1;", 'h', [](U a, U, U) { return Half(a) ^ U { 0x8000 }; }},
          {"abs.ftz.f16 %h10, %h1;", 'h', [](U a, U, U) { return Flushed(a) & 0x7fff; }},
          {"min.f16 %h10, %h1, %h2;", 'h', [](U a, U b, U) { return Least(a, b, IsNan16); }},
          {"max.NaN.f16 %h10, %h1, %h2;", 'h',
           [](U a, U b, U) {
             return IsNan16(a) || IsNan16(b)        ? kNan16
                    : Rank(Half(a)) > Rank(Half(b)) ? Long(Half(a))
                                                    : Long(Half(b));
           }},
          {"min.xorsign.abs.f16 %h10, %h1, %h2;", 'h',
           [](U a, U b, U) {
             const U least = Least(a & 0x7fff, b & 0x7fff, IsNan16);
             return IsNan16(least) ? least : least | ((a ^ b) & 0x8000);
           }},
          {"ex2.approx.f16 %h10, %h1;", 'h',
           [](U a, U, U) { return Nearest(kF16, Just(std::exp2(H(a)))); }},
          {"tanh.approx.f16 %h10, %h1;", 'h',
           [](U a, U, U) { return Nearest(kF16, Just(std::tanh(H(a)))); }},
      },
      Operands::kHalf);
}

TEST(PtxHalf, BF16Arithmetic) {
  RunRows(
      {
          {"add.bf16 %h10, %h1, %h2;", 'h', [](U a, U b, U) { return SumB16(a, b); }},
          {"sub.rn.bf16 %h10, %h1, %h2;", 'h', [](U a, U b, U) { return SumB16(a, b ^ 0x8000); }},
          {"mul.bf16 %h10, %h1, %h2;", 'h',
           [](U a, U b, U) {
             return Nearest(kBF16,
                            Exactly(a, b, 0, B, [](double x, double y, double) { return x * y; }));
           }},
          {"fma.rn.bf16 %h10, %h1, %h2, %h3;", 'h', [](U a, U b, U c) { return FmaB16(a, b, c); }},
          {"fma.rn.relu.bf16 %h10, %h1, %h2, %h3;", 'h',
           [](U a, U b, U c) {
             const U sum = FmaB16(a, b, c);
             return sum >= 0x8000 ? 0 : sum;
           }},
          {"neg.bf16 %h10, %h1;", 'h', [](U a, U, U) { return Half(a) ^ U { 0x8000 }; }},
          {"abs.bf16 %h10, %h1;", 'h', [](U a, U, U) { return a & 0x7fff; }},
          {"min.bf16 %h10, %h1, %h2;", 'h', [](U a, U b, U) { return Least(a, b, IsNanB16); }},
          {"ex2.approx.ftz.bf16 %h10, %h1;", 'h',
           [](U a, U, U) {
             const U power = Nearest(kBF16, Just(std::exp2(B(a))));
             return power < 0x80 ? 0 : power;
           }},
      },
      Operands::kHalf);
}

TEST(PtxHalf, Comparison) {
  RunRows(
      {
          {"setp.lt.f16 %p10, %h1, %h2;", 'p', [](U a, U b, U) { return Long(H(a) < H(b)); }},
          {"setp.neu.ftz.f16 %p10, %h1, %h2;", 'p',
           [](U a, U b, U) { return Long(H(Flushed(a)) != H(Flushed(b))); }},
          {"setp.num.bf16 %p10, %h1, %h2;", 'p',
           [](U a, U b, U) { return Long(!std::isnan(B(a)) && !std::isnan(B(b))); }},
          {"setp.ge.and.bf16 %p4|%p10, %h1, %h2, %p1;", 'p',
           [](U a, U b, U c) { return Long(!(B(a) >= B(b)) && (c & 1) != 0); }},
          {"setp.gt.f16x2 %p10|%p4, %r1, %r2;", 'p', [](U a, U b, U) { return Long(H(a) > H(b)); }},
          {"setp.gt.or.f16x2 %p4|%p10, %r1, %r2, %p1;", 'p',
           [](U a, U b, U c) { return Long(H(a >> 16) > H(b >> 16) || (c & 1) != 0); }},
          {"set.eq.f16.f16 %h10, %h1, %h2;", 'h',
           [](U a, U b, U) { return H(a) == H(b) ? U{0x3c00} : 0; }},
          {"set.le.bf16.u32 %h10, %r1, %r2;", 'h',
           [](U a, U b, U) { return Word(a) <= Word(b) ? U{0x3f80} : 0; }},
          {"set.ltu.u16.f16 %h10, %h1, %h2;", 'h',
           [](U a, U b, U) { return H(a) >= H(b) ? 0 : U{0xffff}; }},
          {"set.ne.u32.bf16 %r10, %h1, %h2;", 'r',
           [](U a, U b, U) { return B(a) < B(b) || B(a) > B(b) ? U{0xffffffff} : 0; }},
          {"set.ge.u32.f16x2 %r10, %r1, %r2;", 'r',
           [](U a, U b, U) {
             return Each([](U x, U y, U) { return H(x) >= H(y) ? U{0xffff} : 0; }, a, b, 0);
           }},
          {"set.lt.bf16x2.bf16x2 %r10, %r1, %r2;", 'r',
           [](U a, U b, U) {
             return Each([](U x, U y, U) { return B(x) < B(y) ? U{0x3f80} : 0; }, a, b, 0);
           }},
      },
      Operands::kHalf);
}

TEST(PtxHalf, Pairs) {
  RunRows(
      {
          {"add.f16x2 %r10, %r1, %r2;", 'r',
           [](U a, U b, U) { return Each([](U x, U y, U) { return Sum16(x, y); }, a, b, 0); }},
          {"mov.b32 %r10, %r1; fma.rn.f16x2 %r10, %r10, %r2, %r3;", 'r',
           [](U a, U b, U c) { return Each(Fma16, a, b, c); }},
          {"fma.rn.bf16x2 %r10, %r1, %r2, %r3;", 'r',
           [](U a, U b, U c) { return Each(FmaB16, a, b, c); }},
          {"max.bf16x2 %r10, %r1, %r2;", 'r',
           [](U a, U b, U) {
             return Each(
                 [](U x, U y, U) {
                   const U least = Least(x ^ 0x8000, y ^ 0x8000, IsNanB16);
                   return IsNanB16(least) ? least : least ^ 0x8000;
                 },
                 a, b, 0);
           }},
          {"neg.f16x2 %r10, %r1;", 'r', [](U a, U, U) { return Long(Word(a)) ^ 0x80008000U; }},
          {"add.u16x2 %r10, %r1, %r2;", 'r',
           [](U a, U b, U) { return Each([](U x, U y, U) { return x + y; }, a, b, 0); }},
          {"min.relu.s16x2 %r10, %r1, %r2;", 'r',
           [](U a, U b, U) {
             return Each(
                 [](U x, U y, U) {
                   return Low16(std::max(0, std::min<int>(SignedHalf(x), SignedHalf(y))));
                 },
                 a, b, 0);
           }},
          {"max.u16x2 %r10, %r1, %r2;", 'r',
           [](U a, U b, U) { return Each([](U x, U y, U) { return std::max(x, y); }, a, b, 0); }},
          {"max.relu.s32 %r10, %r1, %r2;", 'r',
           [](U a, U b, U) {
             return Low32(std::max({SignedWord(a), SignedWord(b), 0}));
           }},
          {"mov.b64 %d4, {%r1, %r2}; mov.b64 %d5, {%r2, %r3}; add.rn.f32x2 %d6, %d4, %d5;"
           "mov.b64 {%r4, %r10}, %d6; mov.b32 %f10, %r10;",
           'f', [](U, U b, U c) { return Bits(F(b) + F(c)); }},
      },
      Operands::kHalf);
}

// As std::fmin, which takes a signaling NaN for the result.
float Lesser(float a, float b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : a == b && std::signbit(b) ? b : b < a ? b : a;
}

TEST(PtxHalf, MixedPrecision) {
  RunRows(
      {
          {"add.f32.f16 %f10, %h1, %f2;", 'f',
           [](U a, U b, U) { return Bits(static_cast<float>(H(a)) + F(b)); }},
          {"sub.rn.f32.bf16 %f10, %h1, %f2;", 'f',
           [](U a, U b, U) { return Bits(static_cast<float>(B(a)) - F(b)); }},
          {"fma.rn.f32.bf16 %f10, %h1, %h2, %f3;", 'f',
           [](U a, U b, U c) {
             return Bits(std::fma(static_cast<float>(B(a)), static_cast<float>(B(b)), F(c)));
           }},
          {"min.xorsign.abs.f32 %f10, %f1, %f2;", 'f',
           [](U a, U b, U) {
             const float least = Lesser(std::fabs(F(a)), std::fabs(F(b)));
             return Bits(std::signbit(F(a)) != std::signbit(F(b)) ? -least : least);
           }},
          {"max.f32 %f10, %f1, %f2, %f3;", 'f',
           [](U a, U b, U c) { return Bits(-Lesser(Lesser(-F(a), -F(b)), -F(c))); }},
      },
      Operands::kHalf);
}

TEST(PtxHalf, Conversions) {
  RunRows(
      {
          {"cvt.rn.relu.f16.f32 %h10, %f1;", 'h',
           [](U a, U, U) {
             const U half = Nearest(kF16, Just(static_cast<double>(F(a))));
             return half >= 0x8000 ? 0 : half;
           }},
          {"cvt.rn.satfinite.bf16.f32 %h10, %f1;", 'h',
           [](U a, U, U) {
             const U half = Nearest(kBF16, Just(static_cast<double>(F(a))));
             return (half & 0x7fff) == 0x7f80 ? half - 1 : half;
           }},
          {"cvt.rna.tf32.f32 %r10, %f1;", 'r',
           [](U a, U, U) {
             const U bits = Nearest(kTF32, Just(static_cast<double>(F(a))), Ties::kAway);
             return bits == 0x3ffff ? U{0x7fffffff} : bits << 13;
           }},
          {"cvt.rn.satfinite.e4m3x2.f32 %h10, %f1, %f2;", 'h',
           [](U a, U b, U) {
             const auto one = [](U x) {
               const U bits = Nearest(kE4M3, Just(static_cast<double>(F(x))));
               return (bits & 0x7f) == 0x7f && !std::isnan(F(x)) ? bits - 1 : bits;
             };
             return one(a) << 8 | one(b);
           }},
          {"cvt.rn.satfinite.e5m2x2.f16x2 %h10, %r1;", 'h',
           [](U a, U, U) {
             const auto one = [](U x) {
               const U bits = Nearest(kE5M2, Just(H(x)));
               return (bits & 0x7f) == 0x7c ? bits - 1 : bits;
             };
             return one(a >> 16) << 8 | one(a);
           }},
          {"cvt.rn.f16x2.e4m3x2 %r10, %h1;", 'r',
           [](U a, U, U) {
             return Each(
                 [](U x, U, U) {
                   return (x & 0x7f) == 0x7f ? kNan16 : Nearest(kF16, Just(ValueOf(kE4M3, x)));
                 },
                 (a & 0xff) | (a & 0xff00) << 8, 0, 0);
           }},
          {"cvt.rni.s16.f16 %h10, %h1;", 'h',
           [](U a, U, U) {
             const double x = std::nearbyint(H(a));
             return std::isnan(x) ? 0 : Low16(static_cast<S64>(std::clamp(x, -32768.0, 32767.0)));
           }},
          {"cvt.rmi.bf16.bf16 %h10, %h1;", 'h',
           [](U a, U, U) { return Nearest(kBF16, Just(std::floor(B(a)))); }},
          {"cvt.f64.f16 %g10, %h1;", 'g', [](U a, U, U) { return Bits(H(a)); }},
          {"cvt.rn.bf16.f16 %h10, %h1;", 'h', [](U a, U, U) { return Nearest(kBF16, Just(H(a))); }},
          {"cvt.f32.bf16 %f10, %h1;", 'f',
           [](U a, U, U) { return Bits(static_cast<float>(B(a))); }},
      },
      Operands::kHalf);
  RunRows({
      {"cvt.rn.bf16.u64 %h10, %d1;", 'h',
       [](U a, U, U) {
         // Numbers of 64 bits are exact as long doubles.
         const auto x = static_cast<long double>(a);
         const U code = CodeBelow(kBF16, static_cast<double>(x * 0.99L));
         U best = code;
         const auto distance = [&](U bits) {
           const long double d = static_cast<long double>(NumberOf(kBF16, bits)) - x;
           return d < 0 ? -d : d;
         };
         for (U next = code; next < code + 4; ++next) {
           if (distance(next) < distance(best) ||
               (distance(next) == distance(best) && next % 2 == 0)) {
             best = next;
           }
         }
         return best;
       }},
      {"cvt.rn.f16.s64 %h10, %d1;", 'h',
       [](U a, U, U) {
         const auto x = static_cast<double>(SignedLong(a));
         return std::fabs(x) > 65536 ? (x < 0 ? U{0xfc00} : U{0x7c00}) : Nearest(kF16, Just(x));
       }},
      {"cvt.pack.sat.u8.s32.b32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) {
         const auto one = [](U x) { return Long(std::clamp(SignedWord(x), 0, 255)); };
         return Long(Word(c << 16)) | one(a) << 8 | one(b);
       }},
      {"cvt.pack.sat.s4.s32.b32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) {
         const auto one = [](U x) { return Long(std::clamp(SignedWord(x), -8, 7)) & 15; };
         return Long(Word(c << 8)) | one(a) << 4 | one(b);
       }},
      {"cvt.pack.sat.s16.s32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) {
         const auto one = [](U x) { return Low16(std::clamp(SignedWord(x), -32768, 32767)); };
         return one(a) << 16 | one(b);
       }},
  });
}

// Every code of every format, the points halfway between two, and what lies beside them.
TEST(PtxHalf, EveryNumberOfEveryFormat) {
  constexpr std::pair<Type, Format> kFormats[] = {
      {Type::kF16, kF16}, {Type::kBF16, kBF16}, {Type::kE4M3, kE4M3}, {Type::kE5M2, kE5M2}};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const auto& [type, format] : kFormats) {
    for (U code = 0; code < format.greatest; ++code) {
      const double number = NumberOf(format, code);
      ASSERT_EQ(FromSmall(type, code), number);
      ASSERT_EQ(FromSmall(type, code | format.sign), -number);
      const double middle = (number + NumberOf(format, code + 1)) / 2;
      const U even = code % 2 == 0 ? code : code + 1;
      ASSERT_EQ(ToSmall(type, Round::kNearest, number), code);
      ASSERT_EQ(ToSmall(type, Round::kNearest, middle), even);
      ASSERT_EQ(ToSmall(type, Round::kNearestAway, middle), code + 1);
      ASSERT_EQ(ToSmall(type, Round::kNearest, std::nextafter(middle, 0)), code);
      ASSERT_EQ(ToSmall(type, Round::kNearest, std::nextafter(middle, kInfinity)), code + 1);
      ASSERT_EQ(ToSmall(type, Round::kZero, std::nextafter(NumberOf(format, code + 1), 0)), code);
      ASSERT_EQ(ToSmall(type, Round::kUp, std::nextafter(number, kInfinity)), code + 1);
      ASSERT_EQ(ToSmall(type, Round::kDown, -std::nextafter(number, kInfinity)),
                (code + 1) | format.sign);
    }
    const double most = NumberOf(format, format.greatest);
    EXPECT_EQ(ToSmall(type, Round::kZero, 2 * most), format.greatest);
    EXPECT_EQ(ToSmall(type, Round::kDown, 2 * most), format.greatest);
    EXPECT_EQ(ToSmall(type, Round::kUp, -2 * most), format.greatest | format.sign);
    EXPECT_EQ(ToSmall(type, Round::kNearest, kInfinity, true), format.greatest);
    EXPECT_EQ(ToSmall(type, Round::kNearest, 2 * most), format.greatest + 1);
    EXPECT_EQ(ToSmall(type, Round::kNearest, NAN), format.sign - 1);
    EXPECT_TRUE(std::isnan(FromSmall(type, format.sign - 1)));
  }
  EXPECT_TRUE(std::isinf(FromSmall(Type::kF16, 0xfc00)));
}

}  // namespace
}  // namespace muster::ptx
