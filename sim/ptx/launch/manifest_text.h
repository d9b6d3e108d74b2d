// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The text of a manifest file, and the files that it names.
#ifndef MUSTER_SIM_PTX_LAUNCH_MANIFEST_TEXT_H_
#define MUSTER_SIM_PTX_LAUNCH_MANIFEST_TEXT_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace muster::ptx {

// Calls `change` with each file that the members of a manifest name.
void ForEachFile(nlohmann::ordered_json* members,
                 const std::function<void(nlohmann::ordered_json*)>& change);

// The text of a manifest file at `path` with these members: its paths count from there.
std::string ManifestText(nlohmann::ordered_json members, const std::string& path);

// The text of a manifest file at `path` that says what this one does, of another PTX file.
std::string ManifestTextFor(const std::string& manifest, const std::string& ptx,
                            const std::string& path);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_MANIFEST_TEXT_H_
