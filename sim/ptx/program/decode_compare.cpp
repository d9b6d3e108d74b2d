// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: comparison and selection.
#include "sim/ptx/program/decode_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace muster::ptx {
namespace {

constexpr std::initializer_list<Type> kFloats = {Type::kF32, Type::kF64};
constexpr std::initializer_list<Type> kSelectable = {Type::kB16, Type::kB32, Type::kB64, Type::kU16,
                                                     Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                                                     Type::kS64, Type::kF32, Type::kF64};
constexpr std::initializer_list<Type> kComparable = {
    Type::kB16, Type::kB32, Type::kB64,   Type::kU16,  Type::kU32,
    Type::kU64, Type::kS16, Type::kS32,   Type::kS64,  Type::kF32,
    Type::kF64, Type::kF16, Type::kF16x2, Type::kBF16, Type::kBF16x2};

bool TakeCompare(Cursor* c, Instruction* out, Type type) {
  // The integer spellings of unsigned order (lo, ls, hi, hs) are those of an unsigned type.
  constexpr std::pair<std::string_view, Compare> kNames[] = {
      {"eq", Compare::kEq},   {"ne", Compare::kNe},   {"lt", Compare::kLt},
      {"le", Compare::kLe},   {"gt", Compare::kGt},   {"ge", Compare::kGe},
      {"lo", Compare::kLt},   {"ls", Compare::kLe},   {"hi", Compare::kGt},
      {"hs", Compare::kGe},   {"equ", Compare::kEqu}, {"neu", Compare::kNeu},
      {"ltu", Compare::kLtu}, {"leu", Compare::kLeu}, {"gtu", Compare::kGtu},
      {"geu", Compare::kGeu}, {"num", Compare::kNum}, {"nan", Compare::kNan}};
  for (const auto& [name, compare] : kNames) {
    if (!c->Take(name)) {
      continue;
    }
    if (compare >= Compare::kEqu && !IsFloat(type) && !IsHalf(ElementOf(type))) {
      c->Fail(fmt::format(".{} compares floating-point numbers only", name));
    }
    out->mode = static_cast<std::uint8_t>(compare);
    return true;
  }
  c->Fail(fmt::format("{} lacks a comparison", c->Spelling()));
  return false;
}

// What setp and set have in common: two sources of `type`, and a predicate to combine with.
bool Comparison(Cursor* c, Instruction* out, Type type) {
  TakeCompare(c, out, type);
  const bool combines = TakeCombine(c, out);
  out->flush = (type == Type::kF32 || ElementOf(type) == Type::kF16) && c->Take("ftz");
  c->RequireOfHalf(type, {42, 53}, {78, 90});
  if (!c->ExpectOperands(combines ? 4 : 3)) {
    return false;
  }
  c->Sources(1, {type, type}, &out->a);
  if (combines) {
    out->a[2] = c->Predicate(c->operand(3));
    out->negated = c->operand(3).negated;
  }
  return true;
}

}  // namespace

bool TakeCombine(Cursor* c, Instruction* out) {
  constexpr Op kOps[] = {Op::kAnd, Op::kOr, Op::kXor};
  const int combine = c->TakeOne({"and", "or", "xor"});
  if (combine >= 0) {
    out->combine = static_cast<std::uint8_t>(kOps[combine]);
  }
  return combine >= 0;
}

void DecodeSetPredicate(Cursor* c, Instruction* out) {
  out->type = c->TakeType(kComparable);
  if (!Comparison(c, out, out->type)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), Type::kPred);
  if (!c->operand(0).second.empty() || IsPair(out->type)) {
    out->d[1] = c->SecondDestination(c->operand(0), Type::kPred);
  }
}

void DecodeSet(Cursor* c, Instruction* out) {
  const Type to = c->TakeType({Type::kU32, Type::kS32, Type::kF32, Type::kU16, Type::kS16,
                               Type::kF16, Type::kBF16, Type::kF16x2, Type::kBF16x2});
  out->source = to;
  out->type = c->TakeType(kComparable);
  const bool fits = IsPair(to)                             ? to == out->type
                    : IsPair(out->type)                    ? to == Type::kU32 || to == Type::kS32
                    : to == Type::kU16 || to == Type::kS16 ? IsHalf(out->type)
                                                           : true;
  if (!fits) {
    c->Unsupported("this pair of types");
  }
  c->RequireOfHalf(to, {42, 53}, {78, 90});
  if (Comparison(c, out, out->type)) {
    out->d[0] = c->Destination(c->operand(0), to);
  }
}

void DecodeSelect(Cursor* c, Instruction* out) {
  const Type type = c->TakeType(kSelectable);
  out->type = type;
  if (!c->ExpectOperands(4)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), type);
  c->Sources(1, {type, type}, &out->a);
  out->a[2] = c->Predicate(c->operand(3));
}

void DecodeSelectBySign(Cursor* c, Instruction* out) {
  out->type = c->TakeType(kSelectable);
  out->source = c->TakeType({Type::kS32, Type::kF32});
  out->flush = out->source == Type::kF32 && c->Take("ftz");
  if (!c->ExpectOperands(4)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), out->type);
  c->Sources(1, {out->type, out->type, out->source}, &out->a);
}

void DecodeTestProperty(Cursor* c, Instruction* out) {
  const int wanted =
      c->TakeOne({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (wanted < 0) {
    c->Fail(fmt::format("{} lacks a property", c->Spelling()));
  }
  out->mode = static_cast<std::uint8_t>(std::max(wanted, 0));
  out->type = c->TakeType(kFloats);
  if (!c->ExpectOperands(2)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), Type::kPred);
  c->Sources(1, {out->type}, &out->a);
}

}  // namespace muster::ptx
