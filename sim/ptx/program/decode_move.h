// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Moves and conversions: mov, cvt.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_MOVE_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_MOVE_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeMove(Cursor* c, Instruction* out);     // mov
void DecodeConvert(Cursor* c, Instruction* out);  // cvt

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_MOVE_H_
