// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/bcu/instruction.h"

#include <fmt/format.h>

#include <charconv>

namespace muster::bcu {
namespace {

constexpr FieldBits Bits(Field field) { return kFieldBits[static_cast<std::size_t>(field)]; }

// No field crosses the middle of the word.
std::uint32_t Get(Word128 word, Field field) {
  const auto [at, width] = Bits(field);
  const std::uint64_t half = at < 64 ? word.lo : word.hi;
  return static_cast<std::uint32_t>(half >> (at % 64)) & ((1U << width) - 1);
}

void Put(Word128& word, Field field, std::uint32_t value) {
  const unsigned at = Bits(field).at;
  (at < 64 ? word.lo : word.hi) |= std::uint64_t{value} << (at % 64);
}

// The fields of a form apart from optype and stype, one after the other.
template <typename Visit>
void ForEachField(const Form& form, Visit visit) {
  visit(Field::kPg);
  visit(Field::kPgNot);
  if (form.mode != Field::kNone) {
    visit(form.mode);
  }
  for (const Field field : form.operands) {
    if (field == Field::kNone) {
      continue;
    }
    visit(field);
    if (field == Field::kPp) {
      visit(Field::kPpNot);
    }
  }
}

const Form* FindForm(std::uint32_t optype, std::uint32_t stype) {
  for (const Form& form : kForms) {
    if (static_cast<std::uint32_t>(form.optype) == optype &&
        static_cast<std::uint32_t>(form.stype) == stype) {
      return &form;
    }
  }
  return nullptr;
}

unsigned LowestBit(Word128 word) {
  return word.lo != 0 ? __builtin_ctzll(word.lo) : 64 + __builtin_ctzll(word.hi);
}

}  // namespace

std::string Hex(Word128 word) { return fmt::format("{:016x}{:016x}", word.hi, word.lo); }

std::optional<Word128> ParseHex(std::string_view text) {
  if (text.substr(0, 2) == "0x") {
    text.remove_prefix(2);
  }
  if (text.size() != 32) {
    return std::nullopt;
  }
  const auto parse = [](std::string_view digits, std::uint64_t& value) {
    const char* const end = digits.data() + digits.size();
    return std::from_chars(digits.data(), end, value, 16).ptr == end;
  };
  Word128 word;
  if (!parse(text.substr(0, 16), word.hi) || !parse(text.substr(16), word.lo)) {
    return std::nullopt;
  }
  return word;
}

Instruction::Instruction(const Form& form) : form_(&form) {
  (*this)[Field::kOptype] = static_cast<std::uint32_t>(form.optype);
  (*this)[Field::kSType] = static_cast<std::uint32_t>(form.stype);
  (*this)[Field::kPg] = kPredT;
  (*this)[Field::kRd] = kRegZ;
  (*this)[Field::kPp] = kPredT;
  (*this)[Field::kPu] = kPredT;
}

bool IdIsIgnored(const Instruction& instruction) {
  const Optype optype = instruction.form().optype;
  return (optype == Optype::kB2r || optype == Optype::kR2b) && instruction.mode() == kWarp;
}

std::optional<Problem> Check(const Instruction& instruction) {
  const Form& form = instruction.form();
  if (form.mode == Field::kRedOp && instruction.mode() > kPopc) {
    return Problem{Field::kRedOp,
                   fmt::format("there is no reduction with the code {}", instruction.mode())};
  }
  for (const Field field : form.operands) {
    if (field != Field::kBar && field != Field::kCount) {
      continue;
    }
    const std::uint32_t value = instruction[field];
    if (field == Field::kBar) {
      if (value > 15) {
        return Problem{field, fmt::format("barrier id {} is above 15", value)};
      }
      continue;
    }
    if (value > 4095) {
      return Problem{field, fmt::format("count {} is above 4095", value)};
    }
    if (value % 32 != 0) {
      return Problem{field, fmt::format("count {} is not a multiple of 32", value)};
    }
    if (value == 0 && form.optype == Optype::kBar && instruction.mode() == kArv) {
      return Problem{field, "BAR.ARV needs a count above 0"};
    }
  }
  return std::nullopt;
}

Word128 Encode(const Instruction& instruction) {
  Word128 word;
  const auto put = [&](Field field) { Put(word, field, instruction[field]); };
  put(Field::kOptype);
  put(Field::kSType);
  ForEachField(instruction.form(), put);
  return word;
}

std::variant<Instruction, Problem> Decode(Word128 word) {
  const std::uint32_t optype = Get(word, Field::kOptype);
  const std::uint32_t stype = Get(word, Field::kSType);
  const Form* const form = FindForm(optype, stype);
  if (form == nullptr) {
    return Problem{Field::kOptype,
                   fmt::format("there is no form with optype {:#x} and stype {}", optype, stype)};
  }

  Instruction instruction(*form);
  ForEachField(*form, [&](Field field) { instruction[field] = Get(word, field); });
  if (const auto problem = Check(instruction)) {
    return *problem;
  }

  const Word128 fields = Encode(instruction);
  const Word128 rest{word.lo ^ fields.lo, word.hi ^ fields.hi};
  if (rest != Word128{}) {
    return Problem{Field::kNone, fmt::format("bit {} is set, where {} has no field",
                                             LowestBit(rest), form->name)};
  }
  return instruction;
}

}  // namespace muster::bcu
