// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Where a matrix has its elements in shared memory, by the descriptor of tcgen05. Elements lie in
// units of 16 bytes, along K (K-major) or along M or N. PTX, "Shared memory descriptor" and
// "Canonical Layouts".
#ifndef MUSTER_SIM_PTX_SIMT_SHARED_MATRIX_H_
#define MUSTER_SIM_PTX_SIMT_SHARED_MATRIX_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sim/ptx/simt/swizzle.h"

namespace muster::ptx {

inline constexpr unsigned kMatrixUnit = 16;  // bytes

struct SharedMatrix {
  std::uint32_t start = 0;
  std::uint32_t leading = 0;  // strides, in bytes
  std::uint32_t stride = 0;
  std::uint32_t pattern = 0;
  Swizzle swizzle = Swizzle::kNone;

  // The first byte of the unit that has an element: by its row of A (or column of B) and its k, of
  // `along` elements in a unit.
  std::uint32_t UnitOf(bool k_major, unsigned along, unsigned row, unsigned k) const;
};

// Nothing, and in *why what is wrong with the descriptor.
std::optional<SharedMatrix> ReadMatrixDescriptor(std::uint64_t bits, std::string* why);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_SHARED_MATRIX_H_
