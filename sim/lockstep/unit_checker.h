// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One unit with its golden model and all its checkers. The unit runs cycle by cycle, operations
// that commit are passed to the golden model by b_transport, and the outputs are compared in every
// cycle. Knows the order of these steps, and not what a correct output is: each checker knows that.
#ifndef MUSTER_SIM_LOCKSTEP_UNIT_CHECKER_H_
#define MUSTER_SIM_LOCKSTEP_UNIT_CHECKER_H_

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/lockstep/checked_atomics.h"
#include "sim/lockstep/checked_fences.h"
#include "sim/lockstep/checked_warp_scope.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/idle_skipper.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/mb_checker.h"
#include "sim/lockstep/mismatch.h"
#include "sim/lockstep/monitor.h"
#include "sim/lockstep/scoreboard.h"
#include "sim/lockstep/trace_window.h"
#include "sim/lockstep/unit_log.h"
#include "sim/tlm/barrier_extension.h"
#include "sim/tlm/barrier_unit.h"

namespace muster::lockstep {

// One unit with its golden model and all its checkers.
class UnitChecker : public sc_core::sc_module {
 public:
  // What is beside the unit, if the driver has pins for it.
  struct Others {
    std::unique_ptr<WarpDut> warp;
    std::vector<std::unique_ptr<AtomicsDut>> atomics;  // a block for each bank
    std::vector<std::unique_ptr<FenceDut>> fences;     // trackers
  };
  // `number`: of the unit in a run of several, or -1.
  UnitChecker(const sc_core::sc_module_name& name, const Config& config, std::unique_ptr<Dut> dut,
              Others beside, Driver* driver, const Options& options, int number, Result* result);

  // What the unit sees in this cycle, on its own. False: it is done.
  bool DriveUnchecked(std::uint64_t cycle) { return driver_.Drive(cycle, dut_->out, &dut_->in); }
  bool ClockUnchecked(std::uint64_t cycle) {
    Trace(cycle);
    dut_->Settle();
    dut_->Clock();
    if (warp_) {
      warp_->Clock(cycle, false);
    }
    for (CheckedAtomics& bank : atomics_) {
      bank.Clock(cycle, false);
    }
    for (CheckedFences& tracker : fences_) {
      tracker.Clock(cycle, false);
    }
    return Asserted(cycle);
  }

  bool driving() const { return driving_; }  // the driver sets the pins
  // Sets the pins: those of the driver, or, when the driver has finished, such that the unit runs
  // empty. Returns false when the unit is empty and its remaining state was checked.
  bool Drive(std::uint64_t cycle, bool enough);
  // Called after Drive. Returns the first cycle in which the unit or its driver may do anything by
  // itself; this cycle if any operation is under way.
  std::uint64_t SleepsUntil(std::uint64_t cycle);
  // The clock stands still for so many cycles after this one.
  void StandStill(std::uint64_t cycles);
  // Runs the cycle and checks it, at the local time *ahead. Returns false on a mismatch; see the
  // report of the result.
  bool Clock(std::uint64_t cycle, sc_core::sc_time* ahead);
  // Decides whether the cycle that was settled ends without an edge of mb_clk_i.
  void GateMbarriers();
  // The same in steps, for a unit that others settle and clock: the pins of the debug port, of
  // which it returns whether they are in use; then, with the pins settled, the checks, without
  // those of assertions.
  bool Address(std::uint64_t cycle);
  bool CheckSettled(std::uint64_t cycle, sc_core::sc_time* ahead);

  // Ends the run with a mismatch, unless it has ended with one already. `block`: that in which it
  // is, if it is not this unit; `warps`, `atomics`: the checker of that, if it is a warp scope or a
  // bank of atomics.
  [[gnu::cold]] bool Stop(std::uint64_t cycle, const Mismatch& mismatch,
                          const std::string& block = "", const WarpChecker* warps = nullptr,
                          const AtomicsChecker* atomics = nullptr);

  // Closes the files, and adds to the result what is known only at the end.
  void Finish();

 private:
  void BeginChecks(std::uint64_t cycle);
  bool ExpectsNothing() const;
  void RunCycle(std::uint64_t cycle, bool sweeping);
  void TakeWaits();
  void Trace(std::uint64_t cycle) {
    wave_.At(cycle, dut_.get());
    if (warp_) {
      warp_wave_.At(cycle, &*warp_);
    }
    for (std::size_t bank = 0; bank < atomics_.size(); ++bank) {
      atomics_waves_[bank].At(cycle, &atomics_[bank]);
    }
    for (std::size_t k = 0; k < fences_.size(); ++k) {
      fences_waves_[k].At(cycle, &fences_[k]);
    }
  }
  bool Reset(std::uint64_t cycle);
  bool Check(std::uint64_t cycle, sc_core::sc_time* ahead);
  bool CheckBeside(std::uint64_t cycle);
  [[gnu::cold]] std::string OfUnit() const;  // " of unit 1", in a run of several
  [[gnu::cold]] bool StopAtomics(std::uint64_t cycle, std::size_t bank);
  bool CheckIdle(std::uint64_t cycle);
  bool Transport(std::uint64_t cycle, const sc_core::sc_time& now);
  // The unit's own assertions hold; a difference found in the same cycle goes first.
  bool Asserted(std::uint64_t cycle) { return failed_.at.empty() || StopAsserted(cycle); }
  [[gnu::cold]] bool StopAsserted(std::uint64_t cycle);
  void Count(const Outputs& out);
  bool Busy() const {
    return !monitor_->Idle() || scoreboard_->ResponsesOutstanding() || !mb_checker_->Idle() ||
           (warp_ && !warp_->Idle()) ||
           std::any_of(atomics_.begin(), atomics_.end(),
                       [](const CheckedAtomics& bank) { return !bank.Idle(); });
  }

  const Config config_;
  const Options& options_;
  const int number_;
  TraceWindow<Dut> wave_;
  TraceWindow<CheckedWarpScope> warp_wave_;
  std::vector<TraceWindow<CheckedAtomics>> atomics_waves_;
  std::vector<TraceWindow<CheckedFences>> fences_waves_;
  Driver& driver_;
  std::unique_ptr<Dut> dut_;
  std::optional<CheckedWarpScope> warp_;
  std::vector<CheckedAtomics> atomics_;  // of each bank
  std::vector<CheckedFences> fences_;    // trackers
  sc_core::sc_time period_;
  tlm::BarrierUnit golden_;
  tlm_utils::simple_initiator_socket<UnitChecker> socket_;
  // Begun anew by a reset.
  std::optional<Monitor> monitor_;
  std::optional<Scoreboard> scoreboard_;
  std::optional<MbChecker> mb_checker_;
  bool in_reset_ = false;
  const bool with_mbarriers_;
  IdleSkipper skipper_;
  IdleFrom idle_;
  IdleFrom mb_idle_;
  std::optional<UnitLog> log_;
  Result& result_;

  const Assertion& failed_ = FailedAssertion();
  tlm::BarrierTransaction transaction_;  // what has happened in a cycle, and its effects

  bool driving_ = true;
  std::uint64_t drain_from_ = 0;
  std::uint64_t quiet_from_ = 0;
  std::uint64_t awake_ = 0;  // up to this cycle, operations are or have been under way
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_UNIT_CHECKER_H_
