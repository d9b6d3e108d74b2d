// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Classes of accesses to memory, as fences name them (rtl/README.md, Fences).
#ifndef MUSTER_SIM_ISA_ACCESS_CLASS_H_
#define MUSTER_SIM_ISA_ACCESS_CLASS_H_

#include <array>
#include <cstdint>

namespace muster {

enum class AccessClass : std::uint8_t {
  kGeneric,  // by the generic proxy
  kAsync,    // by the async proxy: the warp's bulk copies
  kMap,      // what has been read of a tensor map, and is kept
  kGlobal,   // by the generic proxy, performed for the CTA, and not yet for all
};
inline constexpr unsigned kAccessClasses = 4;

// A set of classes, by bits.
using ClassSet = unsigned;
constexpr ClassSet SetOf(AccessClass of) { return 1U << static_cast<unsigned>(of); }
// By class: a bit per warp.
using WarpsByClass = std::array<std::uint64_t, kAccessClasses>;

}  // namespace muster

#endif  // MUSTER_SIM_ISA_ACCESS_CLASS_H_
