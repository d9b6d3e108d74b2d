// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace muster::ptx {
namespace {

constexpr std::uint64_t kMaxDim = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxStride = std::uint64_t{1} << 40;
constexpr std::uint32_t kMaxBox = 256;
constexpr std::uint32_t kMaxStep = 8;
constexpr std::uint32_t kMaxPixels = 1024;
constexpr unsigned kGroup = 128;  // elements: what padded types come in

// The first eight bytes, and the start of the check over all that follow.
constexpr std::array<std::uint8_t, 8> kMark = {'t', 'e', 'n', 's', 'o', 'r', 'm', '1'};
constexpr std::size_t kCheckAt = kTensorMapBytes - sizeof(std::uint32_t);

// FNV-1a.
std::uint32_t CheckOf(const std::uint8_t* bytes) {
  std::uint32_t hash = 0x811c9dc5;
  for (std::size_t i = 0; i < kCheckAt; ++i) {
    hash = (hash ^ bytes[i]) * 0x01000193;
  }
  return hash;
}

// Visits the members in the order of the bytes: `f(&member, bytes that it takes)`. Of dimensions 0
// stands for 2^32.
template <typename Map, typename F>
void ForEachMember(Map* map, F f) {
  f(&map->layout, 1);
  f(&map->element, 1);
  f(&map->interleave, 1);
  f(&map->swizzle, 1);
  f(&map->atom, 1);
  f(&map->promotion, 1);
  f(&map->fills_nan, 1);
  f(&map->rank, 1);
  f(&map->address, 8);
  for (auto& dim : map->dims) {
    f(&dim, 4);
  }
  for (auto& stride : map->strides) {
    f(&stride, 8);
  }
  for (auto& step : map->steps) {
    f(&step, 1);
  }
  for (auto& extent : map->box) {
    f(&extent, 2);
  }
  for (auto& corner : map->lower) {
    f(&corner, 2);
  }
  for (auto& corner : map->upper) {
    f(&corner, 2);
  }
  f(&map->channels, 2);
  f(&map->pixels, 2);
}

// The spatial dimensions of a map with a box of pixels in them: W, then H, then D.
unsigned SpatialDims(const TensorMap& map) {
  return map.layout == TensorLayout::kIm2col ? map.rank - 2U : 1U;
}

std::string OfDimension(const char* what, unsigned i) { return fmt::format("{}[{}]", what, i); }

std::string BrokenByAddresses(const TensorMap& map) {
  const bool padded = IsPadded(map.element);
  const unsigned align = padded || map.interleave == TensorInterleave::k32 ? 32 : 16;
  if (map.address % align != 0) {
    return fmt::format("globalAddress {:#x} is not a multiple of {}", map.address, align);
  }
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.dims[i] == 0 || map.dims[i] > kMaxDim) {
      return fmt::format("{} is {}, not from 1 to 2^32", OfDimension("globalDim", i), map.dims[i]);
    }
  }
  const unsigned unit = padded ? kGroup : map.element == TensorElement::kB4 ? 2 : 1;
  if (map.dims[0] % unit != 0) {
    return fmt::format("globalDim[0] is {}, which is not a multiple of {} for this type",
                       map.dims[0], unit);
  }
  for (unsigned i = 0; i + 1 < map.rank; ++i) {
    if (map.strides[i] % align != 0 || map.strides[i] >= kMaxStride) {
      return fmt::format("{} is {}, not a multiple of {} below 2^40",
                         OfDimension("globalStrides", i), map.strides[i], align);
    }
  }
  return "";
}

std::string BrokenBySteps(const TensorMap& map) {
  for (unsigned i = map.IsInterleaved() ? 0 : 1; i < map.rank; ++i) {
    if (map.steps[i] == 0 || map.steps[i] > kMaxStep) {
      return fmt::format("{} is {}, not from 1 to {}", OfDimension("elementStrides", i),
                         map.steps[i], kMaxStep);
    }
  }
  return "";
}

std::string BrokenByBox(const TensorMap& map) {
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.box[i] == 0 || map.box[i] > kMaxBox) {
      return fmt::format("{} is {}, not from 1 to {}", OfDimension("boxDim", i), map.box[i],
                         kMaxBox);
    }
  }
  return "";
}

std::string BrokenByPixels(const TensorMap& map) {
  const bool wide = map.layout != TensorLayout::kIm2col;
  const unsigned bits = wide || map.rank == 3 ? 16 : map.rank == 4 ? 8 : 5;
  const std::int32_t least = -(1 << (bits - 1));
  for (unsigned i = 0; i < SpatialDims(map); ++i) {
    for (const auto& [name, corner] : {std::pair("pixelBoxLowerCorner", map.lower[i]),
                                       std::pair("pixelBoxUpperCorner", map.upper[i])}) {
      if (corner < least || corner >= -least) {
        return fmt::format("{} is {}, not from {} to {}", OfDimension(name, i), corner, least,
                           -least - 1);
      }
    }
    if (static_cast<std::int64_t>(map.dims[i + 1]) + map.upper[i] - map.lower[i] <= 0) {
      return fmt::format("the box of pixels from {} to {} is empty",
                         OfDimension("pixelBoxLowerCorner", i),
                         OfDimension("pixelBoxUpperCorner", i));
    }
  }
  if (map.channels == 0 || map.channels > kMaxBox) {
    return fmt::format("channelsPerPixel is {}, not from 1 to {}", map.channels, kMaxBox);
  }
  if (map.layout != TensorLayout::kIm2colW128 && (map.pixels == 0 || map.pixels > kMaxPixels)) {
    return fmt::format("pixelsPerColumn is {}, not from 1 to {}", map.pixels, kMaxPixels);
  }
  if (wide && map.IsInterleaved()) {
    return "interleave is not CU_TENSOR_MAP_INTERLEAVE_NONE, as im2col::w requires";
  }
  if (wide && (map.swizzle == TensorSwizzle::kNone || map.atom == TensorAtom::k32Flip8)) {
    return "swizzle is none, or swaps parts of 8 bytes, which im2col::w does not have";
  }
  return "";
}

std::string BrokenBySwizzle(const TensorMap& map) {
  const bool tile = map.layout == TensorLayout::kTile;
  const char* const name = tile ? "boxDim[0]" : "channelsPerPixel";
  const std::uint32_t inner = tile ? map.box[0] : map.channels;
  const unsigned span = BytesOf(map.swizzle);
  if (map.atom != TensorAtom::k16 && map.swizzle != TensorSwizzle::k128) {
    return "swizzle keeps more than 16 bytes together, which only that of 128 bytes can";
  }
  if (map.interleave == TensorInterleave::k32 && map.swizzle != TensorSwizzle::k32) {
    return "interleave is of 32 bytes, which requires CU_TENSOR_MAP_SWIZZLE_32B";
  }
  if (IsPadded(map.element)) {
    if (map.element == TensorElement::kB6Padded && map.IsInterleaved()) {
      return "interleave is not CU_TENSOR_MAP_INTERLEAVE_NONE, as this type requires";
    }
    if ((span != 0 && span != 128) || map.atom == TensorAtom::k32Flip8 ||
        (map.atom == TensorAtom::k64 && map.element == TensorElement::kB4Padded)) {
      return "swizzle is none that this type has";
    }
    if (inner != kGroup) {
      return fmt::format("{} is {}, which must be {} for this type", name, inner, kGroup);
    }
    return "";
  }
  if (map.IsInterleaved()) {
    return "";
  }
  const std::uint32_t bits = inner * BitsOf(map.element);
  if (bits % 128 != 0) {
    return fmt::format("{} is {}, which is no multiple of 16 bytes", name, inner);
  }
  if (span != 0 && bits / 8 > span) {
    return fmt::format("{} is {}, which takes {} bytes where the swizzle has {}", name, inner,
                       bits / 8, span);
  }
  return "";
}

}  // namespace

TensorMapImage Encode(const TensorMap& map) {
  TensorMapImage image{};
  std::copy(kMark.begin(), kMark.end(), image.begin());
  std::size_t at = kMark.size();
  ForEachMember(&map, [&](const auto* member, std::size_t bytes) {
    std::memcpy(&image[at], member, bytes);
    at += bytes;
  });
  const std::uint32_t check = CheckOf(image.data());
  std::memcpy(&image[kCheckAt], &check, sizeof check);
  return image;
}

std::optional<TensorMap> DecodeTensorMap(const std::uint8_t* bytes) {
  const std::uint32_t check = CheckOf(bytes);
  if (!std::equal(kMark.begin(), kMark.end(), bytes) ||
      std::memcmp(bytes + kCheckAt, &check, sizeof check) != 0) {
    return std::nullopt;
  }
  TensorMap map;
  std::size_t at = kMark.size();
  ForEachMember(&map, [&](auto* member, std::size_t size) {
    std::memcpy(member, bytes + at, size);
    at += size;
  });
  for (std::uint64_t& dim : map.dims) {
    dim = dim == 0 ? kMaxDim : dim;
  }
  for (auto* const corners : {&map.lower, &map.upper}) {
    for (std::int32_t& corner : *corners) {
      corner = static_cast<std::int16_t>(corner);
    }
  }
  return map;
}

std::string BrokenRule(const TensorMap& map) {
  const bool tile = map.layout == TensorLayout::kTile;
  const unsigned least = !tile || map.IsInterleaved() ? 3 : 1;
  if (map.rank < least || map.rank > kMaxTensorRank) {
    return fmt::format("tensorRank is {}, not from {} to {}", map.rank, least, kMaxTensorRank);
  }
  for (const auto rule :
       {BrokenByAddresses, BrokenBySteps, tile ? BrokenByBox : BrokenByPixels, BrokenBySwizzle}) {
    if (std::string broken = rule(map); !broken.empty()) {
      return broken;
    }
  }
  if (map.fills_nan && !IsFloat(map.element)) {
    return "oobFill asks for NaN, which only floating-point types have";
  }
  return "";
}

Type TypeOf(TensorElement element) {
  switch (element) {
    case TensorElement::kU8:
      return Type::kU8;
    case TensorElement::kU16:
      return Type::kU16;
    case TensorElement::kU32:
      return Type::kU32;
    case TensorElement::kS32:
      return Type::kS32;
    case TensorElement::kU64:
      return Type::kU64;
    case TensorElement::kS64:
      return Type::kS64;
    case TensorElement::kF16:
      return Type::kF16;
    case TensorElement::kF32:
    case TensorElement::kF32Ftz:
    case TensorElement::kTF32:
    case TensorElement::kTF32Ftz:
      return Type::kF32;
    case TensorElement::kF64:
      return Type::kF64;
    case TensorElement::kBF16:
      return Type::kBF16;
    case TensorElement::kB4:
    case TensorElement::kB4Padded:
    case TensorElement::kB6Padded:
      return Type::kNone;
  }
  return Type::kNone;
}

unsigned BitsOf(TensorElement element) {
  switch (element) {
    case TensorElement::kB4:
    case TensorElement::kB4Padded:
      return 4;
    case TensorElement::kB6Padded:
      return 6;
    default:
      return 8 * Bytes(TypeOf(element));
  }
}

}  // namespace muster::ptx
