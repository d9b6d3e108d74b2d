// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What an instruction does, as far as it matters for whether a loop can ever end.
#ifndef MUSTER_SIM_PTX_PROGRAM_NATURE_H_
#define MUSTER_SIM_PTX_PROGRAM_NATURE_H_

#include <cstdint>

#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

enum class Nature : std::uint8_t {
  kComputes,  // writes registers, from registers; or does nothing
  kVolatile,  // writes registers, from what changes by itself
  kLoads,     // writes registers, from memory
  kRests,     // lets time pass
  kActs,      // changes memory, or what something else does later
  kBranches,  // says what is executed next
  kMeets,     // comes to where threads wait for each other
};

Nature NatureOf(const Instruction& instruction);

// All that it does is to write registers, or to let time pass.
bool OnlyWritesRegisters(const Instruction& instruction);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_NATURE_H_
