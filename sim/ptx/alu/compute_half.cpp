// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of f16 and bf16, each result rounded once; and instructions on pairs.
#include <array>
#include <cmath>

#include "sim/isa/warp_size.h"
#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/small_float.h"

namespace muster::ptx {
namespace {

constexpr std::uint64_t kSignBit = 0x8000;

std::uint64_t Result(const Arithmetic& i, double value) {
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
void Unary(const Lanes& l, const Arithmetic& i, F f) {
  const auto a = l.Read(i.a[0]);
  std::uint64_t* const d = l.Write(i.d);
  l.ForEach([&](unsigned lane) { d[lane] = Result(i, f(OperandOf(i.type, i.flush, a[lane]))); });
}

template <typename F>
void Binary(const Lanes& l, const Arithmetic& i, F f) {
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  std::uint64_t* const d = l.Write(i.d);
  l.ForEach([&](unsigned lane) {
    d[lane] =
        Result(i, f(OperandOf(i.type, i.flush, a[lane]), OperandOf(i.type, i.flush, b[lane])));
  });
}

// The product of two is a double, their sum may be none.
void MultiplyAdd(const Lanes& l, const Arithmetic& i) {
  const auto a = l.Read(i.a[0]);
  const auto b = l.Read(i.a[1]);
  const auto c = l.Read(i.a[2]);
  std::uint64_t* const d = l.Write(i.d);
  l.ForEach([&](unsigned lane) {
    const double product =
        OperandOf(i.type, i.flush, a[lane]) * OperandOf(i.type, i.flush, b[lane]);
    d[lane] = Result(i, SumToOdd(product, OperandOf(i.type, i.flush, c[lane])));
  });
}

// Signs are bits, of NaNs too.
void Sign(const Lanes& l, const Arithmetic& i) {
  const auto a = l.Read(i.a[0]);
  std::uint64_t* const d = l.Write(i.d);
  l.ForEach([&](unsigned lane) {
    const bool flushes = i.flush && OperandOf(i.type, i.flush, a[lane]) == 0;
    const std::uint64_t bits = flushes ? a[lane] & kSignBit : a[lane];
    d[lane] = l.instruction.op == Op::kNeg ? bits ^ kSignBit : bits & ~kSignBit;
  });
}

// An instruction on pairs is carried out on each half in turn, in registers of its own: first the
// results of both halves, then the half that is at hand of each source.
class Halves {
 public:
  Halves(const Lanes& lanes, Type pair) : lanes_(lanes), width_(4 * Bytes(pair)) {}

  // The lanes that execute it on halves.
  Lanes Own() {
    return {lanes_.instruction, registers_.front().data(), lanes_.literals, lanes_.mask};
  }

  static Slot Result(unsigned half) { return static_cast<Slot>(half); }

  // The half of a source.
  Slot Source(unsigned number, Slot slot, unsigned half) {
    return Put(number, slot, half * width_, Keep());
  }
  // A source that both halves have.
  Slot Common(unsigned number, Slot slot) { return Put(number, slot, 0, ~std::uint64_t{0}); }

  // The results side by side, or each in a register.
  void Join(Slot to) const {
    std::uint64_t* const d = lanes_.Write(to);
    lanes_.ForEach([&](unsigned lane) {
      d[lane] = (registers_[0][lane] & Keep()) | (registers_[1][lane] & Keep()) << width_;
    });
  }
  void Split(Slot low, Slot high) const {
    std::uint64_t* const p = lanes_.Write(low);
    std::uint64_t* const q = lanes_.Write(high);
    lanes_.ForEach([&](unsigned lane) {
      p[lane] = registers_[0][lane];
      q[lane] = registers_[1][lane];
    });
  }

 private:
  static constexpr unsigned kSources = 3;

  std::uint64_t Keep() const { return (std::uint64_t{1} << width_) - 1; }
  Slot Put(unsigned number, Slot slot, unsigned shift, std::uint64_t keep) {
    const auto from = lanes_.Read(slot);
    auto& to = registers_[2 + number];
    lanes_.ForEach([&](unsigned lane) { to[lane] = (from[lane] >> shift) & keep; });
    return static_cast<Slot>(2 + number);
  }

  const Lanes& lanes_;
  unsigned width_;
  std::array<std::array<std::uint64_t, kWarpSize>, 2 + kSources> registers_;
};

}  // namespace

void ComputeHalf(const Lanes& l, const Arithmetic& i) {
  switch (l.instruction.op) {
    case Op::kAdd:
      return Binary(l, i, [](double x, double y) { return SumToOdd(x, y); });
    case Op::kSub:
      return Binary(l, i, [](double x, double y) { return SumToOdd(x, -y); });
    case Op::kMul:
      return Binary(l, i, [](double x, double y) { return x * y; });
    case Op::kFma:
      return MultiplyAdd(l, i);
    case Op::kMin:
    case Op::kMax:
      return Binary(l, i, [&i, greatest = l.instruction.op == Op::kMax](double x, double y) {
        return Extreme(i, greatest, x, y);
      });
    case Op::kEx2:
      return Unary(l, i, [](double x) { return std::exp2(x); });
    case Op::kTanh:
      return Unary(l, i, [](double x) { return std::tanh(x); });
    case Op::kAbs:
    case Op::kNeg:
      return Sign(l, i);
    default:
      NotExecuted(l.instruction);
  }
}

void ComputePair(const Lanes& l, const Arithmetic& i) {
  Halves halves(l, i.type);
  Arithmetic one = i;
  one.type = ElementOf(i.type);
  for (unsigned half = 0; half < 2; ++half) {
    one.d = Halves::Result(half);
    for (unsigned s = 0; s < i.a.size() && i.a[s] != kNoSlot; ++s) {
      one.a[s] = halves.Source(s, i.a[s], half);
    }
    Compute(halves.Own(), one);
  }
  halves.Join(i.d);
}

void ComputePair(const Lanes& l, const Comparison& i) {
  Halves halves(l, i.type);
  Comparison one = i;
  one.type = ElementOf(i.type);
  one.to = ElementOf(i.to);
  one.complement = kNoSlot;
  for (unsigned half = 0; half < 2; ++half) {
    one.d = Halves::Result(half);
    one.a = {halves.Source(0, i.a[0], half), halves.Source(1, i.a[1], half)};
    one.c = i.combine == Combine::kNone ? kNoSlot : halves.Common(2, i.c);
    Compute(halves.Own(), one);
  }
  if (l.instruction.op == Op::kSetp) {
    halves.Split(i.d, i.complement);
  } else {
    halves.Join(i.d);
  }
}

}  // namespace muster::ptx
