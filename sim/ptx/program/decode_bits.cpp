// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: bits.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "sim/ptx/program/decode.h"

namespace muster::ptx {
namespace {

constexpr std::initializer_list<Type> kWideIntegers = {Type::kU32, Type::kS32, Type::kU64,
                                                       Type::kS64};
constexpr std::initializer_list<Type> kWords = {Type::kU32, Type::kS32};

}  // namespace

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

}  // namespace muster::ptx
