// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: arithmetic, bits, comparison, moves and conversions.
#include <fmt/format.h>

#include <utility>

#include "sim/ptx/decode.h"

namespace muster::ptx {
namespace {

using Kind = syntax::Operand::Kind;

constexpr Type Twice(Type type) {
  switch (type) {
    case Type::kU16:
      return Type::kU32;
    case Type::kS16:
      return Type::kS32;
    case Type::kU32:
      return Type::kU64;
    default:
      return Type::kS64;
  }
}

}  // namespace

// Rounding other than to nearest, flushing of subnormals and saturation are refused by name rather
// than ignored; .approx and .full allow the IEEE result, which is given.
void Decoder::FloatModifiers(Type type) {
  if (!IsFloat(type)) {
    return;
  }
  TakeAny({"rn"});
}

void Decoder::Arithmetic() {
  const Type type = TakeType({Type::kU16, Type::kS16, Type::kU32, Type::kS32, Type::kU64,
                              Type::kS64, Type::kF32, Type::kF64});
  out_.type = type;
  FloatModifiers(type);
  if (!Count(3, 3)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  Sources(1, {type, type});
}

void Decoder::Multiply() {
  const bool accumulates = op_ != Op::kMul;
  const Type type = op_ == Op::kFma ? TakeType({Type::kF32, Type::kF64})
                                    : TakeType({Type::kU16, Type::kS16, Type::kU32, Type::kS32,
                                                Type::kU64, Type::kS64, Type::kF32, Type::kF64});
  out_.type = type;
  Type wide = type;
  if (IsFloat(type)) {
    FloatModifiers(type);
    if (op_ == Op::kMad) {
      out_.op = Op::kFma;
    }
  } else {
    const int half = TakeOne({"lo", "hi", "wide"});
    if (half < 0) {
      Fail(at_, fmt::format("{} lacks .lo, .hi or .wide", Spelling()));
    }
    if (half == 1) {
      out_.op = accumulates ? Op::kMadHi : Op::kMulHi;
    }
    if (half == 2) {
      if (Bytes(type) == 8) {
        Unsupported("the form .wide");
      }
      out_.op = accumulates ? Op::kMadWide : Op::kMulWide;
      wide = Twice(type);
    }
  }
  const std::size_t count = accumulates ? 4 : 3;
  if (!Count(count, count)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), wide);
  Sources(1, {type, type});
  if (accumulates) {
    out_.a[2] = Source(Arg(3), wide);
  }
}

void Decoder::Divide() {
  const Type type =
      op_ == Op::kRem
          ? TakeType({Type::kU16, Type::kS16, Type::kU32, Type::kS32, Type::kU64, Type::kS64})
          : TakeType({Type::kU16, Type::kS16, Type::kU32, Type::kS32, Type::kU64, Type::kS64,
                      Type::kF32, Type::kF64});
  out_.type = type;
  if (type == Type::kF32) {
    TakeAny({"approx", "full"});
  }
  FloatModifiers(type);
  if (!Count(3, 3)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  Sources(1, {type, type});
}

void Decoder::MinMax() {
  const Type type = TakeType({Type::kU16, Type::kS16, Type::kU32, Type::kS32, Type::kU64,
                              Type::kS64, Type::kF32, Type::kF64});
  out_.type = type;
  if (!Count(3, 3)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  Sources(1, {type, type});
}

void Decoder::Unary() {
  const bool is_float = op_ == Op::kSqrt || op_ == Op::kRcp;
  const Type type = is_float
                        ? TakeType({Type::kF32, Type::kF64})
                        : TakeType({Type::kS16, Type::kS32, Type::kS64, Type::kF32, Type::kF64});
  out_.type = type;
  if (is_float && type == Type::kF32) {
    TakeAny({"approx"});
  }
  if (is_float) {
    FloatModifiers(type);
  }
  if (!Count(2, 2)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  Sources(1, {type});
}

void Decoder::Logic() {
  const bool unary = op_ == Op::kNot || op_ == Op::kCnot;
  const Type type = op_ == Op::kCnot ? TakeType({Type::kB16, Type::kB32, Type::kB64})
                                     : TakeType({Type::kPred, Type::kB16, Type::kB32, Type::kB64});
  out_.type = type;
  if (!Count(unary ? 2 : 3, unary ? 2 : 3)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  out_.a[0] = Source(Arg(1), type);
  if (!unary) {
    out_.a[1] = Source(Arg(2), type);
  }
}

void Decoder::Shift() {
  const Type type = op_ == Op::kShl
                        ? TakeType({Type::kB16, Type::kB32, Type::kB64})
                        : TakeType({Type::kB16, Type::kB32, Type::kB64, Type::kU16, Type::kU32,
                                    Type::kU64, Type::kS16, Type::kS32, Type::kS64});
  out_.type = type;
  if (!Count(3, 3)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  Sources(1, {type, Type::kU32});
}

void Decoder::BitCount() {
  const Type type = TakeType({Type::kB32, Type::kB64});
  out_.type = type;
  if (!Count(2, 2)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), op_ == Op::kBrev ? type : Type::kU32);
  Sources(1, {type});
}

void Decoder::BitField() {
  if (op_ == Op::kBfe) {
    const Type type = TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kS64});
    out_.type = type;
    if (!Count(4, 4)) {
      return;
    }
    out_.d[0] = Destination(Arg(0), type);
    Sources(1, {type, Type::kU32, Type::kU32});
  } else {
    const Type type = TakeType({Type::kB32, Type::kB64});
    out_.type = type;
    if (!Count(5, 5)) {
      return;
    }
    out_.d[0] = Destination(Arg(0), type);
    Sources(1, {type, type, Type::kU32, Type::kU32});
  }
}

void Decoder::Permute() {  // and lop3: three words and a selector
  out_.type = TakeType({Type::kB32});
  const bool lop3 = op_ == Op::kLop3;
  if (!Count(lop3 ? 5 : 4, lop3 ? 5 : 4)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kB32);
  Sources(1, {Type::kB32, Type::kB32, Type::kB32});
  if (lop3) {
    out_.a[3] = Source(Arg(4), Type::kB32);
  }
}

void Decoder::FunnelShift() {
  out_.op = TakeOne({"l", "r"}) == 1 ? Op::kShfRight : Op::kShfLeft;
  const int mode = TakeOne({"wrap", "clamp"});
  if (mode < 0) {
    Fail(at_, fmt::format("{} lacks .wrap or .clamp", Spelling()));
  }
  out_.mode = static_cast<std::uint8_t>(mode);
  out_.type = TakeType({Type::kB32});
  if (!Count(4, 4)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kB32);
  Sources(1, {Type::kB32, Type::kB32, Type::kU32});
}

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
    if (compare >= Compare::kEqu && !IsFloat(type)) {
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

void Decoder::SetPredicate() {
  const Type type =
      TakeType({Type::kB16, Type::kB32, Type::kB64, Type::kU16, Type::kU32, Type::kU64, Type::kS16,
                Type::kS32, Type::kS64, Type::kF32, Type::kF64});
  out_.type = type;
  TakeCompare(type);
  const std::size_t count = TakeCombine() ? 4 : 3;
  if (!Count(count, count)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kPred);
  if (!Arg(0).second.empty()) {
    syntax::Operand second;
    second.name = Arg(0).second;
    second.at = Arg(0).at;
    out_.d[1] = Destination(second, Type::kPred);
  }
  Sources(1, {type, type});
  if (count == 4) {
    out_.a[2] = Predicate(Arg(3));
    out_.negated = Arg(3).negated;
  }
}

void Decoder::Set() {
  const Type to = TakeType({Type::kU32, Type::kS32, Type::kF32});
  const Type from =
      TakeType({Type::kB16, Type::kB32, Type::kB64, Type::kU16, Type::kU32, Type::kU64, Type::kS16,
                Type::kS32, Type::kS64, Type::kF32, Type::kF64});
  out_.source = to;
  out_.type = from;
  TakeCompare(from);
  const std::size_t count = TakeCombine() ? 4 : 3;
  if (!Count(count, count)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), to);
  Sources(1, {from, from});
  if (count == 4) {
    out_.a[2] = Predicate(Arg(3));
    out_.negated = Arg(3).negated;
  }
}

void Decoder::Select() {
  const Type type =
      TakeType({Type::kB16, Type::kB32, Type::kB64, Type::kU16, Type::kU32, Type::kU64, Type::kS16,
                Type::kS32, Type::kS64, Type::kF32, Type::kF64});
  out_.type = type;
  if (!Count(4, 4)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  Sources(1, {type, type});
  out_.a[2] = Predicate(Arg(3));
}

void Decoder::Move() {
  const Type type =
      TakeType({Type::kPred, Type::kB16, Type::kB32, Type::kB64, Type::kU16, Type::kU32, Type::kU64,
                Type::kS16, Type::kS32, Type::kS64, Type::kF32, Type::kF64});
  out_.type = type;
  if (!Count(2, 2)) {
    return;
  }
  const auto element = [&](std::size_t count) {
    const unsigned bytes = count == 0 ? 0 : Bytes(type) / static_cast<unsigned>(count);
    if (count != 2 && count != 4) {
      Unsupported("this number of elements");
    }
    return bytes == 4 ? Type::kB32 : bytes == 2 ? Type::kB16 : bytes == 1 ? Type::kB8 : Type::kB64;
  };
  if (Arg(0).kind == Kind::kVector) {
    const auto& parts = Arg(0).parts;
    const Type part = element(parts.size());
    if (failed_) {
      return;
    }
    out_.op = Op::kUnpack;
    out_.vector = static_cast<std::uint8_t>(parts.size());
    out_.source = part;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      out_.d[i] = Destination(parts[i], part);
    }
    out_.a[0] = Source(Arg(1), type);
  } else if (Arg(1).kind == Kind::kVector) {
    const auto& parts = Arg(1).parts;
    const Type part = element(parts.size());
    if (failed_) {
      return;
    }
    out_.op = Op::kPack;
    out_.vector = static_cast<std::uint8_t>(parts.size());
    out_.source = part;
    out_.d[0] = Destination(Arg(0), type);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      out_.a[i] = Source(parts[i], part);
    }
  } else {
    out_.d[0] = Destination(Arg(0), type);
    out_.a[0] = Source(Arg(1), type);
    out_.negated = Arg(1).negated;
  }
}

void Decoder::Convert() {
  const auto all = {Type::kU8,  Type::kU16, Type::kU32, Type::kU64, Type::kS8,
                    Type::kS16, Type::kS32, Type::kS64, Type::kF32, Type::kF64};
  const Type to = TakeType(all);
  const Type from = TakeType(all);
  out_.type = to;
  const int round = TakeOne({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"});
  out_.mode = static_cast<std::uint8_t>(round < 0 ? 0 : round);
  out_.saturate = Take("sat");
  if (round > 0 && round < static_cast<int>(Round::kIntegerNearest)) {
    Unsupported("rounding other than to nearest");
  }
  if (IsFloat(from) && !IsFloat(to) && round < static_cast<int>(Round::kIntegerNearest)) {
    Fail(at_, fmt::format("{} lacks .rni, .rzi, .rmi or .rpi", Spelling()));
  }
  if (!Count(2, 2)) {
    return;
  }
  Type destination = to;
  out_.d[0] = Destination(Arg(0), to, !IsFloat(to), &destination);
  out_.a[0] = Source(Arg(1), from, !IsFloat(from));
  out_.source = from;
  out_.vector = static_cast<std::uint8_t>(Bytes(destination));  // its width, to extend to
}

}  // namespace muster::ptx
