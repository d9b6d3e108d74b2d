// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs all kernels of a directory, and checks each against its manifest.
#ifndef MUSTER_SIM_APP_SUITE_H_
#define MUSTER_SIM_APP_SUITE_H_

#include <string>
#include <vector>

#include "sim/app/run.h"

namespace muster::app {

struct SuiteOptions {
  RunOptions run;    // options for each run, without its files
  std::string json;  // files, or empty
  std::string junit;
  std::string against;  // "cuda" or "cuda:N", or empty
};

// Runs every manifest named, or below the directories named, and prints a line for each and a
// summary. Skips kernels that do not fit the configuration of the options. Returns the program's
// exit code: 0 if at least one ran, and all ended as their manifests say.
int RunSuite(const std::vector<std::string>& paths, const SuiteOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_SUITE_H_
