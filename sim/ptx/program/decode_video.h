// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Video instructions: vadd and the like.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_VIDEO_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_VIDEO_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeVideoInstruction(Cursor* c, Instruction* out);  // vadd and the like

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_VIDEO_H_
