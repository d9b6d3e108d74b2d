// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs and explores a launch with several inputs, where its manifest leaves them open.
#ifndef MUSTER_SIM_APP_INPUTS_H_
#define MUSTER_SIM_APP_INPUTS_H_

#include <cstdint>

#include "sim/app/explore.h"
#include "sim/app/run.h"

namespace muster::app {

// The job with the input of that number. Throws ptx::InputError if its manifest leaves nothing
// open.
Job WithInput(Job job, std::uint64_t input);

// Runs the job with inputs 1 to `count`, and prints the report of the first one that does not go as
// the manifest says, and a summary. Returns its exit code.
ptx::ExitCode RunInputs(const Job& job, std::uint64_t count, const RunOptions& options);

// Explores the job with each of these inputs until there is a finding. Each gets an equal part of
// the time that is left.
ExploreCode ExploreInputs(const Job& job, std::uint64_t count, const ExploreOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_INPUTS_H_
