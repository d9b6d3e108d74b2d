// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The command `muster run`, and the options that it shares with `muster suite`.
#ifndef MUSTER_SIM_APP_RUN_COMMAND_H_
#define MUSTER_SIM_APP_RUN_COMMAND_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sim/app/run.h"

namespace muster::app {

// Adds --config, --target, --seed, --max-cycles, --progress and --time-limit.
void AddRunOptions(CLI::App* command, RunOptions* options);

// Throws ptx::InputError if an option has no meaning for the target or, with --against, for a
// comparison of the unit and a GPU.
void CheckTarget(const CLI::App& command, const RunOptions& options,
                 const std::string& against = "");

// Adds the command, which sets the exit code when it runs. The flags are for the compiler of a CUDA
// file.
void AddRunCommand(CLI::App* app, const std::vector<std::string>& compiler_flags, int* code);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_RUN_COMMAND_H_
