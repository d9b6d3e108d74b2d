// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Compares kernels on the unit and on a GPU.
#ifndef MUSTER_SIM_APP_AGAINST_H_
#define MUSTER_SIM_APP_AGAINST_H_

#include <string>
#include <vector>

#include "sim/app/suite.h"

namespace muster::app {

// Runs every manifest named, or below the directories named, on both, and prints a line for each:
// the outcome of the unit, the outcome of the GPU, and whether they are the same. Returns the
// program's exit code: 0 if some are the same and none differs. Throws ptx::InputError and
// gpu::NoGpu.
int RunAgainst(const std::vector<std::string>& paths, const SuiteOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_AGAINST_H_
