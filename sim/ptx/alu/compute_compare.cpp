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

template <typename T>
T Comparand(const Instruction& i, std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>) {
    if (IsHalf(i.type)) {
      return static_cast<T>(OperandOf(i, bits));
    }
    return i.flush ? FlushSubnormal(FromBits<T>(bits)) : FromBits<T>(bits);
  } else {
    return FromBits<T>(bits);
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
      const bool value = Holds(compare, Comparand<T>(i, a[lane]), Comparand<T>(i, b[lane]));
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
  const Type type = l.instruction.source;
  const std::uint64_t yes = type == Type::kF32 ? ToBits(1.0F)
                            : IsHalf(type)     ? ToSmall(type, Round::kNearest, 1)
                            : Bytes(type) == 2 ? 0xffffU
                                               : 0xffffffffU;
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

// a where c is not negative, and not a NaN.
void SelectBySign(const Lanes& l) {
  const auto a = l.a(0);
  const auto b = l.a(1);
  const auto c = l.a(2);
  const bool is_float = l.instruction.source == Type::kF32;
  std::uint64_t* const d = l.d(0);
  l.ForEach([&](unsigned lane) {
    const bool first =
        is_float ? FromBits<float>(c[lane]) >= 0 : FromBits<std::int32_t>(c[lane]) >= 0;
    d[lane] = first ? a[lane] : b[lane];
  });
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

void TestProperty(const Lanes& l) {
  const auto wanted = static_cast<FloatClass>(l.instruction.mode);
  WithFloat(l.instruction.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.a(0);
    std::uint64_t* const d = l.d(0);
    l.ForEach([&](unsigned lane) { d[lane] = IsOfClass(wanted, FromBits<T>(a[lane])) ? 1 : 0; });
  });
}

}  // namespace

void ComputeCompare(const Lanes& l) {
  switch (l.instruction.op) {
    case Op::kSetp:
      return SetPredicate(l);
    case Op::kSet:
      return Set(l);
    case Op::kSlct:
      return SelectBySign(l);
    case Op::kTestp:
      return TestProperty(l);
    default:
      return Select(l);
  }
}

}  // namespace muster::ptx
