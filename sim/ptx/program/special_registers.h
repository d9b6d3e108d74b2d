// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The special registers that PTX can name.
#ifndef MUSTER_SIM_PTX_PROGRAM_SPECIAL_REGISTERS_H_
#define MUSTER_SIM_PTX_PROGRAM_SPECIAL_REGISTERS_H_

#include <optional>
#include <string_view>

#include "sim/ptx/program/opcode.h"

namespace muster::ptx {

// Of that name ("%tid.x"); nothing: there is none, or it is not supported.
std::optional<Special> FindSpecial(std::string_view name);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_SPECIAL_REGISTERS_H_
