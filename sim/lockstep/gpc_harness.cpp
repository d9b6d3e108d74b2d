// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The SystemC side of the check of a GPC; as harness.cpp, of which it has the units' checkers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "sim/lockstep/bounds.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/files.h"
#include "sim/lockstep/fresh_context.h"
#include "sim/lockstep/gpc.h"
#include "sim/lockstep/unit_checker.h"
#include "sim/lockstep/wave_guard.h"

namespace muster::lockstep {
namespace {

constexpr unsigned kQuantum = 500;             // cycles between two waits
constexpr unsigned kStackBytes = 1024 * 1024;  // an FST dump is deep
constexpr std::uint64_t kLongestEnd = 50'000;  // cycles in which all that is under way is done

// The block in which an assertion stands, by the path of its instance.
std::string BlockOf(const std::string& scope) {
  const std::size_t unit = scope.find("g_unit[");
  if (unit == std::string::npos || scope.find("u_cluster") < unit) {
    return scope.find("u_cluster") == std::string::npos ? "the GPC" : "the cluster scope";
  }
  const std::size_t number = unit + std::string("g_unit[").size();
  const std::string index = scope.substr(number, scope.find(']', number) - number);
  const char* const block = scope.find("u_warp", unit) != std::string::npos ? "warp scope "
                            : scope.find("u_atomics", unit) != std::string::npos
                                ? "atomics of unit "
                                : "unit ";
  return block + index;
}

class GpcHarness : public sc_core::sc_module {
 public:
  GpcHarness(const sc_core::sc_module_name& name, std::unique_ptr<GpcDut> gpc,
             const MakeGpcDriver& make_driver, const Options& options)
      : sc_core::sc_module(name),
        options_(options),
        unit_options_(options),
        gpc_(std::move(gpc)),
        checks_(gpc_->shape()),
        driver_(make_driver(gpc_->shape(), checks_)),
        period_(kCycleNs, sc_core::SC_NS) {
    unit_options_.wave.clear();  // there is one of all
    unit_options_.cover = nullptr;
    for (unsigned u = 0; u < gpc_->pins.units.size(); ++u) {
      checkers_.push_back(std::make_unique<UnitChecker>(
          fmt::format("unit{}", u).c_str(), gpc_->shape().unit, std::move(gpc_->ports[u]),
          UnitChecker::Others{}, driver_->unit(u), unit_options_, static_cast<int>(u), &result_));
    }
    SC_HAS_PROCESS(GpcHarness);
    SC_THREAD(Loop);
    set_stack_size(kStackBytes);
  }

  Result Finish() {
    result_.cycles = cycle_;
    for (const auto& checker : checkers_) {
      checker->Finish();
    }
    for (const WarpChecker& warps : checks_.warps) {
      result_.warp_requests += warps.counts().requests;
      result_.warp_lanes += warps.counts().lanes;
    }
    for (const AtomicsChecker& atomics : checks_.atomics) {
      result_.atomic_updates += atomics.counts().updates;
    }
    const ClusterChecker::Counts& counts = checks_.cluster.counts();
    result_.cluster_operations = counts.requests + counts.sent + counts.cancels;
    EndTrace();
    return std::move(result_);
  }

 private:
  void Loop() {
    const std::clock_t start = std::clock();
    bool running = true;
    while (running) {
      for (unsigned i = 0; i < kQuantum && running; ++i) {
        running = Cycle();
        ++cycle_;
      }
      wait(ahead_);
      ahead_ = sc_core::SC_ZERO_TIME;
    }
    result_.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  }

  // Runs one cycle. False: it was the last.
  bool Cycle() {
    GpcPins& pins = gpc_->pins;
    const std::uint64_t ran = cycle_ - result_.skipped;
    if (ran >= options_.max_cycles && !finishing_) {
      finishing_ = true;
      driver_->Finish();
    }
    const bool enough = finishing_ && (at_rest_ = at_rest_ || IsAtRest());
    if (!enough && ran > options_.max_cycles + kLongestEnd) {
      return checkers_.front()->Stop(cycle_, {"harness", "something never ends", "all does"},
                                     "the GPC");
    }
    driver_->Drive(cycle_, &pins);
    bool any = false;
    for (const auto& checker : checkers_) {
      any = checker->Drive(cycle_, enough) || any;
    }
    if (!any || result_.ending == Ending::kMismatch) {
      return false;
    }
    bool sweeping = false;
    for (const auto& checker : checkers_) {
      sweeping = checker->Address(cycle_) || sweeping;
    }
    const std::uint64_t still = sweeping ? 0 : Still();
    if (still != 0) {
      for (const auto& checker : checkers_) {
        checker->StandStill(still);
      }
    }
    Trace();
    gpc_->Settle();
    if (driver_->Wire(&pins)) {
      gpc_->Settle();
    }
    pins.gated = options_.gates == Gating::kUnit && !sweeping && IsIdle();
    result_.gated += pins.gated ? 1 : 0;
    for (const auto& checker : checkers_) {
      checker->GateMbarriers();
    }
    gpc_->Clock();
    const sc_core::sc_time before = ahead_;
    const bool good = pins.reset ? Reset() : Check(before);
    ahead_ = before + period_ * static_cast<double>(1 + still);
    if (const Assertion& failed = FailedAssertion(); !failed.at.empty()) {
      return checkers_.front()->Stop(
          cycle_, {kAssertion, failed.says, fmt::format("{}, {}", failed.at, failed.scope)},
          BlockOf(failed.scope));
    }
    if (good && !pins.reset) {
      driver_->Observe(cycle_, pins);
    }
    cycle_ += still;
    result_.skipped += still;
    return good;
  }

  // The cycles after this one in which nothing can happen: all drivers sleep, and nothing is under
  // way anywhere.
  std::uint64_t Still() {
    const GpcPins& pins = gpc_->pins;
    bool rests = options_.skips && !pins.reset && !finishing_ && !pins.cluster_out.active &&
                 !pins.cluster_in.life_valid && checks_.cluster.Settled();
    std::uint64_t until = Driver::kNever;
    for (std::size_t u = 0; u < checkers_.size(); ++u) {
      const GpcUnitPins& unit = pins.units[u];
      const ClusterInputs::Unit& scope = pins.cluster_in.units[u];
      until = std::min(until, checkers_[u]->SleepsUntil(cycle_));
      rests = rests && !unit.warp_in.valid && unit.warp_in.clear == 0 && !unit.warp_out.active &&
              checks_.warps[u].Settled() && !unit.atomic_in.issue_valid &&
              !unit.atomic_out.active && AtomicsSettled(u) && !scope.request_valid &&
              !scope.send_valid && !scope.cancel_valid;
    }
    return rests ? StandsStill(cycle_, until, gpc_->shape().unit.clock_period_ps) : 0;
  }

  bool AtomicsSettled(std::size_t u) const {
    return checks_.atomics.empty() || checks_.atomics[u].Settled();
  }

  bool IsIdle() const {
    return !gpc_->pins.reset &&
           std::all_of(gpc_->pins.units.begin(), gpc_->pins.units.end(),
                       [](const GpcUnitPins& unit) { return unit.port->out.idle; });
  }

  bool IsAtRest() const {
    return driver_->Finished() && checks_.cluster.Settled() &&
           std::all_of(checks_.atomics.begin(), checks_.atomics.end(),
                       [](const AtomicsChecker& atomics) { return atomics.Settled(); }) &&
           std::all_of(checks_.warps.begin(), checks_.warps.end(),
                       [](const WarpChecker& warps) { return warps.Settled(); });
  }

  bool Reset() {
    for (WarpChecker& warps : checks_.warps) {
      warps.Reset();
    }
    for (AtomicsChecker& atomics : checks_.atomics) {
      atomics.Reset();
    }
    for (GpcCrossingChecker& crossing : checks_.crossings) {
      crossing.Reset();
    }
    checks_.cluster.Reset();
    sc_core::sc_time ahead = ahead_;
    return std::all_of(checkers_.begin(), checkers_.end(),
                       [&](const auto& checker) { return checker->CheckSettled(cycle_, &ahead); });
  }

  bool Check(const sc_core::sc_time& before) {
    for (unsigned u = 0; u < checkers_.size(); ++u) {
      if (!CheckIdle(u) || !CheckUnit(u, before) || !CheckWarps(u) || !CheckAtomics(u)) {
        return false;
      }
    }
    return CheckCluster();
  }

  // The clock of a unit is that of the scopes beside it, too: it must not stop while one of these
  // is at work. Of the unit itself its checker knows that.
  bool CheckIdle(unsigned u) {
    const GpcUnitPins& unit = gpc_->pins.units[u];
    const bool works = unit.warp_out.active || unit.warp_in.clear != 0 || unit.atomic_out.active ||
                       gpc_->pins.cluster_out.active;
    return !(unit.port->out.idle && works) ||
           checkers_[u]->Stop(cycle_, {"idle", "high", "low: something is under way"},
                              fmt::format("unit {}", u));
  }

  // The unit's checker sees what the ports of the unit show, whoever drives them.
  bool CheckUnit(unsigned u, const sc_core::sc_time& before) {
    GpcUnitPins& unit = gpc_->pins.units[u];
    const ClusterOutputs& scope = gpc_->pins.cluster_out;
    GpcCrossingChecker& crossing = checks_.crossings[u];
    if (!crossing.Check(unit, scope.units[u], scope.complete)) {
      return checkers_[u]->Stop(cycle_, *crossing.mismatch(),
                                fmt::format("what passes from the cluster scope to unit {}", u));
    }
    MbInputs& in = unit.port->in.mb;
    MbOutputs& out = unit.port->out.mb;
    const GpcCrossing& inside = unit.crossing;
    const bool engine_valid = std::exchange(in.async_valid, inside.async_valid);
    const bool engine_ready = std::exchange(out.async_ready, inside.async_ready);
    const MbOperation engine = std::exchange(in.async, inside.async);
    in.remote_valid = inside.remote_valid;
    in.remote = inside.remote;
    out.remote_ready = inside.remote_ready;
    sc_core::sc_time ahead = before;
    const bool good = checkers_[u]->CheckSettled(cycle_, &ahead);
    in.async_valid = engine_valid;
    in.async = engine;
    out.async_ready = engine_ready;
    in.remote_valid = false;
    return good;
  }

  bool CheckWarps(unsigned u) {
    GpcUnitPins& unit = gpc_->pins.units[u];
    unit.warp_in.busy = unit.port->out.busy | gpc_->pins.cluster_out.units[u].busy;
    WarpChecker& warps = checks_.warps[u];
    return warps.Check(cycle_, unit.warp_in, unit.warp_out) ||
           checkers_[u]->Stop(cycle_, *warps.mismatch(), fmt::format("warp scope {}", u), &warps);
  }

  bool CheckAtomics(unsigned u) {
    if (checks_.atomics.empty()) {
      return true;
    }
    const GpcUnitPins& unit = gpc_->pins.units[u];
    const AtomicCrossing& inside = unit.crossing.atomics;
    AtomicInputs in = unit.atomic_in;
    in.remote_valid = inside.remote_valid;
    in.remote = inside.remote;
    in.response_ready = inside.response_ready;
    AtomicOutputs out = unit.atomic_out;
    out.remote_ready = inside.remote_ready;
    out.remote_busy = inside.remote_busy;
    out.response_valid = inside.response_valid;
    out.response = inside.response;
    return checks_.atomics[u].Check(cycle_, in, out) ||
           checkers_[u]->Stop(cycle_, *checks_.atomics[u].mismatch(),
                              fmt::format("atomics of unit {}", u), nullptr, &checks_.atomics[u]);
  }

  bool CheckCluster() {
    GpcPins& pins = gpc_->pins;
    for (std::size_t u = 0; u < pins.units.size(); ++u) {
      pins.cluster_in.units[u].remote_ready = pins.units[u].crossing.network_ready;
      pins.cluster_in.units[u].complete_ready = pins.units[u].crossing.complete_ready;
      const AtomicCrossing& atomics = pins.units[u].crossing.atomics;
      pins.cluster_in.units[u].answer_valid =
          atomics.response_valid && atomics.response.from.remote;
      pins.cluster_in.units[u].answer = atomics.response;
    }
    return checks_.cluster.Check(cycle_, pins.cluster_in, pins.cluster_out) ||
           checkers_.front()->Stop(cycle_, *checks_.cluster.mismatch(), "the cluster scope");
  }

  void Trace() {
    if (options_.wave.empty()) {
      return;
    }
    if (!traced_ && cycle_ >= options_.wave_from && cycle_ <= options_.wave_to) {
      wave_guard_ = std::make_unique<WaveGuard>(options_.wave);
      gpc_->OpenTrace(options_.wave, cycle_);
      traced_ = true;
    } else if (cycle_ > options_.wave_to) {
      EndTrace();
    }
  }

  void EndTrace() {
    gpc_->CloseTrace();
    if (wave_guard_) {
      const std::string error = wave_guard_->Close();
      wave_guard_.reset();
      if (!error.empty()) {
        result_.ending = result_.ending == Ending::kMismatch ? Ending::kMismatch : Ending::kError;
        result_.report += error + "\n";
      }
    }
  }

  const Options& options_;
  Options unit_options_;
  std::unique_ptr<GpcDut> gpc_;
  GpcChecks checks_;
  std::unique_ptr<GpcDriver> driver_;
  sc_core::sc_time period_;
  std::vector<std::unique_ptr<UnitChecker>> checkers_;
  std::unique_ptr<WaveGuard> wave_guard_;  // while a waveform is written
  bool traced_ = false;
  bool finishing_ = false;
  bool at_rest_ = false;
  sc_core::sc_time ahead_;  // local time, ahead of SystemC's
  std::uint64_t cycle_ = 0;
  Result result_;
};

}  // namespace

Result RunGpc(const MakeGpcDriver& make_driver, const Options& options) {
  Result result;
  result.ending = Ending::kError;
  if (!options.wave.empty() && !Writable(options.wave)) {
    result.report = fmt::format("{}: the waveform cannot be written there", options.wave);
    return result;
  }
  ForgetAssertion();
  std::unique_ptr<GpcDut> gpc = MakeGpc(options.power_up);
  // SystemC prints its copyright where results belong.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
  const FreshContext context;
  GpcHarness harness("harness", std::move(gpc), make_driver, options);
  sc_core::sc_start();
  return harness.Finish();
}

}  // namespace muster::lockstep
