// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: comparison and selection.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "sim/ptx/program/decode.h"

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

}  // namespace

bool Decoder::TakeCompare(Type type) {
  // The integer spellings of unsigned order (lo, ls, hi, hs) are those of an unsigned type.
  constexpr std::pair<std::string_view, Compare> kNames[] = {
      {"eq", Compare::kEq},   {"ne", Compare::kNe},   {"lt", Compare::kLt},
      {"le", Compare::kLe},   {"gt", Compare::kGt},   {"ge", Compare::kGe},
      {"lo", Compare::kLt},   {"ls", Compare::kLe},   {"hi", Compare::kGt},
      {"hs", Compare::kGe},   {"equ", Compare::kEqu}, {"neu", Compare::kNeu},
      {"ltu", Compare::kLtu}, {"leu", Compare::kLeu}, {"gtu", Compare::kGtu},
      {"geu", Compare::kGeu}, {"num", Compare::kNum}, {"nan", Compare::kNan}};
  for (const auto& [name, compare] : kNames) {
    if (!Take(name)) {
      continue;
    }
    if (compare >= Compare::kEqu && !IsFloat(type) && !IsHalf(ElementOf(type))) {
      Fail(at_, fmt::format(".{} compares floating-point numbers only", name));
    }
    out_.mode = static_cast<std::uint8_t>(compare);
    return true;
  }
  Fail(at_, fmt::format("{} lacks a comparison", Spelling()));
  return false;
}

bool Decoder::TakeCombine() {
  constexpr Op kOps[] = {Op::kAnd, Op::kOr, Op::kXor};
  const int combine = TakeOne({"and", "or", "xor"});
  if (combine >= 0) {
    out_.combine = static_cast<std::uint8_t>(kOps[combine]);
  }
  return combine >= 0;
}

// What setp and set have in common: two sources of `type`, and a predicate to combine with.
bool Decoder::Comparison(Type type) {
  TakeCompare(type);
  const bool combines = TakeCombine();
  out_.flush = (type == Type::kF32 || ElementOf(type) == Type::kF16) && Take("ftz");
  RequireHalf(type, {42, 53}, {78, 90});
  if (!Count(combines ? 4 : 3, combines ? 4 : 3)) {
    return false;
  }
  Sources(1, {type, type});
  if (combines) {
    out_.a[2] = Predicate(Arg(3));
    out_.negated = Arg(3).negated;
  }
  return true;
}

void Decoder::SetPredicate() {
  out_.type = TakeType(kComparable);
  if (!Comparison(out_.type)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kPred);
  if (!Arg(0).second.empty() || IsPair(out_.type)) {
    out_.d[1] = SecondDestination(Arg(0), Type::kPred);
  }
}

void Decoder::Set() {
  const Type to = TakeType({Type::kU32, Type::kS32, Type::kF32, Type::kU16, Type::kS16, Type::kF16,
                            Type::kBF16, Type::kF16x2, Type::kBF16x2});
  out_.source = to;
  out_.type = TakeType(kComparable);
  const bool fits = IsPair(to)                             ? to == out_.type
                    : IsPair(out_.type)                    ? to == Type::kU32 || to == Type::kS32
                    : to == Type::kU16 || to == Type::kS16 ? IsHalf(out_.type)
                                                           : true;
  if (!fits) {
    Unsupported("this pair of types");
  }
  RequireHalf(to, {42, 53}, {78, 90});
  if (Comparison(out_.type)) {
    out_.d[0] = Destination(Arg(0), to);
  }
}

void Decoder::Select() {
  const Type type = TakeType(kSelectable);
  out_.type = type;
  if (!Count(4, 4)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  Sources(1, {type, type});
  out_.a[2] = Predicate(Arg(3));
}

void Decoder::SelectBySign() {
  out_.type = TakeType(kSelectable);
  out_.source = TakeType({Type::kS32, Type::kF32});
  out_.flush = out_.source == Type::kF32 && Take("ftz");
  if (!Count(4, 4)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), out_.type);
  Sources(1, {out_.type, out_.type, out_.source});
}

void Decoder::TestProperty() {
  const int wanted = TakeOne({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (wanted < 0) {
    Fail(at_, fmt::format("{} lacks a property", Spelling()));
  }
  out_.mode = static_cast<std::uint8_t>(std::max(wanted, 0));
  out_.type = TakeType(kFloats);
  if (!Count(2, 2)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kPred);
  Sources(1, {out_.type});
}

}  // namespace muster::ptx
