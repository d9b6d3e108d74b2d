// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/regress_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sim/app/number_option.h"
#include "sim/lockstep/dut.h"

namespace muster::lockstep {
namespace {

using muster::app::AddNumber;
using muster::app::WholeNumber;

constexpr int kUsageError = 2;  // exit code
constexpr std::uint64_t kMostSeeds = 1'000'000'000;

// N: so many seeds; A-B: these.
bool ParseSeeds(const std::string& text, RegressOptions* options) {
  const std::size_t dash = text.find('-');
  const std::optional<std::uint64_t> first = WholeNumber(text.substr(0, dash));
  if (dash == std::string::npos) {
    options->seeds = first.value_or(0);
  } else {
    const std::optional<std::uint64_t> last = WholeNumber(text.substr(dash + 1));
    const bool is_range = first && last && *first <= *last && *last - *first < kMostSeeds;
    options->first_seed = first.value_or(0);
    options->seeds = is_range ? *last - *first + 1 : 0;
  }
  return options->seeds > 0 && options->seeds <= kMostSeeds;
}

// K/N: the K-th of N shards.
bool ParseShard(const std::string& text, RegressOptions* options) {
  const std::size_t slash = text.find('/');
  const std::optional<std::uint64_t> shard = WholeNumber(text.substr(0, slash));
  const std::optional<std::uint64_t> shards =
      slash == std::string::npos ? std::nullopt : WholeNumber(text.substr(slash + 1));
  options->shard = shard.value_or(0);
  options->shards = shards.value_or(0);
  return options->shard != 0 && options->shard <= options->shards;
}

// Where there is no terminal, the line stays: it names the seed of a crash.
void ShowProgress(const std::string& config, std::uint64_t seed, std::uint64_t last) {
  if (isatty(STDERR_FILENO) != 0) {
    fmt::print(stderr, "\r{:40}\r{}, seed {} of {}", "", config, seed, last);
  } else {
    fmt::print(stderr, "{}, seed {}\n", config, seed);
  }
}

void Define(CLI::App* app, RegressOptions* options) {
  options->run.max_cycles = 100'000;
  app->add_option("--config", options->names,
                  "a configuration; may be repeated (default: all that were built)");
  app->add_option("--seeds", options->seeds_text,
                  "how many seeds of each, or which: 10, or 3-8 (default 10)")
      ->envname("MUSTER_SEEDS");
  AddNumber(app, "--first-seed", &options->first_seed, "the first of them (default 1)");
  AddNumber(app, "--seed", &options->only_seed, "this seed only");
  AddNumber(app, "--cycles", &options->run.max_cycles, "cycles of each seed (default 100000)", 1)
      ->envname("MUSTER_CYCLES");
  app->add_option("--shard", options->shard_text,
                  "of the seeds only each N-th, from the K-th on: K/N");
  app->add_option("--merge", options->merge,
                  "runs nothing: sums up these files, which --json wrote");
  app->add_option("--json", options->json, "writes the results and all cover points as JSON");
  app->add_option("--wave", options->run.wave, "writes a waveform (FST) of a single run");
  AddNumber(app, "--wave-from", &options->run.wave_from, "the first cycle that it shows");
  AddNumber(app, "--wave-to", &options->run.wave_to, "the last cycle that it shows");
  app->add_option("--log", options->run.log, "writes the commits of a single run as JSONL");
}

// What is wrong with the options of a run of so many configurations, as a sentence; empty: nothing.
std::string Check(std::size_t configs, RegressOptions* options) {
  if (!options->seeds_text.empty() && !ParseSeeds(options->seeds_text, options)) {
    return fmt::format("--seeds {}: neither a number from 1 to {} nor a range such as 3-8",
                       muster::ptx::Printable(options->seeds_text), kMostSeeds);
  }
  if (!options->shard_text.empty() && !ParseShard(options->shard_text, options)) {
    return fmt::format("--shard {}: not K/N with K from 1 to N, such as 2/4",
                       muster::ptx::Printable(options->shard_text));
  }
  if (options->only_seed) {
    options->first_seed = *options->only_seed;
    options->seeds = 1;
  }
  const bool single = configs == 1 && options->seeds == 1;
  if (!options->run.wave.empty() && !WritesWaveforms()) {
    return "--wave: this build writes no waveforms; configure it with -DMUSTER_TRACE=ON";
  }
  if (!single && !(options->run.wave.empty() && options->run.log.empty())) {
    return "--wave and --log are of a single run: name one --config and one --seed";
  }
  return "";
}

// Runs each seed of a configuration, and shows which it is.
void RunSeeds(const RegressOptions& options, const Regression& regression, RegressResult* result) {
  result->part = options.shards > 1;
  const std::uint64_t last = options.first_seed + options.seeds - 1;
  for (std::uint64_t number = options.shard - 1; number < options.seeds; number += options.shards) {
    ShowProgress(result->name, options.first_seed + number, last);
    regression.run(options, options.first_seed + number, result);
  }
  if (isatty(STDERR_FILENO) != 0) {
    fmt::print(stderr, "\r{:40}\r", "");
  }
}

// Adds the results of a file that --json wrote.
void Merge(const std::string& path, const Regression& regression, RegressResults* results) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("it cannot be read");
  }
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(file);
  for (const auto& [name, shard] : json.at("configs").items()) {
    auto result = std::find_if(results->begin(), results->end(),
                               [&, &name = name](const auto& of) { return of->name == name; });
    if (result == results->end()) {
      result = results->insert(result, regression.make(name));
    }
    (*result)->Add(shard, json.at("mismatches"));
  }
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return static_cast<bool>(file.flush());
}

// Scripts start the program of a build folder by its whole path.
std::string ProgramName(const std::string& path) {
  return path.find('/') == std::string::npos ? path : std::filesystem::proximate(path).string();
}

// One sentence, and the exit code for it.
int Complain(const std::string& sentence) {
  fmt::print(stderr, "{}\n", sentence);
  return kUsageError;
}

}  // namespace

int Regress(int argc, char** argv, const Regression& regression) {
  std::signal(SIGXFSZ, SIG_IGN);  // what is written beyond the limit fails, and is said
  RegressOptions options;
  CLI::App app(regression.description);
  Define(&app, &options);
  options.program = ProgramName(argv[0]);
  try {
    app.parse(argc, argv);
    options.names = regression.names(options.names);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  } catch (const std::runtime_error& error) {
    return Complain(error.what());
  }
  const std::string wrong = Check(options.names.size(), &options);
  if (!wrong.empty()) {
    return Complain(wrong);
  }
  RegressResults results;
  if (options.merge.empty()) {
    for (const std::string& name : options.names) {
      RunSeeds(options, regression, results.emplace_back(regression.make(name)).get());
    }
  }
  for (const std::string& path : options.merge) {
    try {
      Merge(path, regression, &results);
    } catch (const std::exception& error) {
      return Complain(fmt::format("--merge {}: {}", path, error.what()));
    }
  }
  fmt::print("{}", Summary(regression.layout, results));
  if (!options.json.empty() && !Write(options.json, Json(results))) {
    return Complain(fmt::format("{}: cannot be written", options.json));
  }
  return Passed(results) ? 0 : 1;
}

}  // namespace muster::lockstep
