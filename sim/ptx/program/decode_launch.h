// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// clusterlaunchcontrol (PTX ISA 9.7.13.17 and 18).
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_LAUNCH_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_LAUNCH_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeLaunchControl(Cursor* c, Instruction* out);  // clusterlaunchcontrol

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_LAUNCH_H_
