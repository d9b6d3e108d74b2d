// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/bcu/disassembler.h"

#include <fmt/format.h>

namespace muster::bcu {
namespace {

std::string Register(std::uint32_t number) {
  return number == kRegZ ? "RZ" : fmt::format("R{}", number);
}

std::string Predicate(std::uint32_t number, bool inverted = false) {
  const char* const sign = inverted ? "!" : "";
  return number == kPredT ? fmt::format("{}PT", sign) : fmt::format("{}P{}", sign, number);
}

std::string Operand(const Instruction& instruction, Field field) {
  const std::uint32_t value = instruction[field];
  switch (field) {
    case Field::kRd:
    case Field::kRa:
    case Field::kRb:
      return Register(value);
    case Field::kPp:
      return Predicate(value, instruction[Field::kPpNot] != 0);
    case Field::kPu:
      return Predicate(value);
    default:
      return fmt::format("{:#x}", value);
  }
}

std::string_view Name(const Instruction& instruction) {
  for (const Mnemonic& mnemonic : kMnemonics) {
    if (mnemonic.optype == instruction.form().optype && mnemonic.mode == instruction.mode()) {
      return mnemonic.text;
    }
  }
  return "?";  // not reached: every mode that passes Check has a name
}

// A .WARP mode takes a barrier id and ignores it.
bool IsLeftOut(const Instruction& instruction, Field field) {
  return field == Field::kBar && IdIsIgnored(instruction) && instruction[field] == 0;
}

std::string Text(const Instruction& instruction) {
  std::string text;
  const bool inverted = instruction[Field::kPgNot] != 0;
  if (inverted || instruction[Field::kPg] != kPredT) {
    text += fmt::format("@{} ", Predicate(instruction[Field::kPg], inverted));
  }
  text += Name(instruction);

  const char* separator = " ";
  for (const Field field : instruction.form().operands) {
    if (field == Field::kNone || IsLeftOut(instruction, field)) {
      continue;
    }
    text += separator + Operand(instruction, field);
    separator = ", ";
  }
  return text + ";";
}

}  // namespace

Disassembly Disassemble(Word128 word) {
  const auto decoded = Decode(word);
  if (const auto* const problem = std::get_if<Problem>(&decoded)) {
    return {false, problem->what};
  }
  return {true, Text(std::get<Instruction>(decoded))};
}

}  // namespace muster::bcu
