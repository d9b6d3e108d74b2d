// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The command `muster explain`.
#ifndef MUSTER_SIM_APP_EXPLAIN_COMMAND_H_
#define MUSTER_SIM_APP_EXPLAIN_COMMAND_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace muster::app {

// Adds the command, which sets the exit code when it runs. The flags are for the compiler of a CUDA
// file.
void AddExplainCommand(CLI::App* app, const std::vector<std::string>& compiler_flags, int* code);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_EXPLAIN_COMMAND_H_
