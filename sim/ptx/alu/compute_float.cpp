// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Floating-point arithmetic with IEEE results: .approx and .full allow errors, and make none here
// beyond those of the host's library.
#include <cfenv>

#include "sim/ptx/alu/compute.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kCanonicalNan = 0x7fffffff;

int HostRounding(Round round) {
  switch (round) {
    case Round::kZero:
      return FE_TOWARDZERO;
    case Round::kDown:
      return FE_DOWNWARD;
    case Round::kUp:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

// Of f64, what flushes subnormal numbers is an approximation that knows the upper half only.
constexpr std::uint64_t kUpperHalf = ~std::uint64_t{0} << 32;

template <typename T>
T Operand(const Arithmetic& i, std::uint64_t bits) {
  if (!i.flush) {
    return FromBits<T>(bits);
  }
  return FlushSubnormal(FromBits<T>(sizeof(T) == 8 ? bits & kUpperHalf : bits));
}

template <typename T>
std::uint64_t Result(const Arithmetic& i, T value) {
  if (i.flush) {
    value = FlushSubnormal(value);
  }
  if (i.saturate) {
    value = ClampToUnit(value);
  }
  if (std::is_same_v<T, float> && std::isnan(value)) {
    return kCanonicalNan;
  }
  return i.flush && sizeof(T) == 8 ? ToBits(value) & kUpperHalf : ToBits(value);
}

template <typename F>
void Unary(const Lanes& l, const Arithmetic& i, F f) {
  WithFloat(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a[0]);
    std::uint64_t* const d = l.Write(i.d);
    l.ForEach([&](unsigned lane) { d[lane] = Result<T>(i, f(Operand<T>(i, a[lane]))); });
  });
}

template <typename F>
void Binary(const Lanes& l, const Arithmetic& i, F f) {
  WithFloat(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a[0]);
    const auto b = l.Read(i.a[1]);
    std::uint64_t* const d = l.Write(i.d);
    l.ForEach([&](unsigned lane) {
      d[lane] = Result<T>(i, f(Operand<T>(i, a[lane]), Operand<T>(i, b[lane])));
    });
  });
}

void MultiplyAdd(const Lanes& l, const Arithmetic& i) {
  WithFloat(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a[0]);
    const auto b = l.Read(i.a[1]);
    const auto c = l.Read(i.a[2]);
    std::uint64_t* const d = l.Write(i.d);
    l.ForEach([&](unsigned lane) {
      d[lane] = Result<T>(
          i, std::fma(Operand<T>(i, a[lane]), Operand<T>(i, b[lane]), Operand<T>(i, c[lane])));
    });
  });
}

// Signs are bits, of NaNs too.
void Sign(const Lanes& l, const Arithmetic& i) {
  const Op op = l.instruction.op;
  WithFloat(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a[0]);
    const auto b = op == Op::kCopySign ? l.Read(i.a[1]) : a;
    std::uint64_t* const d = l.Write(i.d);
    l.ForEach([&](unsigned lane) {
      const T x = Operand<T>(i, a[lane]);
      d[lane] = ToBits<T>(op == Op::kNeg   ? -x
                          : op == Op::kAbs ? std::fabs(x)
                                           : std::copysign(FromBits<T>(b[lane]), x));
    });
  });
}

// A function of the host's library, computed in double precision.
template <typename F>
void Approximate(const Lanes& l, const Arithmetic& i, F f) {
  Unary(l, i, [f](auto x) { return static_cast<decltype(x)>(f(static_cast<double>(x))); });
}

}  // namespace

RoundingScope::RoundingScope(Round round) : changed_(HostRounding(round) != FE_TONEAREST) {
  if (changed_) {
    std::fesetround(HostRounding(round));
  }
}
RoundingScope::~RoundingScope() {
  if (changed_) {
    std::fesetround(FE_TONEAREST);
  }
}

void ComputeFloat(const Lanes& l, const Arithmetic& i) {
  const RoundingScope scope(i.round);
  switch (l.instruction.op) {
    case Op::kAdd:
      return Binary(l, i, [](auto x, auto y) { return x + y; });
    case Op::kSub:
      return Binary(l, i, [](auto x, auto y) { return x - y; });
    case Op::kMul:
      return Binary(l, i, [](auto x, auto y) { return x * y; });
    case Op::kFma:
      return MultiplyAdd(l, i);
    case Op::kDiv:
      return Binary(l, i, [](auto x, auto y) { return x / y; });
    case Op::kMin:
    case Op::kMax:
      return Binary(l, i, [&i, greatest = l.instruction.op == Op::kMax](auto x, auto y) {
        return Extreme(i, greatest, x, y);
      });
    case Op::kSqrt:
      return Unary(l, i, [](auto x) { return std::sqrt(x); });
    case Op::kRcp:
      return Unary(l, i, [](auto x) { return 1 / x; });
    case Op::kRsqrt:
      return Approximate(l, i, [](double x) { return 1 / std::sqrt(x); });
    case Op::kSin:
      return Approximate(l, i, [](double x) { return std::sin(x); });
    case Op::kCos:
      return Approximate(l, i, [](double x) { return std::cos(x); });
    case Op::kLg2:
      return Approximate(l, i, [](double x) { return std::log2(x); });
    case Op::kEx2:
      return Approximate(l, i, [](double x) { return std::exp2(x); });
    case Op::kTanh:
      return Approximate(l, i, [](double x) { return std::tanh(x); });
    case Op::kAbs:
    case Op::kNeg:
    case Op::kCopySign:
      return Sign(l, i);
    default:
      NotExecuted(l.instruction);
  }
}

}  // namespace muster::ptx
