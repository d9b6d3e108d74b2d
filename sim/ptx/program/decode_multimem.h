// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_MULTIMEM_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_MULTIMEM_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeMultimem(Cursor* c, Instruction* out);  // multimem.ld_reduce, .st, .red, .cp

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_MULTIMEM_H_
