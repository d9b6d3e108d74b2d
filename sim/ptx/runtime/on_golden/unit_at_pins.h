// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Plays the unit at its pins with the golden model alone, so that the front end can be tested
// without RTL: what is presented is accepted when its fence allows, commits at once, and is
// released two cycles later.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_UNIT_AT_PINS_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_UNIT_AT_PINS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/port/driver.h"
#include "sim/ptx/runtime/on_golden/atomics_at_pins.h"
#include "sim/ptx/runtime/on_golden/cluster_at_pins.h"
#include "sim/ptx/runtime/on_golden/fences_at_pins.h"
#include "sim/ptx/runtime/on_golden/mbarriers_at_pins.h"
#include "sim/ptx/runtime/on_golden/warps_at_pins.h"

namespace muster::ptx {

class GoldenUnit {
 public:
  GoldenUnit(const Config& config, lockstep::Driver* driver)
      : config_(config),
        model_(config),
        driver_(*driver),
        mbarriers_(config, model_),
        warps_(config, driver->warp_pins()) {
    for (FencePins* const pins : driver->fence_pins()) {
      fences_.emplace_back(pins);
    }
    for (AtomicPins* const pins : driver->atomic_pins()) {
      atomics_.emplace_back(config, pins);
    }
    model_.Reset();
  }

  // Asks the driver for the pins of the cycle. False: it has nothing left.
  bool Drive(std::uint64_t cycle) {
    inputs_.mb.stores.clear();
    inputs_.mb.announced.clear();
    driving_ = driving_ && driver_.Drive(cycle, outputs_, &inputs_);
    return driving_;
  }
  std::uint64_t warp_lanes() const { return warps_.lanes(); }
  void Clock(std::uint64_t cycle) {
    if (driving_) {
      outputs_ = {};
      mbarriers_.Settle(cycle, inputs_.mb, &driver_, &outputs_.mb);
      Settle(cycle, inputs_, &driver_, &outputs_);
      warps_.Clock();
      for (GoldenAtomics& bank : atomics_) {
        bank.Clock();
      }
      for (GoldenFences& tracker : fences_) {
        tracker.Clock();
      }
    }
  }

 private:
  static constexpr unsigned kLatency = 2;

  struct Release {
    std::uint64_t warps = 0;
    Effects effects;
  };

  void Settle(std::uint64_t cycle, const Inputs& inputs, lockstep::Driver* driver,
              Outputs* outputs) {
    const Release& due = releases_[cycle % kLatency];
    outputs->released = due.warps;
    outputs->release_kind = due.effects.released_kind;
    outputs->release_value = static_cast<std::uint16_t>(due.effects.released_value);
    releases_[cycle % kLatency] = {};
    // One operation in a cycle, so that there is one completion at most.
    if (inputs.lifecycle_valid) {
      outputs->lifecycle_ready = true;
      Commit(cycle, inputs.lifecycle, driver);
      return;
    }
    if (inputs.exit_valid) {
      outputs->exit_ready = true;
      Commit(cycle, inputs.exit, driver);
      return;
    }
    for (unsigned port = 0; port < config_.num_issue; ++port) {
      const Operation& operation = inputs.issue[port];
      if (((inputs.issue_valid >> port) & 1U) == 0) {
        continue;
      }
      if (config_.drain && ((inputs.fence_ack >> operation.warp) & 1U) == 0) {
        continue;
      }
      outputs->issue_ready = static_cast<std::uint8_t>(1U << port);
      Commit(cycle, operation, driver);
      return;
    }
  }

  void Commit(std::uint64_t cycle, const Operation& operation, lockstep::Driver* driver) {
    // The driver hears of the acceptance in its next call, so that the commit follows it.
    const Effects effects = model_.Step(operation);
    driver->OnCommit(cycle, operation, effects);
    if (operation.kind == OpKind::kEnd) {
      mbarriers_.Leave(cycle, operation, driver);
    }
    if (effects.released != 0) {
      releases_[cycle % kLatency] = {effects.released, effects};
    }
  }

  const Config config_;
  golden::Model model_;
  lockstep::Driver& driver_;
  GoldenMbarriers mbarriers_;
  GoldenWarps warps_;
  std::deque<GoldenFences> fences_;    // trackers
  std::deque<GoldenAtomics> atomics_;  // of each bank
  Inputs inputs_;
  Outputs outputs_;
  bool driving_ = true;
  std::array<Release, kLatency> releases_{};
};

struct GoldenRun {
  std::uint64_t cycles = 0;
  std::uint64_t warp_lanes = 0;  // that came to the warp scopes
};

// A unit for each driver, side by side; stops at max_cycles.
inline GoldenRun RunGolden(const Config& config, const std::vector<lockstep::Driver*>& drivers,
                           std::uint64_t max_cycles) {
  std::deque<GoldenUnit> units;
  for (lockstep::Driver* const driver : drivers) {
    units.emplace_back(config, driver);
  }
  GoldenCluster cluster(drivers.front()->cluster_pins());
  GoldenRun run;
  for (bool any = true; any && run.cycles < max_cycles;) {
    any = false;
    for (GoldenUnit& unit : units) {
      any = unit.Drive(run.cycles) || any;
    }
    if (any) {
      for (GoldenUnit& unit : units) {
        unit.Clock(run.cycles);
      }
      cluster.Clock();
      ++run.cycles;
    }
  }
  cluster.Finish();
  for (const GoldenUnit& unit : units) {
    run.warp_lanes += unit.warp_lanes();
  }
  return run;
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_UNIT_AT_PINS_H_
