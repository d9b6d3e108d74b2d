// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Measures latency and throughput of the unit in cycles, at its pins under lockstep, and prints
// JSON.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "sim/isa/config.h"
#include "sim/lockstep/lockstep.h"
#include "tb/bench/stimulus.h"
#include "tb/bench/storm.h"

namespace {

using muster::Config;
using muster::bench::Gathering;
using muster::bench::GatherTimes;

constexpr std::uint64_t kMaxCycles = 100'000;
constexpr std::uint64_t kStreamCycles = 4096;

void RunChecked(const Config& config, muster::lockstep::Driver* driver) {
  muster::lockstep::Options options;
  options.max_cycles = kMaxCycles;
  const muster::lockstep::Result result = muster::lockstep::Run(config, *driver, options);
  if (result.ending == muster::lockstep::Ending::kMaxCycles) {
    throw std::runtime_error(fmt::format("{}: the warps were not released", config.name));
  }
  if (result.ending != muster::lockstep::Ending::kDone) {
    throw std::runtime_error(result.report);
  }
}

GatherTimes Measure(const Config& config, const Gathering& gathering) {
  muster::bench::Gather gather(config, gathering);
  RunChecked(config, &gather);
  return gather.times();
}

// First acceptance to release.
std::uint64_t GatherCycles(const Config& config, const Gathering& gathering) {
  const GatherTimes times = Measure(config, gathering);
  return times.released - times.first;
}

nlohmann::json MeasureConfig(const Config& config) {
  const GatherTimes alone = Measure(config, {config.num_warps, true});
  muster::bench::Stream stream(config, kStreamCycles);
  RunChecked(config, &stream);
  return {{"release_latency_cycles", alone.released - alone.last},
          {"gather_cycles", GatherCycles(config, {config.num_warps})},
          {"arrivals_per_cycle", stream.arrivals_per_cycle()}};
}

nlohmann::json MeasureMbarrier(const Config& config) {
  muster::bench::Storm storm(config, kStreamCycles);
  RunChecked(config, &storm);
  muster::bench::WakeUp wake_up(config);
  RunChecked(config, &wake_up);
  if (!wake_up.done()) {
    throw std::runtime_error(fmt::format("{}: the warps were not woken", config.name));
  }
  return {{"updates_per_cycle_same_word", storm.updates_per_cycle()},
          {"wakeup_latency_cycles", wake_up.latency()},
          {"worst_wait_cycles", storm.worst_wait()}};
}

// All warps of a CTA sync, for each size of CTA: as fast as the ports take them, and half a warp
// per cycle with a drain each, as NVIDIA's units are said to.
nlohmann::json MeasureSizes(const Config& config) {
  nlohmann::json fast = nlohmann::json::object();
  nlohmann::json slow = nlohmann::json::object();
  for (unsigned warps = 1; warps <= config.num_warps; ++warps) {
    fast[std::to_string(warps)] = GatherCycles(config, {warps});
    slow[std::to_string(warps)] = GatherCycles(config, {warps, false, 2, config.drain});
  }
  return {{"sync_all_cycles", fast}, {"sync_all_half_rate_cycles", slow}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Latency and throughput of the unit, in cycles");
  std::string name;
  bool sizes = false;
  bool sync_only = false;
  bool mbarrier = false;
  app.add_option("--config", name, "a configuration of rtl/configs.json")->required();
  app.add_flag("--sizes", sizes, "a sync of each size of CTA, instead");
  app.add_flag("--mbarrier", mbarrier, "updates of one mbarrier, and wake-up, instead");
  app.add_flag("--sync-only", sync_only, "a plain sync of all warps, instead: passes or fails");
  CLI11_PARSE(app, argc, argv);
  const Config* config = muster::FindConfig(name);
  if (config == nullptr) {
    fmt::print(stderr, "{}: no such configuration\n", name);
    return 2;
  }
  try {
    nlohmann::json figures;
    if (sync_only) {
      GatherCycles(*config, {config->num_warps});
    } else {
      figures = mbarrier ? MeasureMbarrier(*config)
                : sizes  ? MeasureSizes(*config)
                         : MeasureConfig(*config);
      fmt::print("{}\n", figures.dump(2));
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
