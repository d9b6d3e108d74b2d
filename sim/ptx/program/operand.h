// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The operands of an instruction: registers, constants and addresses that it reads and writes.
#ifndef MUSTER_SIM_PTX_PROGRAM_OPERAND_H_
#define MUSTER_SIM_PTX_PROGRAM_OPERAND_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/ptx/program/types.h"

namespace muster::ptx {

// An operand: a register of the frame, or a literal of the program.
using Slot = std::int32_t;
inline constexpr Slot kNoSlot = -0x40000000;
constexpr Slot LiteralSlot(std::uint32_t index) { return -1 - static_cast<Slot>(index); }
constexpr bool IsLiteral(Slot slot) { return slot < 0; }
constexpr std::uint32_t LiteralIndex(Slot slot) { return static_cast<std::uint32_t>(-1 - slot); }

template <std::size_t kCount>
constexpr std::array<Slot, kCount> NoSlots() {
  std::array<Slot, kCount> slots{};
  for (Slot& slot : slots) {
    slot = kNoSlot;
  }
  return slots;
}

// Where an access goes: what `base` holds, and `offset`.
struct Address {
  Space space = Space::kGeneric;
  bool narrow = false;  // the base is a register of 32 bits
  Slot base = kNoSlot;
  std::int64_t offset = 0;

  // Returns the address, once the base is known.
  std::uint64_t From(std::uint64_t value) const {
    const std::uint64_t address = value + static_cast<std::uint64_t>(offset);
    return narrow ? address & 0xffffffffU : address;
  }
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_OPERAND_H_
