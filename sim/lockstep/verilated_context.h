// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The settings that all Verilated classes of the harness share.
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_CONTEXT_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_CONTEXT_H_

#include <verilated.h>

#include <cstdint>

namespace muster::lockstep {

inline constexpr int kTraceLevels = 99;  // all

// Traced if asked to be.
inline VerilatedContext* PoweredUp(VerilatedContext* context, std::uint64_t seed) {
  constexpr int kZeros = 0;
  constexpr int kAny = 2;
  context->randReset(seed == 0 ? kZeros : kAny);
  context->randSeed(static_cast<int>(seed));
  context->traceEverOn(true);
  return context;
}

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_CONTEXT_H_
