// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Comparison and choice: setp, set, selp, slct, testp.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_COMPARE_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_COMPARE_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

// The operation that combines the result with another predicate, if there is one.
Combine TakeCombine(Cursor* c);

void DecodeSetPredicate(Cursor* c, Instruction* out);  // setp
void DecodeSet(Cursor* c, Instruction* out);           // set
void DecodeSelect(Cursor* c, Instruction* out);        // selp
void DecodeSelectBySign(Cursor* c, Instruction* out);  // slct
void DecodeTestProperty(Cursor* c, Instruction* out);  // testp

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_COMPARE_H_
