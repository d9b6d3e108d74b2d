// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/regress_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/xml.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kMustHitCycles = 1'000'000;  // ten seeds

std::string JUnitCase(const std::string& suite, const std::string& name, double seconds,
                      const std::string& failure) {
  std::string text =
      fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")", suite, name, seconds);
  if (failure.empty()) {
    return text + "/>\n";
  }
  const std::string first = failure.substr(0, failure.find('\n'));
  return text + fmt::format(">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                            XmlText(first), XmlText(failure));
}

std::string MissedSentence(const std::vector<std::string>& missed) {
  return missed.empty() ? "" : fmt::format("cover points missed: {}", fmt::join(missed, ", "));
}

}  // namespace

ConfigResult::ConfigResult(const Config& config, std::uint64_t seeds)
    : config(&config), seeds(seeds), cover(config) {}

void ConfigResult::Add(const SeedResult& seed) {
  cycles += seed.run.cycles - seed.run.skipped;
  commits += seed.run.commits;
  releases += seed.run.releases;
  faults += seed.run.faults;
  mb_commits += seed.run.mb_commits;
  mb_phases += seed.run.mb_phases;
  seconds += seed.run.seconds;
  for (unsigned wait = 0; wait < kNumWaits; ++wait) {
    waits[wait] = std::max(waits[wait], seed.run.waits[wait]);
  }
  for (unsigned wait = 0; wait < kNumMbWaits; ++wait) {
    mb_waits[wait] = std::max(mb_waits[wait], seed.run.mb_waits[wait]);
  }
  cover.points().Add(seed.hits);
  done.push_back(seed);
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

bool ConfigResult::must_hit() const { return cycles >= kMustHitCycles; }

bool Passed(const std::vector<ConfigResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const ConfigResult& result) {
    return (!result.must_hit() || result.Missed().empty()) &&
           std::all_of(result.done.begin(), result.done.end(),
                       [](const SeedResult& seed) { return seed.failure.empty(); });
  });
}

std::string Summary(const std::vector<ConfigResult>& results) {
  std::string text =
      fmt::format("{:12} {:>6} {:>7} {:>12} {:>12} {:>10} {:>9} {:>10} {:>9} {:>6} {:>9}\n",
                  "config", "seeds", "failed", "cycles", "commits", "releases", "faults",
                  "mb commits", "mb phases", "kHz", "cover");
  const auto out = std::back_inserter(text);
  for (const ConfigResult& result : results) {
    const auto failed = std::count_if(result.done.begin(), result.done.end(),
                                      [](const SeedResult& seed) { return !seed.failure.empty(); });
    const std::size_t points = result.cover.points().list().size();
    fmt::format_to(
        out, "{:12} {:>6} {:>7} {:>12} {:>12} {:>10} {:>9} {:>10} {:>9} {:>6.0f} {:>9}\n",
        result.config->name, result.done.size(), failed, result.cycles, result.commits,
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
    for (const SeedResult& seed : result.done) {
      if (!seed.failure.empty()) {
        fmt::format_to(out, "\n{}", seed.failure);
        break;  // one of a configuration says enough; the files have them all
      }
    }
  }
  return text;
}

std::string Json(const std::vector<ConfigResult>& results) {
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
        {"seeds", result.done.size()},
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
    for (const SeedResult& seed : result.done) {
      if (!seed.failure.empty()) {
        json["mismatches"].push_back({{"config", result.config->name},
                                      {"seed", seed.seed},
                                      {"cycle", seed.run.cycles},
                                      {"what", seed.run.what},
                                      {"report", seed.failure}});
      }
    }
  }
  return json.dump(2) + "\n";
}

std::string JUnit(const std::vector<ConfigResult>& results) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const ConfigResult& result : results) {
    text += fmt::format("  <testsuite name=\"{}\">\n", result.config->name);
    for (const SeedResult& seed : result.done) {
      text += JUnitCase(result.config->name, fmt::format("seed_{}", seed.seed), seed.run.seconds,
                        seed.failure);
    }
    if (result.must_hit()) {
      text += JUnitCase(result.config->name, "cover", 0, MissedSentence(result.Missed()));
    }
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace muster::lockstep
