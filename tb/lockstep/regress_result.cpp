// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/regress_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/bounds.h"

namespace muster::lockstep {
namespace {

std::string MissedSentence(const std::vector<std::string>& missed) {
  return missed.empty() ? "" : fmt::format("cover points missed: {}", fmt::join(missed, ", "));
}

}  // namespace

void ConfigResult::Add(const Result& run) {
  ++seeds;
  cycles += run.cycles - run.skipped;
  commits += run.commits;
  releases += run.releases;
  faults += run.faults;
  mb_commits += run.mb_commits;
  mb_phases += run.mb_phases;
  seconds += run.seconds;
  for (unsigned wait = 0; wait < kNumWaits; ++wait) {
    waits[wait] = std::max(waits[wait], run.waits[wait]);
  }
  for (unsigned wait = 0; wait < kNumMbWaits; ++wait) {
    mb_waits[wait] = std::max(mb_waits[wait], run.mb_waits[wait]);
  }
}

void ConfigResult::Add(const nlohmann::ordered_json& shard) {
  seeds += shard.at("seeds").get<std::uint64_t>();
  cycles += shard.at("cycles").get<std::uint64_t>();
  commits += shard.at("commits").get<std::uint64_t>();
  releases += shard.at("releases").get<std::uint64_t>();
  faults += shard.at("faults").get<std::uint64_t>();
  mb_commits += shard.at("mb_commits").get<std::uint64_t>();
  mb_phases += shard.at("mb_phases").get<std::uint64_t>();
  seconds += shard.at("seconds").get<double>();
  const nlohmann::ordered_json& longest = shard.at("longest_waits");
  for (unsigned wait = 0; wait < kNumWaits; ++wait) {
    waits[wait] = std::max<std::uint64_t>(waits[wait], longest.at(kWaitNames[wait]).at("cycles"));
  }
  for (unsigned wait = 0; wait < kNumMbWaits; ++wait) {
    mb_waits[wait] =
        std::max<std::uint64_t>(mb_waits[wait], longest.at(kMbWaitNames[wait]).at("cycles"));
  }
  std::vector<std::uint64_t> hits;
  for (const CoverPoints::Point& point : cover.points().list()) {
    hits.push_back(shard.at("cover").at(point.name));
  }
  if (hits.size() != shard.at("cover").size()) {
    throw std::runtime_error("it has cover points that this program does not know");
  }
  cover.points().Add(hits);
}

std::vector<std::string> ConfigResult::Missed() const {
  std::vector<std::string> missed;
  for (const CoverPoints::Point& point : cover.points().list()) {
    if (point.hits == 0) {
      missed.push_back(point.name);
    }
  }
  return missed;
}

bool ConfigResult::must_hit() const { return !part && cycles >= kMustHitCycles; }

bool Passed(const std::deque<ConfigResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const ConfigResult& result) {
    return (!result.must_hit() || result.Missed().empty()) && result.failures.empty();
  });
}

std::string Summary(const std::deque<ConfigResult>& results) {
  std::string text =
      fmt::format("{:12} {:>6} {:>7} {:>12} {:>12} {:>10} {:>9} {:>10} {:>9} {:>6} {:>9}\n",
                  "config", "seeds", "failed", "cycles", "commits", "releases", "faults",
                  "mb commits", "mb phases", "kHz", "cover");
  const auto out = std::back_inserter(text);
  for (const ConfigResult& result : results) {
    const std::size_t points = result.cover.points().list().size();
    fmt::format_to(
        out, "{:12} {:>6} {:>7} {:>12} {:>12} {:>10} {:>9} {:>10} {:>9} {:>6.0f} {:>9}\n",
        result.config->name, result.seeds, result.failures.size(), result.cycles, result.commits,
        result.releases, result.faults, result.mb_commits, result.mb_phases,
        result.seconds > 0 ? static_cast<double>(result.cycles) / result.seconds / 1000 : 0.0,
        fmt::format("{}/{}", points - result.Missed().size(), points));
  }
  fmt::format_to(out, "\nlongest waits, and their bounds\n{:12}", "");
  for (const char* name : kWaitNames) {
    fmt::format_to(out, " {:>10}", name);
  }
  for (const char* name : kMbWaitNames) {
    fmt::format_to(out, " {:>10}", name);
  }
  for (const ConfigResult& result : results) {
    const Bounds bounds = BoundsOf(*result.config);
    fmt::format_to(out, "\n{:12}", result.config->name);
    for (unsigned wait = 0; wait < kNumWaits; ++wait) {
      fmt::format_to(out, " {:>10}",
                     fmt::format("{}/{}", result.waits[wait], bounds.longest[wait]));
    }
    for (unsigned wait = 0; wait < kNumMbWaits; ++wait) {
      fmt::format_to(out, " {:>10}",
                     fmt::format("{}/{}", result.mb_waits[wait], bounds.mb_longest[wait]));
    }
  }
  text += '\n';
  for (const ConfigResult& result : results) {
    const std::vector<std::string> missed = result.Missed();
    if (result.must_hit() && !missed.empty()) {
      fmt::format_to(out, "\n{}: {}\n", result.config->name, MissedSentence(missed));
    }
    if (!result.failures.empty()) {  // one says enough; the file has them all
      fmt::format_to(out, "\n{}", result.failures.front().report);
    }
  }
  return text;
}

std::string Json(const std::deque<ConfigResult>& results) {
  nlohmann::ordered_json json;
  json["passed"] = Passed(results);
  json["configs"] = nlohmann::ordered_json::object();
  json["mismatches"] = nlohmann::ordered_json::array();
  for (const ConfigResult& result : results) {
    nlohmann::ordered_json cover = nlohmann::ordered_json::object();
    for (const CoverPoints::Point& point : result.cover.points().list()) {
      cover[point.name] = point.hits;
    }
    nlohmann::ordered_json waits = nlohmann::ordered_json::object();
    for (unsigned wait = 0; wait < kNumWaits; ++wait) {
      waits[kWaitNames[wait]] = {{"cycles", result.waits[wait]},
                                 {"bound", BoundsOf(*result.config).longest[wait]}};
    }
    for (unsigned wait = 0; wait < kNumMbWaits; ++wait) {
      waits[kMbWaitNames[wait]] = {{"cycles", result.mb_waits[wait]},
                                   {"bound", BoundsOf(*result.config).mb_longest[wait]}};
    }
    json["configs"][result.config->name] = {
        {"seeds", result.seeds},
        {"cycles", result.cycles},
        {"commits", result.commits},
        {"releases", result.releases},
        {"faults", result.faults},
        {"mb_commits", result.mb_commits},
        {"mb_phases", result.mb_phases},
        {"seconds", result.seconds},
        {"longest_waits", waits},
        {"missed", result.Missed()},
        {"cover", cover},
    };
    for (const FailedSeed& failed : result.failures) {
      json["mismatches"].push_back({{"config", result.config->name},
                                    {"seed", failed.seed},
                                    {"cycle", failed.cycle},
                                    {"what", failed.what},
                                    {"report", failed.report}});
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace muster::lockstep
