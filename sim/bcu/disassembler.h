// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Words of the barrier control unit to canonical text: no default left out, save for the guard @PT
// and the barrier id 0 that a .WARP mode ignores.
#ifndef MUSTER_SIM_BCU_DISASSEMBLER_H_
#define MUSTER_SIM_BCU_DISASSEMBLER_H_

#include <string>

#include "sim/bcu/instruction.h"

namespace muster::bcu {

struct Disassembly {
  bool legal;
  std::string text;  // "@!P0 BAR.RED.AND 0x1, 0x80, P2;", or why the word is no instruction
};

Disassembly Disassemble(Word128 word);

}  // namespace muster::bcu

#endif  // MUSTER_SIM_BCU_DISASSEMBLER_H_
