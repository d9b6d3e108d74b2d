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

constexpr std::initializer_list<Type> kSelectable = {Type::kB16, Type::kB32, Type::kB64, Type::kU16,
                                                     Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                                                     Type::kS64, Type::kF32, Type::kF64};
constexpr std::initializer_list<Type> kComparable = {
    Type::kB16, Type::kB32, Type::kB64,   Type::kU16,  Type::kU32,
    Type::kU64, Type::kS16, Type::kS32,   Type::kS64,  Type::kF32,
    Type::kF64, Type::kF16, Type::kF16x2, Type::kBF16, Type::kBF16x2};

Compare TakeCompare(Cursor* c, Type type) {
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
    return compare;
  }
  c->Fail(fmt::format("{} lacks a comparison", c->Spelling()));
  return Compare::kEq;
}

// What setp and set have in common: two sources, and a predicate to combine with.
bool TakeComparison(Cursor* c, Comparison* i) {
  const Type type = i->type;
  i->compare = TakeCompare(c, type);
  i->combine = TakeCombine(c);
  const bool combines = i->combine != Combine::kNone;
  i->flush = (type == Type::kF32 || ElementOf(type) == Type::kF16) && c->Take("ftz");
  c->RequireOfHalf(type, {42, 53}, {78, 90});
  if (!c->ExpectOperands(combines ? 4 : 3)) {
    return false;
  }
  c->Sources(1, {type, type}, &i->a);
  if (combines) {
    i->c = c->Predicate(c->operand(3));
    i->negated = c->operand(3).negated;
  }
  return true;
}

}  // namespace

Combine TakeCombine(Cursor* c) {
  return static_cast<Combine>(1 + c->TakeOne({"and", "or", "xor"}));
}

void DecodeSetPredicate(Cursor* c, Instruction* out) {
  auto& i = out->Make<Comparison>();
  i.type = c->TakeType(kComparable);
  if (!TakeComparison(c, &i)) {
    return;
  }
  i.d = c->Destination(c->operand(0), Type::kPred);
  if (!c->operand(0).second.empty() || IsPair(i.type)) {
    i.complement = c->SecondDestination(c->operand(0), Type::kPred);
  }
}

void DecodeSet(Cursor* c, Instruction* out) {
  auto& i = out->Make<Comparison>();
  const Type to = c->TakeType({Type::kU32, Type::kS32, Type::kF32, Type::kU16, Type::kS16,
                               Type::kF16, Type::kBF16, Type::kF16x2, Type::kBF16x2});
  i.to = to;
  i.type = c->TakeType(kComparable);
  const bool fits = IsPair(to)                             ? to == i.type
                    : IsPair(i.type)                       ? to == Type::kU32 || to == Type::kS32
                    : to == Type::kU16 || to == Type::kS16 ? IsHalf(i.type)
                                                           : true;
  if (!fits) {
    c->Unsupported("this pair of types");
  }
  c->RequireOfHalf(to, {42, 53}, {78, 90});
  if (TakeComparison(c, &i)) {
    i.d = c->Destination(c->operand(0), to);
  }
}

void DecodeSelect(Cursor* c, Instruction* out) {
  auto& i = out->Make<Selection>();
  const Type type = c->TakeType(kSelectable);
  i.type = type;
  if (!c->ExpectOperands(4)) {
    return;
  }
  i.d = c->Destination(c->operand(0), type);
  c->Sources(1, {type, type}, &i.a);
  i.c = c->Predicate(c->operand(3));
}

void DecodeSelectBySign(Cursor* c, Instruction* out) {
  auto& i = out->Make<Selection>();
  i.type = c->TakeType(kSelectable);
  i.by = c->TakeType({Type::kS32, Type::kF32});
  i.flush = i.by == Type::kF32 && c->Take("ftz");
  if (!c->ExpectOperands(4)) {
    return;
  }
  i.d = c->Destination(c->operand(0), i.type);
  c->Sources(1, {i.type, i.type}, &i.a);
  i.c = c->Source(c->operand(3), i.by);
}

void DecodeTestProperty(Cursor* c, Instruction* out) {
  auto& i = out->Make<FloatTest>();
  const int wanted =
      c->TakeOne({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (wanted < 0) {
    c->Fail(fmt::format("{} lacks a property", c->Spelling()));
  }
  i.wanted = static_cast<FloatClass>(std::max(wanted, 0));
  i.type = c->TakeType(kFloats);
  if (!c->ExpectOperands(2)) {
    return;
  }
  i.d = c->Destination(c->operand(0), Type::kPred);
  i.a = c->Source(c->operand(1), i.type);
}

}  // namespace muster::ptx
