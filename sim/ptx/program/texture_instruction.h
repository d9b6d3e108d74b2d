// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The decoded forms of tex, tld4, txq, suld, sust, sured and suq.
#ifndef MUSTER_SIM_PTX_PROGRAM_TEXTURE_INSTRUCTION_H_
#define MUSTER_SIM_PTX_PROGRAM_TEXTURE_INSTRUCTION_H_

#include <array>
#include <cstdint>

#include "sim/ptx/program/opcode.h"
#include "sim/ptx/program/operand.h"
#include "sim/ptx/program/types.h"

namespace muster::ptx {

// What a surface instruction does outside of the surface.
enum class SurfaceBounds : std::uint8_t { kTrap, kClamp, kZero };

// tex, and tld4, which takes the four texels that a linear filter would.
struct TextureLookup {
  std::uint8_t dims = 2;
  bool layered = false;  // the first coordinate names a layer
  bool integer_coordinates = false;
  bool gathers = false;        // tld4
  std::uint8_t component = 0;  // that it gathers
  Type type = Type::kF32;      // of the results
  Slot texture = kNoSlot;
  Slot layer = kNoSlot;
  std::array<Slot, 3> coordinates = NoSlots<3>();
  std::array<Slot, 3> offsets = NoSlots<3>();
  std::array<Slot, 4> d = NoSlots<4>();
};

// suld.b, sust.b, sured.b: the first coordinate counts bytes.
struct SurfaceAccess {
  enum class What : std::uint8_t { kLoad, kStore, kReduce };
  What what = What::kLoad;
  std::uint8_t dims = 2;
  bool layered = false;
  SurfaceBounds bounds = SurfaceBounds::kTrap;
  Type type = Type::kB32;
  std::uint8_t count = 1;
  Atomic op = Atomic::kAdd;
  Slot surface = kNoSlot;
  Slot layer = kNoSlot;
  std::array<Slot, 3> coordinates = NoSlots<3>();
  std::array<Slot, 4> d = NoSlots<4>();
  std::array<Slot, 4> values = NoSlots<4>();
};

// txq, suq.
enum class TextureProperty : std::uint8_t {
  kWidth,
  kHeight,
  kDepth,
  kNormalized,
  kLayers,
  kLevels,
  kSamples,
  kFilter,
  kAddress0,
  kAddress1,
  kAddress2
};
struct TextureQuery {
  TextureProperty property = TextureProperty::kWidth;
  Slot texture = kNoSlot;
  Slot d = kNoSlot;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_TEXTURE_INSTRUCTION_H_
