// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/types.h"

#include <cstring>
#include <unordered_map>

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

const std::unordered_map<std::string_view, Type>& Types() {
  static const std::unordered_map<std::string_view, Type> types = {
      {"texref", Type::kB64},    {"samplerref", Type::kB64}, {"surfref", Type::kB64},
      {"pred", Type::kPred},     {"b8", Type::kB8},          {"b16", Type::kB16},
      {"b32", Type::kB32},       {"b64", Type::kB64},        {"u8", Type::kU8},
      {"u16", Type::kU16},       {"u32", Type::kU32},        {"u64", Type::kU64},
      {"s8", Type::kS8},         {"s16", Type::kS16},        {"s32", Type::kS32},
      {"s64", Type::kS64},       {"f32", Type::kF32},        {"f64", Type::kF64},
      {"b128", Type::kB128},     {"f16", Type::kF16},        {"bf16", Type::kBF16},
      {"f16x2", Type::kF16x2},   {"bf16x2", Type::kBF16x2},  {"tf32", Type::kTF32},
      {"u16x2", Type::kU16x2},   {"s16x2", Type::kS16x2},    {"f32x2", Type::kF32x2},
      {"e4m3x2", Type::kE4M3x2}, {"e5m2x2", Type::kE5M2x2},  {"e2m3x2", Type::kE2M3x2},
      {"e3m2x2", Type::kE3M2x2}, {"e2m1x2", Type::kE2M1x2},  {"ue8m0x2", Type::kUE8M0x2}};
  return types;
}

}  // namespace

const char* Name(Space space) {
  constexpr const char* kNames[] = {"generic", "global", "const",          "param",
                                    "shared",  "local",  "shared::cluster"};
  return kNames[static_cast<unsigned>(space)];
}

Type TypeOf(std::string_view name) {
  const auto found = Types().find(name);
  return found == Types().end() ? Type::kNone : found->second;
}

std::uint64_t ImmediateBits(const Operand& operand, Type type) {
  if (operand.kind == Kind::kFloat && type == Type::kF32 && operand.width == 64) {
    double wide = 0;
    std::memcpy(&wide, &operand.value, sizeof wide);
    const auto value = static_cast<float>(wide);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  if (operand.kind == Kind::kFloat && type == Type::kF64 && operand.width == 32) {
    float narrow = 0;
    const auto bits = static_cast<std::uint32_t>(operand.value);
    std::memcpy(&narrow, &bits, sizeof narrow);
    const double value = narrow;
    std::uint64_t wide = 0;
    std::memcpy(&wide, &value, sizeof wide);
    return wide;
  }
  if (type == Type::kPred) {
    return operand.value != 0 ? 1 : 0;
  }
  const unsigned bits = 8 * Bytes(type);
  return bits >= 64 ? operand.value : operand.value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace muster::ptx
