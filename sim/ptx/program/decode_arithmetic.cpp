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
void TakeRounding(Cursor* c, Arithmetic* i) {
  const int round = c->TakeOne({"rn", "rz", "rm", "rp"});
  i->round = static_cast<Round>(std::max(round, 0));
  if (round < 0) {
    c->Misuse(fmt::format("{} lacks .rn, .rz, .rm or .rp", c->Spelling()));
  }
}

void FloatModifiers(Cursor* c, Arithmetic* i) {
  const Type type = i->type;
  const Type element = ElementOf(type);
  if (IsHalf(element)) {
    c->Take("rn");
  } else if (IsFloat(element)) {
    const int round = c->TakeOne({"rn", "rz", "rm", "rp"});
    i->round = static_cast<Round>(std::max(round, 0));
  }
  if (element == Type::kF32 || element == Type::kF16) {
    i->flush = c->Take("ftz");
    i->saturate = type != Type::kF32x2 && c->Take("sat");
  }
}

// Modifiers of min and max.
void ExtremeModifiers(Cursor* c, Arithmetic* i) {
  const Type type = i->type;
  const Type element = ElementOf(type);
  if (element == Type::kF32 || IsHalf(element)) {
    i->flush = !IsBF16(type) && c->Take("ftz");
    i->keeps_nan = c->Take("NaN");
    i->xor_sign = c->Take("xorsign");
    if (i->xor_sign && !c->Take("abs")) {
      c->Fail(fmt::format("{} lacks .abs", c->Spelling()));
    }
  } else if (type == Type::kS32 || type == Type::kS16x2) {
    i->relu = c->Take("relu");
  }
}

// The value of a register of half the width as an f32.
Slot Widened(Cursor* c, Slot half, Type type) {
  Instruction widen;
  widen.op = Op::kCvt;
  widen.line = c->at().line;
  auto& conversion = widen.Make<Conversion>();
  conversion.to = Type::kF32;
  conversion.from = type;
  conversion.register_bytes = 4;
  conversion.a = half;
  conversion.d = c->Scratch();
  c->Emit(widen);
  return conversion.d;
}

// The carry that the instruction takes in and leaves, if any.
struct Carry {
  Slot in = kNoSlot;
  Slot out = kNoSlot;
  bool any() const { return in != kNoSlot || out != kNoSlot; }
};
Carry TakeCarry(Cursor* c, bool takes_in) {
  return {takes_in ? kCarrySlot : kNoSlot, c->Take("cc") ? kCarrySlot : kNoSlot};
}

// add.f32.f16 and the like, whose sources but for the last are halves. Returns false if it is none.
bool MixesHalves(Cursor* c, Arithmetic* i, std::size_t sources) {
  const int half = c->TakeOne({"f16", "bf16"});
  if (half < 0) {
    return false;
  }
  c->Require(c->Spelling(), 86, 100);
  if (!c->ExpectOperands(1 + sources)) {
    return true;
  }
  const Type type = half == 1 ? Type::kBF16 : Type::kF16;
  i->d = c->Destination(c->operand(0), Type::kF32);
  for (std::size_t k = 0; k + 1 < sources; ++k) {
    i->a[k] = Widened(c, c->Source(c->operand(1 + k), type), type);
  }
  i->a[sources - 1] = c->Source(c->operand(sources), Type::kF32);
  return true;
}

// What mul, mad and fma need of the real types.
void RealProduct(Cursor* c, Instruction* out, Arithmetic* i) {
  const Op op = out->op;
  const Type type = i->type;
  const auto rounds = [](std::string_view modifier) {
    return modifier == "rn" || modifier == "rz" || modifier == "rm" || modifier == "rp";
  };
  if (op != Op::kMul && std::none_of(c->modifiers().begin(), c->modifiers().end(), rounds)) {
    c->Misuse(fmt::format("{} lacks its rounding", c->Spelling()));
  }
  if (op == Op::kFma) {
    i->relu = IsHalf(ElementOf(type)) && c->Take("relu");
    c->RequireOfHalf(type, i->relu ? Cursor::Needs{70, 80} : Cursor::Needs{42, 53}, {70, 80});
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
  auto& i = out->Make<Arithmetic>();
  i.type = c->TakeType({Type::kS16, Type::kS32, Type::kS64, Type::kF32, Type::kF64, Type::kF16,
                        Type::kF16x2, Type::kBF16, Type::kBF16x2});
  i.flush = (i.type == Type::kF32 || ElementOf(i.type) == Type::kF16) && c->Take("ftz");
  c->RequireOfHalf(i.type, op == Op::kAbs ? Cursor::Needs{65, 53} : Cursor::Needs{60, 53},
                   {70, 80});
  c->UniformOperands(i.type, 1, &i.d, &i.a);
}

}  // namespace

void DecodeArithmetic(Cursor* c, Instruction* out) {
  const bool takes_in = c->opcode().back() == 'c';  // addc, subc
  if (const Carry carry = TakeCarry(c, takes_in); carry.any()) {
    out->op = out->op == Op::kAdd ? Op::kAddCarry : Op::kSubCarry;
    auto& i = out->Make<CarryArithmetic>();
    i.type = c->TakeType(kWideIntegers);
    i.carry_in = carry.in;
    i.carry_out = carry.out;
    c->UniformOperands(i.type, 2, &i.d, &i.a);
    return;
  }
  auto& i = out->Make<Arithmetic>();
  i.type = c->TakeType(kAdditive);
  FloatModifiers(c, &i);
  if (i.type == Type::kS32) {
    i.saturate = c->Take("sat");
  }
  if (i.type == Type::kF32 && MixesHalves(c, &i, 2)) {
    return;
  }
  c->RequireOfHalf(i.type, {42, 53}, {78, 90});
  if (i.type == Type::kU16x2 || i.type == Type::kS16x2) {
    c->Require(c->Spelling(), 80, 90);
  } else if (i.type == Type::kF32x2) {
    c->Require(c->Spelling(), 86, 100);
  }
  c->UniformOperands(i.type, 2, &i.d, &i.a);
}

void DecodeMultiply(Cursor* c, Instruction* out) {
  const Op op = out->op;
  const bool accumulates = op != Op::kMul;
  const Carry carry = op == Op::kMad ? TakeCarry(c, c->opcode() == "madc") : Carry{};
  const bool carries = carry.any();
  Arithmetic i;
  const Type type = c->TakeType(op == Op::kFma   ? kReals
                                : carries        ? kWideIntegers
                                : op == Op::kMul ? kAdditive
                                                 : kNumbers);
  i.type = type;
  Type wide = type;
  if (IsFloat(ElementOf(type)) || IsHalf(ElementOf(type))) {
    FloatModifiers(c, &i);
    RealProduct(c, out, &i);
    if (type == Type::kF32 && op == Op::kFma && MixesHalves(c, &i, 3)) {
      out->payload = i;
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
      i.saturate = out->op == Op::kMadHi && type == Type::kS32 && c->Take("sat");
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
  i.d = c->Destination(c->operand(0), wide);
  c->Sources(1, {type, type}, &i.a);
  if (accumulates) {
    i.a[2] = c->Source(c->operand(3), wide);
  }
  if (out->op == Op::kMadCarry || out->op == Op::kMadHiCarry) {
    out->payload = CarryArithmetic{type, i.d, carry.out, i.a, carry.in};
  } else {
    out->payload = i;
  }
}

void DecodeMultiply24(Cursor* c, Instruction* out) {
  const Op op = out->op;
  const bool accumulates = op == Op::kMad24;
  const int half = c->TakeOne({"lo", "hi"});
  if (half < 0) {
    c->Fail(fmt::format("{} lacks .lo or .hi", c->Spelling()));
  }
  auto& i = out->Make<Arithmetic>();
  i.type = c->TakeType(kWords);
  if (half == 1) {
    out->op = accumulates ? Op::kMad24Hi : Op::kMul24Hi;
    i.saturate = accumulates && i.type == Type::kS32 && c->Take("sat");
  }
  c->UniformOperands(i.type, accumulates ? 3 : 2, &i.d, &i.a);
}

void DecodeSumOfDistances(Cursor* c, Instruction* out) {
  auto& i = out->Make<Arithmetic>();
  i.type = c->TakeType(kIntegers);
  c->UniformOperands(i.type, 3, &i.d, &i.a);
}

void DecodeDotProduct(Cursor* c, Instruction* out) {
  c->Require(c->Spelling(), 50, 61);
  auto& i = out->Make<DotProduct>();
  if (out->op == Op::kDot2) {
    const int half = c->TakeOne({"lo", "hi"});
    if (half < 0) {
      c->Fail(fmt::format("{} lacks .lo or .hi", c->Spelling()));
    }
    i.upper = half == 1;
  }
  i.types[0] = c->TakeType(kWords);
  i.types[1] = c->TakeType(kWords);
  c->UniformOperands(Type::kB32, 3, &i.d, &i.a);
}

void DecodeDivide(Cursor* c, Instruction* out) {
  auto& i = out->Make<Arithmetic>();
  i.type = c->TakeType(out->op == Op::kRem ? kIntegers : kNumbers);
  const bool single = i.type == Type::kF32;
  if (IsFloat(i.type) && !(single && c->TakeAny({"approx", "full"}))) {
    TakeRounding(c, &i);
  }
  i.flush = single && c->Take("ftz");
  c->UniformOperands(i.type, 2, &i.d, &i.a);
}

void DecodeMinMax(Cursor* c, Instruction* out) {
  const Type type = c->TakeType(kAdditive);
  auto& i = out->Make<Arithmetic>();
  i.type = type;
  ExtremeModifiers(c, &i);
  c->RequireOfHalf(type, {70, 80}, {70, 80});
  if (type == Type::kU16x2 || type == Type::kS16x2 || i.relu) {
    c->Require(c->Spelling(), 80, 90);
  } else if (type == Type::kF32x2) {
    c->Unsupported("this type");
  }
  if (i.xor_sign) {
    c->Require(".xorsign.abs", 72, 86);
  }
  if (type == Type::kF32 && c->operands().size() == 4 && !i.xor_sign) {
    c->Require("a third source", 88, 100);
    c->Sources(1, {type, type}, &i.a);
    i.d = c->Scratch();
    c->Emit(*out);
    i.a[0] = i.d;
    i.a[1] = c->Source(c->operand(3), type);
    i.d = c->Destination(c->operand(0), type);
    c->ExpectEnd();
    return;
  }
  c->UniformOperands(type, 2, &i.d, &i.a);
}

// Functions of one number.
void DecodeUnary(Cursor* c, Instruction* out) {
  const Op op = out->op;
  if (op == Op::kAbs || op == Op::kNeg) {
    Sign(c, out);
    return;
  }
  const bool has_halves = op == Op::kTanh || op == Op::kEx2;
  auto& i = out->Make<Arithmetic>();
  i.type = c->TakeType(has_halves ? kReals : kFloats);
  const Type type = i.type;
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
    i.flush = (brain || single || type == Type::kF64) && c->Take("ftz");
    if (!i.flush && (brain || (type == Type::kF64 && op == Op::kRcp))) {
      c->Misuse(fmt::format("{} lacks .ftz", c->Spelling()));
    }
  } else if (op == Op::kSqrt || op == Op::kRcp) {
    TakeRounding(c, &i);
    i.flush = type == Type::kF32 && c->Take("ftz");
  } else {
    c->Misuse(fmt::format("{} lacks .approx", c->Spelling()));
  }
  c->RequireOfHalf(i.type, {70, 75}, {78, 90});
  c->UniformOperands(i.type, 1, &i.d, &i.a);
}

void DecodeCopySign(Cursor* c, Instruction* out) {
  auto& i = out->Make<Arithmetic>();
  i.type = c->TakeType(kFloats);
  c->UniformOperands(i.type, 2, &i.d, &i.a);
}

}  // namespace muster::ptx
