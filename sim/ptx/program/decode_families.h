// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which opcode is decoded by which function.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_FAMILIES_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_FAMILIES_H_

#include <string_view>

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

struct Family {
  // Fills in *out, whose op, guard and line are set. Where several instructions stand for the
  // statement, it emits all but the last.
  void (*decode)(Cursor* c, Instruction* out);
  Op op;
};

// Null: the opcode is not supported.
const Family* FamilyOf(std::string_view opcode);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_FAMILIES_H_
