// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One warp's part of wgmma.mma_async: 16 rows of D.
#ifndef MUSTER_SIM_PTX_ALU_WARPGROUP_PRODUCT_H_
#define MUSTER_SIM_PTX_ALU_WARPGROUP_PRODUCT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/ptx/alu/sparse_matrix.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

inline constexpr unsigned kWarpRows = 16;
inline constexpr unsigned kOperandBytes = 32;  // of a row of A, or a column of B

// Rows of A, or columns of B, each of which is contiguous along K.
using OperandBytes = std::vector<std::array<std::uint8_t, kOperandBytes>>;

// A fragment of A that the warp holds in registers.
OperandBytes FragmentOfA(const WarpgroupProduct& i, const std::uint64_t* registers);

struct WarpgroupOperands {
  OperandBytes a;
  std::vector<OperandBytes> b;           // along K: one part, or two where A is sparse
  std::optional<SparseColumns> columns;  // of a sparse A
};

// D = A x B, and + D where `adds`. Products are exact; sums of floats are made in f32, in the order
// of k.
void Multiply(const WarpgroupProduct& i, const WarpgroupOperands& of, bool adds,
              std::uint64_t* registers);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_ALU_WARPGROUP_PRODUCT_H_
