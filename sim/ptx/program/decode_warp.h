// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions of a warp: vote to elect, bar.warp.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_WARP_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_WARP_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeActiveMask(Cursor* c, Instruction* out);   // activemask
void DecodeVote(Cursor* c, Instruction* out);         // vote
void DecodeMatch(Cursor* c, Instruction* out);        // match
void DecodeShuffle(Cursor* c, Instruction* out);      // shfl
void DecodeReduce(Cursor* c, Instruction* out);       // redux
void DecodeElect(Cursor* c, Instruction* out);        // elect
void DecodeBarrierWarp(Cursor* c, Instruction* out);  // bar.warp.sync

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_WARP_H_
