// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/textures.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::gpu {
namespace {

// CUarray_format.
int FormatOf(ptx::Type type) {
  switch (type) {
    case ptx::Type::kU8:
      return 0x01;
    case ptx::Type::kU16:
      return 0x02;
    case ptx::Type::kU32:
      return 0x03;
    case ptx::Type::kS8:
      return 0x08;
    case ptx::Type::kS16:
      return 0x09;
    case ptx::Type::kS32:
      return 0x0a;
    case ptx::Type::kF16:
      return 0x10;
    default:
      return 0x20;  // f32
  }
}

// CUaddress_mode.
int NumberOf(ptx::TextureAddress mode) {
  switch (mode) {
    case ptx::TextureAddress::kWrap:
      return 0;
    case ptx::TextureAddress::kMirror:
      return 2;
    case ptx::TextureAddress::kBorder:
      return 3;
    default:
      return 1;  // clamp
  }
}

cuda::ArrayDescriptor ArrayOf(const ptx::Texture& texture) {
  cuda::ArrayDescriptor array;
  array.width = texture.size[0];
  array.height = texture.dims > 1 ? texture.size[1] : 0;
  array.depth = texture.dims > 2 ? texture.size[2] : texture.layers;
  array.format = FormatOf(texture.type);
  array.components = texture.components;
  array.flags = cuda::kSurface | (texture.layers != 0 ? cuda::kLayered : 0);
  return array;
}

cuda::TextureDescriptor DescriptorOf(const ptx::Texture& texture) {
  cuda::TextureDescriptor descriptor;
  std::transform(texture.addressing.begin(), texture.addressing.end(), descriptor.addressing,
                 NumberOf);
  descriptor.filter = texture.linear ? 1 : 0;
  descriptor.flags = (texture.IsFloat() ? 0 : cuda::kReadAsInteger) |
                     (texture.normalized ? cuda::kNormalizedCoordinates : 0);
  return descriptor;
}

}  // namespace

Textures::~Textures() {
  for (const Made& made : made_) {
    if (made.texture != 0) {
      driver_.TexObjectDestroy(made.texture);
    }
    if (made.surface != 0) {
      driver_.SurfObjectDestroy(made.surface);
    }
    if (made.array != nullptr) {
      driver_.ArrayDestroy(made.array);
    }
  }
}

cuda::Result Textures::Copy(const Made& made, bool back) const {
  const ptx::Texture& texture = made.named->texture;
  cuda::Copy copy;
  cuda::CopySide& host = back ? copy.to : copy.from;
  cuda::CopySide& array = back ? copy.from : copy.to;
  host.host = memory_ + task_.PlaceOf(made.named->buffer) + texture.address;
  host.pitch = texture.row;
  host.height = texture.SizeOf(1);
  array.kind = cuda::kArrayMemory;
  array.array = made.array;
  copy.width_bytes = std::size_t{texture.size[0]} * texture.texel_bytes();
  copy.height = texture.SizeOf(1);
  copy.depth = std::max(texture.SizeOf(2), texture.layers);
  return driver_.Memcpy3D(&copy);
}

cuda::Result Textures::Make(Made* made) const {
  const ptx::Texture& texture = made->named->texture;
  const cuda::ArrayDescriptor descriptor = ArrayOf(texture);
  cuda::Result result = driver_.Array3DCreate(&made->array, &descriptor);
  if (result == cuda::kSuccess) {
    result = Copy(*made, false);
  }
  cuda::Resource resource;
  resource.array = made->array;
  if (result == cuda::kSuccess) {
    const cuda::TextureDescriptor lookups = DescriptorOf(texture);
    result = driver_.TexObjectCreate(&made->texture, &resource, &lookups, nullptr);
  }
  if (result == cuda::kSuccess) {
    result = driver_.SurfObjectCreate(&made->surface, &resource);
  }
  return result;
}

Ending Textures::Make(Task::Objects* objects) {
  for (const ptx::NamedTexture& named : task_.manifest().textures) {
    Made& made = made_.emplace_back();
    made.named = &named;
    const std::string& name = named.texture.name;
    if (const cuda::Result result = Make(&made); result != cuda::kSuccess) {
      return Failed(EndKind::kDoesNotLaunch, driver_.NameOf(result),
                    fmt::format("the driver does not make the texture {}", name));
    }
    objects->textures[name] = made.texture;
    objects->surfaces[name] = made.surface;
  }
  return {};
}

Ending Textures::CopyBack() const {
  for (const Made& made : made_) {
    const std::string& name = made.named->texture.name;
    if (!task_.IsSurface(name)) {
      continue;
    }
    if (const cuda::Result result = Copy(made, true); result != cuda::kSuccess) {
      return Failed(EndKind::kTrap, driver_.NameOf(result),
                    fmt::format("the driver does not copy the surface {} back", name));
    }
  }
  return {};
}

}  // namespace muster::gpu
