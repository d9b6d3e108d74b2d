// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Explores a launch with the golden models, and replays the findings on the unit in lockstep.
#ifndef MUSTER_SIM_APP_EXPLORE_H_
#define MUSTER_SIM_APP_EXPLORE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sim/app/emit.h"
#include "sim/app/run.h"

namespace muster::app {

struct ExploreOptions {
  std::optional<std::string> config;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> bound;  // classes of orders
  std::uint64_t seconds = 60;          // time limit, without the witnesses' runs on the unit
  std::uint64_t jobs = 0;              // 0: one for each processor
  std::string report;                  // files, or empty
  std::string witness;
  std::string schedule;  // to take instead of looking for one, or empty
  EmitOptions emit;
};

// The exit codes of `muster explore`, in addition to those shared with `run`.
enum class ExploreCode : int {
  kNothing = 0,
  kDeadlock = 3,
  kMismatch = 4,    // RTL and golden model disagree
  kFinding = 7,     // at least one finding
  kSuspicions = 8,  // suspicions, and no finding
};

// Explores a launch and prints the findings. Throws ptx::InputError.
ExploreCode Explore(const Job& job, const ExploreOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_EXPLORE_H_
