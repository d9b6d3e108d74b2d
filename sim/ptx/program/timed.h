// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Marks what depends on a clock.
#ifndef MUSTER_SIM_PTX_PROGRAM_TIMED_H_
#define MUSTER_SIM_PTX_PROGRAM_TIMED_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/ptx/program/program.h"

namespace muster::ptx {

// Functions that have a body: the first instruction of each and its index, in the order of the
// code.
std::vector<std::pair<std::uint32_t, std::uint32_t>> ByEntry(const Program& program);

// Marks the registers that depend on a clock (Function::timed), and the instructions whose effect
// on anything but registers does (Instruction::timed), and the branches of loops that do nothing
// until a clock ends them (Branch::delays).
void MarkTimed(Program* program);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_TIMED_H_
