// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The files that a command writes, and that it must not lose those that it reads.
#ifndef MUSTER_SIM_APP_FILES_H_
#define MUSTER_SIM_APP_FILES_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace muster::app {

// What is better found before the run than after it: each output can be written, and is no input
// and no other output, by whatever names and links. Writes nothing. Throws ptx::InputError.
void CheckOutputs(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

// Writes text to a file. Throws ptx::InputError.
void WriteFile(const std::string& path, const std::string& text);

// What a file holds of a report, which may quote bytes that are no text.
std::string JsonText(const nlohmann::ordered_json& json);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_FILES_H_
