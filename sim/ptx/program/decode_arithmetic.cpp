// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: arithmetic, bits and comparison.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "sim/ptx/program/decode.h"

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

constexpr std::initializer_list<Type> kNumbers = {Type::kU16, Type::kS16, Type::kU32, Type::kS32,
                                                  Type::kU64, Type::kS64, Type::kF32, Type::kF64};
constexpr std::initializer_list<Type> kIntegers = {Type::kU16, Type::kS16, Type::kU32,
                                                   Type::kS32, Type::kU64, Type::kS64};
constexpr std::initializer_list<Type> kWideIntegers = {Type::kU32, Type::kS32, Type::kU64,
                                                       Type::kS64};
constexpr std::initializer_list<Type> kWords = {Type::kU32, Type::kS32};
constexpr std::initializer_list<Type> kFloats = {Type::kF32, Type::kF64};
constexpr std::initializer_list<Type> kSelectable = {Type::kB16, Type::kB32, Type::kB64, Type::kU16,
                                                     Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                                                     Type::kS64, Type::kF32, Type::kF64};
constexpr std::initializer_list<Type> kComparable = {
    Type::kB16, Type::kB32, Type::kB64,   Type::kU16,  Type::kU32,
    Type::kU64, Type::kS16, Type::kS32,   Type::kS64,  Type::kF32,
    Type::kF64, Type::kF16, Type::kF16x2, Type::kBF16, Type::kBF16x2};
// Of which there are pairs.
constexpr std::initializer_list<Type> kAdditive = {
    Type::kU16,   Type::kS16,    Type::kU32,   Type::kS32,   Type::kU64,
    Type::kS64,   Type::kF32,    Type::kF64,   Type::kF16,   Type::kBF16,
    Type::kF16x2, Type::kBF16x2, Type::kU16x2, Type::kS16x2, Type::kF32x2};
constexpr std::initializer_list<Type> kReals = {
    Type::kF32, Type::kF64, Type::kF16, Type::kBF16, Type::kF16x2, Type::kBF16x2, Type::kF32x2};

constexpr bool IsBF16(Type type) { return ElementOf(type) == Type::kBF16; }

}  // namespace

// What halves need, where it differs for bf16.
void Decoder::RequireHalf(Type type, Needs f16, Needs bf16) {
  if (IsHalf(ElementOf(type))) {
    const Needs& needs = IsBF16(type) ? bf16 : f16;
    Require(Spelling(), needs.version, needs.target);
  }
}

// .approx and .full allow the IEEE result, which is given.
// Where the text asks for one.
void Decoder::TakeRounding() {
  const int round = TakeOne({"rn", "rz", "rm", "rp"});
  out_.round = static_cast<Round>(std::max(round, 0));
  if (round < 0) {
    Misuse(at_, fmt::format("{} lacks .rn, .rz, .rm or .rp", Spelling()));
  }
}

void Decoder::FloatModifiers(Type type) {
  const Type element = ElementOf(type);
  if (IsHalf(element)) {
    Take("rn");
  } else if (IsFloat(element)) {
    const int round = TakeOne({"rn", "rz", "rm", "rp"});
    out_.round = static_cast<Round>(std::max(round, 0));
  }
  if (element == Type::kF32 || element == Type::kF16) {
    out_.flush = Take("ftz");
    out_.saturate = type != Type::kF32x2 && Take("sat");
  }
}

// Modifiers of min and max.
void Decoder::ExtremeModifiers(Type type) {
  const Type element = ElementOf(type);
  if (element == Type::kF32 || IsHalf(element)) {
    out_.flush = !IsBF16(type) && Take("ftz");
    out_.keeps_nan = Take("NaN");
    out_.xor_sign = Take("xorsign");
    if (out_.xor_sign && !Take("abs")) {
      Fail(at_, fmt::format("{} lacks .abs", Spelling()));
    }
  } else if (type == Type::kS32 || type == Type::kS16x2) {
    out_.relu = Take("relu");
  }
}

// The value of a register of half the width as an f32.
Slot Decoder::Widened(Slot half, Type type) {
  Instruction widen;
  widen.op = Op::kCvt;
  widen.type = Type::kF32;
  widen.source = type;
  widen.vector = 4;
  widen.line = at_.line;
  widen.a[0] = half;
  widen.d[0] = Scratch();
  Emit(widen);
  return widen.d[0];
}

// One destination and `sources` of its type.
void Decoder::Simple(Type type, std::size_t sources) {
  if (!Count(1 + sources, 1 + sources)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  for (std::size_t i = 0; i < sources; ++i) {
    out_.a[i] = Source(Arg(1 + i), type);
  }
}

// The carry that the instruction takes in and leaves behind. Returns false if there is neither.
bool Decoder::TakeCarry(bool takes_in) {
  const bool leaves = Take("cc");
  if (takes_in) {
    out_.a[3] = kCarrySlot;
  }
  if (leaves) {
    out_.d[1] = kCarrySlot;
  }
  return takes_in || leaves;
}

void Decoder::Arithmetic() {
  const bool takes_in = syntax_->opcode.back() == 'c';  // addc, subc
  if (TakeCarry(takes_in)) {
    out_.op = op_ == Op::kAdd ? Op::kAddCarry : Op::kSubCarry;
    out_.type = TakeType(kWideIntegers);
  } else {
    out_.type = TakeType(kAdditive);
    FloatModifiers(out_.type);
    if (out_.type == Type::kS32) {
      out_.saturate = Take("sat");
    }
    if (out_.type == Type::kF32 && MixesHalves(2)) {
      return;
    }
    RequireHalf(out_.type, {42, 53}, {78, 90});
  }
  if (out_.type == Type::kU16x2 || out_.type == Type::kS16x2) {
    Require(Spelling(), 80, 90);
  } else if (out_.type == Type::kF32x2) {
    Require(Spelling(), 86, 100);
  }
  Simple(out_.type, 2);
}

// add.f32.f16 and the like, whose sources but for the last are halves. Returns false if it is none.
bool Decoder::MixesHalves(std::size_t sources) {
  const int half = TakeOne({"f16", "bf16"});
  if (half < 0) {
    return false;
  }
  Require(Spelling(), 86, 100);
  if (!Count(1 + sources, 1 + sources)) {
    return true;
  }
  const Type type = half == 1 ? Type::kBF16 : Type::kF16;
  out_.d[0] = Destination(Arg(0), Type::kF32);
  for (std::size_t i = 0; i + 1 < sources; ++i) {
    out_.a[i] = Widened(Source(Arg(1 + i), type), type);
  }
  out_.a[sources - 1] = Source(Arg(sources), Type::kF32);
  return true;
}

// What mul, mad and fma need of the real types.
void Decoder::RealProduct(Type type) {
  const auto rounds = [](std::string_view modifier) {
    return modifier == "rn" || modifier == "rz" || modifier == "rm" || modifier == "rp";
  };
  if (op_ != Op::kMul &&
      std::none_of(syntax_->modifiers.begin(), syntax_->modifiers.end(), rounds)) {
    Misuse(at_, fmt::format("{} lacks its rounding", Spelling()));
  }
  if (op_ == Op::kFma) {
    out_.relu = IsHalf(ElementOf(type)) && Take("relu");
    RequireHalf(type, out_.relu ? Needs{70, 80} : Needs{42, 53}, {70, 80});
  } else {
    RequireHalf(type, {42, 53}, {78, 90});
  }
  if (type == Type::kF32x2) {
    Require(Spelling(), 86, 100);
  }
  if (op_ == Op::kMad) {
    out_.op = Op::kFma;
  }
}

void Decoder::Multiply() {
  const bool accumulates = op_ != Op::kMul;
  const bool carries = TakeCarry(syntax_->opcode == "madc");
  const Type type = TakeType(op_ == Op::kFma   ? kReals
                             : carries         ? kWideIntegers
                             : op_ == Op::kMul ? kAdditive
                                               : kNumbers);
  out_.type = type;
  Type wide = type;
  if (IsFloat(ElementOf(type)) || IsHalf(ElementOf(type))) {
    FloatModifiers(type);
    RealProduct(type);
    if (type == Type::kF32 && op_ == Op::kFma && MixesHalves(3)) {
      return;
    }
  } else {
    const int half = TakeOne({"lo", "hi", "wide"});
    if (half < 0) {
      Fail(at_, fmt::format("{} lacks .lo, .hi or .wide", Spelling()));
    }
    if (IsPair(type)) {
      Unsupported("this type");
    }
    if (carries) {
      out_.op = Op::kMadCarry;
    }
    if (half == 1) {
      out_.op = carries ? Op::kMadHiCarry : accumulates ? Op::kMadHi : Op::kMulHi;
      out_.saturate = out_.op == Op::kMadHi && type == Type::kS32 && Take("sat");
    }
    if (half == 2) {
      if (Bytes(type) == 8 || carries) {
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

void Decoder::Multiply24() {
  const bool accumulates = op_ == Op::kMad24;
  const int half = TakeOne({"lo", "hi"});
  if (half < 0) {
    Fail(at_, fmt::format("{} lacks .lo or .hi", Spelling()));
  }
  out_.type = TakeType(kWords);
  if (half == 1) {
    out_.op = accumulates ? Op::kMad24Hi : Op::kMul24Hi;
    out_.saturate = accumulates && out_.type == Type::kS32 && Take("sat");
  }
  Simple(out_.type, accumulates ? 3 : 2);
}

void Decoder::SumOfDistances() {
  out_.type = TakeType(kIntegers);
  Simple(out_.type, 3);
}

void Decoder::DotProduct() {
  if (op_ == Op::kDot2) {
    const int half = TakeOne({"lo", "hi"});
    if (half < 0) {
      Fail(at_, fmt::format("{} lacks .lo or .hi", Spelling()));
    }
    out_.mode = half == 1 ? 1 : 0;
  }
  out_.type = TakeType(kWords);
  out_.source = TakeType(kWords);
  Simple(Type::kB32, 3);
}

void Decoder::Divide() {
  out_.type = TakeType(op_ == Op::kRem ? kIntegers : kNumbers);
  const bool single = out_.type == Type::kF32;
  if (IsFloat(out_.type) && !(single && TakeAny({"approx", "full"}))) {
    TakeRounding();
  }
  out_.flush = single && Take("ftz");
  Simple(out_.type, 2);
}

void Decoder::MinMax() {
  const Type type = TakeType(kAdditive);
  out_.type = type;
  ExtremeModifiers(type);
  RequireHalf(type, {70, 80}, {70, 80});
  if (type == Type::kU16x2 || type == Type::kS16x2 || out_.relu) {
    Require(Spelling(), 80, 90);
  } else if (type == Type::kF32x2) {
    Unsupported("this type");
  }
  if (out_.xor_sign) {
    Require(".xorsign.abs", 72, 86);
  }
  if (type == Type::kF32 && syntax_->operands.size() == 4 && !out_.xor_sign) {
    Require("a third source", 88, 100);
    Instruction first = out_;
    Sources(1, {type, type});
    first = out_;
    first.d[0] = Scratch();
    Emit(first);
    out_.a[0] = first.d[0];
    out_.a[1] = Source(Arg(3), type);
    out_.d[0] = Destination(Arg(0), type);
    Finish();
    return;
  }
  Simple(type, 2);
}

// Functions of one number.
void Decoder::Unary() {
  if (op_ == Op::kAbs || op_ == Op::kNeg) {
    Sign();
    return;
  }
  const bool has_halves = op_ == Op::kTanh || op_ == Op::kEx2;
  out_.type = TakeType(has_halves ? kReals : kFloats);
  const Type type = out_.type;
  if (type == Type::kF32x2) {
    Unsupported("this type");
  }
  const bool reciprocal = op_ == Op::kRcp || op_ == Op::kRsqrt;
  if (Take("approx")) {
    if (type == Type::kF64 && !reciprocal) {
      Unsupported("the type .f64");
    }
    // Of f64: it takes and gives the upper 32 bits only.
    const bool brain = IsBF16(type) && op_ == Op::kEx2;
    const bool single = type == Type::kF32 && op_ != Op::kTanh;
    out_.flush = (brain || single || type == Type::kF64) && Take("ftz");
    if (!out_.flush && (brain || (type == Type::kF64 && op_ == Op::kRcp))) {
      Misuse(at_, fmt::format("{} lacks .ftz", Spelling()));
    }
  } else if (op_ == Op::kSqrt || op_ == Op::kRcp) {
    TakeRounding();
    out_.flush = type == Type::kF32 && Take("ftz");
  } else {
    Misuse(at_, fmt::format("{} lacks .approx", Spelling()));
  }
  RequireHalf(out_.type, {70, 75}, {78, 90});
  Simple(out_.type, 1);
}

void Decoder::Sign() {
  out_.type = TakeType({Type::kS16, Type::kS32, Type::kS64, Type::kF32, Type::kF64, Type::kF16,
                        Type::kF16x2, Type::kBF16, Type::kBF16x2});
  out_.flush = (out_.type == Type::kF32 || ElementOf(out_.type) == Type::kF16) && Take("ftz");
  RequireHalf(out_.type, op_ == Op::kAbs ? Needs{65, 53} : Needs{60, 53}, {70, 80});
  Simple(out_.type, 1);
}

void Decoder::CopySign() {
  out_.type = TakeType(kFloats);
  Simple(out_.type, 2);
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
  const bool finds = op_ == Op::kBfind;
  const Type type =
      TakeType(finds ? kWideIntegers : std::initializer_list<Type>{Type::kB32, Type::kB64});
  out_.type = type;
  out_.mode = finds && Take("shiftamt") ? 1 : 0;
  if (!Count(2, 2)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), op_ == Op::kBrev ? type : Type::kU32);
  Sources(1, {type});
}

void Decoder::FindNth() {
  out_.type = TakeType({Type::kB32});
  Simple(Type::kB32, 3);
}

void Decoder::BitField() {
  const bool inserts = op_ == Op::kBfi;
  const Type type =
      TakeType(inserts ? std::initializer_list<Type>{Type::kB32, Type::kB64} : kWideIntegers);
  out_.type = type;
  if (!Count(inserts ? 5 : 4, inserts ? 5 : 4)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  if (inserts) {
    Sources(1, {type, type, Type::kU32, Type::kU32});
  } else {
    Sources(1, {type, Type::kU32, Type::kU32});
  }
}

void Decoder::WrapOrClamp() {
  const int mode = TakeOne({"wrap", "clamp"});
  if (mode < 0) {
    Fail(at_, fmt::format("{} lacks .wrap or .clamp", Spelling()));
  }
  out_.mode = mode == 1 ? 1 : 0;
}

void Decoder::BitMask() {  // szext, bmsk
  WrapOrClamp();
  out_.type = op_ == Op::kBmsk ? TakeType({Type::kB32}) : TakeType(kWords);
  Simple(Type::kB32, 2);
}

void Decoder::Permute() {
  out_.type = TakeType({Type::kB32});
  out_.mode = static_cast<std::uint8_t>(1 + TakeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}));
  Simple(Type::kB32, 3);
}

void Decoder::Lookup() {
  out_.type = TakeType({Type::kB32});
  if (!TakeCombine()) {
    Simple(Type::kB32, 4);
    return;
  }
  // d|p: p is whether d is not zero, combined with q.
  const std::uint8_t combine = std::exchange(out_.combine, 0);
  if (!Count(6, 6)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), Type::kB32);
  Sources(1, {Type::kB32, Type::kB32, Type::kB32, Type::kB32});
  const Slot result = out_.d[0];
  Instruction test = std::exchange(out_, {});
  Emit(test);
  out_.op = Op::kSetp;
  out_.type = Type::kB32;
  out_.line = test.line;
  out_.guard = test.guard;
  out_.guard_negated = test.guard_negated;
  out_.mode = static_cast<std::uint8_t>(Compare::kNe);
  out_.combine = combine;
  out_.d[0] = SecondDestination(Arg(0), Type::kPred);
  out_.a[0] = result;
  out_.a[1] = LiteralOf(0);
  out_.a[2] = Predicate(Arg(5));
  out_.negated = Arg(5).negated;
}

void Decoder::FunnelShift() {
  out_.op = TakeOne({"l", "r"}) == 1 ? Op::kShfRight : Op::kShfLeft;
  WrapOrClamp();
  out_.type = TakeType({Type::kB32});
  Simple(Type::kB32, 3);
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
