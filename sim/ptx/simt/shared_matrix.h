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
// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An operand of wgmma in shared memory, as its descriptor says: where each unit of 16 bytes lies.
// PTX, "Shared Memory Matrix Layout" and "Matrix Descriptor Format".
#ifndef MUSTER_SIM_PTX_SIMT_SHARED_MATRIX_H_
#define MUSTER_SIM_PTX_SIMT_SHARED_MATRIX_H_

#include <cstdint>

#include "sim/ptx/simt/swizzle.h"

namespace muster::ptx {

class SharedMatrix {
 public:
  static constexpr unsigned kUnitBytes = 16;

  explicit SharedMatrix(std::uint64_t descriptor)
      : start_(Decoded(descriptor)),
        leading_(Decoded(descriptor >> 16)),
        stride_(Decoded(descriptor >> 32)),
        first_line_(static_cast<unsigned>(descriptor >> 49 & 7)),
        span_(SpanOf(static_cast<unsigned>(descriptor >> 62))) {}

  unsigned span() const { return span_; }  // of the swizzle; 0: none
  std::uint64_t start() const { return start_; }

  // K-major: the unit of row (of A, or column of B) `row`, `unit` units along K. Eight rows are
  // together, `stride` bytes from the next eight; without a swizzle the units of a row are
  // `leading` bytes apart.
  std::uint64_t AlongK(unsigned row, unsigned unit) const {
    const std::uint64_t in = span_ == 0 ? unit * leading_ : std::uint64_t{unit} * kUnitBytes;
    return Place(row % kRows * RowBytes() + row / kRows * stride_ + in);
  }
  // MN-major: the unit of the k-th row (of B, or column of A), `unit` units along M or N.
  std::uint64_t AlongMn(unsigned k, unsigned unit) const {
    const unsigned units = RowBytes() / kUnitBytes;  // of a row
    const std::uint64_t of_k = span_ == 0 ? leading_ : stride_;
    const std::uint64_t of_mn = span_ == 0 ? stride_ : leading_;
    return Place(k % kRows * RowBytes() + k / kRows * of_k + unit % units * kUnitBytes +
                 unit / units * of_mn);
  }

 private:
  static constexpr unsigned kRows = 8;

  static std::uint64_t Decoded(std::uint64_t field) { return (field & 0x3fff) << 4; }
  static unsigned SpanOf(unsigned mode) { return mode == 0 ? 0 : 256U >> mode; }
  std::uint64_t RowBytes() const { return span_ == 0 ? kUnitBytes : span_; }
  std::uint64_t Place(std::uint64_t offset) const {
    return Swizzled(start_ + offset, span_, first_line_);
  }

  std::uint64_t start_;
  std::uint64_t leading_;
  std::uint64_t stride_;
  unsigned first_line_;
  unsigned span_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_SHARED_MATRIX_H_
