// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster litmus: what PTX's memory model says of litmus tests.
#ifndef MUSTER_SIM_APP_LITMUS_COMMAND_H_
#define MUSTER_SIM_APP_LITMUS_COMMAND_H_

#include <CLI/CLI.hpp>

namespace muster::app {

// Adds the subcommand. Its callback sets the exit code.
void AddLitmusCommand(CLI::App* app, int* code);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_LITMUS_COMMAND_H_
