// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_TEXTURE_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_TEXTURE_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeTexture(Cursor* c, Instruction* out);       // tex, tld4
void DecodeTextureQuery(Cursor* c, Instruction* out);  // txq, suq
void DecodeSurface(Cursor* c, Instruction* out);       // suld, sust, sured

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_TEXTURE_H_
