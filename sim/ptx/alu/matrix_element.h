// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The elements of a matrix, from and to bits.
#ifndef MUSTER_SIM_PTX_ALU_MATRIX_ELEMENT_H_
#define MUSTER_SIM_PTX_ALU_MATRIX_ELEMENT_H_

#include <cstdint>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/small_float.h"
#include "sim/ptx/program/opcode.h"

namespace muster::ptx {

inline unsigned BitsOf(Element element) {
  return element == Element::kF64 ? 64 : 32 / PackedIn(element);
}

inline Type SmallOf(Element element) {
  switch (element) {
    case Element::kBF16:
      return Type::kBF16;
    case Element::kTF32:
      return Type::kTF32;
    case Element::kE4M3:
      return Type::kE4M3;
    case Element::kE5M2:
      return Type::kE5M2;
    case Element::kE2M3:
      return Type::kE2M3;
    case Element::kE3M2:
      return Type::kE3M2;
    case Element::kE2M1:
    case Element::kE2M1InByte:
      return Type::kE2M1;
    default:
      return Type::kF16;
  }
}

inline double FloatOf(Element element, std::uint64_t bits) {
  switch (element) {
    case Element::kF64:
      return FromBits<double>(bits);
    case Element::kF32:
      return FromBits<float>(bits);
    case Element::kE2M3:
    case Element::kE3M2:
      return FromSmall(SmallOf(element), bits & 0x3f);
    case Element::kE2M1InByte:
      return FromSmall(Type::kE2M1, bits >> 2 & 0xf);
    default:
      return FromSmall(SmallOf(element), bits);
  }
}

inline std::int64_t IntegerOf(Element element, std::uint64_t bits) {
  const unsigned above = 64 - BitsOf(element);
  const bool is_signed =
      element == Element::kS8 || element == Element::kS4 || element == Element::kS32;
  return is_signed ? static_cast<std::int64_t>(bits << above) >> above
                   : static_cast<std::int64_t>(bits);
}

inline std::uint64_t BitsIn(Element element, double value) {
  switch (element) {
    case Element::kF64:
      return ToBits<double>(value);
    case Element::kF32:
      return ToBits<float>(static_cast<float>(value));
    default:
      return ToSmall(SmallOf(element), Round::kNearest, value);
  }
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_ALU_MATRIX_ELEMENT_H_
