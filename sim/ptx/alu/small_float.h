// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Floating-point formats narrower than f32. Every value of theirs is a double.
#ifndef MUSTER_SIM_PTX_ALU_SMALL_FLOAT_H_
#define MUSTER_SIM_PTX_ALU_SMALL_FLOAT_H_

#include <cstdint>

#include "sim/ptx/program/opcode.h"
#include "sim/ptx/program/types.h"

namespace muster::ptx {

// NaN is all ones below the sign, in the formats that have it.
struct SmallFormat {
  unsigned fraction_bits;
  int least_exponent;      // of normal numbers
  std::uint64_t greatest;  // finite number
  bool has_infinity;       // directly above the greatest number
  unsigned sign_bit;
  unsigned shift;  // of the value in its register
};

constexpr SmallFormat FormatOf(Type type) {
  switch (type) {
    case Type::kBF16:
      return {7, -126, 0x7f7f, true, 15, 0};
    case Type::kTF32:
      return {10, -126, 0x3fbff, true, 18, 13};
    case Type::kE4M3:
      return {3, -6, 0x7e, false, 7, 0};
    case Type::kE5M2:
      return {2, -14, 0x7b, true, 7, 0};
    case Type::kE2M3:
      return {3, 0, 0x1f, false, 5, 0};
    case Type::kE3M2:
      return {2, -2, 0x1f, false, 5, 0};
    case Type::kE2M1:
      return {1, 0, 0x7, false, 3, 0};
    default:
      return {10, -14, 0x7bff, true, 15, 0};
  }
}

double FromSmall(Type type, std::uint64_t bits);

// The same; a subnormal number becomes a zero of its sign where the instruction flushes those.
double OperandOf(Type type, bool flush, std::uint64_t bits);

// Rounded once; any NaN becomes the one with all bits set but the sign. What is too large becomes
// the greatest number where `finite` is set, so does infinity.
std::uint64_t ToSmall(Type type, Round round, double value, bool finite = false);

// Sums such that ToSmall of them is the exact sum, rounded once: where a double cannot hold it, its
// last bit is set.
double SumToOdd(double a, double b);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_ALU_SMALL_FLOAT_H_
