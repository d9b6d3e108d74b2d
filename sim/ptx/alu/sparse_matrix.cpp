// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/alu/sparse_matrix.h"

#include <fmt/format.h>

#include "sim/ptx/alu/matrix_element.h"

namespace muster::ptx {
namespace {

constexpr unsigned kRows = 8;     // of which lanes have the same metadata as of those eight below
constexpr unsigned kLanes = 4;    // that share a row
constexpr unsigned kHalf = 16;    // bits
constexpr unsigned kFirst = 0x4;  // of two elements of tf32, and the second
constexpr unsigned kSecond = 0xe;

}  // namespace

SparseRows SparseRowsOf(const Lanes& lanes, const MatrixProduct& i) {
  SparseRows rows{i.a_type, i.m, i.k, i.selector, i.ordered, {}};
  lanes.ForEach([&, metadata = lanes.Read(i.metadata)](unsigned lane) {
    rows.metadata[lane] = static_cast<std::uint32_t>(metadata[lane]);
  });
  return rows;
}

SparseColumns::SparseColumns(const SparseRows& rows)
    : rows_(rows),
      single_(rows.type == Element::kTF32),
      unit_(BitsOf(rows.type) == 4 ? 2 : 1),
      bits_(single_ ? 4 : 2),
      count_(rows.k / 2U / unit_) {}

SparseColumns::Index SparseColumns::IndexOf(unsigned row, unsigned number) const {
  const unsigned bit = number * bits_;
  const unsigned below = row / kRows;
  const bool halves = BitsOf(rows_.type) >= kHalf;
  const unsigned lanes = count_ * bits_ / kHalf;  // that have metadata, of four
  const unsigned in = halves ? bit / kHalf : bit / (2 * kHalf) * 2 + below;
  const unsigned shift = halves ? bit % kHalf + below * kHalf : bit % (2 * kHalf);
  Index index;
  index.lane = row % kRows * kLanes + rows_.selector * lanes + in;
  index.value = (rows_.metadata[index.lane] >> shift) & ((1U << bits_) - 1);
  return index;
}

unsigned SparseColumns::Of(unsigned row, unsigned x) const {
  const unsigned number = x / unit_;
  const unsigned value = IndexOf(row, number).value;
  return single_ ? 2 * number + (value == kSecond ? 1 : 0)
                 : (number / 2 * 4 + value) * unit_ + x % unit_;
}

std::optional<unsigned> SparseColumns::BadLane() const {
  for (unsigned row = 0; row < rows_.m; ++row) {
    for (unsigned number = 0; number < count_; number += single_ ? 1 : 2) {
      const Index first = IndexOf(row, number);
      const unsigned second = single_ ? 0 : IndexOf(row, number + 1).value;
      const bool bad = single_ ? first.value != kFirst && first.value != kSecond
                               : first.value == second || (rows_.ordered && first.value > second);
      if (bad) {
        return first.lane;
      }
    }
  }
  return std::nullopt;
}

std::string SparseColumns::Complaint(unsigned lane) const {
  return fmt::format("has the metadata {:#010x} of a sparse matrix, where {}", rows_.metadata[lane],
                     single_         ? "four bits must be 0b0100 or 0b1110"
                     : rows_.ordered ? "the second of two indices must be the larger one"
                                     : "two indices must not be the same");
}

}  // namespace muster::ptx
