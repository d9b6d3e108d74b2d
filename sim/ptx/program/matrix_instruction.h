// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The decoded forms of what the lanes of a warp, or four warps, do with matrices that they hold in
// parts: mma, wmma, wgmma, and the ways between memory and fragments.
#ifndef MUSTER_SIM_PTX_PROGRAM_MATRIX_INSTRUCTION_H_
#define MUSTER_SIM_PTX_PROGRAM_MATRIX_INSTRUCTION_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sim/ptx/program/opcode.h"
#include "sim/ptx/program/operand.h"

namespace muster::ptx {

// mma: D = A x B + C, of matrices that the lanes of a warp hold in parts. The elements of A and B
// that are narrower than a register are packed. PTX, "Matrix Fragments for mma".
struct MatrixProduct {
  std::uint16_t m = 0;
  std::uint16_t n = 0;
  std::uint16_t k = 0;
  Element a_type = Element::kF16;
  Element b_type = Element::kF16;
  Element c_type = Element::kF32;
  Element d_type = Element::kF32;
  bool saturate = false;          // integers: clamps, and does not wrap
  bool exclusive = false;         // b1: xor, and not and
  Round round = Round::kNearest;  // f64
  // wmma: fragments have the elements in the order of memory (decode_wmma.h).
  bool in_order = false;
  bool a_by_columns = false;
  bool b_by_columns = false;
  // A is sparse: metadata of lanes that the selector names (sparse_matrix.h).
  bool sparse = false;
  bool ordered = false;  // indices of one chunk rise
  std::uint8_t selector = 0;
  Slot metadata = kNoSlot;
  // Scaled blocks: so many along K, each with a scale of each row of A and each column of B, in a
  // byte of a lane.
  std::uint8_t blocks = 0;
  bool has_small_scales = false;                     // ue4m3, and not ue8m0
  std::array<Slot, 2> scales = NoSlots<2>();         // of A and B, here and below
  std::array<Slot, 2> scale_bytes = NoSlots<2>();    // the first byte
  std::array<Slot, 2> scale_threads = NoSlots<2>();  // of the four lanes of a row of D
  std::array<Slot, 8> d = NoSlots<8>();
  std::array<Slot, 8> a = NoSlots<8>();
  std::array<Slot, 8> b = NoSlots<8>();
  std::array<Slot, 8> c = NoSlots<8>();
};

// Of wmma.load and wmma.store: d is where memory has element `first` of the lane's fragment.
struct FragmentPlace {
  std::uint8_t bits = 0;  // of an element
  bool across = false;    // columns lie together in memory, and rows in fragments
  std::uint16_t count = 0;
  std::uint16_t of_lane = 0;  // elements
  std::uint16_t along = 0;    // elements of a row, or column, of the fragments' order
  std::uint16_t first = 0;
  Slot d = kNoSlot;
  Address address;
  Slot stride = kNoSlot;  // elements from a row, or column, to the next one in memory
};

// movmatrix, and the part of ldmatrix and stmatrix beside the access: `count` matrices go from one
// layout to another. The rows of matrix i are of lanes 8i to 8i + 7, in four registers.
struct MatrixLayout {
  Relayout to = Relayout::kTranspose;
  std::uint8_t count = 1;
  bool transposed = false;
  std::array<Slot, 4> d = NoSlots<4>();
  std::array<Slot, 4> a = NoSlots<4>();
};

// wgmma.mma_async: D = A x B + D, of 64 rows, of which each of four warps has 16. PTX,
// "Asynchronous Warpgroup Level Matrix Instructions". A row of A, or a column of B, is 32 bytes.
struct WarpgroupProduct {
  std::uint16_t n = 0;
  Element a_type = Element::kF16;
  Element b_type = Element::kF16;
  Element d_type = Element::kF32;
  bool saturate = false;
  bool scale_negated = false;
  bool sparse = false;                   // .sp: K is twice as large, for B
  std::uint8_t selector = 0;             // of it, as for mma
  Slot metadata = kNoSlot;               // likewise
  std::array<bool, 2> minus{};           // A, B: each element is negated
  std::array<bool, 2> transposed{};      // in shared memory what lies along M or N is contiguous
  std::array<Slot, 4> a = NoSlots<4>();  // the fragment of A,
  Slot a_matrix = kNoSlot;               // or its descriptor
  Slot b_matrix = kNoSlot;
  Slot scale = kNoSlot;  // the predicate: false, and D = A x B
  std::vector<Slot> d;
};

// wgmma.fence, wgmma.commit_group, wgmma.wait_group.
struct WarpgroupOrder {
  WarpgroupOp op = WarpgroupOp::kFence;
  std::uint32_t groups = 0;  // kWait: that may be left
};

// setmaxnreg.
struct RegisterLimit {
  bool more = false;        // .inc
  std::uint16_t count = 0;  // per thread

  bool operator==(const RegisterLimit& other) const {
    return more == other.more && count == other.count;
  }
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_MATRIX_INSTRUCTION_H_
