// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// wmma: matrices of a warp whose fragments only wmma itself can tell apart. The text leaves open
// which lane has which elements of them. Here element i of a matrix, which has `count`, in the
// order of its rows (or of its columns, where A or B is loaded as .col) is element j of the
// fragment of lane l, of e elements, where i = (l e + j) mod count: lanes that find none left have
// those of others again.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_WMMA_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_WMMA_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

void DecodeWmma(Cursor* c, Instruction* out);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_WMMA_H_
