// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions against values that the host computes: a row is an instruction, with operands from
// registers, and the function that it should be.
#ifndef MUSTER_TB_UNIT_PTX_ROWS_H_
#define MUSTER_TB_UNIT_PTX_ROWS_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace muster::ptx {

using U = std::uint64_t;
using U32 = std::uint32_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
using U16 = std::uint16_t;
using S16 = std::int16_t;

// Cut to a type, or seen as another.
template <typename T>
constexpr U Long(T value) {
  return static_cast<U>(value);
}
template <typename T>
constexpr S64 SignedLong(T value) {
  return static_cast<S64>(value);
}
template <typename T>
constexpr U32 Word(T value) {
  return static_cast<U32>(value);
}
template <typename T>
constexpr S32 SignedWord(T value) {
  return static_cast<S32>(value);
}
template <typename T>
constexpr U16 Half(T value) {
  return static_cast<U16>(value);
}
template <typename T>
constexpr S16 SignedHalf(T value) {
  return static_cast<S16>(value);
}

struct Row {
  // Sources %h1-3, %r1-3, %d1-3, %f1-3, %g1-3 hold the operands' low bits, %p1 bit 0 of the third;
  // the result goes to number 10 of the kind that `result` names.
  std::string text;
  char result;
  U (*value)(U a, U b, U c);
};

inline float F(U bits) {
  const auto low = static_cast<U32>(bits);
  float value = 0;
  std::memcpy(&value, &low, sizeof value);
  return value;
}
inline double G(U bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline U Bits(float value) {
  U32 bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
inline U Bits(double value) {
  U bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}
inline U Low32(S64 value) { return static_cast<U32>(value); }
inline U Low16(S64 value) { return static_cast<U16>(value); }

enum class Operands : std::uint8_t { kIntegers, kSingle, kDouble, kHalf };

// Runs each row on 256 triples: every pair of some corner values, then random ones.
void RunRows(const std::vector<Row>& rows, Operands operands = Operands::kIntegers);

}  // namespace muster::ptx

#endif  // MUSTER_TB_UNIT_PTX_ROWS_H_
