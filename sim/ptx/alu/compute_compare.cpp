// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Comparison and choice.
#include <cmath>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/small_float.h"

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

bool Combined(Combine combine, bool value, bool c) {
  switch (combine) {
    case Combine::kAnd:
      return value && c;
    case Combine::kOr:
      return value || c;
    case Combine::kXor:
      return value != c;
    default:
      return value;
  }
}

template <typename T>
T Comparand(const Comparison& i, std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>) {
    if (IsHalf(i.type)) {
      return static_cast<T>(OperandOf(i.type, i.flush, bits));
    }
    return i.flush ? FlushSubnormal(FromBits<T>(bits)) : FromBits<T>(bits);
  } else {
    return FromBits<T>(bits);
  }
}

// Calls f(lane, result, its complement); both are combined with the predicate c, where given.
template <typename F>
void CompareLanes(const Lanes& l, const Comparison& i, F f) {
  WithNumber(i.type, [&, compare = i.compare](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a[0]);
    const auto b = l.Read(i.a[1]);
    const auto value = [&](unsigned lane) {
      return Holds(compare, Comparand<T>(i, a[lane]), Comparand<T>(i, b[lane]));
    };
    if (i.combine == Combine::kNone) {
      l.ForEach([&](unsigned lane) {
        const bool holds = value(lane);
        f(lane, holds, !holds);
      });
      return;
    }
    l.ForEach([&, c = l.Read(i.c)](unsigned lane) {
      const bool holds = value(lane);
      const bool with = (c[lane] != 0) != i.negated;
      f(lane, Combined(i.combine, holds, with), Combined(i.combine, !holds, with));
    });
  });
}

void SetPredicate(const Lanes& l, const Comparison& i) {
  std::uint64_t* const p = l.Write(i.d);
  std::uint64_t* const q = i.complement == kNoSlot ? nullptr : l.Write(i.complement);
  CompareLanes(l, i, [&](unsigned lane, bool value, bool complement) {
    p[lane] = value ? 1 : 0;
    if (q != nullptr) {
      q[lane] = complement ? 1 : 0;
    }
  });
}

void Set(const Lanes& l, const Comparison& i) {
  const Type type = i.to;
  const std::uint64_t yes = type == Type::kF32 ? ToBits(1.0F)
                            : IsHalf(type)     ? ToSmall(type, Round::kNearest, 1)
                            : Bytes(type) == 2 ? 0xffffU
                                               : 0xffffffffU;
  std::uint64_t* const d = l.Write(i.d);
  CompareLanes(l, i, [&](unsigned lane, bool value, bool) { d[lane] = value ? yes : 0; });
}

void Select(const Lanes& l, const Selection& i) {
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = l.Read(i.c);
  std::uint64_t* const d = l.Write(i.d);
  l.ForEach([&](unsigned lane) { d[lane] = c[lane] != 0 ? a[lane] : b[lane]; });
}

// a where c is not negative, and not a NaN.
void SelectBySign(const Lanes& l, const Selection& i) {
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = l.Read(i.c);
  std::uint64_t* const d = l.Write(i.d);
  const auto is_first = [&i](std::uint64_t bits) {
    if (i.by != Type::kF32) {
      return FromBits<std::int32_t>(bits) >= 0;
    }
    const auto value = FromBits<float>(bits);
    return (i.flush ? FlushSubnormal(value) : value) >= 0;
  };
  l.ForEach([&](unsigned lane) { d[lane] = is_first(c[lane]) ? a[lane] : b[lane]; });
}

template <typename T>
bool IsOfClass(FloatClass wanted, T value) {
  switch (wanted) {
    case FloatClass::kFinite:
      return std::isfinite(value);
    case FloatClass::kInfinite:
      return std::isinf(value);
    case FloatClass::kNumber:
      return !std::isnan(value);
    case FloatClass::kNotANumber:
      return std::isnan(value);
    case FloatClass::kNormal:
      return std::isnormal(value);
    default:
      return std::fpclassify(value) == FP_SUBNORMAL;
  }
}

}  // namespace

void Compute(const Lanes& l, const Comparison& i) {
  if (IsPair(i.type)) {
    return ComputePair(l, i);
  }
  return l.instruction.op == Op::kSetp ? SetPredicate(l, i) : Set(l, i);
}

void Compute(const Lanes& l, const Selection& i) {
  return l.instruction.op == Op::kSelp ? Select(l, i) : SelectBySign(l, i);
}

void Compute(const Lanes& l, const FloatTest& i) {
  WithFloat(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a);
    std::uint64_t* const d = l.Write(i.d);
    l.ForEach([&](unsigned lane) { d[lane] = IsOfClass(i.wanted, FromBits<T>(a[lane])) ? 1 : 0; });
  });
}

}  // namespace muster::ptx
