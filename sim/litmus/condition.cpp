// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/condition.h"

#include <fmt/format.h>

namespace muster::litmus {
namespace {

bool Compare(const std::string& comparison, std::int64_t a, std::int64_t b) {
  switch (comparison[0]) {
    case '=':
      return a == b;
    case '!':
      return a != b;
    case '<':
      return comparison.size() == 1 ? a < b : a <= b;
    default:
      return comparison.size() == 1 ? a > b : a >= b;
  }
}

}  // namespace

std::optional<std::int64_t> Term::In(const Finals& finals) const {
  switch (kind) {
    case Kind::kRegister:
      return finals.registers[thread][index];
    case Kind::kMemory:
      return finals.memory[index];
    case Kind::kConstant:
      break;
  }
  return constant;
}

std::optional<bool> Condition::In(const Finals& finals) const {
  switch (kind) {
    case Kind::kTrue:
      return true;
    case Kind::kCompare: {
      const auto a = left.In(finals);
      const auto b = right.In(finals);
      return a && b ? std::optional(Compare(comparison, *a, *b)) : std::nullopt;
    }
    case Kind::kNot: {
      const auto part = parts[0].In(finals);
      return part ? std::optional(!*part) : std::nullopt;
    }
    case Kind::kAnd:
    case Kind::kOr:
      break;
  }
  const bool decides = kind == Kind::kOr;  // the value of a part that decides
  bool known = true;
  for (const Condition& part : parts) {
    const auto value = part.In(finals);
    if (value == decides) {
      return decides;
    }
    known = known && value.has_value();
  }
  return known ? std::optional(!decides) : std::nullopt;
}

std::string Condition::Text() const {
  switch (kind) {
    case Kind::kTrue:
      return "true";
    case Kind::kCompare:
      return fmt::format("{} {} {}", left.text, comparison, right.text);
    case Kind::kNot:
      return fmt::format("not ({})", parts[0].Text());
    case Kind::kAnd:
    case Kind::kOr:
      break;
  }
  std::string text;
  for (const Condition& part : parts) {
    const bool simple = part.kind != Kind::kAnd && part.kind != Kind::kOr;
    text += text.empty() ? "" : kind == Kind::kAnd ? " /\\ " : " \\/ ";
    text += simple ? part.Text() : fmt::format("({})", part.Text());
  }
  return text;
}

void Condition::AddRegisters(std::vector<std::pair<unsigned, unsigned>>* registers) const {
  for (const Term* term : {&left, &right}) {
    if (term->kind == Term::Kind::kRegister) {
      registers->emplace_back(term->thread, term->index);
    }
  }
  for (const Condition& part : parts) {
    part.AddRegisters(registers);
  }
}

}  // namespace muster::litmus
