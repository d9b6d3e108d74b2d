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
// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Swizzled tiles in shared memory: 16-byte chunks of a row of so many bytes change places, by where
// the row lies. PTX, "Swizzling Modes" and "Matrix Descriptor Format".
#ifndef MUSTER_SIM_PTX_SIMT_SWIZZLE_H_
#define MUSTER_SIM_PTX_SIMT_SWIZZLE_H_

#include <cstdint>

namespace muster::ptx {

inline constexpr unsigned kSwizzleLineBytes = 128;  // that the pattern counts

// Where the byte lies that would be at `address` without a swizzle of `span` bytes (32, 64, 128; 0:
// none). The pattern is one of addresses: it repeats every 8 span bytes, from `first_line` on, in
// lines of 128 bytes. Bits 4 to 6 of the address are changed by as many of bits 7 to 9.
constexpr std::uint64_t Swizzled(std::uint64_t address, unsigned span, unsigned first_line = 0) {
  constexpr unsigned kChunkBytes = 16;
  const std::uint64_t chunks = span / kChunkBytes;
  const std::uint64_t line = address / kSwizzleLineBytes - first_line;
  return chunks == 0 ? address : address ^ (line & (chunks - 1)) * kChunkBytes;
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_SWIZZLE_H_
