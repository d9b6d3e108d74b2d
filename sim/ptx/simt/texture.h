// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A texture or surface: an array of texels in a buffer, and how coordinates find them. CUDA C++
// programming guide, "Texture Fetching". A missing green or blue component is 0, a missing alpha 1.
#ifndef MUSTER_SIM_PTX_SIMT_TEXTURE_H_
#define MUSTER_SIM_PTX_SIMT_TEXTURE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/ptx/program/types.h"

namespace muster::ptx {

// In the order of the numbers that txq answers.
enum class TextureAddress : std::uint8_t { kWrap, kMirror, kClampOgl, kClamp, kBorder };

struct Texture {
  std::string name;
  std::uint64_t address = 0;
  Type type = Type::kF32;  // of a component: u8 to s32, f16 or f32
  unsigned components = 1;
  unsigned dims = 2;
  std::array<std::uint32_t, 3> size{1, 1, 1};
  std::uint32_t layers = 0;   // 0: it has none
  std::uint64_t row = 0;      // bytes to the next row,
  std::uint64_t slice = 0;    // and to the next slice or layer
  bool linear = false;        // filtered, and not the nearest texel
  bool normalized = false;    // coordinates from 0 to 1
  bool reads_floats = false;  // integers as numbers from 0 (of signed ones from -1) to 1
  std::array<TextureAddress, 3> addressing{TextureAddress::kClamp, TextureAddress::kClamp,
                                           TextureAddress::kClamp};

  unsigned texel_bytes() const { return Bytes(type) * components; }
  bool IsFloat() const { return type == Type::kF32 || type == Type::kF16 || reads_floats; }
  std::uint32_t SizeOf(unsigned dim) const { return dim < dims ? size[dim] : 1; }
};

// The texel at some index of each dimension; none: it is outside, and all of it is zero.
using TexelAddress = std::optional<std::uint64_t>;

// The texels that a lookup reads, and with what weights.
struct Texels {
  struct One {
    TexelAddress address;
    double weight = 1;
  };
  std::vector<One> all;
};
// By coordinates along the dimensions; integers name texels. `offsets` count texels.
Texels TexelsOf(const Texture& texture, const std::array<double, 3>& coordinates,
                const std::array<std::int32_t, 3>& offsets, std::uint32_t layer, bool integers);
// The four of which a linear filter of two dimensions would make one: counter-clockwise, from the
// lower left one on.
Texels GatheredOf(const Texture& texture, const std::array<double, 3>& coordinates,
                  const std::array<std::int32_t, 3>& offsets, std::uint32_t layer);

// A component of a texel as a register has it: a float, or an integer that is not read as one.
std::uint32_t ComponentOf(const Texture& texture, const std::uint8_t* texel, unsigned component);
// A number; of an integer that is not read as one, its value.
double NumberOf(const Texture& texture, const std::uint8_t* texel, unsigned component);

// Of a surface: where `bytes` bytes are, from that byte of a row on; none: not all are there.
TexelAddress SurfaceByte(const Texture& texture, const std::array<std::int64_t, 3>& coordinates,
                         std::uint32_t layer, unsigned bytes);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TEXTURE_H_
