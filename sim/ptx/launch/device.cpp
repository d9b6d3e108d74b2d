// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/sync_place.h"
#include "sim/ptx/syntax/parser.h"

namespace muster::ptx {
namespace {

using Image = std::vector<std::uint8_t>;

Image Part(const Image& image, const FileVariable& variable) {
  const auto begin = image.begin() + static_cast<std::ptrdiff_t>(variable.offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(variable.bytes)};
}

}  // namespace

Device::Device(const Manifest& manifest) : manifest_(manifest) {
  for (const Buffer& buffer : manifest_.buffers) {
    addresses_.push_back(
        buffer.symbol ? 0
                      : memory_.Add({fmt::format("buffer {}", buffer.name), buffer.initial, true}));
  }
  for (const NamedTexture& named : manifest_.textures) {
    Texture placed = named.texture;
    placed.address += AddressOf(named.buffer);
    handles_[named.texture.name] = memory_.Add(std::move(placed));
  }
  for (const Multicast& multicast : manifest_.multicasts) {
    Region region{fmt::format("the multicast object {}", multicast.name), {}, true};
    std::transform(multicast.buffers.begin(), multicast.buffers.end(),
                   std::back_inserter(region.copies),
                   [this](const std::string& buffer) { return AddressOf(buffer); });
    handles_[multicast.name] = memory_.Add(std::move(region));
  }
  for (const Buffer& buffer : manifest_.buffers) {
    if (buffer.symbol && !buffer.initial.empty()) {
      kept_[buffer.symbol->ptx][Of(buffer.symbol->variable)] = {Holding(buffer), {}};
    } else if (!buffer.maps.empty()) {
      const Image held = Holding(buffer);
      std::copy(held.begin(), held.end(), memory_.Find(AddressOf(buffer.name), held.size(), true));
    }
  }
}

// What a buffer holds at first, with the tensor maps that it begins with.
Image Device::Holding(const Buffer& buffer) const {
  Image image = buffer.initial;
  for (std::size_t i = 0; i < buffer.maps.size(); ++i) {
    const TensorMapImage map = ImageOf(buffer.maps[i]);
    std::copy(map.begin(), map.end(),
              image.begin() + static_cast<std::ptrdiff_t>(i * kTensorMapBytes));
  }
  return image;
}

TensorMapImage Device::ImageOf(const std::string& map) const {
  const NamedMap& named = *manifest_.MapOf(map);
  TensorMap placed = named.map;
  placed.address += AddressOf(named.buffer);
  return Encode(placed);
}

std::shared_ptr<const Program> Device::Load(const std::string& ptx,
                                            const std::vector<std::string>& kernels) {
  std::shared_ptr<const Program>& program = programs_[{ptx, kernels}];
  if (program == nullptr) {
    const auto module = Parse(ptx, ReadFile(ptx, "PTX file"));
    program = std::make_shared<const Program>(Without(Link(*module, kernels), manifest_.without));
    for (const FileVariable& variable : program->variables) {  // save those with other values
      kept_[ptx].emplace(
          Of(variable),
          Held{Part(variable.is_const ? program->const_image : program->global_image, variable),
               {}});
    }
  }
  return program;
}

std::uint64_t Device::AddressOf(const FileVariable& variable) {
  return GenericAddress(variable.is_const ? kConstSegment : kGlobalSegment, variable.offset);
}

Device::Held Device::InMemory(const Memory& memory, const FileVariable& variable) {
  Held held{Part(memory.RegionAt(AddressOf(variable))->bytes, variable), {}};
  held.unknown.Copy(0, memory.unknown(), AddressOf(variable), variable.bytes);
  return held;
}

void Device::Enter(std::shared_ptr<const Program> program) {
  if (current_ == program) {
    return;
  }
  if (current_ != nullptr) {
    for (const FileVariable& variable : current_->variables) {
      kept_[current_->file][Of(variable)] = InMemory(memory_, variable);
    }
  }
  current_ = std::move(program);
  Image global = current_->global_image;
  Image constant = current_->const_image;
  const auto& kept = kept_[current_->file];
  for (const FileVariable& variable : current_->variables) {
    const auto& [bytes, unknown] = kept.at(Of(variable));
    std::copy(bytes.begin(), bytes.end(),
              (variable.is_const ? constant : global).begin() +
                  static_cast<std::ptrdiff_t>(variable.offset));
    memory_.unknown().Copy(AddressOf(variable), unknown, 0, variable.bytes);
    const auto handle = handles_.find(variable.name);
    if (handle != handles_.end() && variable.bytes == sizeof handle->second) {
      std::memcpy((variable.is_const ? constant : global).data() + variable.offset, &handle->second,
                  sizeof handle->second);
    }
  }
  memory_.Set(kGlobalSegment, {"the file's .global variables", std::move(global), true});
  memory_.Set(kConstSegment, {"the file's .const variables", std::move(constant), false});
}

std::uint64_t Device::AddressOf(const std::string& name) const {
  if (const auto multicast = handles_.find(name); multicast != handles_.end()) {
    return multicast->second;
  }
  const auto found = std::find_if(manifest_.buffers.begin(), manifest_.buffers.end(),
                                  [&](const Buffer& other) { return other.name == name; });
  return found == manifest_.buffers.end()
             ? 0
             : addresses_[static_cast<std::size_t>(found - manifest_.buffers.begin())];
}

Device::Held Device::HeldIn(const Memory& memory, std::size_t buffer) const {
  const std::optional<FileSymbol>& symbol = manifest_.buffers[buffer].symbol;
  if (!symbol) {
    Held held{memory.RegionAt(addresses_[buffer])->bytes, {}};
    held.unknown.Copy(0, memory.unknown(), addresses_[buffer], held.bytes.size());
    return held;
  }
  if (current_ != nullptr && current_->file == symbol->ptx) {
    for (const FileVariable& variable : current_->variables) {
      if (Of(variable) == Of(symbol->variable)) {
        return InMemory(memory, variable);
      }
    }
  }
  return kept_.at(symbol->ptx).at(Of(symbol->variable));
}

Image Device::ContentsIn(const Memory& memory, std::size_t buffer) const {
  return HeldIn(memory, buffer).bytes;
}

UnknownBytes Device::UnknownIn(const Memory& memory, std::size_t buffer) const {
  return HeldIn(memory, buffer).unknown;
}

}  // namespace muster::ptx
