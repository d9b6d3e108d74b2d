// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The regression: constrained-random streams under lockstep, many seeds of each configuration. The
// tests regress.CONFIG.N of CTest run a shard of them each (tb/lockstep/CMakeLists.txt), and
// regress.cover puts the shards' files together.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/cover.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/random_reset.h"
#include "tb/lockstep/regress_options.h"
#include "tb/lockstep/regress_result.h"

namespace {

using muster::Config;
using muster::lockstep::Complain;
using muster::lockstep::ConfigResult;

// A stream that stalls tests nothing: a seed goes on until one operation has committed in so many
// of the cycles asked for.
constexpr std::uint64_t kCyclesPerCommit = 5;

struct Arguments : muster::lockstep::RegressOptions {
  std::vector<const Config*> configs;
};

void RunSeed(const Arguments& arguments, std::uint64_t seed, ConfigResult* result) {
  const Config& config = *result->config;
  result->cover.NextRun();
  muster::lockstep::RandomOptions random;
  random.seed = seed;
  random.cover = &result->cover;
  random.pauses = seed % 4 == 0;
  muster::lockstep::RandomReset driver(config, random);
  muster::lockstep::Options options = arguments.run;
  options.seed = seed;
  options.power_up = {seed, seed % 3 == 0};
  options.gates = seed % 2 == 0;
  options.skips = !options.gates;
  options.cover = &result->cover;
  options.min_commits = options.max_cycles / kCyclesPerCommit;
  options.rerun = fmt::format("build/tb/lockstep/regress --config {} --seed {} --cycles {}",
                              config.name, seed, options.max_cycles);
  const muster::lockstep::Result run = muster::lockstep::Run(config, driver, options);
  result->Add(run);
  std::string report = run.report;
  if (!report.empty() && report.back() != '\n') {
    report += '\n';
  }
  if (report.empty() && run.commits < options.min_commits) {
    report = fmt::format("{}, seed {}: only {} commits in {} cycles\n", config.name, seed,
                         run.commits, run.cycles - run.skipped);
  }
  if (!report.empty()) {
    result->failures.push_back({seed, run.cycles, run.what, report});
  }
}

void RunAll(const Arguments& arguments, std::deque<ConfigResult>* results) {
  for (ConfigResult& result : *results) {
    result.part = arguments.shards > 1;
    muster::lockstep::ForEachSeed(arguments, result.config->name,
                                  [&](std::uint64_t seed) { RunSeed(arguments, seed, &result); });
  }
}

// Adds the results of a file that --json wrote.
void Merge(const std::string& path, std::deque<ConfigResult>* results) {
  muster::lockstep::MergeResults(path, results, [&](const std::string& name) -> ConfigResult& {
    const Config* config = muster::FindConfig(name);
    if (config == nullptr) {
      throw std::runtime_error(fmt::format("there is no configuration {}", name));
    }
    const auto result =
        std::find_if(results->begin(), results->end(),
                     [config](const ConfigResult& of) { return of.config == config; });
    return result != results->end() ? *result : results->emplace_back(*config);
  });
}

// What is wrong with the options, as a sentence; empty: nothing.
std::string Check(Arguments* arguments) {
  for (const std::string& name : arguments->names) {
    const Config* config = muster::FindConfig(name);
    if (config == nullptr) {
      return fmt::format("--config {}: there is no such configuration", name);
    }
    arguments->configs.push_back(config);
  }
  if (arguments->names.empty()) {
    for (const Config& config : muster::Configs()) {
      if (muster::lockstep::MakeDut(config) != nullptr) {
        arguments->configs.push_back(&config);
      }
    }
  }
  return muster::lockstep::Check(arguments->configs.size(), arguments);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // what is written beyond the limit fails, and is said
  Arguments arguments;
  CLI::App app("Constrained-random streams on the Verilated unit, checked every cycle");
  muster::lockstep::Define(&app, &arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : muster::lockstep::kUsageError;
  }
  const std::string wrong = Check(&arguments);
  if (!wrong.empty()) {
    return Complain(wrong);
  }

  std::deque<ConfigResult> results;
  if (arguments.merge.empty()) {
    for (const Config* config : arguments.configs) {
      results.emplace_back(*config);
    }
    RunAll(arguments, &results);
  }
  for (const std::string& path : arguments.merge) {
    try {
      Merge(path, &results);
    } catch (const std::exception& error) {
      return Complain(fmt::format("--merge {}: {}", path, error.what()));
    }
  }
  fmt::print("{}", Summary(results));
  if (!arguments.json.empty() && !muster::lockstep::WriteResults(arguments.json, Json(results))) {
    return Complain(fmt::format("{}: cannot be written", arguments.json));
  }
  return Passed(results) ? 0 : 1;
}
