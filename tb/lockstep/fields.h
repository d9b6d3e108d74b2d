// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Values of an operation's fields, for whoever makes operations.
#ifndef MUSTER_TB_LOCKSTEP_FIELDS_H_
#define MUSTER_TB_LOCKSTEP_FIELDS_H_

#include <cstdint>

#include "sim/isa/operation.h"
#include "sim/isa/state_word.h"

namespace muster::lockstep {

inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

// A slot, a barrier or a size.
inline std::uint8_t Byte(unsigned value) { return static_cast<std::uint8_t>(value); }

// Whether the warp waits once the operation has taken effect.
inline bool MakesWait(const Operation& operation) {
  return IsWaiting(operation.kind) ||
         (operation.kind == OpKind::kR2bWarp && DecodeWarpWord(operation.operand).waiting);
}

// Whether a warp that waits so waits apart from an arrival.
inline bool WaitsApart(const Operation& operation) {
  return operation.kind == OpKind::kWait ||
         (operation.kind == OpKind::kR2bWarp && DecodeWarpWord(operation.operand).apart);
}

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_FIELDS_H_
