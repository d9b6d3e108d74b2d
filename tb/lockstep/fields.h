// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Values of an operation's fields, for whoever makes operations.
#ifndef MUSTER_TB_LOCKSTEP_FIELDS_H_
#define MUSTER_TB_LOCKSTEP_FIELDS_H_

#include <cstdint>

namespace muster::lockstep {

inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

// A slot, a barrier or a size.
inline std::uint8_t Byte(unsigned value) { return static_cast<std::uint8_t>(value); }

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_FIELDS_H_
