// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "sim/ptx/syntax/error.h"

namespace muster::litmus {
namespace {

Term ParseTerm(Lexer* words, const Test& test, const Names& names) {
  Term term;
  const unsigned line = words->Next().line;
  if (const auto thread = TakeThread(words)) {
    words->Expect(":");
    const std::string name = words->TakeName("a register");
    if (*thread >= test.threads.size()) {
      words->FailAt(line, fmt::format("there is no thread P{}", *thread));
    }
    const auto reg = names.FindRegister(*thread, name);
    if (!reg) {
      words->FailAt(line, fmt::format("thread P{} has no register {}", *thread, name));
    }
    term.kind = Term::Kind::kRegister;
    term.thread = *thread;
    term.index = *reg;
    term.text = fmt::format("P{}:{}", *thread, name);
    return term;
  }
  if (const auto number = words->TakeNumber()) {
    term.constant = *number;
    term.text = std::to_string(*number);
    return term;
  }
  const bool bracketed = words->TakeIf("[");
  const std::string name = words->TakeName("a register, memory or a number");
  if (bracketed) {
    words->Expect("]");
  }
  const auto location = names.FindLocation(name);
  if (!location) {
    words->FailAt(line, fmt::format("no memory is called {}", name));
  }
  term.kind = Term::Kind::kMemory;
  term.index = test.locations[*location].memory;
  term.text = name;
  return term;
}

Condition ParseOr(Lexer* words, const Test& test, const Names& names);

Condition ParsePart(Lexer* words, const Test& test, const Names& names) {
  Condition condition;
  if (words->TakeIf("~") || words->TakeIf("not")) {
    condition.kind = Condition::Kind::kNot;
    condition.parts = {ParsePart(words, test, names)};
    return condition;
  }
  if (words->TakeIf("(")) {
    condition = ParseOr(words, test, names);
    words->Expect(")");
    return condition;
  }
  if (words->TakeIf("true")) {
    return condition;
  }
  condition.kind = Condition::Kind::kCompare;
  condition.left = ParseTerm(words, test, names);
  const Word comparison = words->Take();
  if (comparison.text != "=" && comparison.text != "==" && comparison.text != "!=" &&
      comparison.text != "<" && comparison.text != "<=" && comparison.text != ">" &&
      comparison.text != ">=") {
    words->FailAt(comparison.line,
                  fmt::format(R"(a comparison (==, !=, <, <=, >, >=) should stand where "{}" does)",
                              ptx::Printable(comparison.text)));
  }
  condition.comparison = comparison.text == "=" ? "==" : comparison.text;
  condition.right = ParseTerm(words, test, names);
  return condition;
}

// Parses parts that `sign` joins.
template <typename ParseOne>
Condition ParseJoined(Lexer* words, const char* sign, Condition::Kind kind, ParseOne parse_one) {
  Condition joined;
  joined.kind = kind;
  do {
    joined.parts.push_back(parse_one());
  } while (words->TakeIf(sign));
  return joined.parts.size() == 1 ? Condition(joined.parts[0]) : joined;
}

Condition ParseOr(Lexer* words, const Test& test, const Names& names) {
  return ParseJoined(words, "\\/", Condition::Kind::kOr, [&] {
    return ParseJoined(words, "/\\", Condition::Kind::kAnd,
                       [&] { return ParsePart(words, test, names); });
  });
}

}  // namespace

std::optional<unsigned> TakeThread(Lexer* words) {
  std::string digits = words->Next().text;
  if (!digits.empty() && digits[0] == 'P') {
    digits.erase(0, 1);
  } else if (words->Ahead(1).text != ":") {
    return std::nullopt;
  }
  const bool number = !digits.empty() && digits.size() < 5 &&
                      std::all_of(digits.begin(), digits.end(),
                                  [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!number) {
    return std::nullopt;
  }
  words->Take();
  return static_cast<unsigned>(std::stoul(digits));
}

std::optional<unsigned> Names::FindLocation(const std::string& name) const {
  for (unsigned i = 0; i < test_.locations.size(); ++i) {
    if (test_.locations[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

unsigned Names::LocationOf(const std::string& name) {
  if (const auto found = FindLocation(name)) {
    return *found;
  }
  const auto index = static_cast<unsigned>(test_.locations.size());
  test_.locations.push_back(
      {name, static_cast<unsigned>(test_.memory.size()), index, Proxy::kGeneric});
  test_.memory.push_back(0);
  return index;
}

void Names::AddAlias(const std::string& name, Proxy proxy, unsigned of) {
  const Location& other = test_.locations[of];
  const auto index = static_cast<unsigned>(test_.locations.size());
  test_.locations.push_back(
      {name, other.memory, proxy == Proxy::kGeneric ? index : other.address, proxy});
}

std::optional<unsigned> Names::FindRegister(unsigned thread, const std::string& name) const {
  const auto& registers = test_.threads[thread].registers;
  const auto found = std::find(registers.begin(), registers.end(), name);
  return found == registers.end() ? std::nullopt
                                  : std::optional<unsigned>(found - registers.begin());
}

unsigned Names::RegisterOf(unsigned thread, const std::string& name) {
  if (const auto found = FindRegister(thread, name)) {
    return *found;
  }
  test_.threads[thread].registers.push_back(name);
  test_.threads[thread].initial.push_back(0);
  return static_cast<unsigned>(test_.threads[thread].registers.size() - 1);
}

Condition ParseCondition(Lexer* words, const Test& test, const Names& names) {
  return ParseOr(words, test, names);
}

}  // namespace muster::litmus
