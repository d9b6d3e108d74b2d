// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Matrices of small numbers, and their elements as bits of the types that PTX names.
#ifndef MUSTER_TB_UNIT_PTX_MATRIX_VALUES_H_
#define MUSTER_TB_UNIT_PTX_MATRIX_VALUES_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sim/ptx/alu/small_float.h"

namespace muster::ptx {

inline unsigned ElementBits(const std::string& type) {
  return type == "f64"                                    ? 64
         : type == "f16" || type == "bf16"                ? 16
         : type == "s8" || type == "u8" || type[0] == 'e' ? 8
         : type == "s4" || type == "u4"                   ? 4
         : type == "b1"                                   ? 1
                                                          : 32;
}
inline bool NamesInteger(const std::string& type) {
  return type[0] == 's' || type[0] == 'u' || type == "b1";
}

// Small numbers, so that every sum is exact in each of the types.
inline std::int64_t DrawElement(const std::string& type, std::uint64_t* state) {
  *state = *state * 6364136223846793005U + 1442695040888963407U;
  const auto draw = static_cast<std::int64_t>(*state >> 33);
  if (type == "b1") {
    return draw % 2;
  }
  return type[0] == 'u' ? draw % 8 : draw % 9 - 4;
}

inline std::uint64_t EncodeElement(const std::string& type, std::int64_t value) {
  std::uint64_t bits = 0;
  const auto real = static_cast<double>(value);
  const auto single = static_cast<float>(value);
  if (type == "f64") {
    std::memcpy(&bits, &real, sizeof real);
  } else if (type == "f32" || type == "tf32") {
    std::memcpy(&bits, &single, sizeof single);
  } else if (NamesInteger(type)) {
    bits = static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - ElementBits(type)));
  } else {
    const Type format = type == "f16"    ? Type::kF16
                        : type == "bf16" ? Type::kBF16
                        : type == "e4m3" ? Type::kE4M3
                                         : Type::kE5M2;
    bits = ToSmall(format, Round::kNearest, real);
  }
  return bits;
}

using ElementMatrix = std::vector<std::vector<std::int64_t>>;

inline ElementMatrix RandomMatrix(unsigned rows, unsigned columns, const std::string& type,
                                  std::uint64_t* state) {
  ElementMatrix matrix(rows, std::vector<std::int64_t>(columns));
  for (auto& row : matrix) {
    for (std::int64_t& element : row) {
      element = DrawElement(type, state);
    }
  }
  return matrix;
}

}  // namespace muster::ptx

#endif  // MUSTER_TB_UNIT_PTX_MATRIX_VALUES_H_
