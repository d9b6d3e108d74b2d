// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/directives.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

const std::unordered_map<std::string_view, Type>& Types() {
  static const std::unordered_map<std::string_view, Type> types = {
      {"pred", Type::kPred},     {"b8", Type::kB8},         {"b16", Type::kB16},
      {"b32", Type::kB32},       {"b64", Type::kB64},       {"u8", Type::kU8},
      {"u16", Type::kU16},       {"u32", Type::kU32},       {"u64", Type::kU64},
      {"s8", Type::kS8},         {"s16", Type::kS16},       {"s32", Type::kS32},
      {"s64", Type::kS64},       {"f32", Type::kF32},       {"f64", Type::kF64},
      {"b128", Type::kB128},     {"f16", Type::kF16},       {"bf16", Type::kBF16},
      {"f16x2", Type::kF16x2},   {"bf16x2", Type::kBF16x2}, {"tf32", Type::kTF32},
      {"u16x2", Type::kU16x2},   {"s16x2", Type::kS16x2},   {"f32x2", Type::kF32x2},
      {"e4m3x2", Type::kE4M3x2}, {"e5m2x2", Type::kE5M2x2}};
  return types;
}

}  // namespace

const char* Name(Space space) {
  constexpr const char* kNames[] = {"generic", "global", "const",          "param",
                                    "shared",  "local",  "shared::cluster"};
  return kNames[static_cast<unsigned>(space)];
}

Type TypeOf(std::string_view name) {
  const auto found = Types().find(name);
  return found == Types().end() ? Type::kNone : found->second;
}

std::uint64_t ImmediateBits(const Operand& operand, Type type) {
  if (operand.kind == Kind::kFloat && type == Type::kF32 && operand.width == 64) {
    double wide = 0;
    std::memcpy(&wide, &operand.value, sizeof wide);
    const auto value = static_cast<float>(wide);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  if (operand.kind == Kind::kFloat && type == Type::kF64 && operand.width == 32) {
    float narrow = 0;
    const auto bits = static_cast<std::uint32_t>(operand.value);
    std::memcpy(&narrow, &bits, sizeof narrow);
    const double value = narrow;
    std::uint64_t wide = 0;
    std::memcpy(&wide, &value, sizeof wide);
    return wide;
  }
  if (type == Type::kPred) {
    return operand.value != 0 ? 1 : 0;
  }
  const unsigned bits = 8 * Bytes(type);
  return bits >= 64 ? operand.value : operand.value & ((std::uint64_t{1} << bits) - 1);
}

Decoder::Decoder(const syntax::Module& module, const SymbolTable& symbols, Program* program,
                 std::vector<Diagnostic>* diagnostics)
    : module_(module),
      symbols_(symbols),
      program_(program),
      diagnostics_(diagnostics),
      version_(NumberIn(module.version)),
      target_(NumberIn(module.target)),
      variant_(module.target.empty() ? '\0' : module.target.back()) {}

std::uint32_t Decoder::Literal(std::uint64_t value) {
  const auto [found, fresh] =
      literals_.emplace(value, static_cast<std::uint32_t>(program_->literals.size()));
  if (fresh) {
    program_->literals.push_back(value);
  }
  return found->second;
}

void Decoder::Decode(const syntax::Statement& statement) {
  syntax_ = &statement.instruction;
  at_ = statement.at;
  left_ = syntax_->modifiers;
  failed_ = false;
  out_ = {};
  out_.line = at_.line;
  if (!syntax_->guard.empty()) {
    Operand guard;
    guard.name = syntax_->guard;
    guard.at = at_;
    out_.guard = Predicate(guard);
    out_.guard_negated = syntax_->guard_negated;
  }
  const auto family = Families().find(syntax_->opcode);
  if (family == Families().end()) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  } else {
    op_ = out_.op = family->second.op;
    (this->*family->second.decode)();
  }
  if (failed_) {
    out_ = {};
  }
  program_->code.push_back(out_);
}

// ------------------------------------------------------------------------------------------------
// Modifiers
// ------------------------------------------------------------------------------------------------

// Reports the first problem of an instruction, and no other.
void Decoder::Fail(const syntax::Position& at, std::string message) {
  if (!failed_) {
    diagnostics_->push_back({at, std::move(message), Diagnostic::Kind::kError});
  }
  failed_ = true;
}

void Decoder::Misuse(const syntax::Position& at, std::string message) {
  diagnostics_->push_back({at, std::move(message), Diagnostic::Kind::kMisuse});
}

void Decoder::Require(std::string_view what, unsigned version, unsigned target) {
  if (version_ < version) {
    Misuse(at_, fmt::format("{} needs .version {}.{}", what, version / 10, version % 10));
  } else if (target_ < target) {
    Misuse(at_, fmt::format("{} needs .target sm_{}", what, target));
  }
}

void Decoder::RequireVariant(std::string_view what, unsigned first, unsigned last) {
  const bool family = variant_ == 'f';
  if ((variant_ != 'a' && !family) || target_ < first || target_ > last) {
    Misuse(at_, fmt::format("{} needs .target sm_{}a or sm_{}f", what, first, first));
  } else if (family && version_ < 88) {
    Misuse(at_, fmt::format("{} of .target sm_{}f needs .version 8.8", what, target_));
  }
}

void Decoder::Unsupported(std::string_view what) {
  Fail(at_, fmt::format("{} of {} is not supported", what, Spelling()));
}

std::string Decoder::Spelling() const {
  std::string text(syntax_->opcode);
  for (const std::string_view modifier : syntax_->modifiers) {
    text.append(".").append(modifier);
  }
  return text;
}

bool Decoder::Take(std::string_view modifier) { return TakeOne({modifier}) >= 0; }

bool Decoder::TakeAny(std::initializer_list<std::string_view> modifiers) {
  return TakeOne(modifiers) >= 0;
}

int Decoder::TakeOne(std::initializer_list<std::string_view> modifiers) {
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

Type Decoder::TakeType(std::initializer_list<Type> allowed) {
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
    Fail(at_, fmt::format("{} lacks a type", Spelling()));
  } else {
    Unsupported(fmt::format("the modifier .{}", left_.back()));
  }
  return *allowed.begin();
}

bool Decoder::Count(std::size_t least, std::size_t most) {
  const std::size_t count = syntax_->operands.size();
  // A modifier that is not known may well bring an operand: then that is what is not supported.
  if ((count < least || count > most) && left_.empty()) {
    Fail(at_, least == most ? fmt::format("{} takes {} operand{}, not {}", Spelling(), least,
                                          least == 1 ? "" : "s", count)
                            : fmt::format("{} takes {} to {} operands, not {}", Spelling(), least,
                                          most, count));
  }
  return Finish();
}

bool Decoder::Finish() {
  if (!left_.empty()) {
    Unsupported(fmt::format("the modifier .{}", left_.front()));
  }
  return !failed_;
}

}  // namespace muster::ptx
