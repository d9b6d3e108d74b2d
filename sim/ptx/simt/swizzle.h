// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// How rows of matrices in shared memory are interleaved, so that no two of eight share their banks:
// some bits of a byte's address are XORed with higher ones.
#ifndef MUSTER_SIM_PTX_SIMT_SWIZZLE_H_
#define MUSTER_SIM_PTX_SIMT_SWIZZLE_H_

#include <cstdint>

namespace muster::ptx {

enum class Swizzle : std::uint8_t {
  kNone,
  k32B,         // bit 4 with bit 7
  k64B,         // bits 5:4 with bits 8:7
  k128B,        // bits 6:4 with bits 9:7
  k128B_32Atom  // bits 6:5 with bits 8:7
};

// The bytes of a row that belong together.
constexpr std::uint32_t WidthOf(Swizzle swizzle) {
  return swizzle == Swizzle::kNone  ? 16
         : swizzle == Swizzle::k32B ? 32
         : swizzle == Swizzle::k64B ? 64
                                    : 128;
}

// Where the byte lies that would be at `address`. `pattern`: bits 9:7 of the address at which the
// pattern begins.
constexpr std::uint32_t Swizzled(Swizzle swizzle, std::uint32_t address,
                                 std::uint32_t pattern = 0) {
  const std::uint32_t row = (address >> 7) - pattern;
  switch (swizzle) {
    case Swizzle::kNone:
      return address;
    case Swizzle::k32B:
      return address ^ (row & 1) << 4;
    case Swizzle::k64B:
      return address ^ (row & 3) << 4;
    case Swizzle::k128B:
      return address ^ (row & 7) << 4;
    case Swizzle::k128B_32Atom:
      return address ^ (row & 3) << 5;
  }
  return address;
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_SWIZZLE_H_
