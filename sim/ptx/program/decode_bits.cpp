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

constexpr std::initializer_list<Type> kWideIntegers = {Type::kU32, Type::kS32, Type::kU64,
                                                       Type::kS64};
constexpr std::initializer_list<Type> kWords = {Type::kU32, Type::kS32};

void WrapOrClamp(Cursor* c, Instruction* out) {
  const int mode = c->TakeOne({"wrap", "clamp"});
  if (mode < 0) {
    c->Fail(fmt::format("{} lacks .wrap or .clamp", c->Spelling()));
  }
  out->mode = mode == 1 ? 1 : 0;
}

}  // namespace

void DecodeLogic(Cursor* c, Instruction* out) {
  const Op op = out->op;
  const bool unary = op == Op::kNot || op == Op::kCnot;
  const Type type = op == Op::kCnot
                        ? c->TakeType({Type::kB16, Type::kB32, Type::kB64})
                        : c->TakeType({Type::kPred, Type::kB16, Type::kB32, Type::kB64});
  out->type = type;
  if (!c->ExpectOperands(unary ? 2 : 3)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), type);
  out->a[0] = c->Source(c->operand(1), type);
  if (!unary) {
    out->a[1] = c->Source(c->operand(2), type);
  }
}

void DecodeShift(Cursor* c, Instruction* out) {
  const Op op = out->op;
  const Type type = op == Op::kShl
                        ? c->TakeType({Type::kB16, Type::kB32, Type::kB64})
                        : c->TakeType({Type::kB16, Type::kB32, Type::kB64, Type::kU16, Type::kU32,
                                       Type::kU64, Type::kS16, Type::kS32, Type::kS64});
  out->type = type;
  if (!c->ExpectOperands(3)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), type);
  c->Sources(1, {type, Type::kU32}, &out->a);
}

void DecodeBitCount(Cursor* c, Instruction* out) {
  const Op op = out->op;
  const bool finds = op == Op::kBfind;
  const Type type =
      c->TakeType(finds ? kWideIntegers : std::initializer_list<Type>{Type::kB32, Type::kB64});
  out->type = type;
  out->mode = finds && c->Take("shiftamt") ? 1 : 0;
  if (!c->ExpectOperands(2)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), op == Op::kBrev ? type : Type::kU32);
  c->Sources(1, {type}, &out->a);
}

void DecodeFindNth(Cursor* c, Instruction* out) {
  out->type = c->TakeType({Type::kB32});
  c->UniformOperands(Type::kB32, 3, &out->d[0], &out->a);
}

void DecodeBitField(Cursor* c, Instruction* out) {
  const Op op = out->op;
  const bool inserts = op == Op::kBfi;
  const Type type =
      c->TakeType(inserts ? std::initializer_list<Type>{Type::kB32, Type::kB64} : kWideIntegers);
  out->type = type;
  if (!c->ExpectOperands(inserts ? 5 : 4)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), type);
  if (inserts) {
    c->Sources(1, {type, type, Type::kU32, Type::kU32}, &out->a);
  } else {
    c->Sources(1, {type, Type::kU32, Type::kU32}, &out->a);
  }
}

void DecodeBitMask(Cursor* c, Instruction* out) {
  const Op op = out->op;  // szext, bmsk
  WrapOrClamp(c, out);
  out->type = op == Op::kBmsk ? c->TakeType({Type::kB32}) : c->TakeType(kWords);
  c->UniformOperands(Type::kB32, 2, &out->d[0], &out->a);
}

void DecodePermute(Cursor* c, Instruction* out) {
  out->type = c->TakeType({Type::kB32});
  out->mode =
      static_cast<std::uint8_t>(1 + c->TakeOne({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}));
  c->UniformOperands(Type::kB32, 3, &out->d[0], &out->a);
}

void DecodeLookup(Cursor* c, Instruction* out) {
  out->type = c->TakeType({Type::kB32});
  if (!TakeCombine(c, out)) {
    c->UniformOperands(Type::kB32, 4, &out->d[0], &out->a);
    return;
  }
  // d|p: p is whether d is not zero, combined with q.
  const std::uint8_t combine = std::exchange(out->combine, 0);
  if (!c->ExpectOperands(6)) {
    return;
  }
  out->d[0] = c->Destination(c->operand(0), Type::kB32);
  c->Sources(1, {Type::kB32, Type::kB32, Type::kB32, Type::kB32}, &out->a);
  const Slot result = out->d[0];
  Instruction test = std::exchange(*out, {});
  c->Emit(test);
  out->op = Op::kSetp;
  out->type = Type::kB32;
  out->line = test.line;
  out->guard = test.guard;
  out->guard_negated = test.guard_negated;
  out->mode = static_cast<std::uint8_t>(Compare::kNe);
  out->combine = combine;
  out->d[0] = c->SecondDestination(c->operand(0), Type::kPred);
  out->a[0] = result;
  out->a[1] = c->Literal(0);
  out->a[2] = c->Predicate(c->operand(5));
  out->negated = c->operand(5).negated;
}

void DecodeFunnelShift(Cursor* c, Instruction* out) {
  out->op = c->TakeOne({"l", "r"}) == 1 ? Op::kShfRight : Op::kShfLeft;
  WrapOrClamp(c, out);
  out->type = c->TakeType({Type::kB32});
  c->UniformOperands(Type::kB32, 3, &out->d[0], &out->a);
}

}  // namespace muster::ptx
