// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: moves and conversions.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/ptx/program/decode.h"

namespace muster::ptx {
namespace {

using Kind = syntax::Operand::Kind;

}  // namespace

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

// Whether a conversion must or may say how it rounds, and what else may stand there. Of a pair both
// elements are converted alike.
void Decoder::ConvertModifiers(Type to, Type from, bool pair) {
  constexpr const char* kRounds[] = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"};
  const int round = TakeOne({"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"});
  out_.round = static_cast<Round>(std::max(round, 0));
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
  const bool two_only = to_tf32 || pair;  // rn and rz
  const bool fits = round < 0     ? !must
                    : whole_round ? may_whole
                    : round == 8
                        ? to_tf32
                        : may_real && (round == 0 || !nearest_only) && (round < 2 || !two_only);
  if (!fits && round < 0) {
    Fail(at_, fmt::format("{} lacks {}", Spelling(),
                          may_whole      ? ".rni, .rzi, .rmi or .rpi"
                          : nearest_only ? ".rn"
                          : to_tf32      ? ".rn, .rz or .rna"
                          : two_only     ? ".rn or .rz"
                                         : ".rn, .rz, .rm or .rp"));
  } else if (!fits) {
    Unsupported(fmt::format("the modifier .{}", kRounds[round]));
  }
  const bool plain = !tiny && !was_tiny && !to_tf32 && !pair;
  const bool from_single = from == Type::kF32 && (round <= 1 || round == 8);
  if (IsSmallFloat(to) && (from_single || tiny || was_tiny)) {
    out_.relu = round != 8 && Take("relu");
    out_.finite = !was_tiny && Take("satfinite");
  }
  const bool extra = out_.relu || out_.finite;
  out_.flush = plain && !extra && (from == Type::kF32 || to == Type::kF32) && Take("ftz");
  // Not where every value of the one type is one of the other.
  const bool wider = IsSigned(to) == IsSigned(from) ? Bytes(to) >= Bytes(from)
                                                    : IsSigned(to) && Bytes(to) > Bytes(from);
  const bool holds = !is_real && !was_real && wider;
  out_.saturate = plain && !extra && !brain && !holds && Take("sat");
  if (to_tf32) {
    Require(Spelling(), out_.round == Round::kNearestAway ? 70 : 78,
            out_.round == Round::kNearestAway ? 80 : 90);
  } else if (out_.finite && IsHalf(to)) {
    Require(".satfinite", 81, 80);
  } else if (out_.relu && IsHalf(to)) {
    Require(".relu", 70, 80);
  }
}

void Decoder::Convert() {
  if (Take("pack")) {
    ConvertPack();
    return;
  }
  const auto all = {Type::kU8,     Type::kU16,   Type::kU32,   Type::kU64,    Type::kS8,
                    Type::kS16,    Type::kS32,   Type::kS64,   Type::kF32,    Type::kF64,
                    Type::kF16,    Type::kBF16,  Type::kF16x2, Type::kBF16x2, Type::kTF32,
                    Type::kE4M3x2, Type::kE5M2x2};
  const Type to = TakeType(all);
  const Type from = TakeType(all);
  if (IsPair(to)) {
    ConvertPair(to, from);
    return;
  }
  if (IsPair(from) || from == Type::kTF32 || (to == Type::kTF32 && from != Type::kF32)) {
    Unsupported("this pair of types");
  }
  out_.type = to;
  ConvertModifiers(to, from, false);
  if (!Count(2, 2)) {
    return;
  }
  Type destination = to;
  const bool to_float = IsFloat(to) || IsSmallFloat(to);
  const bool from_float = IsFloat(from) || IsSmallFloat(from);
  out_.d[0] = Destination(Arg(0), to, !to_float, &destination);
  out_.a[0] = Source(Arg(1), from, !from_float);
  out_.source = from;
  out_.vector = static_cast<std::uint8_t>(Bytes(destination));  // its width, to extend to
}

// Of two f32, the first of which becomes the upper half, or of a pair.
void Decoder::ConvertPair(Type to, Type from) {
  const bool to_bytes = Bytes(to) == 2;
  const bool fits =
      from == Type::kF32 ||
      (to_bytes ? from == Type::kF16x2 : to == Type::kF16x2 && IsPair(from) && Bytes(from) == 2);
  if (!fits || to == Type::kF32x2) {
    Unsupported("this pair of types");
  }
  out_.type = ElementOf(to);
  out_.source = ElementOf(from);
  ConvertModifiers(out_.type, out_.source, true);
  if (to_bytes || Bytes(from) == 2) {
    Require(Spelling(), 78, 89);
  }
  if (to_bytes && !out_.finite) {
    Fail(at_, fmt::format("{} lacks .satfinite", Spelling()));
  }
  const std::size_t sources = from == Type::kF32 ? 2 : 1;
  if (!Count(1 + sources, 1 + sources)) {
    return;
  }
  const Slot d = Destination(Arg(0), to_bytes ? Type::kB16 : Type::kB32);
  std::array<Slot, 2> halves{};
  if (sources == 2) {
    halves = {Source(Arg(2), from), Source(Arg(1), from)};
  } else {
    halves = {Scratch(), Scratch()};
    Instruction unpack = Rearranged(Op::kUnpack, from);
    unpack.a[0] = Source(Arg(1), from);
    std::copy(halves.begin(), halves.end(), unpack.d.begin());
    Emit(unpack);
  }
  for (Slot& half : halves) {
    out_.a[0] = half;
    out_.d[0] = half = Scratch();
    Emit(out_);
  }
  out_ = Rearranged(Op::kPack, to);
  out_.d[0] = d;
  std::copy(halves.begin(), halves.end(), out_.a.begin());
}

// To or from the two halves of a pair.
Instruction Decoder::Rearranged(Op op, Type pair) const {
  Instruction instruction;
  instruction.op = op;
  instruction.type = Bytes(pair) == 2 ? Type::kB16 : Type::kB32;
  instruction.source = Bytes(pair) == 2 ? Type::kB8 : Type::kB16;
  instruction.vector = 2;
  instruction.line = at_.line;
  instruction.guard = out_.guard;
  instruction.guard_negated = out_.guard_negated;
  return instruction;
}

// cvt.pack: two integers, clamped to so many bits, below what c has in its lower ones.
void Decoder::ConvertPack() {
  constexpr std::uint8_t kBits[] = {16, 16, 8, 8, 4, 4, 2, 2};
  const int to = TakeOne({"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (to < 0 || !Take("sat") || TakeType({Type::kS32}) != Type::kS32) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
    return;
  }
  out_.op = Op::kCvtPack;
  out_.type = to % 2 == 0 ? Type::kU32 : Type::kS32;
  out_.mode = kBits[to];
  Require(Spelling(), 65, out_.mode < 8 ? 75 : 72);
  const bool has_more = out_.mode < 16;
  if (has_more) {
    TakeType({Type::kB32});
  }
  Simple(Type::kB32, has_more ? 3 : 2);
}

}  // namespace muster::ptx
