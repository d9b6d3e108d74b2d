// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/manifest_text.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "sim/ptx/launch/manifest.h"

namespace muster::ptx {

namespace fs = std::filesystem;
using Members = nlohmann::ordered_json;

void ForEachFile(Members* members, const std::function<void(Members*)>& change) {
  if (members->contains("ptx")) {
    change(&(*members)["ptx"]);
  }
  for (const char* const section : {"buffers", "symbols", "expect"}) {
    if (!members->contains(section)) {
      continue;
    }
    for (Members& member : (*members)[section]) {
      Members& holder = member.contains("init") ? member["init"] : member;
      if (holder.is_object() && holder.contains("file")) {
        change(&holder["file"]);
      }
    }
  }
}

std::string ManifestText(Members members, const std::string& path) {
  const fs::path folder = fs::absolute(path).parent_path();
  ForEachFile(&members, [&](Members* file) {
    const fs::path absolute = fs::absolute(file->get<std::string>());
    const fs::path relative = absolute.lexically_relative(folder);
    *file = (relative.empty() ? absolute : relative).string();
  });
  std::string text;  // a line for each member
  for (const auto& [key, value] : members.items()) {
    text += fmt::format("{}  \"{}\": {}", text.empty() ? "{\n" : ",\n", key, value.dump());
  }
  return text + "\n}\n";
}

std::string ManifestTextFor(const std::string& manifest, const std::string& ptx,
                            const std::string& path) {
  Members members = Members::parse(ReadFile(manifest, "manifest"));
  ForEachFile(&members, [&](Members* file) {
    *file = (fs::path(manifest).parent_path() / file->get<std::string>()).string();
  });
  (members.contains("launches") ? members["launches"][0] : members)["ptx"] = ptx;
  return ManifestText(std::move(members), path);
}

}  // namespace muster::ptx
