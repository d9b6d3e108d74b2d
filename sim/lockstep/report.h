// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The text of a mismatch.
#ifndef MUSTER_SIM_LOCKSTEP_REPORT_H_
#define MUSTER_SIM_LOCKSTEP_REPORT_H_

#include <cstdint>
#include <string>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/atomics_checker.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/mb_checker.h"
#include "sim/lockstep/mismatch.h"
#include "sim/lockstep/scoreboard.h"
#include "sim/lockstep/warp_checker.h"

namespace muster::lockstep {

// The sources from which a report takes the history of the mismatch.
struct Evidence {
  const golden::Model& model;
  const golden::Mbarriers& mbarriers;
  const Scoreboard& scoreboard;
  const MbChecker& mb_checker;
  const WarpChecker* warp_checker = nullptr;        // null: there is no warp scope
  const AtomicsChecker* atomics_checker = nullptr;  // null: the mismatch is not of atomics
};

// The message of a failed assertion of the unit, with the latest events of its scope.
Mismatch MismatchOf(const Assertion& failed, const Scoreboard& scoreboard,
                    const MbChecker& mb_checker);
// The same text as a line of another report.
std::string Beside(const Assertion& failed);

// `block`: "unit 1", in a run of several; else empty.
std::string Report(const Config& config, const Options& options, std::uint64_t cycle,
                   const std::string& block, const Mismatch& mismatch, const Evidence& evidence);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_REPORT_H_
