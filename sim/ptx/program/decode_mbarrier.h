// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// mbarrier (PTX ISA 9.7.13.15).
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_MBARRIER_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_MBARRIER_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeMbarrier(Cursor* c, Instruction* out);    // mbarrier
void DecodeCopyArrive(Cursor* c, Instruction* out);  // cp.async.mbarrier.arrive

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_MBARRIER_H_
