// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Explains a hung grid by what a debugger or a run has saved of it: who waits for what, and an
// order of events that leads there.
#ifndef MUSTER_SIM_APP_EXPLAIN_H_
#define MUSTER_SIM_APP_EXPLAIN_H_

#include <cstdint>
#include <string>

#include "sim/app/explore.h"
#include "sim/app/run.h"
#include "sim/ptx/launch/hang_file.h"

namespace muster::app {

// The exit codes of `muster explain`, in addition to that of bad input.
enum class ExplainCode : int {
  kFound = 0,
  kNoOrder = 1,   // no order was found that leads there
  kMismatch = 4,  // RTL and golden model disagree
};

// Of the options of `explore` it takes those of the search and --witness. Throws ptx::InputError.
ExplainCode Explain(const ptx::HangFile& file, const std::string& path, const Job& job,
                    const ExploreOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_EXPLAIN_H_
