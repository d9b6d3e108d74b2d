// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Textures and surfaces of a manifest.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "sim/ptx/launch/element.h"
#include "sim/ptx/launch/manifest_reader.h"

namespace muster::ptx {
namespace {

// In the order of their numbers.
constexpr std::array<const char*, 5> kAddressing = {"wrap", "mirror", "clamp_ogl", "clamp",
                                                    "border"};

TextureAddress AddressingNamed(const std::string& name) {
  return static_cast<TextureAddress>(std::find(kAddressing.begin(), kAddressing.end(), name) -
                                     kAddressing.begin());
}

}  // namespace

const NamedTexture* Manifest::TextureOf(const std::string& name) const {
  const auto found = std::find_if(textures.begin(), textures.end(), [&](const NamedTexture& one) {
    return one.texture.name == name;
  });
  return found == textures.end() ? nullptr : &*found;
}

NamedTexture ManifestReader::ReadTexture(const std::string& name, const Json& value,
                                         const Manifest& manifest, const std::string& at) const {
  NamedTexture named;
  Texture& texture = named.texture;
  texture.name = name;
  value["buffer"].get_to(named.buffer);
  const auto buffer = std::find_if(manifest.buffers.begin(), manifest.buffers.end(),
                                   [&](const Buffer& other) { return other.name == named.buffer; });
  if (buffer == manifest.buffers.end()) {
    Fail(at + ".buffer", fmt::format("names the buffer {}, which is not there", named.buffer));
  }
  if (std::any_of(manifest.buffers.begin(), manifest.buffers.end(),
                  [&](const Buffer& other) { return other.name == name; })) {
    Fail(at, "has the name of a buffer");
  }
  texture.address = value.value("offset", std::uint64_t{0});
  texture.type = ElementTypeOf(value["type"].get<std::string>());
  texture.components = value.value("components", 1U);
  const Json& size = value["size"];
  texture.dims = static_cast<unsigned>(size.size());
  std::transform(size.begin(), size.end(), texture.size.begin(),
                 [](const Json& one) { return one.get<std::uint32_t>(); });
  texture.layers = value.value("layers", std::uint32_t{0});
  const std::uint64_t width = std::uint64_t{texture.size[0]} * texture.texel_bytes();
  texture.row = value.value("pitch", width);
  texture.slice = texture.row * texture.SizeOf(1);
  texture.linear = value.value("filter", "nearest") == "linear";
  texture.normalized = value.value("normalized_coordinates", false);
  texture.reads_floats = value.value("read", "element") == "normalized";
  With(value, "address", [&](const Json& mode) {
    for (unsigned dim = 0; dim < texture.addressing.size(); ++dim) {
      const bool single = mode.is_string();
      if (single || dim < mode.size()) {
        texture.addressing[dim] = AddressingNamed((single ? mode : mode[dim]).get<std::string>());
      }
    }
  });
  if (texture.layers != 0 && texture.dims == 3) {
    Fail(at, "has layers and three dimensions: there are layers of one or two");
  }
  if (texture.linear && !texture.IsFloat()) {
    Fail(at,
         "filters integers, which are no numbers from 0 to 1: it lacks \"read\": "
         "\"normalized\"");
  }
  if (texture.reads_floats && (IsReal(texture.type) || Bytes(texture.type) > 2)) {
    Fail(at, "reads as normalized what are no integers of 8 or 16 bits");
  }
  if (texture.row < width) {
    Fail(at, fmt::format("has a pitch of {} bytes, and rows of {}", texture.row, width));
  }
  const std::uint64_t slices =
      std::uint64_t{texture.SizeOf(2)} * std::max(texture.layers, std::uint32_t{1});
  const std::uint64_t end = texture.address + (slices - 1) * texture.slice +
                            (texture.SizeOf(1) - 1) * texture.row + width;
  if (end > buffer->initial.size()) {
    Fail(at, fmt::format("reaches up to byte {} of the buffer {}, which has {}", end, named.buffer,
                         buffer->initial.size()));
  }
  return named;
}

void ManifestReader::ReadTextures(const Json& object, Manifest* manifest) const {
  for (const auto& [name, value] : object.items()) {
    manifest->textures.push_back(ReadTexture(name, value, *manifest, "textures." + name));
  }
}

}  // namespace muster::ptx
