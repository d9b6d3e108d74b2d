// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: copies by tensor maps, and changes of these.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_TENSOR_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_TENSOR_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

// The rest of cp.async.bulk.tensor, cp.reduce.async.bulk.tensor or cp.async.bulk.prefetch.tensor.
void DecodeTensorCopy(Cursor* c, Instruction* out, bool reduces);
// The rest of tensormap.replace.
void DecodeTensorReplace(Cursor* c, Instruction* out);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_TENSOR_H_
