// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Text to words of the barrier control unit. A line holds one instruction or none:
//
//   [@[!]Pn] MNEMONIC [OPERAND {, OPERAND}] [;] [// comment]
//
// Operands are registers (R0 to R254, RZ), predicates (P0 to P6, PT) and immediates, decimal or
// hexadecimal. Left out, a count is 0, a predicate PT, a destination RZ, and the id of a .WARP mode
// 0. Without a mode, B2R and R2B are .BAR.
#ifndef MUSTER_SIM_BCU_ASSEMBLER_H_
#define MUSTER_SIM_BCU_ASSEMBLER_H_

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/bcu/instruction.h"

namespace muster::bcu {

// The first thing that is refused, in one sentence. Lines and columns (bytes) count from 1.
struct Refusal {
  unsigned line;
  unsigned column;
  std::string what;
};

// The words of a text, in order.
std::variant<std::vector<Word128>, Refusal> AssembleText(std::string_view text);

// The word of the one instruction of a line.
std::variant<Word128, Refusal> AssembleLine(std::string_view line);

}  // namespace muster::bcu

#endif  // MUSTER_SIM_BCU_ASSEMBLER_H_
