// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Measures what looking at other orders costs, and prints JSON: how much slower a run is that is
// followed with vector clocks, what they take of memory, and how many classes of orders a search
// sees in a second.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/explore/analysis.h"
#include "sim/explore/exhaust.h"
#include "sim/explore/world.h"
#include "sim/isa/config.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/simt/random.h"

namespace {

using muster::Config;
using muster::explore::Actor;
using muster::explore::Analysis;
using muster::explore::World;

constexpr unsigned kRuns = 5;

double Median(std::array<double, kRuns> values) {
  std::sort(values.begin(), values.end());
  return values[kRuns / 2];
}

// Of this process: others may be at work beside it.
double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  constexpr double kNanosecond = 1e-9;
  return static_cast<double>(now.tv_sec) + kNanosecond * static_cast<double>(now.tv_nsec);
}

// The grid of a manifest.
struct Grid {
  explicit Grid(const std::string& path)
      : manifest(muster::ptx::ReadManifest(path)),
        config(*muster::FindConfig(manifest.config)),
        session(manifest, config, manifest.seed),
        world(config, session.program(), session.launch(), session.memory()) {}

  const muster::ptx::Manifest manifest;
  const Config& config;
  const muster::ptx::Session session;
  World world;
};

struct Run {
  double seconds = 0;
  std::uint64_t steps = 0;
  std::int64_t bytes = 0;  // more than at its beginning
};

std::int64_t Allocated() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<std::int64_t>(now.uordblks + now.hblkhd);
}

// A run in a random order; `follows`: with vector clocks.
Run RunOnce(World* world, bool follows) {
  world->Reset();
  Run run;
  const std::int64_t before = Allocated();
  const double begun = ProcessorSeconds();
  std::optional<Analysis> analysis;
  world->set_observer(follows ? &analysis.emplace(*world) : nullptr);
  muster::ptx::Random random(1);
  while (true) {
    const std::vector<Actor>& enabled = world->Enabled();
    if (enabled.empty()) {
      break;
    }
    world->Step(enabled[random.Below(static_cast<std::uint32_t>(enabled.size()))]);
  }
  run.seconds = ProcessorSeconds() - begun;
  run.bytes = Allocated() - before;
  run.steps = world->steps();
  world->set_observer(nullptr);
  const double ended = ProcessorSeconds();
  analysis.reset();
  run.seconds += ProcessorSeconds() - ended;
  return run;
}

// Of a run, the mean of many.
double SecondsOf(World* world, bool follows) {
  constexpr double kLongEnough = 0.1;
  double seconds = 0;
  unsigned runs = 0;
  for (; seconds < kLongEnough; ++runs) {
    seconds += RunOnce(world, follows).seconds;
  }
  return seconds / runs;
}

nlohmann::ordered_json Prediction(const std::string& path) {
  Grid grid(path);
  RunOnce(&grid.world, false);  // the first one allocates what the others use again
  const Run plain = RunOnce(&grid.world, false);
  const Run followed = RunOnce(&grid.world, true);
  std::array<double, kRuns> ratios{};
  for (double& ratio : ratios) {
    ratio = SecondsOf(&grid.world, true) / SecondsOf(&grid.world, false);
  }
  const auto bytes = static_cast<double>(followed.bytes - plain.bytes);
  return {
      {"steps", followed.steps},
      {"predict_ratio", Median(ratios)},
      {"predict_bytes_per_step", static_cast<double>(bytes) / static_cast<double>(followed.steps)}};
}

nlohmann::ordered_json Search(const std::string& path) {
  Grid grid(path);
  std::array<double, kRuns> speeds{};
  std::uint64_t classes = 0;
  for (double& speed : speeds) {
    const double begun = ProcessorSeconds();
    classes = Exhaust(&grid.world, {}, [](const muster::explore::Order&) { return true; }).classes;
    speed = static_cast<double>(classes) / (ProcessorSeconds() - begun);
  }
  return {{"classes", classes}, {"classes_per_second", Median(speeds)}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What looking at other orders costs");
  std::vector<std::string> predicted;
  std::string searched;
  app.add_option("--predict", predicted, "manifests whose runs are followed")->required();
  app.add_option("--search", searched, "a manifest of which all orders are seen")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    nlohmann::ordered_json json;
    for (const std::string& path : predicted) {
      json["predict"][path] = Prediction(path);
    }
    json["search"] = Search(searched);
    std::cout << json.dump(2) << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
