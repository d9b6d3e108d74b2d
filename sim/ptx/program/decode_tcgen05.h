// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: tcgen05.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_TCGEN05_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_TCGEN05_H_

#include "sim/ptx/program/cursor.h"

namespace muster::ptx {

void DecodeTcgen05(Cursor* c, Instruction* out);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_TCGEN05_H_
