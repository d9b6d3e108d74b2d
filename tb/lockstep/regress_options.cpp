// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/regress_options.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "sim/app/number_option.h"
#include "sim/lockstep/dut.h"

namespace muster::lockstep {
namespace {

using muster::app::AddNumber;
using muster::app::WholeNumber;

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

}  // namespace

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

void ForEachSeed(const RegressOptions& options, const std::string& config,
                 const std::function<void(std::uint64_t seed)>& run) {
  const std::uint64_t last = options.first_seed + options.seeds - 1;
  for (std::uint64_t number = options.shard - 1; number < options.seeds; number += options.shards) {
    ShowProgress(config, options.first_seed + number, last);
    run(options.first_seed + number);
  }
  if (isatty(STDERR_FILENO) != 0) {
    fmt::print(stderr, "\r{:40}\r", "");
  }
}

nlohmann::ordered_json ReadResults(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("it cannot be read");
  }
  return nlohmann::ordered_json::parse(file);
}

bool WriteResults(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return static_cast<bool>(file.flush());
}

int Complain(const std::string& sentence) {
  fmt::print(stderr, "{}\n", sentence);
  return kUsageError;
}

}  // namespace muster::lockstep
