// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The results of a regression: counted seed by seed, or read from the files of its shards; and
// their output as a page and as JSON.
#ifndef MUSTER_TB_LOCKSTEP_REGRESS_RESULT_H_
#define MUSTER_TB_LOCKSTEP_REGRESS_RESULT_H_

#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/cover.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/regress_options.h"

namespace muster::lockstep {

// The seeds of one configuration.
struct ConfigResult {
  explicit ConfigResult(const Config& config) : config(&config), cover(config) {}

  // Counts a run of a seed. The run has counted its cover points by itself.
  void Add(const Result& run);
  // Adds what Json() wrote of this configuration. Throws nlohmann::json::exception, or
  // std::runtime_error where the cover points are others.
  void Add(const nlohmann::ordered_json& shard);

  // The cover points that were not hit. Only a regression of some length must hit them all, and no
  // part of one alone: what a seed does depends on its number.
  std::vector<std::string> Missed() const;
  bool must_hit() const;

  const Config* config;
  bool part = false;         // a shard of several
  std::uint64_t seeds = 0;   // that were run
  std::uint64_t cycles = 0;  // likewise
  std::uint64_t commits = 0;
  std::uint64_t releases = 0;
  std::uint64_t faults = 0;
  std::uint64_t mb_commits = 0;
  std::uint64_t mb_phases = 0;
  double seconds = 0;
  Waits waits{};
  MbWaits mb_waits{};
  Cover cover;
  std::vector<FailedSeed> failures;  // by seed
};

// A page.
std::string Summary(const std::deque<ConfigResult>& results);
std::string Json(const std::deque<ConfigResult>& results);

bool Passed(const std::deque<ConfigResult>& results);

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_REGRESS_RESULT_H_
