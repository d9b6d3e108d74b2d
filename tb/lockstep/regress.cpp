// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The regression: constrained-random streams under lockstep, many seeds of each configuration, a
// process each.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
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
using muster::lockstep::SeedResult;

constexpr int kUsage = 2;
constexpr std::uint64_t kMostSeeds = 1'000'000'000;
constexpr std::uint64_t kMostJobs = 4096;
// A stream that stalls tests nothing: a seed goes on until one operation has committed in so many
// of the cycles asked for.
constexpr std::uint64_t kCyclesPerCommit = 5;

struct Arguments {
  std::vector<const Config*> configs;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 10;
  unsigned jobs = 1;
  std::string junit;
  std::string json;
  muster::lockstep::Options run;
};

// One sentence, and the exit code for it.
int Complain(const std::string& sentence) {
  fmt::print(stderr, "{}\n", sentence);
  return kUsage;
}

SeedResult RunSeed(const Arguments& arguments, const Config& config, std::uint64_t seed) {
  SeedResult result;
  result.config = &config;
  result.seed = seed;
  muster::lockstep::Cover cover(config);
  muster::lockstep::RandomOptions random;
  random.seed = seed;
  random.cover = &cover;
  muster::lockstep::RandomReset driver(config, random);
  muster::lockstep::Options options = arguments.run;
  options.seed = seed;
  options.power_up = seed;
  options.cover = &cover;
  options.min_commits = options.max_cycles / kCyclesPerCommit;
  options.rerun = fmt::format("build/tb/lockstep/regress --config {} --seed {} --cycles {}",
                              config.name, seed, options.max_cycles);
  result.run = muster::lockstep::Run(config, driver, options);
  result.hits = cover.points().hits();
  result.failure = result.run.report;
  if (!result.failure.empty() && result.failure.back() != '\n') {
    result.failure += '\n';
  }
  if (result.failure.empty() && result.run.commits < options.min_commits) {
    result.failure = fmt::format("{}, seed {}: only {} commits in {} cycles\n", config.name, seed,
                                 result.run.commits, result.run.cycles - result.run.skipped);
  }
  return result;
}

// ------------------------------------------------------------------------------------------------
// A process for each seed
// ------------------------------------------------------------------------------------------------

std::string Pack(const SeedResult& result) {
  const nlohmann::json json = {
      {"skipped", result.run.skipped},
      {"cycles", result.run.cycles},
      {"resets", result.run.resets},
      {"commits", result.run.commits},
      {"releases", result.run.releases},
      {"faults", result.run.faults},
      {"mb_commits", result.run.mb_commits},
      {"mb_phases", result.run.mb_phases},
      {"waits", result.run.waits},
      {"mb_waits", result.run.mb_waits},
      {"seconds", result.run.seconds},
      {"what", result.run.what},
      {"hits", result.hits},
      {"failure", result.failure},
  };
  return json.dump();
}

void Unpack(const std::string& text, SeedResult* result) {
  const nlohmann::json json = nlohmann::json::parse(text);
  result->run.cycles = json["cycles"];
  result->run.skipped = json["skipped"];
  result->run.resets = json["resets"];
  result->run.commits = json["commits"];
  result->run.releases = json["releases"];
  result->run.faults = json["faults"];
  result->run.mb_commits = json["mb_commits"];
  result->run.mb_phases = json["mb_phases"];
  result->run.waits = json["waits"];
  result->run.mb_waits = json["mb_waits"];
  result->run.seconds = json["seconds"];
  result->run.what = json["what"];
  result->hits = json["hits"].get<std::vector<std::uint64_t>>();
  result->failure = json["failure"];
}

struct Child {
  SeedResult result;
  std::FILE* pipe = nullptr;
};

// Starts a process that runs the seed; what it packs fits into the pipe.
bool Start(const Arguments& arguments, const Config& config, std::uint64_t seed,
           std::map<pid_t, Child>* children) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    return false;
  }
  const pid_t pid = fork();
  if (pid < 0) {
    return false;
  }
  if (pid == 0) {
    const std::string packed = Pack(RunSeed(arguments, config, seed));
    const bool written =
        write(ends[1], packed.data(), packed.size()) == static_cast<ssize_t>(packed.size());
    std::fflush(nullptr);
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Child child;
  child.result.config = &config;
  child.result.seed = seed;
  child.pipe = fdopen(ends[0], "r");
  (*children)[pid] = child;
  return true;
}

// Waits for any of them.
SeedResult Reap(std::map<pid_t, Child>* children) {
  int status = 0;
  const pid_t pid = wait(&status);
  Child child = children->at(pid);
  children->erase(pid);
  std::string packed;
  for (int c = std::fgetc(child.pipe); c != EOF; c = std::fgetc(child.pipe)) {
    packed += static_cast<char>(c);
  }
  std::fclose(child.pipe);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    Unpack(packed, &child.result);
  } else {
    child.result.run.what = "crash";
    child.result.failure =
        fmt::format("{}, seed {}: the process ended with {} {}\n", child.result.config->name,
                    child.result.seed, WIFSIGNALED(status) ? "signal" : "exit code",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  return child.result;
}

std::vector<ConfigResult> RunAll(const Arguments& arguments) {
  std::vector<ConfigResult> results;
  for (const Config* config : arguments.configs) {
    results.emplace_back(*config, arguments.seeds);
  }
  const std::uint64_t total = arguments.seeds * arguments.configs.size();
  const bool progress = isatty(STDERR_FILENO) != 0;
  std::map<pid_t, Child> children;
  std::uint64_t started = 0;
  std::uint64_t finished = 0;
  std::uint64_t failed = 0;
  while (finished < total) {
    if (started < total && children.size() < arguments.jobs) {
      // Seed by seed, all configurations.
      const Config& config = *arguments.configs[started % arguments.configs.size()];
      const std::uint64_t seed = arguments.first_seed + started / arguments.configs.size();
      if (!Start(arguments, config, seed, &children)) {
        fmt::print(stderr, "cannot start a process: {}\n", std::strerror(errno));
        std::exit(1);
      }
      ++started;
      continue;
    }
    const SeedResult result = Reap(&children);
    std::find_if(results.begin(), results.end(), [&result](const ConfigResult& of) {
      return of.config == result.config;
    })->Add(result);
    ++finished;
    failed += static_cast<std::uint64_t>(!result.failure.empty());
    if (progress) {
      fmt::print(stderr, "\r{} of {} runs, {} failed ", finished, total, failed);
    }
  }
  if (progress) {
    fmt::print(stderr, "\r{:40}\r", "");
  }
  for (ConfigResult& result : results) {
    std::sort(result.done.begin(), result.done.end(),
              [](const SeedResult& a, const SeedResult& b) { return a.seed < b.seed; });
  }
  return results;
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
  std::vector<std::string> names;
  std::string seeds;
  std::uint64_t seed = 0;

  CLI::App app("Constrained-random streams on the Verilated unit, checked every cycle");
  app.add_option("--config", names,
                 "a configuration; may be repeated (default: all that were built)");
  app.add_option("--seeds", seeds, "how many seeds of each, or which: 10, or 3-8 (default 10)");
  AddNumber(&app, "--first-seed", &arguments.first_seed, "the first of them (default 1)");
  CLI::Option* only = AddNumber(&app, "--seed", &seed, "this seed only");
  AddNumber(&app, "--cycles", &arguments.run.max_cycles, "cycles of each seed (default 100000)", 1);
  AddNumber(&app, "--jobs", &arguments.jobs, "processes at a time (default 1)", 1, kMostJobs);
  app.add_option("--junit", arguments.junit, "writes the results as JUnit XML");
  app.add_option("--json", arguments.json, "writes the results and all cover points as JSON");
  app.add_option("--wave", arguments.run.wave, "writes a waveform (FST) of a single run");
  AddNumber(&app, "--wave-from", &arguments.run.wave_from, "the first cycle that it shows");
  AddNumber(&app, "--wave-to", &arguments.run.wave_to, "the last cycle that it shows");
  app.add_option("--log", arguments.run.log, "writes the commits of a single run as JSONL");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }

  if (!seeds.empty() && !ParseSeeds(seeds, &arguments)) {
    return Complain(fmt::format("--seeds {}: neither a number from 1 to {} nor a range such as 3-8",
                                muster::ptx::Printable(seeds), kMostSeeds));
  }
  if (only->count() != 0) {
    arguments.first_seed = seed;
    arguments.seeds = 1;
  }
  for (const std::string& name : names) {
    const Config* config = muster::FindConfig(name);
    if (config == nullptr) {
      return Complain(fmt::format("--config {}: there is no such configuration", name));
    }
    arguments.configs.push_back(config);
  }
  if (names.empty()) {
    for (const Config& config : muster::Configs()) {
      if (muster::lockstep::MakeDut(config) != nullptr) {
        arguments.configs.push_back(&config);
      }
    }
  }
  const bool single = arguments.configs.size() == 1 && arguments.seeds == 1;
  if (!single && !(arguments.run.wave.empty() && arguments.run.log.empty())) {
    return Complain("--wave and --log are of a single run: name one --config and one --seed");
  }

  const std::vector<ConfigResult> results = RunAll(arguments);
  fmt::print("{}", Summary(results));
  if (!arguments.json.empty() && !WriteFile(arguments.json, Json(results))) {
    return Complain(fmt::format("{}: cannot be written", arguments.json));
  }
  if (!arguments.junit.empty() && !WriteFile(arguments.junit, JUnit(results))) {
    return Complain(fmt::format("{}: cannot be written", arguments.junit));
  }
  return Passed(results) ? 0 : 1;
}
