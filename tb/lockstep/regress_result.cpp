// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/regress_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kMustHitCycles = 1'000'000;  // ten seeds: all cover points are hit

}  // namespace

void RegressResult::Add(std::uint64_t seed, const Result& run, const std::string& complaint) {
  ++seeds;
  cycles += run.cycles - run.skipped;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] += run.*layout.columns[i].value;
  }
  seconds += run.seconds;
  std::string report = run.report.empty() ? complaint : run.report;
  if (!report.empty()) {
    report += report.back() == '\n' ? "" : "\n";
    failures.push_back({seed, run.cycles, run.what, report});
  }
}

void RegressResult::Add(const nlohmann::ordered_json& shard,
                        const nlohmann::ordered_json& mismatches) {
  seeds += shard.at("seeds").get<std::uint64_t>();
  cycles += shard.at("cycles").get<std::uint64_t>();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] += shard.at(layout.columns[i].key).get<std::uint64_t>();
  }
  seconds += shard.at("seconds").get<double>();
  for (Wait& wait : waits) {
    wait.cycles =
        std::max<std::uint64_t>(wait.cycles, shard.at("longest_waits").at(wait.name).at("cycles"));
  }
  std::vector<std::uint64_t> hits;
  for (const CoverPoints::Point& point : points().list()) {
    hits.push_back(shard.at("cover").at(point.name));
  }
  if (hits.size() != shard.at("cover").size()) {
    throw std::runtime_error("it has cover points that this program does not know");
  }
  points().Add(hits);
  for (const nlohmann::ordered_json& found : mismatches) {
    if (found.at("config") == name) {
      failures.push_back(
          {found.at("seed"), found.at("cycle"), found.at("what"), found.at("report")});
    }
  }
  std::sort(failures.begin(), failures.end(),
            [](const FailedSeed& a, const FailedSeed& b) { return a.seed < b.seed; });
}

std::vector<std::string> RegressResult::Missed() {
  std::vector<std::string> missed;
  for (const CoverPoints::Point& point : points().list()) {
    if (point.hits == 0) {
      missed.push_back(point.name);
    }
  }
  return missed;
}

bool RegressResult::must_hit() const { return !part && cycles >= kMustHitCycles; }

bool Passed(const RegressResults& results) {
  return std::all_of(results.begin(), results.end(), [](const auto& result) {
    return (!result->must_hit() || result->Missed().empty()) && result->failures.empty();
  });
}

std::string Summary(const Layout& layout, const RegressResults& results) {
  std::string text =
      fmt::format("{:12} {:>6} {:>7} {:>12}", layout.heading, "seeds", "failed", "cycles");
  const auto out = std::back_inserter(text);
  for (const Column& column : layout.columns) {
    fmt::format_to(out, " {:>{}}", column.heading, column.width);
  }
  fmt::format_to(out, " {:>6} {:>9}\n", "kHz", "cover");
  for (const auto& result : results) {
    const std::size_t points = result->points().list().size();
    fmt::format_to(out, "{:12} {:>6} {:>7} {:>12}", result->name, result->seeds,
                   result->failures.size(), result->cycles);
    for (std::size_t i = 0; i < result->counts.size(); ++i) {
      fmt::format_to(out, " {:>{}}", result->counts[i], layout.columns[i].width);
    }
    const double khz =
        result->seconds > 0 ? static_cast<double>(result->cycles) / result->seconds / 1000 : 0.0;
    fmt::format_to(out, " {:>6.{}f} {:>9}\n", khz, layout.khz_digits,
                   fmt::format("{}/{}", points - result->Missed().size(), points));
  }
  if (!results.empty() && !results.front()->waits.empty()) {
    fmt::format_to(out, "\nlongest waits, and their bounds\n{:12}", "");
    for (const RegressResult::Wait& wait : results.front()->waits) {
      fmt::format_to(out, " {:>10}", wait.name);
    }
    for (const auto& result : results) {
      fmt::format_to(out, "\n{:12}", result->name);
      for (const RegressResult::Wait& wait : result->waits) {
        fmt::format_to(out, " {:>10}", fmt::format("{}/{}", wait.cycles, wait.bound));
      }
    }
    text += '\n';
  }
  for (const auto& result : results) {
    const std::vector<std::string> missed = result->Missed();
    if (result->must_hit() && !missed.empty()) {
      fmt::format_to(out, "\n{}: cover points missed: {}\n", result->name, fmt::join(missed, ", "));
    }
    if (!result->failures.empty()) {  // one says enough; the file has them all
      fmt::format_to(out, "\n{}", result->failures.front().report);
    }
  }
  return text;
}

std::string Json(const RegressResults& results) {
  nlohmann::ordered_json json;
  json["passed"] = Passed(results);
  json["configs"] = nlohmann::ordered_json::object();
  json["mismatches"] = nlohmann::ordered_json::array();
  for (const auto& result : results) {
    nlohmann::ordered_json& config = json["configs"][result->name];
    config = {{"seeds", result->seeds}, {"cycles", result->cycles}};
    for (std::size_t i = 0; i < result->counts.size(); ++i) {
      config[result->layout.columns[i].key] = result->counts[i];
    }
    config["seconds"] = result->seconds;
    for (const RegressResult::Wait& wait : result->waits) {
      config["longest_waits"][wait.name] = {{"cycles", wait.cycles}, {"bound", wait.bound}};
    }
    config["missed"] = result->Missed();
    config["cover"] = nlohmann::ordered_json::object();
    for (const CoverPoints::Point& point : result->points().list()) {
      config["cover"][point.name] = point.hits;
    }
    for (const RegressResult::FailedSeed& failed : result->failures) {
      json["mismatches"].push_back({{"config", result->name},
                                    {"seed", failed.seed},
                                    {"cycle", failed.cycle},
                                    {"what", failed.what},
                                    {"report", failed.report}});
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace muster::lockstep
