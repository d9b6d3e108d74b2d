// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Fences: membar, fence, tensormap.cp_fenceproxy.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_FENCE_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_FENCE_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeFence(Cursor* c, Instruction* out);      // membar, fence
void DecodeTensorMap(Cursor* c, Instruction* out);  // tensormap

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_FENCE_H_
