// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: moves and conversions.
#include "sim/ptx/program/decode_move.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace muster::ptx {
namespace {

using Kind = syntax::Operand::Kind;

void MoveWide(Cursor* c, Instruction* out) {
  if (!c->ExpectOperands(2)) {
    return;
  }
  const auto d = c->Halves(c->operand(0), true);
  const auto a = c->Halves(c->operand(1), false);
  out->payload = Move{Type::kB64, false, d[0], a[0]};
  c->Emit(*out);
  out->payload = Move{Type::kB64, false, d[1], a[1]};
}

// Whether a conversion must or may say how it rounds, and what else may stand there. Of a pair both
// elements are converted alike.
void ConvertModifiers(Cursor* c, Conversion* i, bool pair) {
  const Type to = i->to;
  const Type from = i->from;
  constexpr const char* kRounds[] = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"};
  const int round = c->TakeOne({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"});
  i->round = static_cast<Round>(std::max(round, 0));
  const bool whole_round = round >= 4 && round < 8;
  const bool is_real = IsFloat(to) || IsSmallFloat(to);
  const bool was_real = IsFloat(from) || IsSmallFloat(from);
  const bool tiny = Bytes(to) == 1 && is_real;  // e4m3, e5m2
  const bool was_tiny = Bytes(from) == 1 && was_real;
  const bool brain = to == Type::kBF16 || from == Type::kBF16;
  const bool to_tf32 = to == Type::kTF32;
  const bool narrower = Bytes(to) < Bytes(from) || to_tf32 || was_tiny;
  // What rounds: to an integer, a float from one or from a wider one, or one of another format.
  const bool must = is_real != was_real || (is_real && narrower);
  const bool may_whole = was_real && (!is_real || to == from);
  const bool may_real = is_real && to != from && (must || brain);
  const bool nearest_only = tiny || was_tiny;
  const bool to_scale = to == Type::kUE8M0;  // rz and rp
  const bool two_only = to_tf32 || pair;     // rn and rz
  const bool fits = round < 0     ? !must
                    : to_scale    ? round == 1 || round == 3
                    : whole_round ? may_whole
                    : round == 8
                        ? to_tf32
                        : may_real && (round == 0 || !nearest_only) && (round < 2 || !two_only);
  if (!fits && round < 0) {
    c->Fail(fmt::format("{} lacks {}", c->Spelling(),
                        may_whole      ? ".rni, .rzi, .rmi or .rpi"
                        : to_scale     ? ".rz or .rp"
                        : nearest_only ? ".rn"
                        : to_tf32      ? ".rn, .rz or .rna"
                        : two_only     ? ".rn or .rz"
                                       : ".rn, .rz, .rm or .rp"));
  } else if (!fits) {
    c->Unsupported(fmt::format("the modifier .{}", kRounds[round]));
  }
  const bool plain = !tiny && !was_tiny && !to_tf32 && !pair;
  const bool from_single = from == Type::kF32 && (round <= 1 || round == 8);
  if (IsSmallFloat(to) && (from_single || tiny || was_tiny)) {
    i->relu = round != 8 && !to_scale && c->Take("relu");
    i->finite = !was_tiny && c->Take("satfinite");
  }
  const bool extra = i->relu || i->finite;
  i->flush = plain && !extra && (from == Type::kF32 || to == Type::kF32) && c->Take("ftz");
  // Not where every value of the one type is one of the other.
  const bool wider = IsSigned(to) == IsSigned(from) ? Bytes(to) >= Bytes(from)
                                                    : IsSigned(to) && Bytes(to) > Bytes(from);
  const bool holds = !is_real && !was_real && wider;
  i->saturate = plain && !extra && !brain && !holds && c->Take("sat");
  if (to_tf32) {
    c->Require(c->Spelling(), i->round == Round::kNearestAway ? 70 : 78,
               i->round == Round::kNearestAway ? 80 : 90);
  } else if (i->finite && IsHalf(to)) {
    c->Require(".satfinite", 81, 80);
  } else if (i->relu && IsHalf(to)) {
    c->Require(".relu", 70, 80);
  }
}

// A value that is shifted or masked by a number.
Slot Bits(Cursor* c, const Instruction& out, Op op, Slot value, unsigned number) {
  Instruction more;
  more.op = op;
  more.line = out.line;
  auto& i = more.Make<BitOperation>();
  i.type = op == Op::kAnd || op == Op::kShl ? Type::kB32 : Type::kU32;
  i.d = c->Scratch();
  i.a = {value, c->Literal(number), kNoSlot, kNoSlot};
  c->Emit(more);
  return i.d;
}
constexpr unsigned kNibbleBits = 4;
constexpr unsigned kNibble = 0xf;

// Of two f32, the first of which becomes the upper half, or of a pair.
void ConvertPair(Cursor* c, Instruction* out, Type to, Type from) {
  const bool to_bytes = Bytes(to) <= 2;
  const bool of_scales = to == Type::kUE8M0x2 || from == Type::kUE8M0x2;
  const Type halves_of = of_scales ? Type::kBF16x2 : Type::kF16x2;  // of the wider side
  const bool fits =
      from == Type::kF32 ||
      (to_bytes ? from == halves_of : to == halves_of && IsPair(from) && Bytes(from) <= 2);
  if (!fits || to == Type::kF32x2) {
    c->Unsupported("this pair of types");
  }
  Conversion i;
  i.to = ElementOf(to);
  i.from = ElementOf(from);
  ConvertModifiers(c, &i, true);
  const Type narrow = to_bytes ? i.to : i.from;
  if (narrow >= Type::kE2M3 && narrow <= Type::kUE8M0) {
    c->Require(c->Spelling(), 86, 100);
    c->RequireVariant(c->Spelling(), 100, 129);
  } else if (to_bytes || Bytes(from) == 2) {
    c->Require(c->Spelling(), 78, 89);
  }
  if (to_bytes && !of_scales && !i.finite) {
    c->Fail(fmt::format("{} lacks .satfinite", c->Spelling()));
  }
  const auto half_of = [](Type pair) { return Bytes(pair) <= 2 ? Type::kB8 : Type::kB16; };
  const auto whole_of = [](Type pair) {
    return Bytes(pair) == 1 ? Type::kB8 : Bytes(pair) == 2 ? Type::kB16 : Type::kB32;
  };
  const std::size_t sources = from == Type::kF32 ? 2 : 1;
  if (!c->ExpectOperands(1 + sources)) {
    return;
  }
  const Slot d = c->Destination(c->operand(0), whole_of(to));
  std::array<Slot, 2> halves{};
  if (sources == 2) {
    halves = {c->Source(c->operand(2), from), c->Source(c->operand(1), from)};
  } else if (from == Type::kE2M1x2) {
    const Slot both = c->Source(c->operand(1), Type::kB8);
    halves = {Bits(c, *out, Op::kAnd, both, kNibble), Bits(c, *out, Op::kShr, both, kNibbleBits)};
  } else {
    halves = {c->Scratch(), c->Scratch()};
    out->op = Op::kUnpack;
    auto& unpacking = out->Make<Unpacking>();
    unpacking.part = half_of(from);
    unpacking.a = c->Source(c->operand(1), from);
    std::copy(halves.begin(), halves.end(), unpacking.d.begin());
    c->Emit(*out);
  }
  for (Slot& half : halves) {
    i.a = half;
    i.d = half = c->Scratch();
    out->op = Op::kCvt;
    out->payload = i;
    c->Emit(*out);
  }
  if (to == Type::kE2M1x2) {
    const Slot upper = Bits(c, *out, Op::kShl, halves[1], kNibbleBits);
    out->op = Op::kOr;
    auto& either = out->Make<BitOperation>();
    either.type = Type::kB32;
    either.d = d;
    either.a = {halves[0], upper, kNoSlot, kNoSlot};
    return;
  }
  out->op = Op::kPack;
  auto& packing = out->Make<Packing>();
  packing.part = half_of(to);
  packing.type = whole_of(to);
  packing.d = d;
  std::copy(halves.begin(), halves.end(), packing.a.begin());
}

// cvt.pack: two integers, clamped to so many bits, below what c has in its lower ones.
void ConvertPack(Cursor* c, Instruction* out) {
  constexpr std::uint8_t kBits[] = {16, 16, 8, 8, 4, 4, 2, 2};
  const int to = c->TakeOne({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (to < 0 || !c->Take("sat") || c->TakeType({Type::kS32}) != Type::kS32) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
    return;
  }
  out->op = Op::kCvtPack;
  auto& i = out->Make<PackedConversion>();
  i.to = to % 2 == 0 ? Type::kU32 : Type::kS32;
  i.bits = kBits[to];
  c->Require(c->Spelling(), 65, i.bits < 8 ? 75 : 72);
  const bool has_more = i.bits < 16;
  if (has_more) {
    c->TakeType({Type::kB32});
  }
  c->UniformOperands(Type::kB32, has_more ? 3 : 2, &i.d, &i.a);
}

}  // namespace

void DecodeMove(Cursor* c, Instruction* out) {
  const Type type = c->TakeType({Type::kPred, Type::kB16, Type::kB32, Type::kB64, Type::kB128,
                                 Type::kU16, Type::kU32, Type::kU64, Type::kS16, Type::kS32,
                                 Type::kS64, Type::kF32, Type::kF64});
  if (type == Type::kB128) {
    MoveWide(c, out);
    return;
  }
  if (!c->ExpectOperands(2)) {
    return;
  }
  const auto element = [&](std::size_t count) {
    const unsigned bytes = count == 0 ? 0 : Bytes(type) / static_cast<unsigned>(count);
    if (count != 2 && count != 4) {
      c->Unsupported("this number of elements");
    }
    return bytes == 4 ? Type::kB32 : bytes == 2 ? Type::kB16 : bytes == 1 ? Type::kB8 : Type::kB64;
  };
  if (c->operand(0).kind == Kind::kVector) {
    const auto& parts = c->operand(0).parts;
    const Type part = element(parts.size());
    if (c->failed()) {
      return;
    }
    out->op = Op::kUnpack;
    auto& unpacking = out->Make<Unpacking>();
    unpacking.count = static_cast<std::uint8_t>(parts.size());
    unpacking.part = part;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      unpacking.d[i] = c->Destination(parts[i], part);
    }
    unpacking.a = c->Source(c->operand(1), type);
  } else if (c->operand(1).kind == Kind::kVector) {
    const auto& parts = c->operand(1).parts;
    const Type part = element(parts.size());
    if (c->failed()) {
      return;
    }
    out->op = Op::kPack;
    auto& packing = out->Make<Packing>();
    packing.type = type;
    packing.count = static_cast<std::uint8_t>(parts.size());
    packing.part = part;
    packing.d = c->Destination(c->operand(0), type);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      packing.a[i] = c->Source(parts[i], part);
    }
  } else {
    auto& move = out->Make<Move>();
    move.type = type;
    move.d = c->Destination(c->operand(0), type);
    move.a = c->Source(c->operand(1), type);
    move.negated = c->operand(1).negated;
  }
}

void DecodeConvert(Cursor* c, Instruction* out) {
  if (c->Take("pack")) {
    ConvertPack(c, out);
    return;
  }
  const auto all = {Type::kU8,     Type::kU16,    Type::kU32,    Type::kU64,    Type::kS8,
                    Type::kS16,    Type::kS32,    Type::kS64,    Type::kF32,    Type::kF64,
                    Type::kF16,    Type::kBF16,   Type::kF16x2,  Type::kBF16x2, Type::kTF32,
                    Type::kE4M3x2, Type::kE5M2x2, Type::kE2M3x2, Type::kE3M2x2, Type::kE2M1x2,
                    Type::kUE8M0x2};
  const Type to = c->TakeType(all);
  const Type from = c->TakeType(all);
  if (IsPair(to)) {
    ConvertPair(c, out, to, from);
    return;
  }
  if (IsPair(from) || from == Type::kTF32 || (to == Type::kTF32 && from != Type::kF32)) {
    c->Unsupported("this pair of types");
  }
  auto& i = out->Make<Conversion>();
  i.to = to;
  i.from = from;
  ConvertModifiers(c, &i, false);
  if (!c->ExpectOperands(2)) {
    return;
  }
  Type destination = to;
  const bool to_float = IsFloat(to) || IsSmallFloat(to);
  const bool from_float = IsFloat(from) || IsSmallFloat(from);
  i.d = c->Destination(c->operand(0), to, !to_float, &destination);
  i.a = c->Source(c->operand(1), from, !from_float);
  i.register_bytes = static_cast<std::uint8_t>(Bytes(destination));
}

}  // namespace muster::ptx
