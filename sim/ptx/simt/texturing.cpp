// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a lookup reads are accesses to global memory.
#include "sim/ptx/simt/texturing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/isa/bits.h"
#include "sim/ptx/alu/compute.h"

namespace muster::ptx {
namespace {

constexpr unsigned kHandleBytes = 8;

Access AccessOf(Type type, unsigned count) {
  Access access;
  access.type = type;
  access.count = static_cast<std::uint8_t>(count);
  access.address.space = Space::kGlobal;
  return access;
}

}  // namespace

// The texture or surface that a value names: its handle, or the address of a .texref or .surfref
// variable, which holds one.
const Texture* Texturing::TextureAt(Warp* warp, unsigned lane, std::uint64_t value) {
  if (const Texture* const texture = x_.memory->TextureOf(value)) {
    return texture;
  }
  const std::uint8_t* const held =
      value % kHandleBytes == 0
          ? x_.space.Reach(warp, lane, Space::kGeneric, value, kHandleBytes, false)
          : nullptr;
  std::uint64_t handle = 0;
  if (held != nullptr) {
    std::memcpy(&handle, held, kHandleBytes);
  }
  return x_.memory->TextureOf(handle);
}

StepEvent Texturing::ExecuteTexture(Warp* warp, const Lanes& lanes, std::uint32_t frame) {
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    const auto& payload = lanes.instruction.payload;
    const auto* const lookup = std::get_if<TextureLookup>(&payload);
    const auto* const surface = std::get_if<SurfaceAccess>(&payload);
    const auto* const query = std::get_if<TextureQuery>(&payload);
    const Slot slot = lookup != nullptr  ? lookup->texture
                      : query != nullptr ? query->texture
                                         : surface->surface;
    const std::uint64_t value = lanes.Read(slot)[lane];
    const Texture* const texture = TextureAt(warp, lane, value);
    if (texture == nullptr) {
      return x_.Misuse(
          *warp, lane, lanes.instruction.line, "bad_texture",
          fmt::format("names the texture or surface {:#x}, which the manifest has not", value));
    }
    const unsigned dims = lookup != nullptr    ? lookup->dims
                          : surface != nullptr ? surface->dims
                                               : texture->dims;
    const bool layered = lookup != nullptr    ? lookup->layered
                         : surface != nullptr ? surface->layered
                                              : texture->layers != 0;
    if (dims != texture->dims || layered != (texture->layers != 0)) {
      return x_.Misuse(*warp, lane, lanes.instruction.line, "bad_texture",
                       fmt::format("takes {} for {}of {} dimensions, and it has {}{}",
                                   texture->name, layered ? "layers " : "", dims, texture->dims,
                                   texture->layers != 0 ? ", in layers" : ""));
    }
    StepEvent event = StepEvent::kAccess;
    if (lookup != nullptr) {
      event = LookUp(warp, lanes, frame, lane, *texture);
    } else if (surface != nullptr) {
      event = AccessSurface(warp, lanes, frame, lane, *texture);
    } else {
      lanes.Write(query->d)[lane] = PropertyOf(*texture, query->property);
    }
    if (event != StepEvent::kAccess) {
      return event;
    }
  }
  return StepEvent::kAccess;
}

std::uint32_t Texturing::PropertyOf(const Texture& texture, TextureProperty property) {
  switch (property) {
    case TextureProperty::kWidth:
    case TextureProperty::kHeight:
    case TextureProperty::kDepth:
      return static_cast<unsigned>(property) < texture.dims
                 ? texture.SizeOf(static_cast<unsigned>(property))
                 : 0;
    case TextureProperty::kNormalized:
      return texture.normalized ? 1 : 0;
    case TextureProperty::kLayers:
      return texture.layers;
    case TextureProperty::kFilter:
      return texture.linear ? 1 : 0;
    case TextureProperty::kAddress0:
    case TextureProperty::kAddress1:
    case TextureProperty::kAddress2:
      return static_cast<std::uint32_t>(
          texture.addressing[static_cast<unsigned>(property) -
                             static_cast<unsigned>(TextureProperty::kAddress0)]);
    default:  // of several levels, or samples
      return 0;
  }
}

// The bytes of a texel, of which others may have to hear; null: there are none.
const std::uint8_t* Texturing::ReadTexel(const Warp& warp, unsigned lane, const Texture& texture,
                                         std::uint64_t address, Origin* origin) {
  const std::uint8_t* const texel = x_.memory->Find(address, texture.texel_bytes(), false);
  if (texel != nullptr && x_.tracks_unknown && *origin == 0) {
    *origin = x_.memory->unknown().Find(address, texture.texel_bytes());
  }
  if (texel != nullptr && x_.accesses != nullptr) {
    Instruction load;  // as such it reads
    load.op = Op::kLoad;
    x_.accesses->OnAccess(warp, lane, load, AccessOf(texture.type, texture.components), nullptr,
                          address, false);
  }
  return texel;
}

StepEvent Texturing::LookUp(Warp* warp, const Lanes& lanes, std::uint32_t frame, unsigned lane,
                            const Texture& texture) {
  const auto& i = lanes.instruction.As<TextureLookup>();
  const auto word = [&](Slot slot) {
    return slot == kNoSlot ? 0 : static_cast<std::uint32_t>(lanes.Read(slot)[lane]);
  };
  std::array<double, 3> coordinates{};
  std::array<std::int32_t, 3> offsets{};
  for (unsigned k = 0; k < i.dims; ++k) {
    const std::uint32_t bits = word(i.coordinates[k]);
    coordinates[k] =
        i.integer_coordinates ? static_cast<std::int32_t>(bits) : double{FromBits<float>(bits)};
    offsets[k] = static_cast<std::int32_t>(word(i.offsets[k]));
  }
  const Texels texels =
      i.gathers ? GatheredOf(texture, coordinates, offsets, word(i.layer))
                : TexelsOf(texture, coordinates, offsets, word(i.layer), i.integer_coordinates);
  std::array<double, 4> sums{};
  std::array<std::uint32_t, 4> words{};
  Origin origin = 0;
  for (std::size_t t = 0; t < texels.all.size(); ++t) {
    const Texels::One& one = texels.all[t];
    const std::uint8_t* const texel =
        one.address ? ReadTexel(*warp, lane, texture, *one.address, &origin) : nullptr;
    if (one.address && texel == nullptr) {
      return x_.Fault(*warp, lane, lanes.instruction.line,
                      x_.space.DescribeReach(*warp, Space::kGlobal, *one.address,
                                             texture.texel_bytes(), false));
    }
    for (unsigned k = 0; k < 4 && texel != nullptr; ++k) {
      if (i.gathers && k != t) {
        continue;
      }
      const unsigned component = i.gathers ? i.component : k;
      sums[k] += one.weight * NumberOf(texture, texel, component);
      words[k] = ComponentOf(texture, texel, component);
    }
  }
  for (unsigned k = 0; k < 4; ++k) {
    lanes.Write(i.d[k])[lane] =
        texels.all.size() > 1 && !i.gathers ? ToBits(static_cast<float>(sums[k])) : words[k];
  }
  if (x_.tracks_unknown) {
    SetUnknown(warp, frame, {i.d.begin(), i.d.end()}, 1U << lane, origin);
  }
  return StepEvent::kAccess;
}

StepEvent Texturing::AccessSurface(Warp* warp, const Lanes& lanes, std::uint32_t frame,
                                   unsigned lane, const Texture& texture) {
  using What = SurfaceAccess::What;
  const auto& i = lanes.instruction.As<SurfaceAccess>();
  const unsigned each = Bytes(i.type);
  const unsigned bytes = each * i.count;
  std::array<std::int64_t, 3> coordinates{};
  for (unsigned k = 0; k < i.dims; ++k) {
    coordinates[k] = static_cast<std::int32_t>(lanes.Read(i.coordinates[k])[lane]);
    if (i.bounds == SurfaceBounds::kClamp) {
      const std::int64_t most = k == 0
                                    ? std::int64_t{texture.size[0]} * texture.texel_bytes() - bytes
                                    : std::int64_t{texture.size[k]} - 1;
      coordinates[k] = std::clamp<std::int64_t>(coordinates[k], 0, std::max<std::int64_t>(most, 0));
    }
  }
  const auto layer = i.layer == kNoSlot ? 0 : static_cast<std::uint32_t>(lanes.Read(i.layer)[lane]);
  const TexelAddress address = SurfaceByte(texture, coordinates, layer, bytes);
  if ((address && *address % bytes != 0) || (!address && i.bounds != SurfaceBounds::kZero)) {
    return x_.Misuse(
        *warp, lane, lanes.instruction.line, "bad_texture",
        fmt::format("accesses {} bytes from byte {} of a row of {} on, {}", bytes, coordinates[0],
                    texture.name, address ? "which is no multiple of them" : "which is outside"));
  }
  std::uint8_t* const at =
      address ? x_.memory->Find(*address, bytes, i.what != What::kLoad) : nullptr;
  if (address && at == nullptr) {
    return x_.Fault(
        *warp, lane, lanes.instruction.line,
        x_.space.DescribeReach(*warp, Space::kGlobal, *address, bytes, i.what != What::kLoad));
  }
  bool changed = false;
  for (unsigned k = 0; k < i.count; ++k) {
    std::uint8_t* const element = at == nullptr ? nullptr : at + std::size_t{k} * each;
    if (i.what == What::kLoad) {
      std::uint64_t bits = 0;
      if (element != nullptr) {
        std::memcpy(&bits, element, each);
      }
      lanes.Write(i.d[k])[lane] = bits;
    } else if (element != nullptr) {
      std::uint64_t before = 0;
      std::memcpy(&before, element, each);
      const std::uint64_t value = lanes.Read(i.values[k])[lane];
      if (i.what == What::kStore) {
        std::memcpy(element, &value, each);
      } else {
        SwapInMemory(element, i.type, i.op, value, 0, true);
      }
      changed |= std::memcmp(element, &before, each) != 0;
    }
    if (x_.tracks_unknown && address) {
      const std::uint64_t place = *address + std::uint64_t{k} * each;
      if (i.what == What::kLoad) {
        SetUnknown(warp, frame, {i.d[k]}, 1U << lane, x_.memory->unknown().Find(place, each));
      } else if (const Origin origin = UnknownIn(*warp, frame, {i.values[k]}, 1U << lane, nullptr);
                 origin != 0 || i.what == What::kStore) {
        x_.memory->unknown().Set(place, each, origin);
      }
    }
  }
  x_.changed |= changed;
  if (x_.accesses != nullptr && address) {
    Instruction as;  // the same of a buffer
    as.op = i.what == What::kLoad ? Op::kLoad : i.what == What::kStore ? Op::kStore : Op::kAtomic;
    Access access = AccessOf(i.type, i.count);
    access.ordering = i.what == What::kReduce ? Ordering{Order::kRelaxed, Scope::kGpu} : Ordering{};
    x_.accesses->OnAccess(*warp, lane, as, access, nullptr, *address, changed);
  }
  return StepEvent::kAccess;
}

}  // namespace muster::ptx
