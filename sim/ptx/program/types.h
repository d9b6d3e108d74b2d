// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The types of PTX, its state spaces, and the numbers that stand in its text.
#ifndef MUSTER_SIM_PTX_PROGRAM_TYPES_H_
#define MUSTER_SIM_PTX_PROGRAM_TYPES_H_

#include <cstdint>
#include <string_view>

#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,  // two registers, the lower half first
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF32,
  kF64,
  kF16,
  kBF16,
  kTF32,  // in 32 bits, here as a result of cvt only
  kE4M3,
  kE5M2,
  kE2M3,
  kE3M2,
  kE2M1,
  kUE8M0,  // powers of two
  kF16x2,  // pairs, the first in the lower half
  kBF16x2,
  kU16x2,
  kS16x2,
  kF32x2,
  kE4M3x2,
  kE5M2x2,
  kE2M3x2,
  kE3M2x2,
  kE2M1x2,  // in a byte
  kUE8M0x2,
};

constexpr unsigned Bytes(Type type) {
  switch (type) {
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBF16:
    case Type::kE4M3x2:
    case Type::kE5M2x2:
    case Type::kE2M3x2:
    case Type::kE3M2x2:
    case Type::kUE8M0x2:
      return 2;
    case Type::kB32:
    case Type::kU32:
    case Type::kS32:
    case Type::kF32:
    case Type::kTF32:
    case Type::kF16x2:
    case Type::kBF16x2:
    case Type::kU16x2:
    case Type::kS16x2:
      return 4;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
    case Type::kF32x2:
      return 8;
    case Type::kB128:
      return 16;
    default:
      return 1;
  }
}
constexpr bool IsFloat(Type type) { return type == Type::kF32 || type == Type::kF64; }
constexpr bool IsHalf(Type type) { return type == Type::kF16 || type == Type::kBF16; }
constexpr bool IsPair(Type type) { return type >= Type::kF16x2; }
// Narrower than f32: sim/ptx/alu/small_float.h has the formats.
constexpr bool IsSmallFloat(Type type) { return type >= Type::kF16 && type <= Type::kUE8M0; }
// What a pair is made of; of all else: itself.
constexpr Type ElementOf(Type type) {
  switch (type) {
    case Type::kF16x2:
      return Type::kF16;
    case Type::kBF16x2:
      return Type::kBF16;
    case Type::kU16x2:
      return Type::kU16;
    case Type::kS16x2:
      return Type::kS16;
    case Type::kF32x2:
      return Type::kF32;
    case Type::kE4M3x2:
      return Type::kE4M3;
    case Type::kE5M2x2:
      return Type::kE5M2;
    case Type::kE2M3x2:
      return Type::kE2M3;
    case Type::kE3M2x2:
      return Type::kE3M2;
    case Type::kE2M1x2:
      return Type::kE2M1;
    case Type::kUE8M0x2:
      return Type::kUE8M0;
    default:
      return type;
  }
}
constexpr bool IsSigned(Type type) { return type >= Type::kS8 && type <= Type::kS64; }
constexpr bool IsBits(Type type) { return type >= Type::kB8 && type <= Type::kB128; }

enum class Space : std::uint8_t { kGeneric, kGlobal, kConst, kParam, kShared, kLocal, kCluster };
const char* Name(Space space);
constexpr bool IsShared(Space space) { return space == Space::kShared || space == Space::kCluster; }

// The type of that name ("u32"); kNone: not one that is supported.
Type TypeOf(std::string_view name);

// A number as the bits of a value of that type.
std::uint64_t ImmediateBits(const syntax::Operand& operand, Type type);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_TYPES_H_
