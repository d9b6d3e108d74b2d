// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#ifndef MUSTER_SIM_APP_EXPLORE_COMMAND_H_
#define MUSTER_SIM_APP_EXPLORE_COMMAND_H_

#include <CLI/CLI.hpp>

namespace muster::app {

// Adds the command `muster explore`, which explores other orders of a kernel's events. Its exit
// code goes to *code.
void AddExploreCommand(CLI::App* app, int* code);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_EXPLORE_COMMAND_H_
