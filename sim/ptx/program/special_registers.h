// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The special registers that PTX can name.
#ifndef MUSTER_SIM_PTX_PROGRAM_SPECIAL_REGISTERS_H_
#define MUSTER_SIM_PTX_PROGRAM_SPECIAL_REGISTERS_H_

#include <string_view>

#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

struct SpecialRegister {
  Special special;
  Type type;
};

// Of that name ("%tid.x"); null: there is none, or it is not supported.
const SpecialRegister* FindSpecial(std::string_view name);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_SPECIAL_REGISTERS_H_
