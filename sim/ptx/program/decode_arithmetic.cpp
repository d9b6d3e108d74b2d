// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: arithmetic.
#include "sim/ptx/program/decode_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

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

// .approx and .full allow the IEEE result, which is given.
// Where the text asks for one.
void TakeRounding(Cursor* c, Instruction* out) {
  const int round = c->TakeOne({"rn", "rz", "rm", "rp"});
  out->round = static_cast<Round>(std::max(round, 0));
  if (round < 0) {
    c->Misuse(fmt::format("{} lacks .rn, .rz, .rm or .rp", c->Spelling()));
  }
}

void FloatModifiers(Cursor* c, Instruction* out, Type type) {
  const Type element = ElementOf(type);
  if (IsHalf(element)) {
    c->Take("rn");
  } else if (IsFloat(element)) {
    const int round = c->TakeOne({"rn", "rz", "rm", "rp"});
    out->round = static_cast<Round>(std::max(round, 0));
  }
  if (element == Type::kF32 || element == Type::kF16) {
    out->flush = c->Take("ftz");
    out->saturate = type != Type::kF32x2 && c->Take("sat");
  }
}

// Modifiers of min and max.
void ExtremeModifiers(Cursor* c, Instruction* out, Type type) {
  const Type element = ElementOf(type);
  if (element == Type::kF32 || IsHalf(element)) {
    out->flush = !IsBF16(type) && c->Take("ftz");
    out->keeps_nan = c->Take("NaN");
    out->xor_sign = c->Take("xorsign");
    if (out->xor_sign && !c->Take("abs")) {
      c->Fail(fmt::format("{} lacks .abs", c->Spelling()));
    }
  } else if (type == Type::kS32 || type == Type::kS16x2) {
    out->relu = c->Take("relu");
  }
}

// The value of a register of half the width as an f32.
Slot Widened(Cursor* c, Slot half, Type type) {
  Instruction widen;
  widen.op = Op::kCvt;
  widen.type = Type::kF32;
  widen.source = type;
  widen.vector = 4;
  widen.line = c->at().line;
  widen.a[0] = half;
  widen.d[0] = c->Scratch();
  c->Emit(widen);
  return widen.d[0];
}

// The carry that the instruction takes in and leaves. Returns false if there is neither.
bool TakeCarry(Cursor* c, Instruction* out, bool takes_in) {
  const bool leaves = c->Take("cc");
  if (takes_in) {
    out->a[3] = kCarrySlot;
  }
  if (leaves) {
    out->d[1] = kCarrySlot;
  }
  return takes_in || leaves;
}

// add.f32.f16 and the like, whose sources but for the last are halves. Returns false if it is none.
bool MixesHalves(Cursor* c, Instruction* out, std::size_t sources) {
  const int half = c->TakeOne({"f16", "bf16"});
  if (half < 0) {
    return false;
  }
  c->Require(c->Spelling(), 86, 100);
  if (!c->ExpectOperands(1 + sources)) {
    return true;
  }
  const Type type = half == 1 ? Type::kBF16 : Type::kF16;
  out->d[0] = c->Destination(c->operand(0), Type::kF32);
  for (std::size_t i = 0; i + 1 < sources; ++i) {
    out->a[i] = Widened(c, c->Source(c->operand(1 + i), type), type);
  }
  out->a[sources - 1] = c->Source(c->operand(sources), Type::kF32);
  return true;
}

// What mul, mad and fma need of the real types.
void RealProduct(Cursor* c, Instruction* out, Type type) {
  const Op op = out->op;
  const auto rounds = [](std::string_view modifier) {
    return modifier == "rn" || modifier == "rz" || modifier == "rm" || modifier == "rp";
  };
  if (op != Op::kMul && std::none_of(c->modifiers().begin(), c->modifiers().end(), rounds)) {
    c->Misuse(fmt::format("{} lacks its rounding", c->Spelling()));
  }
  if (op == Op::kFma) {
    out->relu = IsHalf(ElementOf(type)) && c->Take("relu");
    c->RequireOfHalf(type, out->relu ? Cursor::Needs{70, 80} : Cursor::Needs{42, 53}, {70, 80});
  } else {
    c->RequireOfHalf(type, {42, 53}, {78, 90});
  }
  if (type == Type::kF32x2) {
    c->Require(c->Spelling(), 86, 100);
  }
  if (op == Op::kMad) {
    out->op = Op::kFma;
  }
}

void Sign(Cursor* c, Instruction* out) {
  const Op op = out->op;
  out->type = c->TakeType({Type::kS16, Type::kS32, Type::kS64, Type::kF32, Type::kF64, Type::kF16,
                           Type::kF16x2, Type::kBF16, Type::kBF16x2});
  out->flush = (out->type == Type::kF32 || ElementOf(out->type) == Type::kF16) && c->Take("ftz");
  c->RequireOfHalf(out->type, op == Op::kAbs ? Cursor::Needs{65, 53} : Cursor::Needs{60, 53},
                   {70, 80});
  c->UniformOperands(out->type, 1, &out->d[0], &out->a);
}

}  // namespace

void DecodeArithmetic(Cursor* c, Instruction* out) {
  const Op op = out->op;
  const bool takes_in = c->opcode().back() == 'c';  // addc, subc
  if (TakeCarry(c, out, takes_in)) {
    out->op = op == Op::kAdd ? Op::kAddCarry : Op::kSubCarry;
    out->type = c->TakeType(kWideIntegers);
  } else {
    out->type = c->TakeType(kAdditive);
    FloatModifiers(c, out, out->type);
    if (out->type == Type::kS32) {
      out->saturate = c->Take("sat");
    }
    if (out->type == Type::kF32 && MixesHalves(c, out, 2)) {
      return;
    }
    c->RequireOfHalf(out->type, {42, 53}, {78, 90});
  }
  if (out->type == Type::kU16x2 || out->type == Type::kS16x2) {
    c->Require(c->Spelling(), 80, 90);
  } else if (out->type == Type::kF32x2) {
    c->Require(c->Spelling(), 86, 100);
  }
  c->UniformOperands(out->type, 2, &out->d[0], &out->a);
}

void DecodeMultiply(Cursor* c, Instruction* out) {
  const Op op = out->op;
  const bool accumulates = op != Op::kMul;
  const bool carries = TakeCarry(c, out, c->opcode() == "madc");
  const Type type = c->TakeType(op == Op::kFma   ? kReals
                                : carries        ? kWideIntegers
                                : op == Op::kMul ? kAdditive
                                                 : kNumbers);
  out->type = type;
  Type wide = type;
  if (IsFloat(ElementOf(type)) || IsHalf(ElementOf(type))) {
    FloatModifiers(c, out, type);
    RealProduct(c, out, type);
    if (type == Type::kF32 && op == Op::kFma && MixesHalves(c, out, 3)) {
      return;
    }
  } else {
    const int half = c->TakeOne({"lo", "hi", "wide"});
    if (half < 0) {
      c->Fail(fmt::format("{} lacks .lo, .hi or .wide", c->Spelling()));
    }
    if (IsPair(type)) {
      c->Unsupported("this type");
    }
    if (carries) {
      out->op = Op::kMadCarry;
    }
    if (half == 1) {
      out->op = carries ? Op::kMadHiCarry : accumulates ? Op::kMadHi : Op::kMulHi;
      out->saturate = out->op == Op::kMadHi && type == Type::kS32 && c->Take("sat");
    }
    if (half == 2) {
      if (Bytes(type) == 8 || carries) {
        c->Unsupported("the form .wide");
      }
      out->op = accumulates ? Op::kMadWide : Op::kMulWide;
      wide = Twice(type);
    }
  }
  const std::size_t count = accumulates ? 4 : 3;
  if (!c->ExpectOperands(count)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), wide);
  c->Sources(1, {type, type}, &out->a);
  if (accumulates) {
    out->a[2] = c->Source(c->operand(3), wide);
  }
}

void DecodeMultiply24(Cursor* c, Instruction* out) {
  const Op op = out->op;
  const bool accumulates = op == Op::kMad24;
  const int half = c->TakeOne({"lo", "hi"});
  if (half < 0) {
    c->Fail(fmt::format("{} lacks .lo or .hi", c->Spelling()));
  }
  out->type = c->TakeType(kWords);
  if (half == 1) {
    out->op = accumulates ? Op::kMad24Hi : Op::kMul24Hi;
    out->saturate = accumulates && out->type == Type::kS32 && c->Take("sat");
  }
  c->UniformOperands(out->type, accumulates ? 3 : 2, &out->d[0], &out->a);
}

void DecodeSumOfDistances(Cursor* c, Instruction* out) {
  out->type = c->TakeType(kIntegers);
  c->UniformOperands(out->type, 3, &out->d[0], &out->a);
}

void DecodeDotProduct(Cursor* c, Instruction* out) {
  const Op op = out->op;
  if (op == Op::kDot2) {
    const int half = c->TakeOne({"lo", "hi"});
    if (half < 0) {
      c->Fail(fmt::format("{} lacks .lo or .hi", c->Spelling()));
    }
    out->mode = half == 1 ? 1 : 0;
  }
  out->type = c->TakeType(kWords);
  out->source = c->TakeType(kWords);
  c->UniformOperands(Type::kB32, 3, &out->d[0], &out->a);
}

void DecodeDivide(Cursor* c, Instruction* out) {
  const Op op = out->op;
  out->type = c->TakeType(op == Op::kRem ? kIntegers : kNumbers);
  const bool single = out->type == Type::kF32;
  if (IsFloat(out->type) && !(single && c->TakeAny({"approx", "full"}))) {
    TakeRounding(c, out);
  }
  out->flush = single && c->Take("ftz");
  c->UniformOperands(out->type, 2, &out->d[0], &out->a);
}

void DecodeMinMax(Cursor* c, Instruction* out) {
  const Type type = c->TakeType(kAdditive);
  out->type = type;
  ExtremeModifiers(c, out, type);
  c->RequireOfHalf(type, {70, 80}, {70, 80});
  if (type == Type::kU16x2 || type == Type::kS16x2 || out->relu) {
    c->Require(c->Spelling(), 80, 90);
  } else if (type == Type::kF32x2) {
    c->Unsupported("this type");
  }
  if (out->xor_sign) {
    c->Require(".xorsign.abs", 72, 86);
  }
  if (type == Type::kF32 && c->operands().size() == 4 && !out->xor_sign) {
    c->Require("a third source", 88, 100);
    Instruction first = *out;
    c->Sources(1, {type, type}, &out->a);
    first = *out;
    first.d[0] = c->Scratch();
    c->Emit(first);
    out->a[0] = first.d[0];
    out->a[1] = c->Source(c->operand(3), type);
    out->d[0] = c->Destination(c->operand(0), type);
    c->ExpectEnd();
    return;
  }
  c->UniformOperands(type, 2, &out->d[0], &out->a);
}

// Functions of one number.
void DecodeUnary(Cursor* c, Instruction* out) {
  const Op op = out->op;
  if (op == Op::kAbs || op == Op::kNeg) {
    Sign(c, out);
    return;
  }
  const bool has_halves = op == Op::kTanh || op == Op::kEx2;
  out->type = c->TakeType(has_halves ? kReals : kFloats);
  const Type type = out->type;
  if (type == Type::kF32x2) {
    c->Unsupported("this type");
  }
  const bool reciprocal = op == Op::kRcp || op == Op::kRsqrt;
  if (c->Take("approx")) {
    if (type == Type::kF64 && !reciprocal) {
      c->Unsupported("the type .f64");
    }
    // Of f64: it takes and gives the upper 32 bits only.
    const bool brain = IsBF16(type) && op == Op::kEx2;
    const bool single = type == Type::kF32 && op != Op::kTanh;
    out->flush = (brain || single || type == Type::kF64) && c->Take("ftz");
    if (!out->flush && (brain || (type == Type::kF64 && op == Op::kRcp))) {
      c->Misuse(fmt::format("{} lacks .ftz", c->Spelling()));
    }
  } else if (op == Op::kSqrt || op == Op::kRcp) {
    TakeRounding(c, out);
    out->flush = type == Type::kF32 && c->Take("ftz");
  } else {
    c->Misuse(fmt::format("{} lacks .approx", c->Spelling()));
  }
  c->RequireOfHalf(out->type, {70, 75}, {78, 90});
  c->UniformOperands(out->type, 1, &out->d[0], &out->a);
}

void DecodeCopySign(Cursor* c, Instruction* out) {
  out->type = c->TakeType(kFloats);
  c->UniformOperands(out->type, 2, &out->d[0], &out->a);
}

}  // namespace muster::ptx
