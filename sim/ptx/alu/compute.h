// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions that only read and write registers, for some lanes of a warp at once. A register
// holds its value's bits, zero-extended to 64.
#ifndef MUSTER_SIM_PTX_ALU_COMPUTE_H_
#define MUSTER_SIM_PTX_ALU_COMPUTE_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sim/isa/operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

template <typename T>
T FromBits(std::uint64_t bits) {
  if constexpr (std::is_floating_point_v<T>) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  } else {
    return static_cast<T>(bits);
  }
}

template <typename T>
std::uint64_t ToBits(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? 1 : 0;
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}

// An instruction before the lanes that execute it.
struct Lanes {
  const Instruction& instruction;
  std::uint64_t* registers;  // of the frame
  const std::uint64_t* literals;
  std::uint32_t mask;

  struct View {
    const std::uint64_t* first;
    unsigned stride;
    std::uint64_t operator[](unsigned lane) const { return first[std::size_t{lane} * stride]; }
  };
  View Read(Slot slot) const {
    if (IsLiteral(slot)) {
      return {literals + LiteralIndex(slot), 0};
    }
    return {registers + std::size_t{kWarpSize} * static_cast<std::uint32_t>(slot), 1};
  }
  std::uint64_t* Write(Slot slot) const {
    return registers + std::size_t{kWarpSize} * static_cast<std::uint32_t>(slot);
  }

  template <typename F>
  void ForEach(F f) const {
    if (mask == 0xffffffffU) {
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        f(lane);
      }
    } else {
      for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        f(static_cast<unsigned>(__builtin_ctz(rest)));
      }
    }
  }
};

// One atomic operation on memory. Returns what was there: access.cpp. A sum of f32 in global memory
// takes and gives zeroes for subnormal numbers.
std::uint64_t SwapInMemory(std::uint8_t* at, Type type, Atomic op, std::uint64_t b, std::uint64_t c,
                           bool global);

// Whatever only computes: one of the following, by the instruction's payload.
void Compute(const Lanes& lanes);
// An instruction whose op has no case: throws std::logic_error, a mistake of sim/ptx/alu.
[[noreturn]] void NotExecuted(const Instruction& instruction);

void Compute(const Lanes& lanes, const Arithmetic& i);         // by type: one of these four
void ComputeInteger(const Lanes& lanes, const Arithmetic& i);  // integers
void ComputeFloat(const Lanes& lanes, const Arithmetic& i);    // f32 and f64
void ComputeHalf(const Lanes& lanes, const Arithmetic& i);     // f16 and bf16
void ComputePair(const Lanes& lanes, const Arithmetic& i);     // two of those in a register
void Compute(const Lanes& lanes, const CarryArithmetic& i);
void Compute(const Lanes& lanes, const DotProduct& i);
void Compute(const Lanes& lanes, const BitOperation& i);
void Compute(const Lanes& lanes, const Comparison& i);
void ComputePair(const Lanes& lanes, const Comparison& i);
void Compute(const Lanes& lanes, const Selection& i);
void Compute(const Lanes& lanes, const FloatTest& i);
void Compute(const Lanes& lanes, const Move& i);
void Compute(const Lanes& lanes, const Packing& i);
void Compute(const Lanes& lanes, const Unpacking& i);
void Compute(const Lanes& lanes, const Conversion& i);
void Compute(const Lanes& lanes, const PackedConversion& i);
void Compute(const Lanes& lanes, const Video& i);
// Of all lanes of a warp at once.
void Compute(const Lanes& lanes, const MatrixProduct& i);
void Compute(const Lanes& lanes, const FragmentPlace& i);
void Compute(const Lanes& lanes, const MatrixLayout& i);

// atom and red on f16 and bf16: the value in memory after the operation.
std::uint64_t CombineHalves(Type type, Atomic op, std::uint64_t old, std::uint64_t b);

// The host rounds as the instruction asks, as long as this lives. What is computed meanwhile must
// come from memory and go there, so that no compiler moves it out.
class RoundingScope {
 public:
  explicit RoundingScope(Round round);
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;
  ~RoundingScope();

 private:
  bool changed_;
};

// A subnormal number becomes a zero of its sign.
template <typename T>
T FlushSubnormal(T value) {
  return std::fabs(value) < std::numeric_limits<T>::min() ? std::copysign(T{0}, value) : value;
}
// The lesser of two numbers, or the greater. With one NaN the other operand, unless .NaN is given;
// -0 is less than +0.
template <typename T>
T Extreme(const Arithmetic& i, bool greatest, T a, T b) {
  const bool negative = std::signbit(a) != std::signbit(b);
  if (i.xor_sign) {
    a = std::fabs(a);
    b = std::fabs(b);
  }
  T result = (a < b) != greatest ? a : b;
  if (std::isnan(a) || std::isnan(b)) {
    result = std::isnan(a) == i.keeps_nan ? a : b;
  } else if (a == b) {
    result = std::signbit(a) != greatest ? a : b;
  }
  return i.xor_sign && !std::isnan(result) && negative ? -result : result;
}

// 0 to 1; a NaN becomes 0.
template <typename T>
T ClampToUnit(T value) {
  return value > 0 ? (value < 1 ? value : T{1}) : T{0};
}

// Calls f with a value of the C++ type that stands for `type`.
template <typename F>
void WithInteger(Type type, F f) {
  switch (type) {
    case Type::kB8:
    case Type::kU8:
      return f(std::uint8_t{});
    case Type::kB16:
    case Type::kU16:
      return f(std::uint16_t{});
    case Type::kB32:
    case Type::kU32:
      return f(std::uint32_t{});
    case Type::kB64:
    case Type::kU64:
      return f(std::uint64_t{});
    case Type::kS8:
      return f(std::int8_t{});
    case Type::kS16:
      return f(std::int16_t{});
    case Type::kS32:
      return f(std::int32_t{});
    default:
      return f(std::int64_t{});
  }
}
template <typename F>
void WithFloat(Type type, F f) {
  if (type == Type::kF32) {
    return f(float{});
  }
  return f(double{});
}
template <typename F>
void WithNumber(Type type, F f) {
  if (IsSmallFloat(type)) {
    return f(float{});
  }
  if (IsFloat(type)) {
    return WithFloat(type, f);
  }
  return WithInteger(type, f);
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_ALU_COMPUTE_H_
