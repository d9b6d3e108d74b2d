// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: arithmetic, bits, comparison, moves and conversions.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
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

constexpr std::initializer_list<Type> kNumbers = {Type::kU16, Type::kS16, Type::kU32, Type::kS32,
                                                  Type::kU64, Type::kS64, Type::kF32, Type::kF64};
constexpr std::initializer_list<Type> kIntegers = {Type::kU16, Type::kS16, Type::kU32,
                                                   Type::kS32, Type::kU64, Type::kS64};
constexpr std::initializer_list<Type> kWideIntegers = {Type::kU32, Type::kS32, Type::kU64,
                                                       Type::kS64};
constexpr std::initializer_list<Type> kWords = {Type::kU32, Type::kS32};
constexpr std::initializer_list<Type> kFloats = {Type::kF32, Type::kF64};
constexpr std::initializer_list<Type> kComparable = {Type::kB16, Type::kB32, Type::kB64, Type::kU16,
                                                     Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                                                     Type::kS64, Type::kF32, Type::kF64};

}  // namespace

// .approx and .full allow the IEEE result, which is given.
void Decoder::FloatModifiers(Type type) {
  if (!IsFloat(type)) {
    return;
  }
  const int round = TakeOne({"rn", "rz", "rm", "rp"});
  out_.round = static_cast<Round>(std::max(round, 0));
  if (type == Type::kF32) {
    out_.flush = Take("ftz");
    out_.saturate = Take("sat");
  }
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
    out_.type = TakeType(kNumbers);
    FloatModifiers(out_.type);
    if (out_.type == Type::kS32) {
      out_.saturate = Take("sat");
    }
  }
  Simple(out_.type, 2);
}

void Decoder::Multiply() {
  const bool accumulates = op_ != Op::kMul;
  const bool carries = TakeCarry(syntax_->opcode == "madc");
  const Type type =
      op_ == Op::kFma ? TakeType(kFloats) : TakeType(carries ? kWideIntegers : kNumbers);
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
  if (out_.type == Type::kF32) {
    TakeAny({"approx", "full"});
  }
  FloatModifiers(out_.type);
  Simple(out_.type, 2);
}

void Decoder::MinMax() {
  out_.type = TakeType(kNumbers);
  if (out_.type == Type::kF32) {
    out_.flush = Take("ftz");
    out_.keeps_nan = Take("NaN");
  }
  Simple(out_.type, 2);
}

void Decoder::Unary() {
  const bool is_float = op_ >= Op::kSqrt && op_ <= Op::kTanh;
  out_.type = TakeType(is_float ? kFloats
                                : std::initializer_list<Type>{Type::kS16, Type::kS32, Type::kS64,
                                                              Type::kF32, Type::kF64});
  if (is_float) {
    Take("approx");
    FloatModifiers(out_.type);
  } else if (out_.type == Type::kF32) {
    out_.flush = Take("ftz");
  }
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

// What setp and set have in common: two sources of `type`, and a predicate to combine with.
bool Decoder::Comparison(Type type) {
  TakeCompare(type);
  const bool combines = TakeCombine();
  out_.flush = type == Type::kF32 && Take("ftz");
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
  if (!Arg(0).second.empty()) {
    out_.d[1] = SecondDestination(Arg(0), Type::kPred);
  }
}

void Decoder::Set() {
  out_.source = TakeType({Type::kU32, Type::kS32, Type::kF32});
  out_.type = TakeType(kComparable);
  if (Comparison(out_.type)) {
    out_.d[0] = Destination(Arg(0), out_.source);
  }
}

void Decoder::Select() {
  const Type type = TakeType(kComparable);
  out_.type = type;
  if (!Count(4, 4)) {
    return;
  }
  out_.d[0] = Destination(Arg(0), type);
  Sources(1, {type, type});
  out_.a[2] = Predicate(Arg(3));
}

void Decoder::SelectBySign() {
  out_.type = TakeType(kComparable);
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

// A pair of registers, or its two halves in braces.
std::array<Slot, 2> Decoder::Halves(const syntax::Operand& operand, bool destination) {
  std::array<Slot, 2> halves{kNoSlot, kNoSlot};
  if (operand.kind == Kind::kVector) {
    if (operand.parts.size() != 2) {
      Unsupported("this number of elements");
      return halves;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      halves[i] = destination ? Destination(operand.parts[i], Type::kB64)
                              : Source(operand.parts[i], Type::kB64);
    }
    return halves;
  }
  if (operand.kind != Kind::kName) {
    Fail(operand.at, fmt::format("this kind of operand does not fit {}", Spelling()));
    return halves;
  }
  const Slot low = destination ? Destination(operand, Type::kB128) : Source(operand, Type::kB128);
  return {low, low + 1};
}

void Decoder::MoveWide() {
  if (!Count(2, 2)) {
    return;
  }
  const auto d = Halves(Arg(0), true);
  const auto a = Halves(Arg(1), false);
  out_.type = Type::kB64;
  out_.d[0] = d[0];
  out_.a[0] = a[0];
  Emit(out_);
  out_.d[0] = d[1];
  out_.a[0] = a[1];
}

void Decoder::Move() {
  const Type type = TakeType({Type::kPred, Type::kB16, Type::kB32, Type::kB64, Type::kB128,
                              Type::kU16, Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                              Type::kS64, Type::kF32, Type::kF64});
  if (type == Type::kB128) {
    MoveWide();
    return;
  }
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
  const auto all = {Type::kU8,  Type::kU16,  Type::kU32,   Type::kU64,   Type::kS8,
                    Type::kS16, Type::kS32,  Type::kS64,   Type::kF32,   Type::kF64,
                    Type::kF16, Type::kBF16, Type::kF16x2, Type::kBF16x2};
  const Type to = TakeType(all);
  if (IsPackedHalf(to)) {
    ConvertPair(to);
    return;
  }
  const Type from = TakeType(all);
  out_.type = to;
  const int round = TakeOne({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"});
  out_.round = static_cast<Round>(std::max(round, 0));
  out_.saturate = Take("sat");
  out_.flush = (from == Type::kF32 || to == Type::kF32) && Take("ftz");
  const bool from_float = IsFloat(from) || IsHalf(from);
  const bool to_float = IsFloat(to) || IsHalf(to);
  if (from_float && !to_float && round < static_cast<int>(Round::kIntegerNearest)) {
    Fail(at_, fmt::format("{} lacks .rni, .rzi, .rmi or .rpi", Spelling()));
  }
  if (!Count(2, 2)) {
    return;
  }
  Type destination = to;
  out_.d[0] = Destination(Arg(0), to, !to_float, &destination);
  out_.a[0] = Source(Arg(1), from, !from_float);
  out_.source = from;
  out_.vector = static_cast<std::uint8_t>(Bytes(destination));  // its width, to extend to
}

// cvt.f16x2.f32 d, a, b: a becomes the upper half.
void Decoder::ConvertPair(Type to) {
  const Type from = TakeType({Type::kF32});
  out_.round = TakeOne({"rn", "rz"}) == 1 ? Round::kZero : Round::kNearest;
  out_.type = to == Type::kF16x2 ? Type::kF16 : Type::kBF16;
  out_.source = from;
  if (!Count(3, 3)) {
    return;
  }
  const Slot d = Destination(Arg(0), Type::kB32);
  std::array<Slot, 2> halves{};
  for (std::size_t i = 0; i < 2; ++i) {
    out_.a[0] = Source(Arg(2 - i), from);
    out_.d[0] = halves[i] = Scratch();
    Emit(out_);
  }
  out_.op = Op::kPack;
  out_.type = Type::kB32;
  out_.source = Type::kB16;
  out_.vector = 2;
  out_.d[0] = d;
  out_.a[0] = halves[0];
  out_.a[1] = halves[1];
}

}  // namespace muster::ptx
