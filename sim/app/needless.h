// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which barriers, fences and waits a kernel needs: tries it without each of them.
#ifndef MUSTER_SIM_APP_NEEDLESS_H_
#define MUSTER_SIM_APP_NEEDLESS_H_

#include "sim/app/explore.h"
#include "sim/app/run.h"

namespace muster::app {

// Prints of each place whether the kernel needs it, and writes the report. Throws ptx::InputError.
ExploreCode FindNeedless(const Job& job, const ExploreOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_NEEDLESS_H_
