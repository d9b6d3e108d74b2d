// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/element.h"

#include <fmt/format.h>

#include <cstring>

#include "sim/ptx/alu/small_float.h"

namespace muster::ptx {
namespace {

// Pairs, predicates and bits are none, nor is tf32, which fills its 32 bits.
bool IsNumber(Type type) { return type >= Type::kU8 && type <= Type::kE5M2 && type != Type::kTF32; }

std::uint64_t Bits(Type type, const std::uint8_t* element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, Bytes(type));
  return bits;
}

float SingleOf(const std::uint8_t* element) {
  float value = 0;
  std::memcpy(&value, element, sizeof value);
  return value;
}

}  // namespace

Type ElementTypeOf(std::string_view name) {
  const Type type = name == "e4m3" ? Type::kE4M3 : name == "e5m2" ? Type::kE5M2 : TypeOf(name);
  return IsNumber(type) ? type : Type::kNone;
}

double RealOf(Type type, const std::uint8_t* element) {
  if (IsSmallFloat(type)) {
    return FromSmall(type, Bits(type, element));
  }
  if (type == Type::kF32) {
    return SingleOf(element);
  }
  double value = 0;
  std::memcpy(&value, element, sizeof value);
  return value;
}

std::uint64_t BitsOf(Type type, double number) {
  if (IsSmallFloat(type)) {
    return ToSmall(type, Round::kNearest, number);
  }
  std::uint64_t bits = 0;
  if (type == Type::kF32) {
    const auto single = static_cast<float>(number);
    std::memcpy(&bits, &single, sizeof single);
  } else {
    std::memcpy(&bits, &number, sizeof number);
  }
  return bits;
}

std::string FormatElement(Type type, const std::uint8_t* element) {
  if (type == Type::kF32) {
    return fmt::format("{}", SingleOf(element));
  }
  if (IsReal(type)) {
    return fmt::format("{}", RealOf(type, element));
  }
  const std::uint64_t bits = Bits(type, element);
  if (!IsSigned(type)) {
    return fmt::format("{}", bits);
  }
  const unsigned shift = 64 - 8 * Bytes(type);
  return fmt::format("{}", static_cast<std::int64_t>(bits << shift) >> shift);
}

}  // namespace muster::ptx
