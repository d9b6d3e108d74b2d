// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/bcu/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <tao/pegtl.hpp>
#include <utility>

namespace muster::bcu {
namespace {

namespace pegtl = tao::pegtl;

// ------------------------------------------------------------------------------------------------
// Grammar
// ------------------------------------------------------------------------------------------------

namespace grammar {

struct Space : pegtl::star<pegtl::blank> {};
struct Comment : pegtl::seq<pegtl::two<'/'>, pegtl::until<pegtl::at<pegtl::eolf>>> {};
struct WordEnd : pegtl::not_at<pegtl::identifier_other> {};
struct Decimal : pegtl::plus<pegtl::digit> {};
struct Hexadecimal : pegtl::seq<pegtl::string<'0', 'x'>, pegtl::plus<pegtl::xdigit>> {};

struct Register : pegtl::seq<pegtl::one<'R'>, pegtl::sor<pegtl::one<'Z'>, Decimal>, WordEnd> {};
struct Predicate : pegtl::seq<pegtl::opt<pegtl::one<'!'>>, pegtl::one<'P'>,
                              pegtl::sor<pegtl::one<'T'>, Decimal>, WordEnd> {};
struct Immediate : pegtl::seq<pegtl::sor<Hexadecimal, Decimal>, WordEnd> {};
// The last alternative makes the others step back, so that a refusal names the operand's column.
struct Operand : pegtl::sor<Register, Predicate, Immediate, pegtl::failure> {};
struct Operands : pegtl::list_must<Operand, pegtl::one<','>, pegtl::blank> {};

struct Guard : Predicate {};
struct Name : pegtl::list<pegtl::identifier, pegtl::one<'.'>> {};
struct End : pegtl::sor<pegtl::one<';'>, pegtl::at<Comment>, pegtl::at<pegtl::eolf>> {};
struct Unguarded : pegtl::if_must<Name, Space, pegtl::sor<End, pegtl::must<Operands, Space, End>>> {
};
struct Guarded : pegtl::if_must<pegtl::one<'@'>, Guard, Space, Unguarded> {};
struct Statement : pegtl::sor<Guarded, Unguarded> {};

struct LineEnd : pegtl::eolf {};
struct Line : pegtl::must<Space, pegtl::opt<Statement>, Space, pegtl::opt<Comment>, LineEnd> {};
struct Text : pegtl::until<pegtl::eof, Line> {};

// NOLINTBEGIN(readability-identifier-naming): PEGTL looks for these names.
struct Messages {
  template <typename>
  static constexpr const char* message = nullptr;
  template <typename>
  static constexpr bool raise_on_failure = false;  // unless a must<> says so
};
constexpr const char* kExpectedOperand =
    "expected a register (R0 to R254, RZ), a predicate (P0 to P6, PT) or a number";
template <>
constexpr const char* Messages::message<Operand> = kExpectedOperand;
template <>
constexpr const char* Messages::message<Operands> = kExpectedOperand;
template <>
constexpr const char* Messages::message<Guard> = "expected a predicate after '@'";
template <>
constexpr const char* Messages::message<Unguarded> = "expected an instruction after the guard";
template <>
constexpr const char* Messages::message<End> = "expected ',', ';' or the end of the line";
template <>
constexpr const char* Messages::message<LineEnd> =
    "a line holds one instruction, and after it only a comment";
// NOLINTEND(readability-identifier-naming)

template <typename Rule>
using Control = pegtl::must_if<Messages, pegtl::normal, false>::control<Rule>;

}  // namespace grammar

// ------------------------------------------------------------------------------------------------
// From a statement to a word
// ------------------------------------------------------------------------------------------------

enum class Kind { kRegister, kPredicate, kImmediate };

struct Operand {
  Kind kind;
  std::uint32_t value;
  bool inverted;
  pegtl::position position;
};

struct Statement {
  std::optional<Operand> guard;
  std::string name;
  std::optional<pegtl::position> name_position;
  std::vector<Operand> operands;
};

// The number that digits write, or the largest there is.
std::uint32_t ParseNumber(std::string_view digits, int base) {
  std::uint32_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  return result.ec == std::errc() ? value : UINT32_MAX;
}

// R0 to R254 and RZ, P0 to P6 and PT: `last` is the number that goes by a letter.
std::uint32_t ParseName(std::string_view name, std::uint32_t last,
                        const pegtl::position& position) {
  const std::string_view digits = name.substr(1);
  if (digits == "Z" || digits == "T") {
    return last;
  }
  const std::uint32_t number = ParseNumber(digits, 10);
  if (number >= last) {
    throw pegtl::parse_error(
        fmt::format("there is no {}: the last one is {}{}", name, name[0], last - 1), position);
  }
  return number;
}

Operand ParsePredicate(std::string_view text, const pegtl::position& position) {
  const bool inverted = text[0] == '!';
  if (inverted) {
    text.remove_prefix(1);
  }
  return {Kind::kPredicate, ParseName(text, kPredT, position), inverted, position};
}

bool Fits(const Operand& operand, Field field) {
  switch (field) {
    case Field::kRd:
    case Field::kRa:
    case Field::kRb:
      return operand.kind == Kind::kRegister;
    case Field::kPp:
      return operand.kind == Kind::kPredicate;
    case Field::kPu:
      return operand.kind == Kind::kPredicate && !operand.inverted;
    case Field::kBar:
    case Field::kCount:
      return operand.kind == Kind::kImmediate;
    default:
      return false;
  }
}

bool IsOptional(const Instruction& instruction, Field field) {
  switch (field) {
    case Field::kRd:
    case Field::kPp:
    case Field::kPu:
    case Field::kCount:
    case Field::kNone:
      return true;
    case Field::kBar:
      return IdIsIgnored(instruction);
    default:
      return false;
  }
}

// A form that is tried on the operands of a statement.
struct Attempt {
  Instruction instruction;
  std::vector<Field> fields;  // of the leading operands that fit
  bool complete = true;       // no operand is missing
};

Attempt Try(const Form& form, const Mnemonic& mnemonic, const Statement& statement) {
  Attempt attempt{Instruction(form), {}};
  Instruction& instruction = attempt.instruction;
  if (form.mode != Field::kNone) {
    instruction[form.mode] = mnemonic.mode;
  }
  if (statement.guard) {
    instruction[Field::kPg] = statement.guard->value;
    instruction[Field::kPgNot] = statement.guard->inverted ? 1 : 0;
  }
  for (const Field field : form.operands) {
    const std::size_t next = attempt.fields.size();
    if (next < statement.operands.size() && Fits(statement.operands[next], field)) {
      instruction[field] = statement.operands[next].value;
      if (field == Field::kPp) {
        instruction[Field::kPpNot] = statement.operands[next].inverted;
      }
      attempt.fields.push_back(field);
    } else if (!IsOptional(instruction, field)) {
      attempt.complete = false;
      break;
    }
  }
  return attempt;
}

std::string Usage(const Mnemonic& mnemonic) {
  const auto takes = [&](std::string_view what) {
    return fmt::format("{} takes {}", mnemonic.text, what);
  };
  switch (mnemonic.optype) {
    case Optype::kBar:
      return takes("a barrier id and a count, each a register or a number");
    case Optype::kBarRed:
      return takes("a barrier id, a count and a predicate, or a register for the first two");
    case Optype::kB2r:
      return takes("a register and a barrier id that is a number");
    case Optype::kB2rResult:
      return takes("a register and a predicate without '!'");
    case Optype::kR2b:
      return takes("a barrier id that is a number, and a register");
  }
  return {};
}

Word128 Assemble(const Statement& statement) {
  const pegtl::position& start = *statement.name_position;
  const auto* const mnemonic =
      std::find_if(std::begin(kMnemonics), std::end(kMnemonics),
                   [&](const Mnemonic& candidate) { return candidate.text == statement.name; });
  if (mnemonic == std::end(kMnemonics)) {
    throw pegtl::parse_error(fmt::format("there is no instruction {}", statement.name), start);
  }

  std::size_t fitting = 0;
  for (const Form& form : kForms) {
    if (form.optype != mnemonic->optype) {
      continue;
    }
    const Attempt attempt = Try(form, *mnemonic, statement);
    const auto& [instruction, fields, complete] = attempt;
    fitting = std::max(fitting, fields.size());
    if (!complete || fields.size() < statement.operands.size()) {
      continue;
    }

    const auto problem = Check(instruction);
    if (!problem) {
      return Encode(instruction);
    }
    const auto field = std::find(fields.begin(), fields.end(), problem->field);
    throw pegtl::parse_error(
        problem->what,
        field == fields.end() ? start : statement.operands[field - fields.begin()].position);
  }
  throw pegtl::parse_error(Usage(*mnemonic), fitting < statement.operands.size()
                                                 ? statement.operands[fitting].position
                                                 : start);
}

// ------------------------------------------------------------------------------------------------
// What the grammar does
// ------------------------------------------------------------------------------------------------

struct State {
  Statement statement;
  std::vector<Word128> words;
};

template <typename Rule>
struct Action : pegtl::nothing<Rule> {};

template <>
struct Action<grammar::Guard> {
  template <typename Input>
  static void apply(const Input& in, State& state) {
    state.statement.guard = ParsePredicate(in.string_view(), in.position());
  }
};

template <>
struct Action<grammar::Name> {
  template <typename Input>
  static void apply(const Input& in, State& state) {
    state.statement.name = in.string();
    state.statement.name_position = in.position();
  }
};

template <>
struct Action<grammar::Register> {
  template <typename Input>
  static void apply(const Input& in, State& state) {
    const std::uint32_t number = ParseName(in.string_view(), kRegZ, in.position());
    state.statement.operands.push_back({Kind::kRegister, number, false, in.position()});
  }
};

template <>
struct Action<grammar::Predicate> {
  template <typename Input>
  static void apply(const Input& in, State& state) {
    state.statement.operands.push_back(ParsePredicate(in.string_view(), in.position()));
  }
};

template <>
struct Action<grammar::Immediate> {
  template <typename Input>
  static void apply(const Input& in, State& state) {
    std::string_view text = in.string_view();
    const bool hexadecimal = text.substr(0, 2) == "0x";
    if (hexadecimal) {
      text.remove_prefix(2);
    }
    const std::uint32_t value = ParseNumber(text, hexadecimal ? 16 : 10);
    state.statement.operands.push_back({Kind::kImmediate, value, false, in.position()});
  }
};

template <>
struct Action<grammar::Statement> {
  template <typename Input>
  static void apply(const Input& /*in*/, State& state) {
    state.words.push_back(Assemble(std::exchange(state.statement, {})));
  }
};

}  // namespace

std::variant<std::vector<Word128>, Refusal> AssembleText(std::string_view text) {
  pegtl::memory_input input(text.data(), text.size(), "");
  State state;
  try {
    pegtl::parse<grammar::Text, Action, grammar::Control>(input, state);
  } catch (const pegtl::parse_error& error) {
    const pegtl::position& at = error.positions().front();
    return Refusal{static_cast<unsigned>(at.line), static_cast<unsigned>(at.column),
                   std::string(error.message())};
  }
  return state.words;
}

std::variant<Word128, Refusal> AssembleLine(std::string_view line) {
  auto result = AssembleText(line);
  if (auto* const refusal = std::get_if<Refusal>(&result)) {
    return *refusal;
  }
  const auto& words = std::get<std::vector<Word128>>(result);
  if (words.size() != 1) {
    return Refusal{1, 1, "expected one instruction"};
  }
  return words.front();
}

}  // namespace muster::bcu
