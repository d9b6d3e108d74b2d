// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The decoded forms of tcgen05: tensor memory, and what the fifth generation of tensor cores does.
// Addresses in tensor memory are lane << 16 | column.
#ifndef MUSTER_SIM_PTX_PROGRAM_TENSOR_INSTRUCTION_H_
#define MUSTER_SIM_PTX_PROGRAM_TENSOR_INSTRUCTION_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sim/ptx/program/operand.h"
#include "sim/ptx/program/types.h"

namespace muster::ptx {

// What the elements of a product are; their exact types are in its instruction descriptor.
enum class ProductKind : std::uint8_t { kF16, kTF32, kF8F6F4, kI8 };

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
  bool a_in_tensor = false;  // memory
  bool negated = false;      // of the predicate
  std::uint8_t scale = 0;    // D counts 2 to the power of minus this
  Slot d = kNoSlot;
  Slot a = kNoSlot;
  Slot b = kNoSlot;
  Slot descriptor = kNoSlot;
  Slot accumulates = kNoSlot;
  std::array<Slot, 8> disabled = NoSlots<8>();  // lanes of D that stay as they are
};

// tcgen05.mma with .sp, .ws or .block_scale, which is not computed.
struct OpaqueProduct {
  std::uint32_t text = 0;  // index of Program::opaque
  bool pair = false;
  bool spread = false;  // .ws: D of few rows lies in all lanes
  Slot d = kNoSlot;
  Slot descriptor = kNoSlot;
  std::vector<Slot> others;
};

// tcgen05.commit.
struct TensorCommit {
  bool pair = false;
  Space space = Space::kGeneric;
  Slot mbarrier = kNoSlot;
  Slot ctas = kNoSlot;  // the mask of a multicast
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_TENSOR_INSTRUCTION_H_
