// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Multicast objects of a manifest.
#include <fmt/format.h>

#include <algorithm>

#include "sim/ptx/launch/manifest_reader.h"

namespace muster::ptx {

void ManifestReader::ReadMulticasts(const Json& object, Manifest* manifest) const {
  const auto find = [&](const std::string& name) {
    return std::find_if(manifest->buffers.begin(), manifest->buffers.end(),
                        [&](const Buffer& buffer) { return buffer.name == name; });
  };
  for (const auto& [name, value] : object.items()) {
    const std::string at = "multicast." + name;
    if (find(name) != manifest->buffers.end()) {
      Fail(at, "has the name of a buffer");
    }
    Multicast multicast{name, value["buffers"].get<std::vector<std::string>>()};
    const auto first = find(multicast.buffers.front());
    for (const std::string& buffer : multicast.buffers) {
      const auto found = find(buffer);
      if (found == manifest->buffers.end()) {
        Fail(at, fmt::format("names the buffer {}, which is not there", buffer));
      }
      if (found->initial.size() != first->initial.size()) {
        Fail(at, fmt::format("is of buffers of {} and of {} bytes, which must be the same",
                             first->initial.size(), found->initial.size()));
      }
      if (std::count(multicast.buffers.begin(), multicast.buffers.end(), buffer) != 1) {
        Fail(at, fmt::format("names the buffer {} twice", buffer));
      }
    }
    manifest->multicasts.push_back(std::move(multicast));
  }
}

}  // namespace muster::ptx
