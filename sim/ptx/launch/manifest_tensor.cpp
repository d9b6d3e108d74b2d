// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Tensor maps of a manifest.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "sim/ptx/launch/manifest_reader.h"
#include "sim/ptx/simt/tensor_map.h"

namespace muster::ptx {
namespace {

// In the order of their numbers.
constexpr const char* kElements[] = {"u8",       "u16",   "u32",       "s32",      "u64",  "s64",
                                     "f16",      "f32",   "f32.ftz",   "f64",      "bf16", "tf32",
                                     "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
constexpr const char* kInterleaves[] = {"none", "16B", "32B"};
constexpr const char* kPromotions[] = {"none", "64B", "128B", "256B"};
constexpr const char* kFills[] = {"zero", "nan"};
constexpr const char* kModes[] = {"tile", "im2col", "w", "w128"};
struct NamedSwizzle {
  const char* name;
  TensorSwizzle swizzle;
  TensorAtom atom;
};
constexpr NamedSwizzle kSwizzles[] = {
    {"none", TensorSwizzle::kNone, TensorAtom::k16},
    {"32B", TensorSwizzle::k32, TensorAtom::k16},
    {"64B", TensorSwizzle::k64, TensorAtom::k16},
    {"128B", TensorSwizzle::k128, TensorAtom::k16},
    {"128B_atom_32B", TensorSwizzle::k128, TensorAtom::k32},
    {"128B_atom_32B_flip_8B", TensorSwizzle::k128, TensorAtom::k32Flip8},
    {"128B_atom_64B", TensorSwizzle::k128, TensorAtom::k64},
};

// The index of a member among the names; the first if it is not there.
template <std::size_t kCount>
unsigned IndexOf(const Json& value, const char* key, const char* const (&names)[kCount]) {
  const std::string name = value.value(key, std::string(names[0]));
  return static_cast<unsigned>(std::find(std::begin(names), std::end(names), name) -
                               std::begin(names));
}

// Whether the list has so many entries, which are then in *to.
template <typename T, std::size_t kCount>
bool Fill(const Json& list, std::size_t count, std::array<T, kCount>* to) {
  if (list.size() != count) {
    return false;
  }
  std::transform(list.begin(), list.end(), to->begin(),
                 [](const Json& one) { return one.get<T>(); });
  return true;
}

// Strides of elements that lie side by side.
void LayOut(TensorMap* map) {
  std::uint64_t bits = map->IsInterleaved() ? 8 * BytesOf(map->interleave) : BitsOf(map->element);
  for (unsigned i = 0; i + 1 < map->rank; ++i) {
    bits *= map->dims[i];
    map->strides[i] = bits / 8;
  }
}

}  // namespace

const NamedMap* Manifest::MapOf(const std::string& name) const {
  const auto found =
      std::find_if(maps.begin(), maps.end(), [&](const NamedMap& map) { return map.name == name; });
  return found == maps.end() ? nullptr : &*found;
}

NamedMap ManifestReader::ReadMap(const std::string& name, const Json& value,
                                 const Manifest& manifest, const std::string& at) const {
  NamedMap named;
  named.name = name;
  value["buffer"].get_to(named.buffer);
  if (std::none_of(manifest.buffers.begin(), manifest.buffers.end(),
                   [&](const Buffer& buffer) { return buffer.name == named.buffer; })) {
    Fail(at + ".buffer", fmt::format("names the buffer {}, which is not there", named.buffer));
  }
  TensorMap& map = named.map;
  map.address = value.value("offset", std::uint64_t{0});
  map.element = static_cast<TensorElement>(IndexOf(value, "type", kElements));
  map.interleave = static_cast<TensorInterleave>(IndexOf(value, "interleave", kInterleaves));
  map.promotion = static_cast<std::uint8_t>(IndexOf(value, "l2_promotion", kPromotions));
  map.fills_nan = IndexOf(value, "fill", kFills) == 1;
  const std::string swizzle = value.value("swizzle", "none");
  for (const NamedSwizzle& one : kSwizzles) {
    if (swizzle == one.name) {
      map.swizzle = one.swizzle;
      map.atom = one.atom;
    }
  }
  const std::size_t rank = value["dims"].size();
  map.rank = static_cast<std::uint8_t>(rank);
  map.steps.fill(1);
  Fill(value["dims"], rank, &map.dims);
  LayOut(&map);
  const auto read = [&](const Json& object, const std::string& key, std::size_t count, auto* to) {
    With(object, key.substr(key.rfind('.') + 1).c_str(), [&](const Json& list) {
      if (!Fill(list, count, to)) {
        Fail(fmt::format("{}.{}", at, key), fmt::format("must have {} number{}, and has {}", count,
                                                        count == 1 ? "" : "s", list.size()));
      }
    });
  };
  read(value, "strides", rank == 0 ? 0 : rank - 1, &map.strides);
  read(value, "element_strides", rank, &map.steps);
  if (value.contains("im2col") == value.contains("box")) {
    Fail(at, "must have one of \"box\" and \"im2col\"");
  }
  read(value, "box", rank, &map.box);
  With(value, "im2col", [&](const Json& im2col) {
    const unsigned mode = im2col.contains("mode") ? IndexOf(im2col, "mode", kModes) : 1;
    map.layout = static_cast<TensorLayout>(mode);
    const std::size_t corners = mode > 1 ? 1 : rank < 3 ? 0 : rank - 2;
    read(im2col, "im2col.lower", corners, &map.lower);
    read(im2col, "im2col.upper", corners, &map.upper);
    map.channels = im2col["channels"].get<std::uint32_t>();
    map.pixels = im2col.value("pixels", std::uint32_t{0});
  });
  if (const std::string broken = BrokenRule(map); !broken.empty()) {
    constexpr const char* kMakers[] = {"Tiled", "Im2col", "Im2colWide", "Im2colWide"};
    Fail(at, fmt::format("is none that CUDA's driver makes: cuTensorMapEncode{} returns "
                         "CUDA_ERROR_INVALID_VALUE, for {}",
                         kMakers[static_cast<unsigned>(map.layout)], broken));
  }
  return named;
}

void ManifestReader::ReadMaps(Manifest* manifest) const {
  With("tensor_maps", [&](const Json& object) {
    for (const auto& [name, value] : object.items()) {
      manifest->maps.push_back(ReadMap(name, value, *manifest, "tensor_maps." + name));
    }
  });
  With("buffers", [&](const Json& buffers) {
    for (Buffer& buffer : manifest->buffers) {
      With(buffers[buffer.name], "init", [&](const Json& init) {
        ReadHeldMaps(init, *manifest, fmt::format("buffers.{}.init", buffer.name), &buffer);
      });
    }
  });
}

// The tensor maps that a buffer or symbol begins with, if that is what the text says.
void ManifestReader::ReadHeldMaps(const Json& init, const Manifest& manifest, const std::string& at,
                                  Buffer* buffer) const {
  if (!init.is_object() || !init.contains("tensor_maps")) {
    return;
  }
  init["tensor_maps"].get_to(buffer->maps);
  for (const std::string& name : buffer->maps) {
    if (manifest.MapOf(name) == nullptr) {
      Fail(at, fmt::format("names the tensor map {}, which is not there", name));
    }
  }
  if (buffer->maps.size() * kTensorMapBytes != buffer->initial.size()) {
    Fail(at,
         fmt::format("has {} bytes of tensor maps, but {} has {}",
                     buffer->maps.size() * kTensorMapBytes, buffer->name, buffer->initial.size()));
  }
}

}  // namespace muster::ptx
