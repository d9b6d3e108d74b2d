// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#ifndef MUSTER_SIM_APP_EXPLORE_COMMAND_H_
#define MUSTER_SIM_APP_EXPLORE_COMMAND_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace muster::app {

// Adds the command `muster explore`, which explores other orders of a kernel's events. Its exit
// code goes to *code. The flags are for the compiler of a CUDA file.
void AddExploreCommand(CLI::App* app, const std::vector<std::string>& compiler_flags, int* code);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_EXPLORE_COMMAND_H_
