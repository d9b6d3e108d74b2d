// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The regression: constrained-random streams under lockstep, many seeds of each configuration. The
// tests regress.CONFIG.N of CTest run a shard of them each (tb/lockstep/CMakeLists.txt), and
// regress.cover puts the shards' files together.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/cover.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/random_reset.h"
#include "tb/lockstep/regress_program.h"

namespace muster::lockstep {
namespace {

// A stream that stalls tests nothing: a seed goes on until one operation has committed in so many
// of the cycles asked for.
constexpr std::uint64_t kCyclesPerCommit = 5;

class UnitResult : public RegressResult {
 public:
  UnitResult(const Config& config, const Layout& layout)
      : RegressResult(config.name, layout), config(config), cover(config) {
    const Bounds bounds = BoundsOf(config);
    for (unsigned wait = 0; wait < kNumWaits; ++wait) {
      waits.push_back({kWaitNames[wait], 0, bounds.longest[wait]});
    }
    for (unsigned wait = 0; wait < kNumMbWaits; ++wait) {
      waits.push_back({kMbWaitNames[wait], 0, bounds.mb_longest[wait]});
    }
  }

  CoverPoints& points() override { return cover.points(); }
  void AddWaits(const Result& run) {
    for (unsigned wait = 0; wait < kNumWaits + kNumMbWaits; ++wait) {
      const std::uint64_t longest =
          wait < kNumWaits ? run.waits[wait] : run.mb_waits[wait - kNumWaits];
      waits[wait].cycles = std::max(waits[wait].cycles, longest);
    }
  }

  const Config& config;
  Cover cover;
};

void RunSeed(const RegressOptions& arguments, std::uint64_t seed, RegressResult* of) {
  UnitResult& result = static_cast<UnitResult&>(*of);
  result.cover.NextRun();
  RandomOptions random;
  random.seed = seed;
  random.cover = &result.cover;
  random.pauses = seed % 4 == 0;
  RandomReset driver(result.config, random);
  Options options = arguments.run;
  options.seed = seed;
  options.power_up = {seed, seed % 3 == 0};
  options.gates = GatingOf(seed);
  options.skips = options.gates == Gating::kNone;
  options.cover = &result.cover;
  options.min_commits = options.max_cycles / kCyclesPerCommit;
  options.rerun = fmt::format("{} --config {} --seed {} --cycles {}", arguments.program,
                              result.name, seed, options.max_cycles);
  const Result run = Run(result.config, driver, options);
  const bool stalled = run.commits < options.min_commits;
  result.Add(
      seed, run,
      stalled ? fmt::format("{}, seed {}: only {} commits in {} cycles\n  rerun   {}\n",
                            result.name, seed, run.commits, run.cycles - run.skipped, options.rerun)
              : "");
  result.AddWaits(run);
}

std::vector<std::string> Names(const std::vector<std::string>& asked) {
  for (const std::string& name : asked) {
    if (FindConfig(name) == nullptr) {
      throw std::runtime_error(fmt::format("--config {}: there is no such configuration", name));
    }
  }
  std::vector<std::string> names = asked;
  if (asked.empty()) {
    for (const Config& config : Configs()) {
      if (HasUnit(config)) {
        names.emplace_back(config.name);
      }
    }
  }
  return names;
}

}  // namespace
}  // namespace muster::lockstep

int main(int argc, char** argv) {
  using muster::lockstep::Result;
  muster::lockstep::Regression regression;
  regression.description = "Constrained-random streams on the Verilated unit, checked every cycle";
  regression.layout = {"config",
                       {{"commits", "commits", 12, &Result::commits},
                        {"releases", "releases", 10, &Result::releases},
                        {"faults", "faults", 9, &Result::faults},
                        {"mb_commits", "mb commits", 10, &Result::mb_commits},
                        {"mb_phases", "mb phases", 9, &Result::mb_phases}},
                       0};
  regression.names = muster::lockstep::Names;
  regression.make = [&](const std::string& name) {
    const muster::Config* config = muster::FindConfig(name);
    if (config == nullptr) {
      throw std::runtime_error(fmt::format("there is no configuration {}", name));
    }
    return std::make_unique<muster::lockstep::UnitResult>(*config, regression.layout);
  };
  regression.run = muster::lockstep::RunSeed;
  return muster::lockstep::Regress(argc, argv, regression);
}
