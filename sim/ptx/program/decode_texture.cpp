// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: textures and surfaces.
#include "sim/ptx/program/decode_texture.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/ptx/program/decode_memory.h"
#include "sim/ptx/program/decode_opaque.h"

namespace muster::ptx {
namespace {

using Kind = syntax::Operand::Kind;
using syntax::Operand;

constexpr unsigned kMostCoordinates = 4;

// .1d and so on: how many coordinates, and whether a layer comes before them.
struct Geometry {
  std::uint8_t dims = 0;
  bool layered = false;
};
bool TakeGeometry(Cursor* c, Geometry* geometry) {
  constexpr Geometry kGeometries[] = {{1, false}, {2, false}, {3, false}, {1, true}, {2, true}};
  const int index = c->TakeOne({"1d", "2d", "3d", "a1d", "a2d"});
  if (index < 0) {
    c->Fail(fmt::format("{} lacks its geometry, as .2d", c->Spelling()));
    return false;
  }
  *geometry = kGeometries[index];
  return true;
}

// [object, {coordinates}], of which the text lets more be there than are used. Without braces it is
// the only one.
void ObjectAndCoordinates(Cursor* c, const Operand& operand, const Geometry& geometry, Type type,
                          Slot* object, Slot* layer, std::array<Slot, 3>* coordinates) {
  if (operand.kind != Kind::kAddress || operand.parts.size() != 2) {
    c->Fail(operand.at,
            operand.parts.size() == 3
                ? fmt::format("{} names a sampler of its own, which is not supported: here "
                              "textures have theirs",
                              c->Spelling())
                : fmt::format("{} takes an object and its coordinates in brackets", c->Spelling()));
    return;
  }
  Operand of = operand;
  of.parts.resize(1);
  *object = c->AddressValue(of, Space::kGeneric);
  const Operand& vector = operand.parts[1];
  const bool single = vector.kind != Kind::kVector;
  const std::vector<Operand> all = single ? std::vector<Operand>{vector} : vector.parts;
  const std::size_t least = geometry.dims + (geometry.layered ? 1U : 0U);
  if (all.size() < least || all.size() > kMostCoordinates) {
    c->Fail(vector.at, fmt::format("{} takes {} coordinates", c->Spelling(), least));
    return;
  }
  std::size_t next = 0;
  if (geometry.layered) {
    *layer = c->Source(all[next++], Type::kB32);
  }
  for (unsigned k = 0; k < geometry.dims; ++k) {
    // Beside a layer, numbers of any type have the registers of bits.
    (*coordinates)[k] = c->Source(all[next++], geometry.layered ? Type::kB32 : type);
  }
}

// The results, in braces.
template <std::size_t kCount>
void Results(Cursor* c, const Operand& operand, Type type, unsigned count,
             std::array<Slot, kCount>* d) {
  const std::vector<Slot> slots = c->Registers(operand, type, count, true);
  std::copy(slots.begin(), slots.end(), d->begin());
}

// Of geometries that are not computed: cubes and samples.
bool IsOpaque(Cursor* c) {
  return c->Has("cube") || c->Has("acube") || c->Has("2dms") || c->Has("a2dms");
}

}  // namespace

void DecodeTexture(Cursor* c, Instruction* out) {
  const bool gathers = c->opcode() == "tld4";
  if (IsOpaque(c)) {
    DecodeOpaque(c, out,
                 c->Has("f32") && !c->Has("s32") && !c->Has("u32") ? Element::kF32 : Element::kS32);
    return;
  }
  out->op = Op::kTexture;
  auto& i = out->Make<TextureLookup>();
  i.gathers = gathers;
  if (gathers) {
    const int component = c->TakeOne({"r", "g", "b", "a"});
    if (component < 0) {
      c->Fail(fmt::format("{} lacks .r, .g, .b or .a", c->Spelling()));
      return;
    }
    i.component = static_cast<std::uint8_t>(component);
  }
  // Of one level each of them is the first.
  const int level = gathers ? 0 : c->TakeOne({"base", "level", "grad"});
  Geometry geometry;
  if (!TakeGeometry(c, &geometry)) {
    return;
  }
  if (gathers && geometry.dims != 2) {
    c->Fail(fmt::format("{} is of two dimensions alone", c->Spelling()));
  }
  i.dims = geometry.dims;
  i.layered = geometry.layered;
  if (!c->Take("v4")) {
    c->Unsupported("a result of other than four elements");
    return;
  }
  // The types of the results and of the coordinates, in the order in which they stand there.
  const std::vector<std::string_view> types = c->left();
  c->left().clear();
  const auto named = [](std::string_view name) {
    return name == "u32"   ? Type::kU32
           : name == "s32" ? Type::kS32
           : name == "f32" ? Type::kF32
                           : Type::kNone;
  };
  const Type result = types.empty() ? Type::kNone : named(types[0]);
  const Type coordinate = types.size() == 2 ? named(types[1]) : Type::kNone;
  if (result == Type::kNone ||
      (coordinate != Type::kF32 && (gathers || coordinate != Type::kS32))) {
    c->Fail(fmt::format("{}: the results are of .u32, .s32 or .f32, the coordinates of {}.f32",
                        c->Spelling(), gathers ? "" : ".s32 or "));
    return;
  }
  i.type = result;
  i.integer_coordinates = coordinate == Type::kS32;
  const std::size_t levels = level == 1 ? 1 : level == 2 ? 2 : 0;
  if (!c->ExpectOperands(2 + levels, 3 + levels)) {
    return;
  }
  Results(c, c->operand(0), result, 4, &i.d);
  ObjectAndCoordinates(c, c->operand(1), geometry, coordinate, &i.texture, &i.layer,
                       &i.coordinates);
  if (c->operands().size() == 3 + levels) {
    const Operand& offsets = c->operand(2 + levels);
    if (offsets.kind != Kind::kVector || offsets.parts.size() < geometry.dims) {
      c->Unsupported("a comparison of depths");
      return;
    }
    for (unsigned k = 0; k < geometry.dims; ++k) {
      i.offsets[k] = c->Source(offsets.parts[k], Type::kB32);
    }
  }
}

void DecodeTextureQuery(Cursor* c, Instruction* out) {
  out->op = Op::kTextureQuery;
  auto& i = out->Make<TextureQuery>();
  const bool surface = c->opcode() == "suq";
  const bool level = !surface && c->Take("level");
  const int property = c->TakeOne({"width", "height", "depth", "normalized_coords", "array_size",
                                   "num_mipmap_levels", "num_samples", "filter_mode", "addr_mode_0",
                                   "addr_mode_1", "addr_mode_2"});
  const bool has =
      property >= 0 && (!surface || property < 3 || property == 4) && (!level || property < 3);
  if (!has) {
    c->Fail(fmt::format("the instruction {} is not supported: there is no such property here",
                        c->Spelling()));
    return;
  }
  i.property = static_cast<TextureProperty>(property);
  c->TakeType({Type::kB32});
  if (!c->ExpectOperands(level ? 3 : 2)) {
    return;
  }
  i.d = c->Destination(c->operand(0), Type::kB32);
  i.texture = c->AddressValue(c->operand(1), Space::kGeneric);
}

void DecodeSurface(Cursor* c, Instruction* out) {
  using What = SurfaceAccess::What;
  out->op = Op::kSurface;
  auto& i = out->Make<SurfaceAccess>();
  i.what = c->opcode() == "suld"   ? What::kLoad
           : c->opcode() == "sust" ? What::kStore
                                   : What::kReduce;
  if (!c->Take("b")) {
    c->Unsupported("an access that knows the surface's format (.p)");
    return;
  }
  if (i.what == What::kReduce) {
    constexpr Atomic kOperations[] = {Atomic::kAdd, Atomic::kMin, Atomic::kMax, Atomic::kAnd,
                                      Atomic::kOr};
    const int op = c->TakeOne({"add", "min", "max", "and", "or"});
    if (op < 0) {
      c->Fail(fmt::format("{} lacks its operation", c->Spelling()));
      return;
    }
    i.op = kOperations[op];
  }
  Geometry geometry;
  if (!TakeGeometry(c, &geometry)) {
    return;
  }
  if (i.what == What::kReduce && geometry.layered) {
    c->Fail(fmt::format("{}: reductions are not of layers", c->Spelling()));
  }
  i.dims = geometry.dims;
  i.layered = geometry.layered;
  c->TakeAny({"ca", "cg", "cs", "cv", "wb", "wt"});
  i.count = i.what == What::kReduce ? 1 : TakeVector(c);
  i.type = i.what == What::kReduce
               ? c->TakeType({Type::kU32, Type::kS32, Type::kB32, Type::kU64, Type::kS64})
               : c->TakeType({Type::kB8, Type::kB16, Type::kB32, Type::kB64});
  const int bounds = c->TakeOne({"trap", "clamp", "zero"});
  i.bounds = bounds < 0 ? SurfaceBounds::kTrap : static_cast<SurfaceBounds>(bounds);
  if (i.count > 4) {
    c->Fail(fmt::format("{}: there is no such vector", c->Spelling()));
    return;
  }
  if (!c->ExpectOperands(2)) {
    return;
  }
  const bool loads = i.what == What::kLoad;
  ObjectAndCoordinates(c, c->operand(loads ? 1 : 0), geometry, Type::kS32, &i.surface, &i.layer,
                       &i.coordinates);
  const Operand& registers = c->operand(loads ? 0 : 1);
  Type actual = i.type;  // of bytes the registers may be wider
  const std::vector<Slot> slots = c->Registers(registers, i.type, i.count, loads, &actual);
  std::copy(slots.begin(), slots.end(), (loads ? i.d : i.values).begin());
}

}  // namespace muster::ptx
