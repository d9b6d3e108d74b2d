// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Of a sparse A half of the elements are there, and indices say which. PTX, "Sparse matrix
// storage": of each four elements two; of tf32 of each two one; of 4 bits of each four pairs two.
// Of the four lanes that share two rows of A those with the metadata are told by a selector. Where
// elements have 16 bits or more, a lane's lower half is of the row above, else its word is of one
// row.
#ifndef MUSTER_SIM_PTX_ALU_SPARSE_MATRIX_H_
#define MUSTER_SIM_PTX_ALU_SPARSE_MATRIX_H_

#include <optional>

#include "sim/ptx/alu/compute.h"

namespace muster::ptx {

class SparseColumns {
 public:
  SparseColumns(const Lanes& lanes, const MatrixProduct& i);

  // The column of the x-th element that the row has.
  unsigned Of(unsigned row, unsigned x) const;
  // A lane with indices that there are not, if one has such.
  std::optional<unsigned> BadLane() const;

 private:
  struct Index {
    unsigned lane = 0;
    unsigned value = 0;
  };
  Index IndexOf(unsigned row, unsigned number) const;

  const MatrixProduct& i_;
  const Lanes::View metadata_;
  const bool single_;     // one of two elements
  const unsigned unit_;   // elements that an index tells of
  const unsigned bits_;   // of an index
  const unsigned count_;  // indices of a row
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_ALU_SPARSE_MATRIX_H_
