// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of f16 and bf16, each result rounded once; and instructions on pairs.
#include <array>
#include <cmath>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/small_float.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kSignBit = 0x8000;

std::uint64_t Result(const Instruction& i, double value) {
  if (i.saturate) {
    value = ClampToUnit(value);
  } else if (i.relu && value <= 0) {
    value = 0;
  }
  const std::uint64_t bits = ToSmall(i.type, Round::kNearest, value);
  const bool subnormal = (bits & ~kSignBit) >> FormatOf(i.type).fraction_bits == 0;
  return i.flush && subnormal ? bits & kSignBit : bits;
}

template <typename F>
void Unary(const Lanes& l, F f) {
  const Instruction& i = l.instruction;
  const auto a = l.a(0);
  std::uint64_t* const d = l.d(0);
  l.ForEach([&](unsigned lane) { d[lane] = Result(i, f(OperandOf(i, a[lane]))); });
}

template <typename F>
void Binary(const Lanes& l, F f) {
  const Instruction& i = l.instruction;
  const auto a = l.a(0);
  const auto b = l.a(1);
  std::uint64_t* const d = l.d(0);
  l.ForEach(
      [&](unsigned lane) { d[lane] = Result(i, f(OperandOf(i, a[lane]), OperandOf(i, b[lane]))); });
}

// The product of two is a double, their sum may be none.
void MultiplyAdd(const Lanes& l) {
  const Instruction& i = l.instruction;
  const auto a = l.a(0);
  const auto b = l.a(1);
  const auto c = l.a(2);
  std::uint64_t* const d = l.d(0);
  l.ForEach([&](unsigned lane) {
    const double product = OperandOf(i, a[lane]) * OperandOf(i, b[lane]);
    d[lane] = Result(i, SumToOdd(product, OperandOf(i, c[lane])));
  });
}

// Signs are bits, of NaNs too.
void Sign(const Lanes& l) {
  const Instruction& i = l.instruction;
  const auto a = l.a(0);
  std::uint64_t* const d = l.d(0);
  l.ForEach([&](unsigned lane) {
    const bool flushes = i.flush && OperandOf(i, a[lane]) == 0;
    const std::uint64_t bits = flushes ? a[lane] & kSignBit : a[lane];
    d[lane] = i.op == Op::kNeg ? bits ^ kSignBit : bits & ~kSignBit;
  });
}

}  // namespace

void ComputeHalf(const Lanes& l) {
  const Instruction& i = l.instruction;
  switch (i.op) {
    case Op::kAdd:
      return Binary(l, [](double x, double y) { return SumToOdd(x, y); });
    case Op::kSub:
      return Binary(l, [](double x, double y) { return SumToOdd(x, -y); });
    case Op::kMul:
      return Binary(l, [](double x, double y) { return x * y; });
    case Op::kFma:
      return MultiplyAdd(l);
    case Op::kMin:
    case Op::kMax:
      return Binary(l, [&i](double x, double y) { return Extreme(i, x, y); });
    case Op::kEx2:
      return Unary(l, [](double x) { return std::exp2(x); });
    case Op::kTanh:
      return Unary(l, [](double x) { return std::tanh(x); });
    default:
      return Sign(l);
  }
}

// Each half as the instruction on one of them does it, in registers of its own.
void ComputePair(const Lanes& l) {
  constexpr unsigned kSources = 3;
  const Instruction& i = l.instruction;
  const unsigned width = 4 * Bytes(i.type);
  const std::uint64_t keep = (std::uint64_t{1} << width) - 1;
  std::array<std::array<std::uint64_t, kWarpSize>, 2 + kSources> registers;
  Instruction one = i;
  one.type = ElementOf(i.type);
  one.source = ElementOf(i.source);
  one.d[1] = kNoSlot;
  for (unsigned half = 0; half < 2; ++half) {
    one.d[0] = static_cast<Slot>(half);
    for (unsigned s = 0; s < kSources && i.a[s] != kNoSlot; ++s) {
      const bool is_predicate = s == 2 && i.combine != 0;
      const auto a = l.a(s);
      one.a[s] = static_cast<Slot>(2 + s);
      auto& to = registers[2 + s];
      l.ForEach([&](unsigned lane) {
        to[lane] = is_predicate ? a[lane] : (a[lane] >> (half * width)) & keep;
      });
    }
    Compute({one, registers.front().data(), l.literals, l.mask});
  }
  const auto& low = registers[0];
  const auto& high = registers[1];
  std::uint64_t* const d = l.d(0);
  if (i.op == Op::kSetp) {
    std::uint64_t* const q = l.d(1);
    l.ForEach([&](unsigned lane) {
      d[lane] = low[lane];
      q[lane] = high[lane];
    });
    return;
  }
  l.ForEach([&](unsigned lane) { d[lane] = (low[lane] & keep) | (high[lane] & keep) << width; });
}

}  // namespace muster::ptx
