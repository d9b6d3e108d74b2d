// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions of four warps: wgmma.mma_async, what orders it, and setmaxnreg.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_WARPGROUP_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_WARPGROUP_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/program/program.h"

namespace muster::ptx {

void DecodeWarpgroup(Cursor* c, Instruction* out);      // wgmma
void DecodeRegisterLimit(Cursor* c, Instruction* out);  // setmaxnreg

// Marks the instructions that touch registers which a wgmma of their function has, too.
void MarkFragments(Program* program);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_WARPGROUP_H_
