// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The SystemC side of the lockstep: loosely timed, temporally decoupled, no clock. One thread runs
// the units for a quantum of cycles before it waits.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>
#include <systemc>
#include <utility>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/atomics_dut.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/checked_cluster_scope.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/fence_dut.h"
#include "sim/lockstep/files.h"
#include "sim/lockstep/fresh_context.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/trace_window.h"
#include "sim/lockstep/unit_checker.h"
#include "sim/lockstep/warp_dut.h"

namespace muster::lockstep {
namespace {

constexpr unsigned kQuantum = 500;             // cycles between two waits
constexpr unsigned kStackBytes = 1024 * 1024;  // an FST dump is deep

// All units, cycle by cycle.
class Harness : public sc_core::sc_module {
 public:
  Harness(const sc_core::sc_module_name& name, const Config& config,
          std::vector<std::unique_ptr<Dut>> duts, std::vector<UnitChecker::Others> beside,
          std::unique_ptr<ClusterDut> cluster_dut, const std::vector<Driver*>& drivers,
          const Options& options)
      : sc_core::sc_module(name),
        options_(options),
        cluster_wave_(OfClusterScope(options.wave), options.wave_from, options.wave_to),
        period_(kCycleNs, sc_core::SC_NS),
        clock_period_ps_(config.clock_period_ps) {
    for (std::size_t i = 0; i < drivers.size(); ++i) {
      checkers_.push_back(std::make_unique<UnitChecker>(
          fmt::format("unit{}", i).c_str(), config, std::move(duts[i]), std::move(beside[i]),
          drivers[i], options_, drivers.size() > 1 ? static_cast<int>(i) : -1, &result_));
    }
    if (cluster_dut) {
      cluster_.emplace(std::move(cluster_dut), drivers.front()->cluster_pins(), options.checked);
    }
    running_.assign(drivers.size(), 1);
    SC_HAS_PROCESS(Harness);
    SC_THREAD(Loop);
    set_stack_size(kStackBytes);
  }

  Result Finish() {
    result_.cycles = cycle_;
    for (const auto& checker : checkers_) {
      checker->Finish();
    }
    if (cluster_) {
      cluster_wave_.End(&*cluster_);
      result_.NotWritten(cluster_wave_.error());
      cluster_->Finish();
      result_.cluster_operations = cluster_->checker().counts().requests +
                                   cluster_->checker().counts().sent +
                                   cluster_->checker().counts().cancels;
    }
    return std::move(result_);
  }

 private:
  void Loop() {
    const std::clock_t start = std::clock();
    auto told = std::chrono::steady_clock::now();
    bool running = true;
    while (running) {
      for (unsigned i = 0; i < kQuantum && running; ++i) {
        running = options_.checked ? CheckedCycle() : UncheckedCycle();
        ++cycle_;
      }
      wait(ahead_);
      ahead_ = sc_core::SC_ZERO_TIME;
      if (const auto now = std::chrono::steady_clock::now();
          options_.progress && running && now - told >= options_.progress_every) {
        told = now;
        options_.progress(cycle_, result_.commits + result_.mb_commits);
      }
    }
    result_.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }

  // Runs one cycle. False: it was the last.
  bool UncheckedCycle() {
    ahead_ += period_;
    if (cycle_ >= options_.max_cycles) {
      result_.ending = Ending::kMaxCycles;
      return false;
    }
    bool any = false;
    for (const auto& checker : checkers_) {
      any = checker->DriveUnchecked(cycle_) || any;
    }
    for (std::size_t i = 0; i < checkers_.size() && any; ++i) {
      any = checkers_[i]->ClockUnchecked(cycle_);
    }
    if (cluster_ && any) {
      cluster_->Clock(cycle_);
    }
    return any;
  }

  bool CheckedCycle() {
    const bool enough = Enough();
    bool any = false;
    for (std::size_t i = 0; i < checkers_.size(); ++i) {
      const bool runs = running_[i] != 0 && checkers_[i]->Drive(cycle_, enough);
      running_[i] = static_cast<char>(runs);
      any = any || runs;
    }
    if (!any || result_.ending == Ending::kMismatch) {
      return false;
    }
    const std::uint64_t still = options_.skips ? Idle() : 0;
    if (still != 0) {
      for (const auto& checker : checkers_) {
        checker->StandStill(still);
      }
    }
    const sc_core::sc_time before = ahead_;
    bool good = true;
    for (std::size_t i = 0; i < checkers_.size() && good; ++i) {
      if (running_[i] != 0) {
        ahead_ = before;
        good = checkers_[i]->Clock(cycle_, &ahead_);
      }
    }
    if (cluster_ && good) {
      if (!checkers_.front()->driving()) {
        cluster_->RunEmpty();
      }
      cluster_wave_.At(cycle_, &*cluster_);
      good = cluster_->Clock(cycle_) ||
             checkers_.front()->Stop(cycle_, *cluster_->checker().mismatch());
    }
    if (still != 0) {
      ahead_ += period_ * static_cast<double>(still);
      cycle_ += still;
      result_.skipped += still;
    }
    return good;
  }

  // The cycles after this one in which nothing can happen: all drivers sleep, and no unit has
  // anything to do.
  std::uint64_t Idle() const {
    std::uint64_t until = Driver::kNever;
    for (std::size_t i = 0; i < checkers_.size(); ++i) {
      until = running_[i] != 0 ? std::min(until, checkers_[i]->SleepsUntil(cycle_)) : until;
    }
    return StandsStill(cycle_, until, clock_period_ps_);
  }

  bool Enough() const {
    const std::uint64_t ran = cycle_ - result_.skipped;
    return ran >= options_.max_cycles &&
           (result_.commits >= options_.min_commits || ran >= 8 * options_.max_cycles);
  }

  const Options& options_;
  TraceWindow<CheckedClusterScope> cluster_wave_;
  sc_core::sc_time period_;
  const std::uint64_t clock_period_ps_;  // of the units
  std::vector<std::unique_ptr<UnitChecker>> checkers_;
  std::optional<CheckedClusterScope> cluster_;
  std::vector<char> running_;  // not bool, which takes longer to read
  sc_core::sc_time ahead_;     // local time, ahead of SystemC's
  std::uint64_t cycle_ = 0;
  Result result_;
};

}  // namespace

Result Run(const Config& config, Driver& driver, const Options& options) {
  return Run(config, std::vector<Driver*>{&driver}, options);
}

Result Run(const Config& config, const std::vector<Driver*>& drivers, const Options& options) {
  Result result;
  result.ending = Ending::kError;
  if (!options.wave.empty() && !Writable(options.wave)) {
    result.report = fmt::format("{}: the waveform cannot be written there", options.wave);
    return result;
  }
  std::vector<std::unique_ptr<Dut>> duts;
  std::vector<UnitChecker::Others> beside;
  for (Driver* const driver : drivers) {
    duts.push_back(options.make_dut ? options.make_dut() : MakeDut(config, options.power_up));
    const bool has_warps = driver->warp_pins() != nullptr;
    beside.push_back({!has_warps              ? nullptr
                      : options.make_warp_dut ? options.make_warp_dut()
                                              : MakeWarpDut(config),
                      {},
                      {}});
    bool complete = duts.back() != nullptr && (!has_warps || beside.back().warp != nullptr);
    for (std::size_t banks = driver->atomic_pins().size(); banks != 0; --banks) {
      beside.back().atomics.push_back(MakeAtomicsDut(config));
      complete = complete && beside.back().atomics.back() != nullptr;
    }
    for (std::size_t trackers = driver->fence_pins().size(); trackers != 0; --trackers) {
      beside.back().fences.push_back(MakeFenceDut());
      complete = complete && beside.back().fences.back() != nullptr;
    }
    if (!complete) {
      result.report =
          fmt::format("{}: this program was built without the configuration; it has", config.name);
      for (const std::string_view name : UnitNames()) {
        result.report.append(" ").append(name);
      }
      return result;
    }
  }
  std::unique_ptr<ClusterDut> cluster_dut;
  if (drivers.front()->cluster_pins() != nullptr) {
    cluster_dut = MakeClusterDut(config, static_cast<unsigned>(drivers.size()));
    if (cluster_dut == nullptr) {
      result.report = "this program was built without a cluster scope of so many units";
      return result;
    }
  }
  // SystemC prints its copyright where results belong.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  const FreshContext context;
  Harness harness("harness", config, std::move(duts), std::move(beside), std::move(cluster_dut),
                  drivers, options);
  sc_core::sc_start();
  return harness.Finish();
}

}  // namespace muster::lockstep
