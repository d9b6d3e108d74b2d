// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: bits.
#include "sim/ptx/program/decode_bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "sim/ptx/program/decode_compare.h"

namespace muster::ptx {
namespace {

void WrapOrClamp(Cursor* c, BitOperation* i) {
  const int mode = c->TakeOne({"wrap", "clamp"});
  if (mode < 0) {
    c->Fail(fmt::format("{} lacks .wrap or .clamp", c->Spelling()));
  }
  i->clamps = mode == 1;
}

}  // namespace

void DecodeLogic(Cursor* c, Instruction* out) {
  auto& i = out->Make<BitOperation>();
  const Op op = out->op;
  const bool unary = op == Op::kNot || op == Op::kCnot;
  const Type type = op == Op::kCnot
                        ? c->TakeType({Type::kB16, Type::kB32, Type::kB64})
                        : c->TakeType({Type::kPred, Type::kB16, Type::kB32, Type::kB64});
  i.type = type;
  if (!c->ExpectOperands(unary ? 2 : 3)) {
    return;
  }
  i.d = c->Destination(c->operand(0), type);
  i.a[0] = c->Source(c->operand(1), type);
  if (!unary) {
    i.a[1] = c->Source(c->operand(2), type);
  }
}

void DecodeShift(Cursor* c, Instruction* out) {
  auto& i = out->Make<BitOperation>();
  const Op op = out->op;
  const Type type = op == Op::kShl
                        ? c->TakeType({Type::kB16, Type::kB32, Type::kB64})
                        : c->TakeType({Type::kB16, Type::kB32, Type::kB64, Type::kU16, Type::kU32,
                                       Type::kU64, Type::kS16, Type::kS32, Type::kS64});
  i.type = type;
  if (!c->ExpectOperands(3)) {
    return;
  }
  i.d = c->Destination(c->operand(0), type);
  c->Sources(1, {type, Type::kU32}, &i.a);
}

void DecodeBitCount(Cursor* c, Instruction* out) {
  auto& i = out->Make<BitOperation>();
  const Op op = out->op;
  const bool finds = op == Op::kBfind;
  const Type type =
      c->TakeType(finds ? kWideIntegers : std::initializer_list<Type>{Type::kB32, Type::kB64});
  i.type = type;
  i.shift_amount = finds && c->Take("shiftamt");
  if (!c->ExpectOperands(2)) {
    return;
  }
  i.d = c->Destination(c->operand(0), op == Op::kBrev ? type : Type::kU32);
  c->Sources(1, {type}, &i.a);
}

void DecodeFindNth(Cursor* c, Instruction* out) {
  c->Require(c->Spelling(), 60, 30);
  auto& i = out->Make<BitOperation>();
  i.type = c->TakeType({Type::kB32});
  c->UniformOperands(Type::kB32, 3, &i.d, &i.a);
}

void DecodeBitField(Cursor* c, Instruction* out) {
  auto& i = out->Make<BitOperation>();
  const Op op = out->op;
  const bool inserts = op == Op::kBfi;
  const Type type =
      c->TakeType(inserts ? std::initializer_list<Type>{Type::kB32, Type::kB64} : kWideIntegers);
  i.type = type;
  if (!c->ExpectOperands(inserts ? 5 : 4)) {
    return;
  }
  i.d = c->Destination(c->operand(0), type);
  if (inserts) {
    c->Sources(1, {type, type, Type::kU32, Type::kU32}, &i.a);
  } else {
    c->Sources(1, {type, Type::kU32, Type::kU32}, &i.a);
  }
}

void DecodeBitMask(Cursor* c, Instruction* out) {
  c->Require(c->Spelling(), 76, 70);
  auto& i = out->Make<BitOperation>();
  const Op op = out->op;  // szext, bmsk
  WrapOrClamp(c, &i);
  i.type = op == Op::kBmsk ? c->TakeType({Type::kB32}) : c->TakeType(kWords);
  c->UniformOperands(Type::kB32, 2, &i.d, &i.a);
}

void DecodePermute(Cursor* c, Instruction* out) {
  auto& i = out->Make<BitOperation>();
  i.type = c->TakeType({Type::kB32});
  i.permutation =
      static_cast<std::uint8_t>(1 + c->TakeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}));
  c->UniformOperands(Type::kB32, 3, &i.d, &i.a);
}

void DecodeLookup(Cursor* c, Instruction* out) {
  c->Require(c->Spelling(), 43, 50);
  auto& i = out->Make<BitOperation>();
  i.type = c->TakeType({Type::kB32});
  const Combine combine = TakeCombine(c);
  if (combine == Combine::kNone) {
    c->UniformOperands(Type::kB32, 4, &i.d, &i.a);
    return;
  }
  // d|p: p is whether d is not zero, combined with q.
  c->Require("lop3 with a predicate", 82, 70);
  if (!c->ExpectOperands(6)) {
    return;
  }
  i.d = c->Destination(c->operand(0), Type::kB32);
  c->Sources(1, {Type::kB32, Type::kB32, Type::kB32, Type::kB32}, &i.a);
  const Slot result = i.d;
  c->Emit(*out);
  out->op = Op::kSetp;
  auto& test = out->Make<Comparison>();
  test.type = Type::kB32;
  test.compare = Compare::kNe;
  test.combine = combine;
  test.d = c->SecondDestination(c->operand(0), Type::kPred);
  test.a = {result, c->Literal(0)};
  test.c = c->Predicate(c->operand(5));
  test.negated = c->operand(5).negated;
}

void DecodeFunnelShift(Cursor* c, Instruction* out) {
  c->Require(c->Spelling(), 31, 32);
  auto& i = out->Make<BitOperation>();
  out->op = c->TakeOne({"l", "r"}) == 1 ? Op::kShfRight : Op::kShfLeft;
  WrapOrClamp(c, &i);
  i.type = c->TakeType({Type::kB32});
  c->UniformOperands(Type::kB32, 3, &i.d, &i.a);
}

}  // namespace muster::ptx
