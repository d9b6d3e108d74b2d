// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Barriers of a CTA and of a cluster: bar, barrier.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_BARRIER_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_BARRIER_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeBarrier(Cursor* c, Instruction* out);  // bar, barrier

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_BARRIER_H_
