// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Of a sparse A half of the elements are there, and indices say which. PTX, "Sparse matrix
// storage": of each four elements two; of tf32 of each two one; of 4 bits of each four pairs two.
// Of the four lanes that share two rows of A those with the metadata are told by a selector. Where
// elements have 16 bits or more, a lane's lower half is of the row above, else its word is of one
// row.
#ifndef MUSTER_SIM_PTX_ALU_SPARSE_MATRIX_H_
#define MUSTER_SIM_PTX_ALU_SPARSE_MATRIX_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/isa/warp_size.h"
#include "sim/ptx/alu/compute.h"

namespace muster::ptx {

// How the rows of A that a warp has are sparse, and each lane's metadata.
struct SparseRows {
  Element type = Element::kF16;
  unsigned m = 16;
  unsigned k = 0;
  unsigned selector = 0;
  bool ordered = false;  // indices of one chunk rise
  std::array<std::uint32_t, kWarpSize> metadata{};
};

SparseRows SparseRowsOf(const Lanes& lanes, const MatrixProduct& i);

class SparseColumns {
 public:
  explicit SparseColumns(const SparseRows& rows);

  // The column of the x-th element that the row has.
  unsigned Of(unsigned row, unsigned x) const;
  // A lane with indices that there are not, if one has such.
  std::optional<unsigned> BadLane() const;
  // What is wrong with it: "has the metadata" and so on.
  std::string Complaint(unsigned lane) const;

 private:
  struct Index {
    unsigned lane = 0;
    unsigned value = 0;
  };
  Index IndexOf(unsigned row, unsigned number) const;

  const SparseRows rows_;
  const bool single_;     // one of two elements
  const unsigned unit_;   // elements that an index tells of
  const unsigned bits_;   // of an index
  const unsigned count_;  // indices of a row
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_ALU_SPARSE_MATRIX_H_
