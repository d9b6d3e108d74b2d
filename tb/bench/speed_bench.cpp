// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Measures the cost of the lockstep check: it runs the same recorded stimulus with and without the
// check, in one program, and prints JSON. Without the check only the Verilated unit and its
// assertions run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/recorder.h"
#include "tb/bench/storm.h"
#include "tb/bench/traffic.h"

namespace {

using muster::Config;
using muster::lockstep::Ending;
using muster::lockstep::Options;
using muster::lockstep::Recording;
using muster::lockstep::Result;

constexpr unsigned kPairs = 5;
constexpr std::uint64_t kSeed = 1;
constexpr double kLeastBusy = 0.5;
constexpr std::uint64_t kStormCycles = 50'000;  // one phase lasts longer

struct Stimulus {
  Recording pins;
  double busy = 0;  // the share of cycles in which something commits
};

Result RunChecked(const Config& config, muster::lockstep::Driver* driver, const Options& options) {
  Result result = muster::lockstep::Run(config, *driver, options);
  if (result.ending == Ending::kMismatch || result.ending == Ending::kError) {
    throw std::runtime_error(result.report);
  }
  return result;
}

Stimulus Record(const Config& config, muster::lockstep::Driver* driver, std::uint64_t cycles) {
  Stimulus stimulus;
  stimulus.pins.driven.reserve(cycles);
  muster::lockstep::Recorder recorder(driver, &stimulus.pins);
  Options options;
  options.max_cycles = cycles;
  const Result result = RunChecked(config, &recorder, options);
  stimulus.busy = static_cast<double>(std::max(result.commit_cycles, result.mb_commits)) /
                  static_cast<double>(result.cycles);
  if (stimulus.busy < kLeastBusy) {
    throw std::runtime_error(
        fmt::format("{}: {:.0f}% of the cycles of the stimulus commit an operation, and the speed "
                    "is that of at least {:.0f}%",
                    config.name, 100 * stimulus.busy, 100 * kLeastBusy));
  }
  return stimulus;
}

double Khz(const Config& config, const Recording& recording, bool checked) {
  muster::lockstep::Replay replay(recording);
  Options options;
  options.max_cycles = recording.driven.size() + 1;
  options.checked = checked;
  const Result result = RunChecked(config, &replay, options);
  return static_cast<double>(result.cycles) / result.seconds / 1000;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double Rounded(double value, double steps) { return std::round(value * steps) / steps; }

// `what` goes before the names of the figures.
nlohmann::json Measure(const Config& config, const Stimulus& stimulus, const std::string& what) {
  std::vector<double> checked;
  std::vector<double> unchecked;
  std::vector<double> ratios;
  for (unsigned pair = 0; pair < kPairs; ++pair) {
    unchecked.push_back(Khz(config, stimulus.pins, false));
    checked.push_back(Khz(config, stimulus.pins, true));
    ratios.push_back(checked.back() / unchecked.back());
  }
  return {{what + "lockstep_khz", Rounded(Median(checked), 10)},
          {what + "unchecked_khz", Rounded(Median(unchecked), 10)},
          {what + "lockstep_ratio", Rounded(Median(ratios), 1000)},
          {what + "commit_cycles", Rounded(stimulus.busy, 1000)}};
}

// Of named barriers, and of all sources at one mbarrier.
nlohmann::json MeasureBoth(const Config& config, std::uint64_t cycles) {
  muster::bench::Traffic traffic(config, kSeed);
  nlohmann::json figures = Measure(config, Record(config, &traffic, cycles), "");
  if (config.mbarrier) {
    const std::uint64_t enough = std::min(cycles, kStormCycles);
    muster::bench::Storm storm(config, enough);
    figures.update(Measure(config, Record(config, &storm, enough), "mb_"));
  }
  return figures;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Speed of simulation with and without the lockstep check");
  std::string name;
  std::uint64_t cycles = 100'000;
  app.add_option("--config", name, "a configuration of rtl/configs.json")->required();
  app.add_option("--cycles", cycles, "cycles of stimulus (default 100000)");
  CLI11_PARSE(app, argc, argv);
  const Config* config = muster::FindConfig(name);
  if (config == nullptr || cycles == 0) {
    fmt::print(stderr, "{}\n",
               config == nullptr ? name + ": no such configuration" : "--cycles 0: nothing to run");
    return 2;
  }
  try {
    fmt::print("{}\n", MeasureBoth(*config, cycles).dump(2));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
