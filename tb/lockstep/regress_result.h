// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The results of a regression, and their output as summary, JSON and JUnit.
#ifndef MUSTER_TB_LOCKSTEP_REGRESS_RESULT_H_
#define MUSTER_TB_LOCKSTEP_REGRESS_RESULT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/cover.h"
#include "sim/lockstep/lockstep.h"

namespace muster::lockstep {

// One seed of one configuration.
struct SeedResult {
  const Config* config = nullptr;
  std::uint64_t seed = 0;
  Result run;
  std::vector<std::uint64_t> hits;  // of the cover points
  std::string failure;              // empty: it passed
};

// All seeds of one configuration.
struct ConfigResult {
  ConfigResult(const Config& config, std::uint64_t seeds);

  void Add(const SeedResult& seed);
  // The cover points that were not hit. Only a regression of some length must hit them all.
  std::vector<std::string> Missed() const;
  bool must_hit() const;

  const Config* config;
  std::uint64_t seeds = 0;   // to run
  std::uint64_t cycles = 0;  // that were run
  std::uint64_t commits = 0;
  std::uint64_t releases = 0;
  std::uint64_t faults = 0;
  std::uint64_t mb_commits = 0;
  std::uint64_t mb_phases = 0;
  double seconds = 0;
  Waits waits{};
  MbWaits mb_waits{};
  Cover cover;
  std::vector<SeedResult> done;
};

// A page.
std::string Summary(const std::vector<ConfigResult>& results);
std::string Json(const std::vector<ConfigResult>& results);
std::string JUnit(const std::vector<ConfigResult>& results);

bool Passed(const std::vector<ConfigResult>& results);

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_REGRESS_RESULT_H_
