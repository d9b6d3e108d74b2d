// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/gpc/gpc_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace muster::gpc {

const std::array<const char*, GpcResult::kNumCounts> GpcResult::kCounts = {
    "resets",     "gated",     "commits",       "releases",   "faults",
    "mb_commits", "mb_phases", "warp_requests", "warp_lanes", "cluster_operations"};

void GpcResult::Add(const lockstep::Result& run) {
  ++seeds;
  cycles += run.cycles;
  const std::array<std::uint64_t, kNumCounts> more = {
      run.resets,     run.gated,     run.commits,       run.releases,   run.faults,
      run.mb_commits, run.mb_phases, run.warp_requests, run.warp_lanes, run.cluster_operations};
  for (unsigned i = 0; i < kNumCounts; ++i) {
    counts[i] += more[i];
  }
  seconds += run.seconds;
}

void GpcResult::Add(const nlohmann::ordered_json& shard) {
  seeds += shard.at("seeds").get<std::uint64_t>();
  cycles += shard.at("cycles").get<std::uint64_t>();
  for (unsigned i = 0; i < kNumCounts; ++i) {
    counts[i] += shard.at(kCounts[i]).get<std::uint64_t>();
  }
  seconds += shard.at("seconds").get<double>();
  std::vector<std::uint64_t> hits;
  for (const lockstep::CoverPoints::Point& point : cover.points().list()) {
    hits.push_back(shard.at("cover").at(point.name));
  }
  if (hits.size() != shard.at("cover").size()) {
    throw std::runtime_error("it has cover points that this program does not know");
  }
  cover.points().Add(hits);
}

std::vector<std::string> GpcResult::Missed() const {
  std::vector<std::string> missed;
  for (const lockstep::CoverPoints::Point& point : cover.points().list()) {
    if (point.hits == 0) {
      missed.push_back(point.name);
    }
  }
  return missed;
}

bool Passed(const std::deque<GpcResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const GpcResult& result) {
    return (!result.must_hit() || result.Missed().empty()) && result.failures.empty();
  });
}

std::string Summary(const std::deque<GpcResult>& results) {
  std::string text = fmt::format("{:12} {:>6} {:>7} {:>12}", "GPC", "seeds", "failed", "cycles");
  const auto out = std::back_inserter(text);
  for (const char* name : GpcResult::kCounts) {
    fmt::format_to(out, " {:>{}}", name, std::max<std::size_t>(10, std::string(name).size()));
  }
  fmt::format_to(out, " {:>6} {:>9}\n", "kHz", "cover");
  for (const GpcResult& result : results) {
    const std::size_t points = result.cover.points().list().size();
    fmt::format_to(out, "{:12} {:>6} {:>7} {:>12}", result.name, result.seeds,
                   result.failures.size(), result.cycles);
    for (unsigned i = 0; i < GpcResult::kNumCounts; ++i) {
      fmt::format_to(out, " {:>{}}", result.counts[i],
                     std::max<std::size_t>(10, std::string(GpcResult::kCounts[i]).size()));
    }
    fmt::format_to(
        out, " {:>6.1f} {:>9}\n",
        result.seconds > 0 ? static_cast<double>(result.cycles) / result.seconds / 1000 : 0.0,
        fmt::format("{}/{}", points - result.Missed().size(), points));
  }
  for (const GpcResult& result : results) {
    const std::vector<std::string> missed = result.Missed();
    if (result.must_hit() && !missed.empty()) {
      fmt::format_to(out, "\n{}: cover points missed: {}\n", result.name, fmt::join(missed, ", "));
    }
    if (!result.failures.empty()) {  // one says enough; the file has them all
      fmt::format_to(out, "\n{}", result.failures.front().report);
    }
  }
  return text;
}

std::string Json(const std::deque<GpcResult>& results) {
  nlohmann::ordered_json json;
  json["passed"] = Passed(results);
  json["configs"] = nlohmann::ordered_json::object();
  json["mismatches"] = nlohmann::ordered_json::array();
  for (const GpcResult& result : results) {
    nlohmann::ordered_json& config = json["configs"][result.name];
    config = {{"seeds", result.seeds}, {"cycles", result.cycles}};
    for (unsigned i = 0; i < GpcResult::kNumCounts; ++i) {
      config[GpcResult::kCounts[i]] = result.counts[i];
    }
    config["seconds"] = result.seconds;
    config["missed"] = result.Missed();
    config["cover"] = nlohmann::ordered_json::object();
    for (const lockstep::CoverPoints::Point& point : result.cover.points().list()) {
      config["cover"][point.name] = point.hits;
    }
    for (const lockstep::FailedSeed& failed : result.failures) {
      json["mismatches"].push_back({{"config", result.name},
                                    {"seed", failed.seed},
                                    {"cycle", failed.cycle},
                                    {"what", failed.what},
                                    {"report", failed.report}});
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace muster::gpc
