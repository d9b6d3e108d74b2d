// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A mismatch in words.
#ifndef MUSTER_SIM_LOCKSTEP_REPORT_H_
#define MUSTER_SIM_LOCKSTEP_REPORT_H_

#include <cstdint>
#include <string>

#include "sim/golden/model.h"
#include "sim/golden/operation.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/mismatch.h"
#include "sim/lockstep/scoreboard.h"

namespace muster::lockstep {

std::string Report(const Config& config, const Options& options, std::uint64_t cycle,
                   const Mismatch& mismatch, const golden::Model& model,
                   const Scoreboard& scoreboard);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_REPORT_H_
