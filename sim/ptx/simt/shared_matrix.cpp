// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/shared_matrix.h"

#include <fmt/format.h>

namespace muster::ptx {
namespace {

constexpr unsigned kRows = 8;  // that a pattern repeats after

std::uint32_t Field(std::uint64_t bits, unsigned first, unsigned count) {
  return static_cast<std::uint32_t>(bits >> first & ((std::uint64_t{1} << count) - 1));
}

}  // namespace

std::uint32_t SharedMatrix::UnitOf(bool k_major, unsigned along, unsigned row, unsigned k) const {
  const std::uint32_t width = WidthOf(swizzle);
  std::uint32_t address = start;
  if (k_major) {
    // ((8,m),(T,2k)): rows of eight, each `width` bytes from the one before.
    address += row % kRows * width + row / kRows * stride;
    address += k / along * (swizzle == Swizzle::kNone ? leading : kMatrixUnit);
  } else if (swizzle == Swizzle::kNone) {
    address += row / along * stride + k % kRows * kMatrixUnit + k / kRows * leading;
  } else {
    // ((T,w,m),(8,k)): w units of each k side by side.
    const unsigned depth = swizzle == Swizzle::k128B_32Atom ? kRows / 2 : kRows;
    const unsigned units = width / kMatrixUnit;
    address += row / along % units * kMatrixUnit + row / along / units * leading;
    address += k % depth * width + k / depth * stride;
  }
  return Swizzled(swizzle, address, pattern);
}

std::optional<SharedMatrix> ReadMatrixDescriptor(std::uint64_t bits, std::string* why) {
  constexpr std::optional<Swizzle> kSwizzles[] = {
      Swizzle::kNone, Swizzle::k128B_32Atom, Swizzle::k128B, std::nullopt,
      Swizzle::k64B,  std::nullopt,          Swizzle::k32B,  std::nullopt};
  constexpr std::uint32_t kEncodedBits = 4;  // addresses and strides are multiples of 16
  const std::optional<Swizzle> swizzle = kSwizzles[Field(bits, 61, 3)];
  if (!swizzle) {
    *why = fmt::format("has the swizzling mode {}, which there is not", Field(bits, 61, 3));
  } else if (Field(bits, 46, 3) != 1 || Field(bits, 53, 8) != 0) {
    *why = "does not have 0b001 in bits 48:46 and zeroes in bits 60:53";
  } else if (Field(bits, 52, 1) != 0) {
    *why =
        "has its leading dimension as an absolute address, for K of 48 bytes, which is not "
        "supported";
  } else {
    return SharedMatrix{Field(bits, 0, 14) << kEncodedBits, Field(bits, 16, 14) << kEncodedBits,
                        Field(bits, 32, 14) << kEncodedBits, Field(bits, 49, 3), *swizzle};
  }
  return std::nullopt;
}

}  // namespace muster::ptx
