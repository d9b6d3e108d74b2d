// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/texture.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/small_float.h"

namespace muster::ptx {
namespace {

constexpr double kFraction = 256;  // "9-bit fixed point format with 8 bits of fractional value"

// The index that the addressing makes of one outside; none: the border.
std::optional<std::uint32_t> Addressed(TextureAddress mode, std::int64_t index,
                                       std::uint32_t size) {
  if (index >= 0 && index < size) {
    return static_cast<std::uint32_t>(index);
  }
  const std::int64_t period = mode == TextureAddress::kMirror ? 2 * std::int64_t{size} : size;
  const std::int64_t in = (index % period + period) % period;
  switch (mode) {
    case TextureAddress::kWrap:
      return static_cast<std::uint32_t>(in);
    case TextureAddress::kMirror:
      return static_cast<std::uint32_t>(in < size ? in : period - 1 - in);
    case TextureAddress::kBorder:
      return std::nullopt;
    default:
      return index < 0 ? 0 : size - 1;
  }
}

// "The addressing modes wrap and mirror are for normalized coordinates": others clamp. Outside of
// the texture integer coordinates find no texel, whatever the mode is (sim/golden/hardware).
TextureAddress ModeOf(const Texture& texture, unsigned dim, bool integers) {
  if (integers) {
    return TextureAddress::kBorder;
  }
  const TextureAddress mode = texture.addressing[dim];
  const bool repeats = mode == TextureAddress::kWrap || mode == TextureAddress::kMirror;
  return repeats && !texture.normalized ? TextureAddress::kClamp : mode;
}

TexelAddress AddressOf(const Texture& texture, const std::array<std::int64_t, 3>& index,
                       std::uint32_t layer, bool integers) {
  std::uint64_t address = texture.address;
  const std::uint64_t steps[] = {texture.texel_bytes(), texture.row, texture.slice};
  for (unsigned dim = 0; dim < texture.dims; ++dim) {
    const auto at = Addressed(ModeOf(texture, dim, integers), index[dim], texture.size[dim]);
    if (!at) {
      return std::nullopt;
    }
    address += *at * steps[dim];
  }
  if (texture.layers != 0) {
    address += std::min(layer, texture.layers - 1) * texture.slice;
  }
  return address;
}

// In texels; what is no number is 0.
double Scaled(const Texture& texture, unsigned dim, double coordinate, std::int32_t offset,
              bool integers) {
  const bool scales = texture.normalized && !integers;
  const double at = scales ? coordinate * texture.size[dim] : coordinate;
  constexpr double kFar = 1e9;  // beyond each texture
  return std::isnan(at) ? 0 : std::clamp(at, -kFar, kFar) + offset;
}

}  // namespace

Texels TexelsOf(const Texture& texture, const std::array<double, 3>& coordinates,
                const std::array<std::int32_t, 3>& offsets, std::uint32_t layer, bool integers) {
  const bool filters = texture.linear && !integers;
  std::array<std::int64_t, 3> first{};
  std::array<double, 3> weights{};  // of the second one along a dimension
  for (unsigned dim = 0; dim < texture.dims; ++dim) {
    double at = Scaled(texture, dim, coordinates[dim], offsets[dim], integers);
    at -= filters ? 0.5 : 0;
    first[dim] = static_cast<std::int64_t>(std::floor(at));
    weights[dim] = filters ? std::round((at - std::floor(at)) * kFraction) / kFraction : 0;
  }
  Texels texels;
  for (unsigned corner = 0; corner < (filters ? 1U << texture.dims : 1U); ++corner) {
    std::array<std::int64_t, 3> index = first;
    double weight = 1;
    for (unsigned dim = 0; dim < texture.dims; ++dim) {
      const bool second = (corner >> dim & 1) != 0;
      index[dim] += second ? 1 : 0;
      weight *= second ? weights[dim] : 1 - weights[dim];
    }
    texels.all.push_back({AddressOf(texture, index, layer, integers), weight});
  }
  return texels;
}

Texels GatheredOf(const Texture& texture, const std::array<double, 3>& coordinates,
                  const std::array<std::int32_t, 3>& offsets, std::uint32_t layer) {
  std::array<std::int64_t, 3> first{};
  for (unsigned dim = 0; dim < 2; ++dim) {
    const double at = Scaled(texture, dim, coordinates[dim], offsets[dim], false) - 0.5;
    first[dim] = static_cast<std::int64_t>(std::floor(std::round(at * kFraction) / kFraction));
  }
  Texels texels;
  constexpr std::array<std::array<unsigned, 2>, 4> kCorners{{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
  for (const auto& [x, y] : kCorners) {
    texels.all.push_back({AddressOf(texture, {first[0] + x, first[1] + y, 0}, layer, false), 1});
  }
  return texels;
}

double NumberOf(const Texture& texture, const std::uint8_t* texel, unsigned component) {
  if (component >= texture.components) {
    return 0;
  }
  std::uint64_t bits = 0;
  const unsigned bytes = Bytes(texture.type);
  std::memcpy(&bits, texel + std::size_t{component} * bytes, bytes);
  switch (texture.type) {
    case Type::kF32:
      return FromBits<float>(bits);
    case Type::kF16:
      return FromSmall(Type::kF16, bits);
    default:
      break;
  }
  const unsigned shift = 64 - 8 * bytes;
  const double value = IsSigned(texture.type)
                           ? static_cast<double>(static_cast<std::int64_t>(bits << shift) >> shift)
                           : static_cast<double>(bits);
  if (!texture.reads_floats) {
    return value;
  }
  const unsigned width = 8 * bytes - (IsSigned(texture.type) ? 1 : 0);
  return std::max(-1.0, value / static_cast<double>((std::uint64_t{1} << width) - 1));
}

std::uint32_t ComponentOf(const Texture& texture, const std::uint8_t* texel, unsigned component) {
  const double number = NumberOf(texture, texel, component);
  return static_cast<std::uint32_t>(texture.IsFloat() ? ToBits(static_cast<float>(number))
                                                      : static_cast<std::int64_t>(number));
}

TexelAddress SurfaceByte(const Texture& texture, const std::array<std::int64_t, 3>& coordinates,
                         std::uint32_t layer, unsigned bytes) {
  const std::int64_t width = std::int64_t{texture.size[0]} * texture.texel_bytes();
  if (coordinates[0] < 0 || coordinates[0] + bytes > width ||
      (texture.layers != 0 && layer >= texture.layers)) {
    return std::nullopt;
  }
  std::uint64_t address = texture.address + static_cast<std::uint64_t>(coordinates[0]) +
                          (texture.layers != 0 ? layer * texture.slice : 0);
  for (unsigned dim = 1; dim < texture.dims; ++dim) {
    if (coordinates[dim] < 0 || coordinates[dim] >= texture.size[dim]) {
      return std::nullopt;
    }
    address +=
        static_cast<std::uint64_t>(coordinates[dim]) * (dim == 1 ? texture.row : texture.slice);
  }
  return address;
}

}  // namespace muster::ptx
