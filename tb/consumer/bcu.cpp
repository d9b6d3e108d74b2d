// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster::bcu.
#include <cstdio>
#include <string>
#include <variant>

#include "sim/bcu/assembler.h"
#include "sim/bcu/disassembler.h"
#include "sim/bcu/instruction.h"

int main() {
  const auto word = muster::bcu::AssembleLine("BAR.SYNC 1, 64;");
  if (const auto* refusal = std::get_if<muster::bcu::Refusal>(&word)) {
    std::puts(refusal->what.c_str());
    return 1;
  }
  const auto read = muster::bcu::Disassemble(std::get<muster::bcu::Word128>(word));
  std::puts(read.text.c_str());
  return !read.legal || read.text.find("BAR.SYNC 0x1, 0x40") == std::string::npos;
}
