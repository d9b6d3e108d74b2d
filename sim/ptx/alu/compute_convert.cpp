// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Conversions between integers, f32, f64 and the formats of small_float.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/small_float.h"

namespace muster::ptx {
namespace {

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

template <typename T>
T Fetch(const Conversion& i, std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>) {
    if (IsSmallFloat(i.from)) {
      return static_cast<T>(FromSmall(i.from, bits));
    }
  }
  const T value = FromBits<T>(bits);
  if constexpr (std::is_same_v<T, float>) {
    return i.flush ? FlushSubnormal(value) : value;
  }
  return value;
}

// To be rounded once more, so nothing may be lost that decides how.
template <typename T>
double ToDouble(T value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    return SumToOdd(static_cast<double>(value >> 32) * 0x1p32,
                    static_cast<double>(value & 0xffffffff));
  } else {
    return static_cast<double>(value);
  }
}

void ConvertToSmall(const Lanes& l, const Conversion& i) {
  const auto a = l.Read(i.a);
  std::uint64_t* const d = l.Write(i.d);
  WithNumber(i.from, [&](auto from) {
    l.ForEach([&](unsigned lane) {
      double value = RoundToInteger(ToDouble(Fetch<decltype(from)>(i, a[lane])), i.round);
      value = i.saturate ? ClampToUnit(value) : i.relu && value <= 0 ? 0 : value;
      d[lane] = ToSmall(i.to, i.round, value, i.finite);
    });
  });
}

}  // namespace

std::uint64_t CombineHalves(Type type, Atomic op, std::uint64_t old, std::uint64_t b) {
  const double x = FromSmall(type, old);
  const double y = FromSmall(type, b);
  if (op != Atomic::kAdd && x == 0 && y == 0) {  // +0 is greater than -0
    return std::signbit(x) == (op == Atomic::kMin) ? old : b & 0xffff;
  }
  const double value = op == Atomic::kMin   ? std::fmin(x, y)
                       : op == Atomic::kMax ? std::fmax(x, y)
                                            : SumToOdd(x, y);
  return ToSmall(type, Round::kNearest, value);
}

void Compute(const Lanes& l, const Conversion& i) {
  if (IsSmallFloat(i.to)) {
    return ConvertToSmall(l, i);
  }
  const RoundingScope scope(i.round);
  const auto a = l.Read(i.a);
  std::uint64_t* const d = l.Write(i.d);
  // A destination wider than its type is filled with the sign, or with zeroes.
  const std::uint64_t keep = ~std::uint64_t{0} >> (64 - 8 * i.register_bytes);
  WithNumber(i.from, [&](auto from) {
    using From = decltype(from);
    WithNumber(i.to, [&](auto to) {
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

void Compute(const Lanes& l, const PackedConversion& i) {
  const unsigned bits = i.bits;
  const bool is_signed = IsSigned(i.to);
  const std::int64_t most = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const std::int64_t least = is_signed ? -most - 1 : 0;
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = i.a[2] == kNoSlot ? Lanes::View{nullptr, 0} : l.Read(i.a[2]);
  std::uint64_t* const d = l.Write(i.d);
  const auto clamped = [=](std::uint64_t value) {
    const std::int64_t near = std::clamp<std::int64_t>(FromBits<std::int32_t>(value), least, most);
    return static_cast<std::uint64_t>(near) & ((std::uint64_t{1} << bits) - 1);
  };
  l.ForEach([&](unsigned lane) {
    const std::uint64_t above = c.first == nullptr ? 0 : c[lane];
    d[lane] = static_cast<std::uint32_t>((above << 2 * bits) | (clamped(a[lane]) << bits) |
                                         clamped(b[lane]));
  });
}

}  // namespace muster::ptx
