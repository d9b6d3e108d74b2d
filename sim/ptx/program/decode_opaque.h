// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions that are accepted and not computed: what they write is unknown.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_OPAQUE_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_OPAQUE_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

// Adds the registers that an operand names, whatever their types.
void AddRegisters(Cursor* c, const syntax::Operand& operand, std::vector<Slot>* slots);
// The first operand's registers have elements of that type, and are unknown.
void DecodeOpaque(Cursor* c, Instruction* out, Element result);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_OPAQUE_H_
