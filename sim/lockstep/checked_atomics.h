// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Atomics on shared memory with their checker, clocked when there is something to do.
#ifndef MUSTER_SIM_LOCKSTEP_CHECKED_ATOMICS_H_
#define MUSTER_SIM_LOCKSTEP_CHECKED_ATOMICS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sim/lockstep/atomics_checker.h"
#include "sim/lockstep/atomics_dut.h"
#include "sim/port/atomic_pins.h"

namespace muster::lockstep {

class CheckedAtomics {
 public:
  // `pins`: the driver's.
  CheckedAtomics(std::unique_ptr<AtomicsDut> dut, AtomicPins* pins)
      : dut_(std::move(dut)), checker_(dut_->shape()), pins_(*pins) {}

  // Runs the cycle, if there is anything to do in it. Returns false if it was wrong.
  bool Clock(std::uint64_t cycle, bool checked);
  // At the end of a run: what is under way comes to its end.
  void RunEmpty();
  bool Idle() const { return !Awake() && checker_.Settled(); }

  const AtomicsChecker& checker() const { return checker_; }
  void OpenTrace(const std::string& path, std::uint64_t cycle) { dut_->OpenTrace(path, cycle); }
  void CloseTrace() { dut_->CloseTrace(); }

 private:
  bool Awake() const { return pins_.in.issue_valid || pins_.in.remote_valid || pins_.out.active; }

  std::unique_ptr<AtomicsDut> dut_;
  AtomicsChecker checker_;
  AtomicPins& pins_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_CHECKED_ATOMICS_H_
