// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Problems and modifiers; operands are in cursor_operands.cpp.
#include "sim/ptx/program/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/ptx/program/directives.h"
#include "sim/ptx/syntax/nearest.h"

namespace muster::ptx {

Target TargetOf(const syntax::Module& module) {
  const char last = module.target.empty() ? '\0' : module.target.back();
  return {NumberIn(module.version), NumberIn(module.target),
          last == 'a' || last == 'f' ? last : '\0'};
}

void Cursor::Fail(const syntax::Position& at, std::string message) {
  if (!failed_) {
    diagnostics_.push_back({at, std::move(message), Diagnostic::Kind::kError});
  }
  failed_ = true;
}

void Cursor::Misuse(const syntax::Position& at, std::string message) {
  diagnostics_.push_back({at, std::move(message), Diagnostic::Kind::kMisuse});
}

void Cursor::Require(std::string_view what, unsigned version, unsigned architecture) {
  if (target_.version < version) {
    Misuse(fmt::format("{} needs .version {}.{}", what, version / 10, version % 10));
  } else if (target_.architecture < architecture) {
    Misuse(fmt::format("{} needs .target sm_{}", what, architecture));
  }
}

void Cursor::RequireOfHalf(Type type, Needs f16, Needs bf16) {
  const Type element = ElementOf(type);
  if (IsHalf(element)) {
    const Needs& needs = element == Type::kBF16 ? bf16 : f16;
    Require(Spelling(), needs.version, needs.architecture);
  }
}

void Cursor::RequireVariant(std::string_view what, unsigned first, unsigned last) {
  const bool family = target_.variant == 'f';
  if ((target_.variant != 'a' && !family) || target_.architecture < first ||
      target_.architecture > last) {
    Misuse(fmt::format("{} needs .target sm_{}a or sm_{}f", what, first, first));
  } else if (family && target_.version < 88) {
    Misuse(fmt::format("{} of .target sm_{}f needs .version 8.8", what, target_.architecture));
  }
}

void Cursor::Unsupported(std::string_view what) {
  // Modifiers that are words, as the instruction set spells them.
  static const std::vector<std::string> kWords = {
      "acq_rel", "acquire",  "add",       "aligned",     "and",          "arrive",    "async",
      "bulk",    "cluster",  "cta",       "complete_tx", "commit_group", "exch",      "expect_tx",
      "global",  "im2col",   "inc",       "init",        "inval",        "mbarrier",  "multicast",
      "parity",  "popc",     "prefetch",  "proxy",       "reduce",       "relaxed",   "release",
      "shared",  "sync",     "tensor",    "test_wait",   "try_wait",     "unaligned", "volatile",
      "wait",    "wait_all", "wait_group"};
  const bool is_modifier = what.rfind("the modifier .", 0) == 0;
  const std::string meant =
      is_modifier ? Nearest(what.substr(what.find('.') + 1), kWords) : std::string();
  Fail(fmt::format("{} of {} is not supported{}", what, Spelling(),
                   meant.empty() ? "" : fmt::format("; did you mean .{}?", meant)));
}

std::string Cursor::Spelling() const {
  std::string text(syntax_.opcode);
  for (const std::string_view modifier : syntax_.modifiers) {
    text.append(".").append(modifier);
  }
  return text;
}

bool Cursor::Has(std::string_view modifier) const {
  return std::find(left_.begin(), left_.end(), modifier) != left_.end();
}

bool Cursor::Take(std::string_view modifier) { return TakeOne({modifier}) >= 0; }

bool Cursor::TakeAny(std::initializer_list<std::string_view> modifiers) {
  return TakeOne(modifiers) >= 0;
}

int Cursor::TakeOne(std::initializer_list<std::string_view> modifiers) {
  int index = 0;
  for (const std::string_view modifier : modifiers) {
    const auto found = std::find(left_.begin(), left_.end(), modifier);
    if (found != left_.end()) {
      left_.erase(found);
      return index;
    }
    ++index;
  }
  return -1;
}

Type Cursor::TakeType(std::initializer_list<Type> allowed) {
  for (auto modifier = left_.begin(); modifier != left_.end(); ++modifier) {
    const Type type = TypeOf(*modifier);
    if (type == Type::kNone) {
      continue;
    }
    if (std::find(allowed.begin(), allowed.end(), type) == allowed.end()) {
      Unsupported(fmt::format("the type .{}", *modifier));
      return *allowed.begin();
    }
    left_.erase(modifier);
    return type;
  }
  if (left_.empty()) {
    Fail(fmt::format("{} lacks a type", Spelling()));
  } else {
    Unsupported(fmt::format("the modifier .{}", left_.back()));
  }
  return *allowed.begin();
}

bool Cursor::ExpectOperands(std::size_t least, std::size_t most) {
  const std::size_t count = syntax_.operands.size();
  // A modifier that is not known may well bring an operand: then that is what is not supported.
  if ((count < least || count > most) && left_.empty()) {
    Fail(least == most
             ? fmt::format("{} takes {} operand{}, not {}", Spelling(), least,
                           least == 1 ? "" : "s", count)
             : fmt::format("{} takes {} to {} operands, not {}", Spelling(), least, most, count));
  }
  return ExpectEnd();
}

bool Cursor::ExpectEnd() {
  if (!left_.empty()) {
    Unsupported(fmt::format("the modifier .{}", left_.front()));
  }
  return !failed_;
}

}  // namespace muster::ptx
