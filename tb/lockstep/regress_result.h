// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The results of a regression: counted seed by seed, or read from the files of its shards; and
// their output as a page and as JSON.
#ifndef MUSTER_TB_LOCKSTEP_REGRESS_RESULT_H_
#define MUSTER_TB_LOCKSTEP_REGRESS_RESULT_H_

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/lockstep/cover_points.h"
#include "sim/lockstep/lockstep.h"

namespace muster::lockstep {

// A sum over all seeds.
struct Column {
  const char* key;  // in JSON
  const char* heading;
  int width;
  std::uint64_t Result::*value;
};

struct Layout {
  const char* heading;  // of what has seeds
  std::vector<Column> columns;
  int khz_digits;
};

// The seeds of one configuration.
class RegressResult {
 public:
  RegressResult(std::string name, const Layout& layout)
      : name(std::move(name)), layout(layout), counts(layout.columns.size()) {}
  RegressResult(const RegressResult&) = delete;
  RegressResult& operator=(const RegressResult&) = delete;
  virtual ~RegressResult() = default;

  virtual CoverPoints& points() = 0;

  // Counts a run of a seed, which has counted its cover points by itself. Where it failed, or
  // `complaint` is not empty, it is one of the failures.
  void Add(std::uint64_t seed, const Result& run, const std::string& complaint);
  // Adds what Json() wrote of this configuration. Throws nlohmann::json::exception, or
  // std::runtime_error where the cover points are others.
  void Add(const nlohmann::ordered_json& shard, const nlohmann::ordered_json& mismatches);

  // The cover points that were not hit. Only a regression of some length must hit them all, and no
  // part of one alone: what a seed does depends on its number.
  std::vector<std::string> Missed();
  bool must_hit() const;

  struct Wait {
    const char* name;
    std::uint64_t cycles;  // the longest
    std::uint64_t bound;
  };
  struct FailedSeed {
    std::uint64_t seed;
    std::uint64_t cycle;
    std::string what;    // the field that differs; empty: too little has committed
    std::string report;  // the text, which ends with a new line
  };

  const std::string name;
  const Layout& layout;
  bool part = false;         // a shard of several
  std::uint64_t seeds = 0;   // that were run
  std::uint64_t cycles = 0;  // likewise
  std::vector<std::uint64_t> counts;
  double seconds = 0;
  std::vector<Wait> waits;           // none: they are not measured
  std::vector<FailedSeed> failures;  // by seed
};

using RegressResults = std::vector<std::unique_ptr<RegressResult>>;

std::string Summary(const Layout& layout, const RegressResults& results);  // a page
std::string Json(const RegressResults& results);

bool Passed(const RegressResults& results);

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_REGRESS_RESULT_H_
