// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The results of the regression of GPCs: counted seed by seed, or read from the files of its
// shards; and their output as a page and as JSON.
#ifndef MUSTER_TB_GPC_GPC_RESULT_H_
#define MUSTER_TB_GPC_GPC_RESULT_H_

#include <array>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/lockstep/lockstep.h"
#include "tb/gpc/gpc_cover.h"
#include "tb/lockstep/regress_options.h"

namespace muster::gpc {

// The seeds of one GPC.
struct GpcResult {
  explicit GpcResult(std::string name) : name(std::move(name)) {}

  // Counts a run of a seed. The run has counted its cover points by itself.
  void Add(const lockstep::Result& run);
  // Adds what Json() wrote of this GPC. Throws nlohmann::json::exception, or std::runtime_error
  // where the cover points are others.
  void Add(const nlohmann::ordered_json& shard);

  // The cover points that were not hit. Only a regression of some length must hit them all, and no
  // part of one alone.
  std::vector<std::string> Missed() const;
  bool must_hit() const { return !part && cycles >= lockstep::kMustHitCycles; }

  static constexpr unsigned kNumCounts = 10;
  static const std::array<const char*, kNumCounts> kCounts;  // their names

  std::string name;
  bool part = false;  // a shard of several
  std::uint64_t seeds = 0;
  std::uint64_t cycles = 0;
  std::array<std::uint64_t, kNumCounts> counts{};
  double seconds = 0;
  GpcCover cover;
  std::vector<lockstep::FailedSeed> failures;  // by seed
};

// A page.
std::string Summary(const std::deque<GpcResult>& results);
std::string Json(const std::deque<GpcResult>& results);

bool Passed(const std::deque<GpcResult>& results);

}  // namespace muster::gpc

#endif  // MUSTER_TB_GPC_GPC_RESULT_H_
