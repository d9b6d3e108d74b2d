// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Memory: ld, st, atom, red; caches; addresses and their state spaces; the stack.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_MEMORY_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_MEMORY_H_

#include <cstdint>

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/program/program.h"

namespace muster::ptx {

// .v2, .v4, .v8 or none.
std::uint8_t TakeVector(Cursor* c);

// Takes orders, scopes and cache operators. Returns whether an operand that names a cache policy
// follows.
bool TakeOrdering(Cursor* c, Op op, Ordering* ordering);

// The operands have been looked at, and that is all.
void Nothing(Cursor* c, Instruction* out);

void DecodeLoadStore(Cursor* c, Instruction* out);     // ld, ldu, st
void DecodeAtomicAccess(Cursor* c, Instruction* out);  // atom, red
void DecodeCacheHint(Cursor* c, Instruction* out);  // prefetch, prefetchu, applypriority, discard
void DecodeCreatePolicy(Cursor* c, Instruction* out);    // createpolicy
void DecodeStack(Cursor* c, Instruction* out);           // alloca, stacksave, stackrestore
void DecodeConvertAddress(Cursor* c, Instruction* out);  // cvta
void DecodeIsSpace(Cursor* c, Instruction* out);         // isspacep
void DecodeMapAddress(Cursor* c, Instruction* out);      // mapa, getctarank

// Makes a red of each atom whose answer no instruction reads, as assemblers of PTX do.
void DropAnswers(Program* program);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_MEMORY_H_
