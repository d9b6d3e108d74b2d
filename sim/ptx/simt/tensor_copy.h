// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What one tensor copy moves: which bytes of global memory, and where they are in shared memory.
// Knows nothing of the memories.
#ifndef MUSTER_SIM_PTX_SIMT_TENSOR_COPY_H_
#define MUSTER_SIM_PTX_SIMT_TENSOR_COPY_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/ptx/program/opcode.h"
#include "sim/ptx/simt/tensor_map.h"
#include "sim/ptx/simt/transfer.h"

namespace muster::ptx {

struct TensorBox {
  TensorMode mode = TensorMode::kTile;
  bool to_global = false;
  unsigned dims = 0;                                        // of the instruction
  std::array<std::int32_t, kMaxTensorRank> coordinates{};   // kRows: the column, and four rows
  std::array<std::uint32_t, kMaxTensorRank - 2> offsets{};  // of pixels; kIm2colW: halo, offset
  std::uint64_t shared = 0;                                 // the byte of shared memory
};

// Returns why the text does not have this copy of a map that is right in itself, or "".
std::string Misfit(const TensorMap& map, const TensorBox& box);

// The bytes that a copy moves, in the order of the box, innermost dimension first.
struct TensorTile {
  std::uint32_t bytes = 0;      // all of them, those of elements outside of the tensor included
  std::vector<Piece> global{};  // where those of elements inside are
  std::vector<Piece> shared{};  // where all are
};
TensorTile TileOf(const TensorMap& map, const TensorBox& box);

// Returns what stands for elements outside of the tensor, in so many bytes.
std::vector<std::uint8_t> FillOf(const TensorMap& map, std::uint32_t bytes);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TENSOR_COPY_H_
