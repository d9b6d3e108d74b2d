// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Branches, calls and the ends of threads.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_CONTROL_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_CONTROL_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeBranch(Cursor* c, Instruction* out);         // bra
void DecodeBranchIndexed(Cursor* c, Instruction* out);  // brx
void DecodePlain(Cursor* c, Instruction* out);          // ret, exit, trap, brkpt
void DecodeSleep(Cursor* c, Instruction* out);          // nanosleep
void DecodeNoEffect(Cursor* c, Instruction* out);       // pmevent
void DecodeGridControl(Cursor* c, Instruction* out);    // griddepcontrol
void DecodeCallFunction(Cursor* c, Instruction* out);   // call

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_CONTROL_H_
