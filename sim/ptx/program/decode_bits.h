// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Logic, shifts, and fields of bits: and to lop3.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_BITS_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_BITS_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeLogic(Cursor* c, Instruction* out);        // and, or, xor, not, cnot
void DecodeShift(Cursor* c, Instruction* out);        // shl, shr
void DecodeBitCount(Cursor* c, Instruction* out);     // popc, clz, brev, bfind
void DecodeFindNth(Cursor* c, Instruction* out);      // fns
void DecodeBitField(Cursor* c, Instruction* out);     // bfe, bfi
void DecodeBitMask(Cursor* c, Instruction* out);      // szext, bmsk
void DecodePermute(Cursor* c, Instruction* out);      // prmt
void DecodeLookup(Cursor* c, Instruction* out);       // lop3
void DecodeFunnelShift(Cursor* c, Instruction* out);  // shf

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_BITS_H_
