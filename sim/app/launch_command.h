// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A launch on the command line, for `muster run` and `muster explore`: a manifest; or a PTX or CUDA
// file, and options that say what a manifest would.
#ifndef MUSTER_SIM_APP_LAUNCH_COMMAND_H_
#define MUSTER_SIM_APP_LAUNCH_COMMAND_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/app/cuda.h"
#include "sim/app/run.h"
#include "sim/ptx/launch/direct.h"

namespace muster::app {

struct LaunchCommand {
  std::string file;
  ptx::DirectLaunch launch;
  CudaOptions cuda;
  std::string write_manifest;
  std::uint64_t input = 0;              // the number of what to draw; 0: not given
  std::vector<std::uint32_t> without;   // places at which the kernel does not synchronize
  std::vector<CLI::Option*> of_launch;  // options of which a manifest has its own
};

// Adds an option that names a file.
CLI::Option* AddFile(CLI::App* command, const std::string& name, std::string* file,
                     const std::string& what);

// Adds the file and the options.
void AddLaunchOptions(CLI::App* app, LaunchCommand* command);

// Returns what the parsed options come to. Compiles a CUDA file, and writes the launch's manifest
// if asked for. Throws ptx::InputError.
Job JobOf(LaunchCommand* command);

bool EndsWith(const std::string& text, const std::string& end);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_LAUNCH_COMMAND_H_
