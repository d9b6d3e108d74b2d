// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which operands an instruction reads and writes, whatever its payload. The guard is not among
// them.
#ifndef MUSTER_SIM_PTX_PROGRAM_REGISTERS_H_
#define MUSTER_SIM_PTX_PROGRAM_REGISTERS_H_

#include <vector>

#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

std::vector<Slot> ResultsOf(const Instruction& instruction);  // registers
std::vector<Slot> SourcesOf(const Instruction& instruction);  // registers and literals

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_REGISTERS_H_
