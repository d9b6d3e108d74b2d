// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>
#include <tao/pegtl.hpp>
#include <utility>

#include "sim/isa/operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/expected.h"
#include "sim/ptx/syntax/grammar.h"

namespace muster::ptx {
namespace {

namespace p = tao::pegtl;
namespace g = grammar;
using syntax::Operand;
using syntax::Position;
using syntax::Statement;
using Kind = syntax::Operand::Kind;

constexpr std::size_t kMaxNesting = 100;  // of scopes, and of brackets; each takes stack

// ------------------------------------------------------------------------------------------------
// What is under construction while the grammar matches
// ------------------------------------------------------------------------------------------------

struct Builder {
  explicit Builder(syntax::Module* out) : module(out) {}

  syntax::Module* module;
  syntax::Function function;
  syntax::Signature prototype;
  bool in_body = false;
  std::size_t scopes = 0;  // not closed yet
  bool is_extern = false;

  std::vector<std::string_view> qualifiers;  // of the declaration at hand
  syntax::Variable variable;
  std::vector<syntax::Variable> parameters;  // of the list at hand
  std::vector<std::uint64_t>* thread_counts = nullptr;

  bool in_initial = false;  // operands go to the variable, not to the instruction
  bool negate = false;
  bool minus = false;
  std::vector<Operand> open;  // brackets not closed yet, innermost last
  syntax::Instruction instruction;
  Position instruction_at;

  std::vector<Operand>& List() {
    return open.empty() ? (in_initial ? variable.initial : instruction.operands)
                        : open.back().parts;
  }
  Operand& Add(Operand operand) { return List().emplace_back(std::move(operand)); }
  Operand& Last() { return List().back(); }
  void Push(Statement statement) { function.body.push_back(std::move(statement)); }
};

template <typename Input>
Position At(const Input& in) {
  const p::position at = in.position();
  return {static_cast<std::uint32_t>(at.line), static_cast<std::uint32_t>(at.column)};
}

// `text` is a Number of the grammar. Sets `fits` to false if 64 bits do not hold it.
Operand ReadNumber(std::string_view text, bool* fits) {
  Operand operand;
  operand.kind = Kind::kInteger;
  if (text.back() == 'U') {
    text.remove_suffix(1);
  }
  const bool minus = text.front() == '-';
  if (minus || text.front() == '+') {
    text.remove_prefix(1);
  }
  const auto parse = [&](std::string_view digits, int base) {
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, value, base);
    *fits = stopped == end && error == std::errc();
    return value;
  };
  const char second = text.size() > 1 ? text[1] : '\0';
  if (text == "WARP_SZ") {
    operand.value = kWarpSize;
  } else if (text[0] == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
    operand.kind = Kind::kFloat;
    operand.width = text.size() == 10 ? 32 : 64;
    operand.value = parse(text.substr(2), 16);
    if (minus) {
      operand.value ^= std::uint64_t{1} << (operand.width - 1);
    }
    return operand;
  } else if (text[0] == '0' && (second == 'x' || second == 'X')) {
    operand.value = parse(text.substr(2), 16);
  } else if (text.find_first_of(".eE") != std::string_view::npos) {
    operand.kind = Kind::kFloat;
    operand.width = 64;
    const double value = std::strtod(std::string(text).c_str(), nullptr);
    *fits = std::isfinite(value);
    std::memcpy(&operand.value, &value, sizeof value);
    if (minus) {
      operand.value ^= std::uint64_t{1} << 63;
    }
    return operand;
  } else if (text[0] == '0' && (second == 'b' || second == 'B')) {
    operand.value = parse(text.substr(2), 2);
  } else {
    operand.value = parse(text, text[0] == '0' ? 8 : 10);
  }
  if (minus) {
    operand.value = ~operand.value + 1;
  }
  return operand;
}

template <typename Input>
Operand NumberOf(const Input& in) {
  bool fits = true;
  Operand operand = ReadNumber({in.begin(), in.size()}, &fits);
  if (!fits) {
    throw p::parse_error("a number that 64 bits hold", in);
  }
  return operand;
}

// A size or a number of registers; what is too large for any stays too large.
template <typename Input>
std::uint32_t SizeOf(const Input& in) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(NumberOf(in).value, kMost));
}

template <typename Input>
void CheckNesting(const Input& in, std::size_t depth) {
  if (depth > kMaxNesting) {
    static const std::string message =
        fmt::format("at most {} brackets in each other", kMaxNesting);
    throw p::parse_error(message, in);
  }
}

// ------------------------------------------------------------------------------------------------
// Actions
// ------------------------------------------------------------------------------------------------

template <typename Rule>
struct Action : p::nothing<Rule> {};

template <typename Input>
std::string_view Text(const Input& in) {
  return {in.begin(), in.size()};
}

// Binds `body`, which sees `text`, `in` and `b`, to a rule of the grammar.
#define MUSTER_ACTION(rule, body)                                     \
  template <>                                                         \
  struct Action<rule> {                                               \
    template <typename Input>                                         \
    static void apply(const Input& in, [[maybe_unused]] Builder& b) { \
      [[maybe_unused]] const std::string_view text = Text(in);        \
      body                                                            \
    }                                                                 \
  }

MUSTER_ACTION(g::VersionNumber, { b.module->version = text; });
MUSTER_ACTION(g::TargetName, { b.module->target = text; });
MUSTER_ACTION(g::AddressSizeValue, {
  if (NumberOf(in).value != 64) {
    throw p::parse_error("64, the only .address_size there is here", in);
  }
});
MUSTER_ACTION(g::Loc, { b.module->locs.push_back({At(in).line, text}); });
MUSTER_ACTION(g::File, { b.module->files.push_back({At(in).line, text}); });
MUSTER_ACTION(g::Section, { b.module->sections.push_back({At(in).line, text}); });
MUSTER_ACTION(g::Extern, { b.is_extern = true; });
MUSTER_ACTION(g::Linked, { b.is_extern = false; });

// Operands.
MUSTER_ACTION(g::BaseName, {
  Operand operand;
  operand.name = text;
  operand.negated = std::exchange(b.negate, false);
  operand.kind = std::exchange(b.minus, false) ? Kind::kMinus : Kind::kName;
  operand.at = At(in);
  b.Add(std::move(operand));
});
MUSTER_ACTION(g::SecondName, { b.Last().second = text; });
MUSTER_ACTION(g::Offset, {
  b.Last().value = NumberOf(in).value;
  b.Last().has_offset = true;
});
MUSTER_ACTION(g::GenericName, {
  Operand operand;
  operand.kind = Kind::kGeneric;
  operand.name = text;
  operand.at = At(in);
  b.Add(std::move(operand));
});
MUSTER_ACTION(g::NumberOperand, {
  Operand operand = NumberOf(in);
  operand.at = At(in);
  b.Add(std::move(operand));
});
MUSTER_ACTION(g::MaskTail, {
  Operand operand = std::move(b.Last());
  std::vector<Operand>& list = b.List();
  list.pop_back();
  operand.mask = list.back().value;
  list.back() = std::move(operand);
});
MUSTER_ACTION(g::NotMark, { b.negate = true; });
MUSTER_ACTION(g::MinusMark, { b.minus = true; });

template <char Begin>
struct Action<g::Open<Begin>> {
  template <typename Input>
  static void apply(const Input& in, Builder& b) {
    Operand operand;
    operand.kind = Begin == '[' ? Kind::kAddress : Begin == '{' ? Kind::kVector : Kind::kList;
    operand.at = At(in);
    b.open.push_back(std::move(operand));
    CheckNesting(in, b.open.size());
  }
};
template <char End>
struct Action<g::Close<End>> {
  template <typename Input>
  static void apply(const Input& /*in*/, Builder& b) {
    Operand operand = std::move(b.open.back());
    b.open.pop_back();
    b.Add(std::move(operand));
  }
};

// Declarations.
MUSTER_ACTION(g::Space, {
  b.variable = {};
  b.qualifiers.clear();
  b.variable.space = text.substr(1);
});
MUSTER_ACTION(g::AlignValue, { b.variable.align = SizeOf(in); });
MUSTER_ACTION(g::Qualifier, {
  const std::string_view word = text.substr(1);
  if (word == "v2" || word == "v4" || word == "v8") {
    b.variable.vector = static_cast<std::uint32_t>(word[1] - '0');
  } else if (b.variable.type.empty()) {
    b.variable.type = word;
  }  // what follows the type says only where a pointer points
});
MUSTER_ACTION(g::VariableName, {
  b.variable.name = text;
  b.variable.at = At(in);
});
MUSTER_ACTION(g::RangeValue, { b.variable.range = SizeOf(in); });
MUSTER_ACTION(g::DimensionValue, {
  std::uint64_t& elements = b.variable.elements;
  if (__builtin_mul_overflow(elements, NumberOf(in).value, &elements)) elements = UINT64_MAX;
  b.variable.is_array = true;
});
MUSTER_ACTION(g::NoDimension, {
  b.variable.is_array = true;
  b.variable.unsized = true;
});
MUSTER_ACTION(g::InitialMark, { b.in_initial = true; });
MUSTER_ACTION(g::Initial, { b.in_initial = false; });

void Declare(Builder* b) {
  syntax::Variable next;  // a list shares all but the name and its dimensions
  next.space = b->variable.space;
  next.type = b->variable.type;
  next.align = b->variable.align;
  next.vector = b->variable.vector;
  syntax::Variable done = std::exchange(b->variable, std::move(next));
  done.is_extern = b->is_extern;
  if (b->in_body) {
    Statement statement;
    statement.kind = Statement::Kind::kVariable;
    statement.at = done.at;
    statement.variable = std::move(done);
    b->Push(std::move(statement));
  } else {
    b->parameters.push_back(std::move(done));
  }
}
MUSTER_ACTION(g::DeclaratorEnd, { Declare(&b); });
MUSTER_ACTION(g::VariableDeclaration, {
  if (b.in_body) {
    return;
  }
  for (syntax::Variable& variable : b.parameters) {
    b.module->variables.push_back(std::move(variable));
  }
  b.parameters.clear();
});

// Statements.
MUSTER_ACTION(g::Label, {
  Statement statement;
  statement.kind = Statement::Kind::kLabel;
  statement.at = At(in);
  statement.label = text.substr(0, text.find_first_of(" \t\r\n:/"));
  b.Push(std::move(statement));
});
MUSTER_ACTION(g::ScopeBegin, {
  CheckNesting(in, ++b.scopes);
  Statement statement;
  statement.kind = Statement::Kind::kBegin;
  b.Push(std::move(statement));
});
MUSTER_ACTION(g::ScopeEnd, {
  --b.scopes;
  Statement statement;
  statement.kind = Statement::Kind::kEnd;
  b.Push(std::move(statement));
});
MUSTER_ACTION(g::GuardNot, { b.instruction.guard_negated = true; });
MUSTER_ACTION(g::GuardName, { b.instruction.guard = text; });
MUSTER_ACTION(g::Opcode, {
  b.instruction.opcode = text;
  b.instruction_at = At(in);
});
MUSTER_ACTION(g::ModifierText, { b.instruction.modifiers.push_back(text); });
MUSTER_ACTION(g::Instruction, {
  Statement statement;
  statement.at = b.instruction_at;
  statement.instruction = std::exchange(b.instruction, {});
  b.Push(std::move(statement));
});

MUSTER_ACTION(g::Targets, {
  Statement statement;
  statement.kind = Statement::Kind::kTargets;
  statement.at = At(in);
  statement.targets = std::exchange(b.instruction.operands, {});
  b.Push(std::move(statement));
});
MUSTER_ACTION(g::PrototypeKeyword, { b.in_body = false; });
MUSTER_ACTION(g::PrototypeReturns, { b.prototype.returns = std::exchange(b.parameters, {}); });
MUSTER_ACTION(g::PrototypeParameters,
              { b.prototype.parameters = std::exchange(b.parameters, {}); });
MUSTER_ACTION(g::Prototype, {
  b.in_body = true;
  Statement statement;
  statement.kind = Statement::Kind::kPrototype;
  statement.at = At(in);
  statement.prototype = std::exchange(b.prototype, {});
  b.Push(std::move(statement));
});

// Functions.
MUSTER_ACTION(g::AliasName, { b.module->aliases.push_back({text, {}, At(in)}); });
MUSTER_ACTION(g::AliasFunction, { b.module->aliases.back().function = text; });
MUSTER_ACTION(g::EntryKeyword, {
  b.function = {};
  b.function.is_entry = true;
});
MUSTER_ACTION(g::FuncKeyword, { b.function = {}; });
MUSTER_ACTION(g::FunctionName, {
  b.function.name = text;
  b.function.at = At(in);
});
MUSTER_ACTION(g::Returns, { b.function.signature.returns = std::exchange(b.parameters, {}); });
MUSTER_ACTION(g::FunctionParameters,
              { b.function.signature.parameters = std::exchange(b.parameters, {}); });
MUSTER_ACTION(g::MaxThreads, { b.thread_counts = &b.function.max_threads; });
MUSTER_ACTION(g::RequiredThreads, { b.thread_counts = &b.function.required_threads; });
MUSTER_ACTION(g::RequiredCluster, { b.thread_counts = &b.function.required_cluster; });
MUSTER_ACTION(g::MaxCluster, { b.thread_counts = &b.function.max_cluster; });
MUSTER_ACTION(g::MaxRegisters, { b.thread_counts = &b.function.max_registers; });
MUSTER_ACTION(g::MinCtas, { b.thread_counts = &b.function.min_ctas; });
MUSTER_ACTION(g::ExplicitCluster, { b.function.explicit_cluster = true; });
MUSTER_ACTION(g::BlocksAreClusters, { b.function.blocks_are_clusters = true; });
MUSTER_ACTION(g::ThreadCount, { b.thread_counts->push_back(SizeOf(in)); });
MUSTER_ACTION(g::BodyBegin, {
  b.in_body = true;
  b.function.has_body = true;
});
MUSTER_ACTION(g::BodyEnd, { b.in_body = false; });
MUSTER_ACTION(g::FunctionEnd, { b.module->functions.push_back(std::exchange(b.function, {})); });

#undef MUSTER_ACTION

// ------------------------------------------------------------------------------------------------
// Errors: what was expected where a rule could not go on
// ------------------------------------------------------------------------------------------------

struct Errors {
  // NOLINTBEGIN(readability-identifier-naming): PEGTL asks for these names.
  template <typename Rule>
  static constexpr const char* message = kExpected<Rule>;
  template <typename Rule>
  static constexpr bool raise_on_failure = false;
  // NOLINTEND(readability-identifier-naming)
};
template <typename Rule>
using Control = p::must_if<Errors>::control<Rule>;

// Where the parser could not go on, past the gap before it, and what is there.
std::string Stopped(const std::string& file, std::string_view text, const p::parse_error& error) {
  p::position at = error.positions().front();
  std::string_view rest = text.substr(at.byte);
  while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.front())) != 0) {
    at.column = rest.front() == '\n' ? 1 : at.column + 1;
    at.line += rest.front() == '\n' ? 1 : 0;
    rest.remove_prefix(1);
  }
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
           c == '.';
  };
  std::size_t length = 0;
  while (length < rest.size() && length < 24 && is_word(rest[length])) {
    ++length;
  }
  const std::string found =
      rest.empty()
          ? "the end of the file"
          : fmt::format(R"("{}")", Printable(rest.substr(0, std::max<std::size_t>(length, 1))));
  return fmt::format("{}:{}:{}: expected {}, found {}", file, at.line, at.column, error.message(),
                     found);
}

}  // namespace

std::unique_ptr<syntax::Module> Parse(const std::string& file, std::string text) {
  auto module = std::make_unique<syntax::Module>();
  module->file = file;
  module->text = std::move(text);
  p::memory_input in(module->text, file);
  Builder builder(module.get());
  try {
    p::parse<g::Everything, Action, Control>(in, builder);
  } catch (const p::parse_error& error) {
    throw InputError(Stopped(file, module->text, error));
  }
  const auto refuse = [&](std::string_view what) {
    throw InputError(fmt::format("{}:1:1: {}", file, what));
  };
  if (module->version.empty()) {
    refuse("the file has no .version directive: is it PTX?");
  }
  if (module->target.empty()) {
    refuse("the file has no .target directive");
  }
  return module;
}

}  // namespace muster::ptx
