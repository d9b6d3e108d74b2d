// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The decoded forms of tcgen05: tensor memory, and what the fifth generation of tensor cores does.
// Addresses in tensor memory are lane << 16 | column.
#ifndef MUSTER_SIM_PTX_PROGRAM_TENSOR_INSTRUCTION_H_
#define MUSTER_SIM_PTX_PROGRAM_TENSOR_INSTRUCTION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/ptx/program/operand.h"
#include "sim/ptx/program/types.h"

namespace muster::ptx {

// What the elements of a product are; their exact types are in its instruction descriptor.
enum class ProductKind : std::uint8_t { kF16, kTF32, kF8F6F4, kI8, kMxF8F6F4, kMxF4, kMxF4NvF4 };
// Blocks of A and B have scales in tensor memory.
constexpr bool IsScaled(ProductKind kind) { return kind >= ProductKind::kMxF8F6F4; }

// Lanes by bits of a lane that one access has, before it is repeated.
enum class TensorShape : std::uint8_t { k32x32b, k16x64b, k16x128b, k16x256b, k16x32bx2 };
// Registers of each thread, of an access that is not repeated.
constexpr unsigned RegistersOf(TensorShape shape) {
  return shape == TensorShape::k16x256b ? 4 : shape == TensorShape::k16x128b ? 2 : 1;
}

// tcgen05.alloc, .dealloc, .relinquish_alloc_permit.
struct TensorAllocation {
  enum class What : std::uint8_t { kAllocate, kRelease, kRelinquish };
  What what = What::kAllocate;
  bool pair = false;  // .cta_group::2, here and below
  Slot d = kNoSlot;   // the address, of kAllocate
  Slot address = kNoSlot;
  Slot columns = kNoSlot;
};

// tcgen05.ld, .st.
struct TensorAccess {
  bool stores = false;
  TensorShape shape = TensorShape::k32x32b;
  std::uint8_t times = 1;
  bool halves = false;  // .pack::16b, .unpack::16b: a register has two columns of 16 bits
  Slot address = kNoSlot;
  std::uint32_t second = 0;  // .16x32bx2: columns from the first access to the second
  std::vector<Slot> registers;
};

// tcgen05.wait::ld, ::st.
struct TensorWait {
  bool stores = false;
};

// tcgen05.mma.
struct TensorProduct {
  ProductKind kind = ProductKind::kF16;
  bool pair = false;
  bool sparse = false;       // .sp
  bool spread = false;       // .ws: D of few rows lies in all lanes
  bool shifted = false;      // .ashift
  bool a_in_tensor = false;  // memory
  bool negated = false;      // of the predicate
  std::uint8_t scale = 0;    // D counts 2 to the power of minus this
  // Index of Program::opaque, of one that may have forms that are not computed.
  std::optional<std::uint32_t> text;
  Slot d = kNoSlot;
  Slot a = kNoSlot;
  Slot b = kNoSlot;
  Slot metadata = kNoSlot;
  Slot descriptor = kNoSlot;
  Slot accumulates = kNoSlot;
  Slot zero_columns = kNoSlot;                  // a descriptor of a mask
  std::uint8_t scale_count = 0;                 // of a row of A and a column of B
  std::array<Slot, 2> scales = NoSlots<2>();    // of A and B
  std::array<Slot, 8> disabled = NoSlots<8>();  // lanes of D that stay as they are
};

// Lanes by bits of a lane that one tcgen05.cp writes.
enum class MovementShape : std::uint8_t { k128x256b, k4x256b, k128x128b, k64x128b, k32x128b };
// Of the matrix in shared memory.
constexpr unsigned RowsOf(MovementShape shape) {
  return shape == MovementShape::k4x256b    ? 4
         : shape == MovementShape::k32x128b ? 32
         : shape == MovementShape::k64x128b ? 64
                                            : 128;
}

// tcgen05.cp, and tcgen05.shift, which has no source.
struct TensorMovement {
  MovementShape shape = MovementShape::k128x256b;
  bool pair = false;
  bool neighbours = false;        // .warpx2::01_23: warps 0 and 1 have the same rows
  std::uint8_t element_bits = 0;  // of what is decompressed to bytes: 4 or 6
  Slot address = kNoSlot;
  Slot source = kNoSlot;  // its descriptor
};

// tcgen05.commit.
struct TensorCommit {
  bool pair = false;
  Space space = Space::kGeneric;
  Slot mbarrier = kNoSlot;
  Slot ctas = kNoSlot;  // the mask of a multicast
  bool wide = false;    // of 32 bits
  // .sync_restrict::shared::read::mma::a: when the products before have read A in shared memory.
  bool of_reads = false;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_TENSOR_INSTRUCTION_H_
