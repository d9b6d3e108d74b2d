// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

Instruction::Instruction() = default;
Instruction::Instruction(const Instruction& other) = default;
Instruction::Instruction(Instruction&& other) noexcept = default;
Instruction& Instruction::operator=(const Instruction& other) = default;
Instruction& Instruction::operator=(Instruction&& other) noexcept = default;
Instruction::~Instruction() = default;

}  // namespace muster::ptx
