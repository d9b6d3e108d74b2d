// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Measures what looking at other orders costs, and prints JSON: how much slower a run is that is
// followed with vector clocks, what they take of memory, and how many classes of orders a search
// sees in a second.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
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

double SecondsSince(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
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
  const std::int64_t before = Allocated();
  Analysis analysis(*world);
  world->set_observer(follows ? &analysis : nullptr);
  muster::ptx::Random random(1);
  const auto begun = std::chrono::steady_clock::now();
  while (true) {
    const std::vector<Actor>& enabled = world->Enabled();
    if (enabled.empty()) {
      break;
    }
    world->Step(enabled[random.Below(static_cast<std::uint32_t>(enabled.size()))]);
  }
  Run run;
  run.seconds = SecondsSince(begun);
  run.steps = world->steps();
  run.bytes = Allocated() - before;
  world->set_observer(nullptr);
  return run;
}

nlohmann::ordered_json Prediction(const std::string& path) {
  Grid grid(path);
  RunOnce(&grid.world, false);  // the first one allocates what the others use again
  std::array<double, kRuns> ratios{};
  Run followed;
  Run plain;
  for (double& ratio : ratios) {
    plain = RunOnce(&grid.world, false);
    followed = RunOnce(&grid.world, true);
    ratio = followed.seconds / plain.seconds;
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
    const auto begun = std::chrono::steady_clock::now();
    classes = Exhaust(&grid.world, {}, [](const muster::explore::Order&) { return true; }).classes;
    speed = static_cast<double>(classes) / SecondsSince(begun);
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
