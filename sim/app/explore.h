// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Explores a launch with the golden models, and runs what it finds on the unit in lockstep.
#ifndef MUSTER_SIM_APP_EXPLORE_H_
#define MUSTER_SIM_APP_EXPLORE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sim/app/run.h"

namespace muster::app {

struct ExploreOptions {
  std::optional<std::string> config;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> bound;  // classes of orders
  std::uint64_t seconds = 60;          // at most, but for the witnesses' runs on the unit
  std::uint64_t jobs = 0;              // 0: as many as there are processors
  std::string report;                  // files, or empty
  std::string witness;
};

// The exit codes of `muster explore`, beside those of `run` that it shares.
enum class ExploreCode : int {
  kNothing = 0,
  kDeadlock = 3,
  kMismatch = 4,    // RTL and golden model disagree
  kFinding = 7,     // a race, or something else
  kSuspicions = 8,  // and no finding
};

// Prints what it finds. Throws ptx::InputError.
ExploreCode Explore(const Job& job, const ExploreOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_EXPLORE_H_
