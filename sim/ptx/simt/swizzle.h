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
