// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An operand of wgmma in shared memory, as its descriptor says: where each unit of 16 bytes lies.
// PTX, "Shared Memory Matrix Layout" and "Matrix Descriptor Format".
#ifndef MUSTER_SIM_PTX_SIMT_WARPGROUP_MATRIX_H_
#define MUSTER_SIM_PTX_SIMT_WARPGROUP_MATRIX_H_

#include <cstdint>

#include "sim/ptx/simt/swizzle.h"

namespace muster::ptx {

class WarpgroupMatrix {
 public:
  static constexpr unsigned kUnitBytes = 16;

  explicit WarpgroupMatrix(std::uint64_t descriptor)
      : start_(Decoded(descriptor)),
        leading_(Decoded(descriptor >> 16)),
        stride_(Decoded(descriptor >> 32)),
        first_line_(static_cast<unsigned>(descriptor >> 49 & 7)),
        swizzle_(SwizzleOf(static_cast<unsigned>(descriptor >> 62))) {}

  std::uint64_t start() const { return start_; }

  // K-major: the unit of row (of A, or column of B) `row`, `unit` units along K. Eight rows are
  // together, `stride` bytes from the next eight; without a swizzle the units of a row are
  // `leading` bytes apart.
  std::uint64_t AlongK(unsigned row, unsigned unit) const {
    const std::uint64_t in =
        swizzle_ == Swizzle::kNone ? unit * leading_ : std::uint64_t{unit} * kUnitBytes;
    return Place(row % kRows * RowBytes() + row / kRows * stride_ + in);
  }
  // MN-major: the unit of the k-th row (of B, or column of A), `unit` units along M or N.
  std::uint64_t AlongMn(unsigned k, unsigned unit) const {
    const unsigned units = RowBytes() / kUnitBytes;  // of a row
    const std::uint64_t of_k = swizzle_ == Swizzle::kNone ? leading_ : stride_;
    const std::uint64_t of_mn = swizzle_ == Swizzle::kNone ? stride_ : leading_;
    return Place(k % kRows * RowBytes() + k / kRows * of_k + unit % units * kUnitBytes +
                 unit / units * of_mn);
  }

 private:
  static constexpr unsigned kRows = 8;

  static std::uint64_t Decoded(std::uint64_t field) { return (field & 0x3fff) << 4; }
  static constexpr Swizzle SwizzleOf(unsigned mode) {
    constexpr Swizzle kModes[] = {Swizzle::kNone, Swizzle::k128B, Swizzle::k64B, Swizzle::k32B};
    return kModes[mode];
  }
  std::uint64_t RowBytes() const { return WidthOf(swizzle_); }
  std::uint64_t Place(std::uint64_t offset) const {
    return Swizzled(swizzle_, static_cast<std::uint32_t>(start_ + offset), first_line_);
  }

  std::uint64_t start_;
  std::uint64_t leading_;
  std::uint64_t stride_;
  unsigned first_line_;
  Swizzle swizzle_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_WARPGROUP_MATRIX_H_
