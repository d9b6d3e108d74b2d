// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The regression: constrained-random streams under lockstep, many seeds of each configuration. The
// tests regress.CONFIG.N of CTest run a shard of them each (tb/lockstep/CMakeLists.txt), and
// regress.cover puts the shards' files together.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/app/number_option.h"
#include "sim/isa/config.h"
#include "sim/lockstep/cover.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/random_reset.h"
#include "tb/lockstep/regress_result.h"

namespace {

using muster::Config;
using muster::app::AddNumber;
using muster::app::WholeNumber;
using muster::lockstep::ConfigResult;
using muster::lockstep::FailedSeed;

constexpr int kUsage = 2;
constexpr std::uint64_t kMostSeeds = 1'000'000'000;
// A stream that stalls tests nothing: a seed goes on until one operation has committed in so many
// of the cycles asked for.
constexpr std::uint64_t kCyclesPerCommit = 5;

struct Arguments {
  std::vector<std::string> names;  // of the configurations; none: all that were built
  std::vector<const Config*> configs;
  std::string seeds_text;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 10;
  std::optional<std::uint64_t> only_seed;
  std::string shard_text;
  std::uint64_t shard = 1;  // of them only each shards-th, from this one on
  std::uint64_t shards = 1;
  std::vector<std::string> merge;
  std::string json;
  muster::lockstep::Options run;
};

// One sentence, and the exit code for it.
int Complain(const std::string& sentence) {
  fmt::print(stderr, "{}\n", sentence);
  return kUsage;
}

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
  options.power_up = seed;
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

// Where there is no terminal, the line stays: it names the seed of a crash.
void ShowProgress(const Config& config, std::uint64_t seed, std::uint64_t last) {
  if (isatty(STDERR_FILENO) != 0) {
    fmt::print(stderr, "\r{:40}\r{}, seed {} of {}", "", config.name, seed, last);
  } else {
    fmt::print(stderr, "{}, seed {}\n", config.name, seed);
  }
}

void RunAll(const Arguments& arguments, std::deque<ConfigResult>* results) {
  const std::uint64_t last = arguments.first_seed + arguments.seeds - 1;
  for (ConfigResult& result : *results) {
    result.part = arguments.shards > 1;
    for (std::uint64_t number = arguments.shard - 1; number < arguments.seeds;
         number += arguments.shards) {
      ShowProgress(*result.config, arguments.first_seed + number, last);
      RunSeed(arguments, arguments.first_seed + number, &result);
    }
  }
  if (isatty(STDERR_FILENO) != 0) {
    fmt::print(stderr, "\r{:40}\r", "");
  }
}

// Adds the results of a file that --json wrote.
void Merge(const std::string& path, std::deque<ConfigResult>* results) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("it cannot be read");
  }
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(file);
  for (const auto& [name, shard] : json.at("configs").items()) {
    const Config* config = muster::FindConfig(name);
    if (config == nullptr) {
      throw std::runtime_error(fmt::format("there is no configuration {}", name));
    }
    const auto is_of = [config](const ConfigResult& of) { return of.config == config; };
    auto result = std::find_if(results->begin(), results->end(), is_of);
    if (result == results->end()) {
      results->emplace_back(*config);
      result = std::prev(results->end());
    }
    result->Add(shard);
    for (const nlohmann::ordered_json& found : json.at("mismatches")) {
      if (found.at("config") == name) {
        result->failures.push_back(
            {found.at("seed"), found.at("cycle"), found.at("what"), found.at("report")});
      }
    }
  }
  for (ConfigResult& result : *results) {
    std::sort(result.failures.begin(), result.failures.end(),
              [](const FailedSeed& a, const FailedSeed& b) { return a.seed < b.seed; });
  }
}

// ------------------------------------------------------------------------------------------------
// Command line
// ------------------------------------------------------------------------------------------------

// N: so many seeds; A-B: these.
bool ParseSeeds(const std::string& text, Arguments* arguments) {
  const std::size_t dash = text.find('-');
  const std::optional<std::uint64_t> first = WholeNumber(text.substr(0, dash));
  if (dash == std::string::npos) {
    arguments->seeds = first.value_or(0);
  } else {
    const std::optional<std::uint64_t> last = WholeNumber(text.substr(dash + 1));
    const bool is_range = first && last && *first <= *last && *last - *first < kMostSeeds;
    arguments->first_seed = first.value_or(0);
    arguments->seeds = is_range ? *last - *first + 1 : 0;
  }
  return arguments->seeds > 0 && arguments->seeds <= kMostSeeds;
}

// K/N: the K-th of N shards.
bool ParseShard(const std::string& text, Arguments* arguments) {
  const std::size_t slash = text.find('/');
  const std::optional<std::uint64_t> shard = WholeNumber(text.substr(0, slash));
  const std::optional<std::uint64_t> shards =
      slash == std::string::npos ? std::nullopt : WholeNumber(text.substr(slash + 1));
  arguments->shard = shard.value_or(0);
  arguments->shards = shards.value_or(0);
  return arguments->shard != 0 && arguments->shard <= arguments->shards;
}

void Define(CLI::App* app, Arguments* arguments) {
  app->add_option("--config", arguments->names,
                  "a configuration; may be repeated (default: all that were built)");
  app->add_option("--seeds", arguments->seeds_text,
                  "how many seeds of each, or which: 10, or 3-8 (default 10)")
      ->envname("MUSTER_SEEDS");
  AddNumber(app, "--first-seed", &arguments->first_seed, "the first of them (default 1)");
  AddNumber(app, "--seed", &arguments->only_seed, "this seed only");
  AddNumber(app, "--cycles", &arguments->run.max_cycles, "cycles of each seed (default 100000)", 1)
      ->envname("MUSTER_CYCLES");
  app->add_option("--shard", arguments->shard_text,
                  "of the seeds only each N-th, from the K-th on: K/N");
  app->add_option("--merge", arguments->merge,
                  "runs nothing: sums up these files, which --json wrote");
  app->add_option("--json", arguments->json, "writes the results and all cover points as JSON");
  app->add_option("--wave", arguments->run.wave, "writes a waveform (FST) of a single run");
  AddNumber(app, "--wave-from", &arguments->run.wave_from, "the first cycle that it shows");
  AddNumber(app, "--wave-to", &arguments->run.wave_to, "the last cycle that it shows");
  app->add_option("--log", arguments->run.log, "writes the commits of a single run as JSONL");
}

// What is wrong with the options, as a sentence; empty: nothing.
std::string Check(Arguments* arguments) {
  if (!arguments->seeds_text.empty() && !ParseSeeds(arguments->seeds_text, arguments)) {
    return fmt::format("--seeds {}: neither a number from 1 to {} nor a range such as 3-8",
                       muster::ptx::Printable(arguments->seeds_text), kMostSeeds);
  }
  if (!arguments->shard_text.empty() && !ParseShard(arguments->shard_text, arguments)) {
    return fmt::format("--shard {}: not K/N with K from 1 to N, such as 2/4",
                       muster::ptx::Printable(arguments->shard_text));
  }
  if (arguments->only_seed) {
    arguments->first_seed = *arguments->only_seed;
    arguments->seeds = 1;
  }
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
  const bool single = arguments->configs.size() == 1 && arguments->seeds == 1;
  if (!arguments->run.wave.empty() && !muster::lockstep::WritesWaveforms()) {
    return "--wave: this build writes no waveforms; configure it with -DMUSTER_TRACE=ON";
  }
  if (!single && !(arguments->run.wave.empty() && arguments->run.log.empty())) {
    return "--wave and --log are of a single run: name one --config and one --seed";
  }
  return "";
}

bool WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return static_cast<bool>(file.flush());
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // what is written beyond the limit fails, and is said
  Arguments arguments;
  arguments.run.max_cycles = 100'000;
  CLI::App app("Constrained-random streams on the Verilated unit, checked every cycle");
  Define(&app, &arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
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
  if (!arguments.json.empty() && !WriteFile(arguments.json, Json(results))) {
    return Complain(fmt::format("{}: cannot be written", arguments.json));
  }
  return Passed(results) ? 0 : 1;
}
