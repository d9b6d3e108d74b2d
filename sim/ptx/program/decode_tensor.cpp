// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/decode_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/decode_multicast.h"
#include "sim/ptx/program/decode_validity.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

constexpr unsigned kFirstVariant = 100;  // sm_100a to sm_119f: of what sm_120 does not have
constexpr unsigned kLastVariant = 119;

bool IsSpaceModifier(std::string_view modifier) {
  return modifier == "global" || modifier == "shared::cta" || modifier == "shared::cluster";
}

// The state spaces, in the order in which they stand there.
std::vector<std::string_view> TakeSpaces(Cursor* c) {
  std::vector<std::string_view> spaces;
  std::copy_if(c->left().begin(), c->left().end(), std::back_inserter(spaces), IsSpaceModifier);
  c->left().erase(std::remove_if(c->left().begin(), c->left().end(), IsSpaceModifier),
                  c->left().end());
  return spaces;
}

// Where the copy goes: nothing if that is not said.
std::optional<Space> TakeTarget(Cursor* c, bool prefetches, bool reduces) {
  const std::vector<std::string_view> spaces = TakeSpaces(c);
  if (prefetches) {
    return spaces.size() == 1 && spaces[0] == "global" && c->Take("L2")
               ? std::optional(Space::kGlobal)
               : std::nullopt;
  }
  if (spaces.size() != 2) {
    return std::nullopt;
  }
  if (spaces[0] == "global" && spaces[1] == "shared::cta") {
    return Space::kGlobal;
  }
  if (reduces || spaces[0] == "global" || spaces[1] != "global") {
    return std::nullopt;
  }
  if (spaces[0] == "shared::cta") {
    c->Require("the destination .shared::cta", 86, 90);
    return Space::kShared;
  }
  return Space::kCluster;
}

// The way in which it finds its elements, if the direction has it.
void TakeMode(Cursor* c, bool prefetches, TensorCopy* copy) {
  const bool stores = !prefetches && copy->space == Space::kGlobal;
  const int mode =
      stores ? (copy->reduction ? c->TakeOne({"tile", "im2col_no_offs"})
                                : c->TakeOne({"tile", "im2col_no_offs", "tile::scatter4"}))
             : c->TakeOne({"tile", "im2col", "tile::gather4", "im2col::w", "im2col::w::128"});
  switch (mode) {
    case 1:
      copy->mode = stores ? TensorMode::kIm2colNoOffsets : TensorMode::kIm2col;
      break;
    case 2:
      copy->mode = TensorMode::kRows;
      break;
    case 3:
      copy->mode = TensorMode::kIm2colW;
      break;
    case 4:
      copy->mode = TensorMode::kIm2colW128;
      break;
    default:
      return;
  }
  if (mode >= 2) {
    const bool everywhere = copy->space == Space::kShared && mode != 4;
    c->Require(c->Spelling(), 86, kFirstVariant);
    if (!everywhere) {
      c->RequireVariant(c->Spelling(), kFirstVariant, kLastVariant);
    }
  }
}

constexpr Atomic kReductions[] = {Atomic::kAdd,       Atomic::kMin,      Atomic::kMax,
                                  Atomic::kAnd,       Atomic::kOr,       Atomic::kXor,
                                  Atomic::kIncrement, Atomic::kDecrement};

// The registers of an operand in braces.
template <std::size_t kCount>
void Vector(Cursor* c, const Operand& operand, Type type, unsigned count,
            std::array<Slot, kCount>* slots) {
  if (operand.kind != Kind::kVector) {
    c->Fail(operand.at, fmt::format("{} takes {} in braces there", c->Spelling(),
                                    count == 1 ? "a register" : "registers"));
    return;
  }
  const std::vector<Slot> all = c->Registers(operand, type, count, false);
  std::copy(all.begin(), all.end(), slots->begin());
}

// [map, {coordinates}].
void MapAndCoordinates(Cursor* c, const Operand& operand, TensorCopy* copy) {
  if (operand.kind != Kind::kAddress || operand.parts.size() != 2) {
    c->Fail(operand.at,
            fmt::format("{} takes a tensor map and its coordinates in brackets", c->Spelling()));
    return;
  }
  Operand map = operand;
  map.parts.resize(1);
  copy->map = c->AddressValue(map, Space::kGeneric);
  const unsigned count = copy->mode == TensorMode::kRows ? 5 : copy->dims;
  Vector(c, operand.parts[1], Type::kS32, count, &copy->coordinates);
}

// What follows: offsets of pixels, the mask of a multicast, the cache policy.
void Rest(Cursor* c, std::size_t first, bool has_policy, Type mask, TensorCopy* copy) {
  std::size_t next = first;
  if (copy->mode == TensorMode::kIm2col) {
    Vector(c, c->operand(next++), Type::kU16, copy->dims - 2U, &copy->offsets);
  } else if (copy->mode == TensorMode::kIm2colW || copy->mode == TensorMode::kIm2colW128) {
    Vector(c, c->operand(next++), Type::kU16, 2, &copy->offsets);
  }
  if (mask != Type::kNone) {
    copy->ctas = c->Source(c->operand(next++), mask);
  }
  if (has_policy) {
    c->Source(c->operand(next), Type::kU64);
  }
}

struct FieldOf {
  std::string_view name;
  TensorField field;
  Type type;
  bool has_ordinal;
  unsigned values;  // of an immediate; 0: any number, in a register too
};
constexpr FieldOf kFields[] = {
    {"global_address", TensorField::kGlobalAddress, Type::kB64, false, 0},
    {"rank", TensorField::kRank, Type::kB32, false, 0},
    {"box_dim", TensorField::kBoxDim, Type::kB32, true, 0},
    {"global_dim", TensorField::kGlobalDim, Type::kB32, true, 0},
    {"global_stride", TensorField::kGlobalStride, Type::kB64, true, 0},
    {"element_stride", TensorField::kElementStride, Type::kB32, true, 0},
    {"elemtype", TensorField::kElementType, Type::kB32, false, 16},
    {"interleave_layout", TensorField::kInterleave, Type::kB32, false, 3},
    {"swizzle_mode", TensorField::kSwizzle, Type::kB32, false, 4},
    {"swizzle_atomicity", TensorField::kAtomicity, Type::kB32, false, 4},
    {"fill_mode", TensorField::kFill, Type::kB32, false, 2},
};

constexpr unsigned kMaxRank = 5;

}  // namespace

void DecodeTensorCopy(Cursor* c, Instruction* out, bool reduces) {
  out->op = Op::kTensor;
  auto& copy = out->Make<TensorCopy>();
  copy.prefetches = !reduces && c->Take("prefetch");
  const int dims = c->TakeOne({"1d", "2d", "3d", "4d", "5d"});
  if (dims < 0) {
    c->Fail(fmt::format("{} lacks its dimensions, .1d to .5d", c->Spelling()));
    return;
  }
  copy.dims = static_cast<std::uint8_t>(dims + 1);
  const std::optional<Space> space = TakeTarget(c, copy.prefetches, reduces);
  if (!space) {
    c->Fail(fmt::format("{} does not say from where to where", c->Spelling()));
    return;
  }
  copy.space = *space;
  if (reduces) {
    const int op = c->TakeOne({"add", "min", "max", "and", "or", "xor", "inc", "dec"});
    if (op < 0) {
      c->Fail(fmt::format("{} lacks its operation", c->Spelling()));
      return;
    }
    copy.reduction = kReductions[op];
  }
  TakeMode(c, copy.prefetches, &copy);
  const bool in = copy.space != Space::kGlobal;
  const char* const completion = in ? "mbarrier::complete_tx::bytes" : "bulk_group";
  if (!copy.prefetches && !c->Take(completion)) {
    c->Fail(fmt::format("{} lacks .{}", c->Spelling(), completion));
  }
  copy.validity = in ? TakeValidity(c) : Validity::kDisabled;
  const Type mask = copy.space == Space::kCluster ? TakeMulticast(c) : Type::kNone;
  if (const int group = in ? c->TakeOne({"cta_group::1", "cta_group::2"}) : -1; group >= 0) {
    c->Require(".cta_group", 86, kFirstVariant);
    c->RequireVariant(".cta_group", kFirstVariant, kLastVariant);
    copy.signals_pair = group == 1;
  }
  const bool has_policy = c->Take("L2::cache_hint");
  const bool im2col = copy.mode >= TensorMode::kIm2col;
  if (im2col && copy.dims < 3) {
    c->Fail(fmt::format("{} has fewer than three dimensions", c->Spelling()));
  }
  if (copy.mode == TensorMode::kRows && copy.dims != 2) {
    c->Fail(fmt::format("{} has other than two dimensions", c->Spelling()));
  }
  const std::size_t extra = (im2col && copy.mode != TensorMode::kIm2colNoOffsets ? 1 : 0) +
                            (mask != Type::kNone ? 1 : 0) + (has_policy ? 1 : 0);
  const std::size_t fixed = copy.prefetches ? 1 : in ? 3 : 2;
  if (!c->ExpectOperands(fixed + extra)) {
    return;
  }
  MapAndCoordinates(c, c->operand(in ? 1 : 0), &copy);
  if (!copy.prefetches) {
    copy.shared = c->AddressValue(c->operand(in ? 0 : 1), in ? copy.space : Space::kShared);
  }
  if (in) {
    copy.mbarrier = c->AddressValue(c->operand(2), copy.space);
  }
  Rest(c, fixed, has_policy, mask, &copy);
}

void DecodeTensorReplace(Cursor* c, Instruction* out) {
  c->Require("tensormap.replace", 83, 90);
  c->RequireVariant("tensormap.replace", 90, 129);
  if (!c->Take("replace") || !c->Take("tile")) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
    return;
  }
  const auto field = std::find_if(std::begin(kFields), std::end(kFields),
                                  [&](const FieldOf& one) { return c->Take(one.name); });
  if (field == std::end(kFields)) {
    c->Fail(fmt::format("{} lacks its field", c->Spelling()));
    return;
  }
  constexpr Space kSpaces[] = {Space::kGlobal, Space::kShared, Space::kShared};
  const int space = c->TakeOne({"global", "shared::cta", "shared"});
  if (!c->Take("b1024")) {
    c->Fail(fmt::format("{} lacks .b1024", c->Spelling()));
  }
  if (c->TakeOne({"b32", "b64"}) != (field->type == Type::kB64 ? 1 : 0)) {
    c->Fail(fmt::format("{} must be of {}", c->Spelling(),
                        field->type == Type::kB64 ? ".b64" : ".b32"));
  }
  if (!c->ExpectOperands(field->has_ordinal ? 3 : 2)) {
    return;
  }
  auto& replace = out->Make<TensorReplace>();
  replace.field = field->field;
  replace.address = c->AddressIn(c->operand(0), space < 0 ? Space::kGeneric : kSpaces[space]);
  if (field->has_ordinal) {
    const Operand& ordinal = c->operand(1);
    const unsigned most = field->field == TensorField::kGlobalStride ? kMaxRank - 1 : kMaxRank;
    if (ordinal.kind != Kind::kInteger || ordinal.value >= most) {
      c->Fail(ordinal.at, fmt::format("the dimension must be a number from 0 to {}", most - 1));
      return;
    }
    replace.ordinal = static_cast<std::uint8_t>(ordinal.value);
  }
  const Operand& value = c->operand(field->has_ordinal ? 2 : 1);
  if (field->values != 0 && (value.kind != Kind::kInteger || value.value >= field->values)) {
    const bool odd = field->field == TensorField::kSwizzle && value.kind == Kind::kInteger &&
                     value.value == field->values;
    c->Fail(value.at,
            odd ? "the swizzle of 96 bytes is not supported"
                : fmt::format("{} takes a number from 0 to {}", c->Spelling(), field->values - 1));
    return;
  }
  replace.value = c->Source(value, field->type);
}

}  // namespace muster::ptx
