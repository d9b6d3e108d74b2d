// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The shape of a manifest and of a schedule, by their JSON schemas: which members there are, of
// which types, within which limits.
#ifndef MUSTER_SIM_PTX_LAUNCH_MANIFEST_SCHEMA_H_
#define MUSTER_SIM_PTX_LAUNCH_MANIFEST_SCHEMA_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace muster::ptx {

// The texts of manifest.schema.json and schedule.schema.json.
extern const char* const kManifestSchema;
extern const char* const kScheduleSchema;

// A place at which a file breaks its schema.
struct SchemaBreach {
  std::string at;    // the member's path: "buffers.in.type", "args[2]"; empty: the file
  std::string what;  // goes on after it: "must be a list"
};

// The first breach, if there is one.
std::optional<SchemaBreach> CheckSchema(const char* text, const nlohmann::json& file);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_MANIFEST_SCHEMA_H_
