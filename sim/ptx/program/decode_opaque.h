// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions that are accepted and not computed: what they write is unknown.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_OPAQUE_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_OPAQUE_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

// The first operand's registers have elements of that type, and are unknown.
void DecodeOpaque(Cursor* c, Instruction* out, Element result);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_OPAQUE_H_
