// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/ptx/program/address.h"
#include "sim/ptx/syntax/parser.h"

namespace muster::ptx {

Device::Device(const Manifest& manifest) : manifest_(manifest) {
  for (const Buffer& buffer : manifest_.buffers) {
    addresses_.push_back(
        memory_.Add({fmt::format("buffer {}", buffer.name), buffer.initial, true}));
  }
}

std::shared_ptr<const Program> Device::Load(const KernelLaunch& launch) {
  std::shared_ptr<const Program>& program = programs_[{launch.ptx, launch.kernel}];
  if (program == nullptr) {
    const auto module = Parse(launch.ptx, ReadFile(launch.ptx, "PTX file"));
    program = std::make_shared<const Program>(Link(*module, launch.kernel));
  }
  return program;
}

// The variables of the file that has run last are kept.
void Device::Leave() {
  if (current_ == nullptr) {
    return;
  }
  const Image& image = memory_.RegionAt(GenericAddress(kGlobalSegment, 0))->bytes;
  for (const FileVariable& variable : current_->variables) {
    if (!variable.is_const) {
      const auto begin = image.begin() + static_cast<std::ptrdiff_t>(variable.offset);
      left_[current_->file][{variable.at.line, variable.at.column}] = {
          begin, begin + static_cast<std::ptrdiff_t>(variable.bytes)};
    }
  }
}

void Device::Enter(std::shared_ptr<const Program> program) {
  if (current_ == program) {
    return;
  }
  Leave();
  current_ = std::move(program);
  Image image = current_->global_image;
  const auto& left = left_[current_->file];
  for (const FileVariable& variable : current_->variables) {
    const auto kept = left.find({variable.at.line, variable.at.column});
    if (!variable.is_const && kept != left.end()) {
      std::copy(kept->second.begin(), kept->second.end(),
                image.begin() + static_cast<std::ptrdiff_t>(variable.offset));
    }
  }
  memory_.Set(kGlobalSegment, {"the file's .global variables", std::move(image), true});
  memory_.Set(kConstSegment, {"the file's .const variables", current_->const_image, false});
}

std::uint64_t Device::AddressOf(const std::string& buffer) const {
  const auto found = std::find_if(manifest_.buffers.begin(), manifest_.buffers.end(),
                                  [&](const Buffer& other) { return other.name == buffer; });
  return found == manifest_.buffers.end()
             ? 0
             : addresses_[static_cast<std::size_t>(found - manifest_.buffers.begin())];
}

std::vector<std::uint8_t> Device::Contents(std::size_t buffer) const {
  return memory_.RegionAt(addresses_[buffer])->bytes;
}

}  // namespace muster::ptx
