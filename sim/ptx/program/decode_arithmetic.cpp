// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: arithmetic.
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

// The carry that the instruction takes in and leaves. Returns false if there is neither.
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

}  // namespace muster::ptx
