// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Copies and stores that are not waited for, cp.async, st.async, red.async; and st.bulk.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_ASYNC_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_ASYNC_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeCopyAsync(Cursor* c, Instruction* out);     // cp
void DecodeStoreAsync(Cursor* c, Instruction* out);    // st.async, red.async
void DecodeMultimemCopy(Cursor* c, Instruction* out);  // the rest of multimem.cp
void DecodeStoreBulk(Cursor* c, Instruction* out);     // st.bulk

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_ASYNC_H_
