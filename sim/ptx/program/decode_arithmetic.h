// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Sums, products, quotients, extremes and functions of one number: add to copysign.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_ARITHMETIC_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_ARITHMETIC_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeArithmetic(Cursor* c, Instruction* out);      // add, addc, sub, subc
void DecodeMultiply(Cursor* c, Instruction* out);        // mul, mad, madc, fma
void DecodeMultiply24(Cursor* c, Instruction* out);      // mul24, mad24
void DecodeSumOfDistances(Cursor* c, Instruction* out);  // sad
void DecodeDotProduct(Cursor* c, Instruction* out);      // dp4a, dp2a
void DecodeDivide(Cursor* c, Instruction* out);          // div, rem
void DecodeMinMax(Cursor* c, Instruction* out);          // min, max
void DecodeUnary(Cursor* c, Instruction* out);           // abs and the like
void DecodeCopySign(Cursor* c, Instruction* out);        // copysign

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_ARITHMETIC_H_
