// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the programs of the regression have in common: which seeds are run, in shards, where the
// results go, and what a single run leaves.
#ifndef MUSTER_TB_LOCKSTEP_REGRESS_OPTIONS_H_
#define MUSTER_TB_LOCKSTEP_REGRESS_OPTIONS_H_

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/lockstep/lockstep.h"

namespace muster::lockstep {

inline constexpr int kUsageError = 2;                       // exit code
inline constexpr std::uint64_t kMustHitCycles = 1'000'000;  // ten seeds: all cover points are hit

// A seed that failed.
struct FailedSeed {
  std::uint64_t seed = 0;
  std::uint64_t cycle = 0;
  std::string what;    // the field that differs; empty: too little has committed
  std::string report;  // the text, which ends with a new line
};

struct RegressOptions {
  std::vector<std::string> names;  // of the configurations; none: all that were built
  std::string seeds_text;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 10;
  std::optional<std::uint64_t> only_seed;
  std::string shard_text;
  std::uint64_t shard = 1;  // of them only each shards-th, from this one on
  std::uint64_t shards = 1;
  std::vector<std::string> merge;
  std::string json;
  Options run;
};

void Define(CLI::App* app, RegressOptions* options);
// What is wrong with the options of a run of so many configurations, as a sentence; empty: nothing.
std::string Check(std::size_t configs, RegressOptions* options);

// Calls `run` with each seed of the configuration, and shows which it is.
void ForEachSeed(const RegressOptions& options, const std::string& config,
                 const std::function<void(std::uint64_t seed)>& run);

// The JSON of a file that --json wrote. Throws std::runtime_error or nlohmann::json::exception.
nlohmann::ordered_json ReadResults(const std::string& path);
// Adds such a file to the results. `result_of` gives the result of a configuration by its name, and
// throws if there is no such configuration.
template <typename Results, typename ResultOf>
void MergeResults(const std::string& path, Results* results, ResultOf result_of) {
  const nlohmann::ordered_json json = ReadResults(path);
  for (const auto& [name, shard] : json.at("configs").items()) {
    auto& result = result_of(name);
    result.Add(shard);
    for (const nlohmann::ordered_json& found : json.at("mismatches")) {
      if (found.at("config") == name) {
        result.failures.push_back(
            {found.at("seed"), found.at("cycle"), found.at("what"), found.at("report")});
      }
    }
  }
  for (auto& result : *results) {
    std::sort(result.failures.begin(), result.failures.end(),
              [](const FailedSeed& a, const FailedSeed& b) { return a.seed < b.seed; });
  }
}

bool WriteResults(const std::string& path, const std::string& text);

// One sentence, and the exit code for it.
int Complain(const std::string& sentence);

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_REGRESS_OPTIONS_H_
