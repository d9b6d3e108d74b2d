// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Conversions between integers, f32, f64 and the half-width formats.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/ptx/compute.h"

namespace muster::ptx {
namespace {

// A format of 16 bits: sign, exponent, fraction.
struct HalfFormat {
  int fraction_bits;
  int least_exponent;  // of normal numbers
  int most_exponent;
};
constexpr HalfFormat FormatOf(Type type) {
  return type == Type::kBF16 ? HalfFormat{7, -126, 127} : HalfFormat{10, -14, 15};
}

// The exponent field of infinities and NaNs.
constexpr unsigned AllOnes(const HalfFormat& format) {
  return static_cast<unsigned>(format.most_exponent - format.least_exponent + 2);
}

float FromHalf(Type type, std::uint64_t bits) {
  const HalfFormat format = FormatOf(type);
  const auto fraction = static_cast<int>(bits & ((1U << format.fraction_bits) - 1));
  const int field = static_cast<int>(bits & 0x7fffU) >> format.fraction_bits;
  float value = 0;
  if (field == static_cast<int>(AllOnes(format))) {
    value = fraction != 0 ? std::numeric_limits<float>::quiet_NaN()
                          : std::numeric_limits<float>::infinity();
  } else {
    const int significand = field == 0 ? fraction : fraction | (1 << format.fraction_bits);
    value = std::ldexp(static_cast<float>(significand),
                       std::max(field, 1) - 1 + format.least_exponent - format.fraction_bits);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

// Rounded as the host is told to.
std::uint64_t ToHalf(Type type, Round round, double value) {
  const HalfFormat format = FormatOf(type);
  if (std::isnan(value)) {
    return 0x7fff;
  }
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const std::uint64_t infinity = std::uint64_t{AllOnes(format)} << format.fraction_bits;
  if (std::isinf(value)) {
    return sign | infinity;
  }
  const int exponent =
      std::max(value == 0 ? format.least_exponent : std::ilogb(value), format.least_exponent);
  const double rounded =
      std::fabs(std::nearbyint(std::ldexp(value, format.fraction_bits - exponent)));
  // One more than the fraction can hold moves on to the exponent, up to infinity.
  const int field = exponent - format.least_exponent + 1;
  const auto bits = (static_cast<std::uint64_t>(field) << format.fraction_bits) +
                    static_cast<std::uint64_t>(rounded) -
                    (std::uint64_t{1} << format.fraction_bits);
  const bool to_infinity =
      round == Round::kNearest || round == (sign == 0 ? Round::kUp : Round::kDown);
  return sign | (bits < infinity ? bits : to_infinity ? infinity : infinity - 1);
}

// The integer that a floating-point number is rounded to.
template <typename F>
F RoundToInteger(F value, Round round) {
  switch (round) {
    case Round::kIntegerNearest:
      return std::nearbyint(value);
    case Round::kIntegerZero:
      return std::trunc(value);
    case Round::kIntegerDown:
      return std::floor(value);
    case Round::kIntegerUp:
      return std::ceil(value);
    default:
      return value;
  }
}

// Out of range: the nearest that there is. A NaN gives 0 between 32 and less bits, and only the top
// bit where either side has 64.
template <typename I, typename F>
I FloatToInteger(F value) {
  if (std::isnan(value)) {
    constexpr bool kWide = sizeof(I) == 8 || sizeof(F) == 8;
    return static_cast<I>(kWide ? std::uint64_t{1} << (8 * sizeof(I) - 1) : 0);
  }
  constexpr int kDigits = std::numeric_limits<I>::digits;
  const F above = std::ldexp(F{1}, kDigits);
  if (value >= above) {
    return std::numeric_limits<I>::max();
  }
  if (value < (std::is_signed_v<I> ? -above : F{0})) {
    return std::numeric_limits<I>::min();
  }
  return static_cast<I>(value);
}

template <typename To, typename From>
To ConvertOne(From value, Round round, bool saturate) {
  if constexpr (std::is_floating_point_v<From>) {
    value = RoundToInteger(value, round);
  }
  if constexpr (std::is_floating_point_v<To>) {
    const auto result = static_cast<To>(value);
    return saturate ? ClampToUnit(result) : result;
  } else if constexpr (std::is_floating_point_v<From>) {
    return FloatToInteger<To>(value);
  } else {
    if (saturate) {
      const __int128 wide = +value;
      if (wide > std::numeric_limits<To>::max()) {
        return std::numeric_limits<To>::max();
      }
      if (wide < std::numeric_limits<To>::min()) {
        return std::numeric_limits<To>::min();
      }
    }
    return static_cast<To>(value);
  }
}

// The type in which a source is computed with.
constexpr Type WideType(Type type) { return IsHalf(type) ? Type::kF32 : type; }

template <typename T>
T Fetch(const Instruction& i, std::uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    const float value = IsHalf(i.source) ? FromHalf(i.source, bits) : FromBits<float>(bits);
    return i.flush ? FlushSubnormal(value) : value;
  } else {
    return FromBits<T>(bits);
  }
}

void ConvertToHalf(const Lanes& l) {
  const Instruction& i = l.instruction;
  const auto a = l.a(0);
  std::uint64_t* const d = l.d(0);
  WithNumber(WideType(i.source), [&](auto from) {
    l.ForEach([&](unsigned lane) {
      const auto value = static_cast<double>(
          ConvertOne<double>(Fetch<decltype(from)>(i, a[lane]), i.round, i.saturate));
      d[lane] = ToHalf(i.type, i.round, value);
    });
  });
}

}  // namespace

std::uint64_t CombineHalves(Type type, Atomic op, std::uint64_t old, std::uint64_t b) {
  const float x = FromHalf(type, old);
  const float y = FromHalf(type, b);
  const double value = op == Atomic::kMin   ? std::fmin(x, y)
                       : op == Atomic::kMax ? std::fmax(x, y)
                                            : static_cast<double>(x) + static_cast<double>(y);
  return ToHalf(type, Round::kNearest, value);
}

void ComputeConvert(const Lanes& l) {
  const Instruction& i = l.instruction;
  const RoundingScope scope(i.round);
  if (IsHalf(i.type)) {
    return ConvertToHalf(l);
  }
  const auto a = l.a(0);
  std::uint64_t* const d = l.d(0);
  // A destination wider than its type is filled with the sign, or with zeroes.
  const std::uint64_t keep = ~std::uint64_t{0} >> (64 - 8 * i.vector);
  WithNumber(WideType(i.source), [&](auto from) {
    using From = decltype(from);
    WithNumber(i.type, [&](auto to) {
      using To = decltype(to);
      l.ForEach([&](unsigned lane) {
        const To value = ConvertOne<To>(Fetch<From>(i, a[lane]), i.round, i.saturate);
        if constexpr (std::is_floating_point_v<To>) {
          d[lane] = ToBits(i.flush ? FlushSubnormal(value) : value);
        } else {
          d[lane] = static_cast<std::uint64_t>(value) & keep;
        }
      });
    });
  });
}

}  // namespace muster::ptx
