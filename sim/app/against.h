// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Kernels on the unit and on a GPU, side by side.
#ifndef MUSTER_SIM_APP_AGAINST_H_
#define MUSTER_SIM_APP_AGAINST_H_

#include <string>
#include <vector>

#include "sim/app/suite.h"

namespace muster::app {

// Runs every manifest below the directories and the manifests named on both, with a line for each:
// what the unit says, what the GPU says, and whether that is the same. Returns the program's exit
// code: 0 if some are the same and none differs. Throws ptx::InputError; gpu::NoGpu.
int RunAgainst(const std::vector<std::string>& paths, const SuiteOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_AGAINST_H_
