// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Comparison, choice and conversion.
#include <cmath>
#include <limits>

#include "sim/ptx/compute.h"

namespace muster::ptx {
namespace {

template <typename T>
bool Holds(Compare compare, T a, T b) {
  bool unordered = false;
  if constexpr (std::is_floating_point_v<T>) {
    unordered = std::isnan(a) || std::isnan(b);
  }
  switch (compare) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return !unordered && a != b;
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    case Compare::kGe:
      return a >= b;
    case Compare::kEqu:
      return unordered || a == b;
    case Compare::kNeu:
      return unordered || a != b;
    case Compare::kLtu:
      return unordered || a < b;
    case Compare::kLeu:
      return unordered || a <= b;
    case Compare::kGtu:
      return unordered || a > b;
    case Compare::kGeu:
      return unordered || a >= b;
    case Compare::kNum:
      return !unordered;
    default:
      return unordered;
  }
}

bool Combine(const Instruction& i, bool value, bool c) {
  switch (static_cast<Op>(i.combine)) {
    case Op::kAnd:
      return value && c;
    case Op::kOr:
      return value || c;
    case Op::kXor:
      return value != c;
    default:
      return value;
  }
}

// Calls f(lane, result, its complement); both are combined with the predicate c, where given.
template <typename F>
void CompareLanes(const Lanes& l, F f) {
  const Instruction& i = l.instruction;
  const auto compare = static_cast<Compare>(i.mode);
  const auto c = i.combine != 0 ? l.a(2) : Lanes::View{nullptr, 0};
  WithNumber(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.a(0);
    const auto b = l.a(1);
    l.ForEach([&](unsigned lane) {
      const bool value = Holds(compare, FromBits<T>(a[lane]), FromBits<T>(b[lane]));
      const bool with = i.combine != 0 && (c[lane] != 0) != i.negated;
      f(lane, Combine(i, value, with), Combine(i, !value, with));
    });
  });
}

void SetPredicate(const Lanes& l) {
  std::uint64_t* const p = l.d(0);
  std::uint64_t* const q = l.instruction.d[1] == kNoSlot ? nullptr : l.d(1);
  CompareLanes(l, [&](unsigned lane, bool value, bool complement) {
    p[lane] = value ? 1 : 0;
    if (q != nullptr) {
      q[lane] = complement ? 1 : 0;
    }
  });
}

void Set(const Lanes& l) {
  const std::uint64_t yes = l.instruction.source == Type::kF32 ? ToBits(1.0F) : 0xffffffffU;
  std::uint64_t* const d = l.d(0);
  CompareLanes(l, [&](unsigned lane, bool value, bool) { d[lane] = value ? yes : 0; });
}

void Select(const Lanes& l) {
  const auto a = l.a(0);
  const auto b = l.a(1);
  const auto c = l.a(2);
  std::uint64_t* const d = l.d(0);
  l.ForEach([&](unsigned lane) { d[lane] = c[lane] != 0 ? a[lane] : b[lane]; });
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

// Out of range: the nearest that there is; a NaN gives 0 (the ISA's rule for 32 and less bits).
template <typename I, typename F>
I FloatToInteger(F value) {
  if (std::isnan(value)) {
    return 0;
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
    auto result = static_cast<To>(value);
    if (saturate) {
      if (!(result > 0)) {
        result = 0;
      }
      if (result > 1) {
        result = 1;
      }
    }
    return result;
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

}  // namespace

void ComputeCompare(const Lanes& l) {
  switch (l.instruction.op) {
    case Op::kSetp:
      return SetPredicate(l);
    case Op::kSet:
      return Set(l);
    default:
      return Select(l);
  }
}

void ComputeConvert(const Lanes& l) {
  const Instruction& i = l.instruction;
  const auto round = static_cast<Round>(i.mode);
  const auto a = l.a(0);
  std::uint64_t* const d = l.d(0);
  // A destination wider than its type is filled with the sign, or with zeroes.
  const std::uint64_t keep = ~std::uint64_t{0} >> (64 - 8 * i.vector);
  WithNumber(i.source, [&](auto from) {
    using From = decltype(from);
    WithNumber(i.type, [&](auto to) {
      using To = decltype(to);
      l.ForEach([&](unsigned lane) {
        const To value = ConvertOne<To>(FromBits<From>(a[lane]), round, i.saturate);
        if constexpr (std::is_floating_point_v<To>) {
          d[lane] = ToBits(value);
        } else {
          d[lane] = static_cast<std::uint64_t>(value) & keep;
        }
      });
    });
  });
}

}  // namespace muster::ptx
