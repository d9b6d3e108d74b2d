// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warp scope of a unit with its checker. It is clocked only while it has something to do. Knows
// nothing of the unit.
#ifndef MUSTER_SIM_LOCKSTEP_CHECKED_WARP_SCOPE_H_
#define MUSTER_SIM_LOCKSTEP_CHECKED_WARP_SCOPE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sim/lockstep/mismatch.h"
#include "sim/lockstep/warp_checker.h"
#include "sim/lockstep/warp_dut.h"
#include "sim/port/warp_pins.h"

namespace muster::lockstep {

class CheckedWarpScope {
 public:
  // `pins`: the driver's.
  CheckedWarpScope(std::unique_ptr<WarpDut> dut, WarpPins* pins)
      : dut_(std::move(dut)), checker_(dut_->shape()), pins_(*pins) {
    pins_.lanes_per_beat = dut_->shape().lanes_per_beat;
  }

  // Runs the cycle, if there is anything to do in it. Returns false if it was wrong.
  bool Clock(std::uint64_t cycle, bool checked);
  // At the end of a run: nothing new is presented, and what is under way comes to its end.
  void RunEmpty();
  bool Idle() const { return !Awake() && checker_.Settled(); }

  const WarpChecker& checker() const { return checker_; }
  void OpenTrace(const std::string& path, std::uint64_t cycle) { dut_->OpenTrace(path, cycle); }
  void CloseTrace() { dut_->CloseTrace(); }

 private:
  bool Awake() const { return pins_.in.valid || pins_.in.clear != 0 || pins_.out.active; }

  std::unique_ptr<WarpDut> dut_;
  WarpChecker checker_;
  WarpPins& pins_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_CHECKED_WARP_SCOPE_H_
