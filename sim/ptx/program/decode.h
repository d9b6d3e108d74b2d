// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One PTX instruction, from syntax to the form that the interpreter runs.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_H_

#include "sim/ptx/program/cursor.h"

namespace muster::ptx {

// Adds what stands for the statement to the code; branches carry the label's index until the end of
// the function. A statement that cannot be run becomes nothing but its diagnostics.
void Decode(Cursor* c);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_H_
