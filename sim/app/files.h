// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Output files of a command, which must not overwrite its inputs.
#ifndef MUSTER_SIM_APP_FILES_H_
#define MUSTER_SIM_APP_FILES_H_

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace muster::app {

// Checks before a run that each output can be written and is neither an input nor another output,
// by any name or link. Writes nothing. Throws ptx::InputError.
void CheckOutputs(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

// Writes text to a file. Throws ptx::InputError.
void WriteFile(const std::string& path, const std::string& text);

// Whether a report of that name goes to the standard output.
inline bool IsStandardOutput(const std::string& report) { return report == "-"; }
// Writes a report to a file, or to the standard output if the name is "-". Throws ptx::InputError.
void WriteReport(const std::string& path, const nlohmann::ordered_json& json);
// Returns where text goes beside a report of that name: the standard output, or, if the report goes
// there, the standard error.
std::FILE* TextBeside(const std::string& report);

// Returns the text of a report for a file. The report may quote bytes that are not valid text.
std::string JsonText(const nlohmann::ordered_json& json);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_FILES_H_
