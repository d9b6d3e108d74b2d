// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// All the kernels of a directory, each against its manifest.
#ifndef MUSTER_SIM_APP_SUITE_H_
#define MUSTER_SIM_APP_SUITE_H_

#include <string>
#include <vector>

#include "sim/app/run.h"

namespace muster::app {

struct SuiteOptions {
  RunOptions run;    // its files are not used
  std::string json;  // files, or empty
  std::string junit;
  std::string against;  // "cuda" or "cuda:N", or empty
};

// Runs every manifest below the directories and the manifests named, with a line for each as it
// ends and a summary. A kernel that does not fit the configuration that the options name is left
// out. Returns the program's exit code: 0 if there were others, and all went as their manifests
// say.
int RunSuite(const std::vector<std::string>& paths, const SuiteOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_SUITE_H_
