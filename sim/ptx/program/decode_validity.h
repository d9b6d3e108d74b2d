// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: what a copy looks for in what it copies, to report it at its mbarrier.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_VALIDITY_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_VALIDITY_H_

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

// The report mechanism of a copy from global to shared memory; kDisabled if it is not there.
Validity TakeValidity(Cursor* c);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_VALIDITY_H_
