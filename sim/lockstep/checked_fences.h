// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The tracker that answers the fences of a unit's warps, with its checker. It is clocked only while
// something is driven, and once more.
#ifndef MUSTER_SIM_LOCKSTEP_CHECKED_FENCES_H_
#define MUSTER_SIM_LOCKSTEP_CHECKED_FENCES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sim/lockstep/fence_checker.h"
#include "sim/lockstep/fence_dut.h"
#include "sim/port/fence_pins.h"

namespace muster::lockstep {

class CheckedFences {
 public:
  // `pins`: the driver's.
  CheckedFences(std::unique_ptr<FenceDut> dut, FencePins* pins)
      : dut_(std::move(dut)), checker_(dut_->shape()), pins_(*pins) {}

  // Runs the cycle, if there is anything to do in it. Returns false if it was wrong.
  bool Clock(std::uint64_t cycle, bool checked) {
    const bool drives = !pins_.in.IsIdle();
    if (ended_ || (!drives && !drove_)) {
      return true;
    }
    drove_ = drives;
    dut_->Skip(cycle);
    dut_->Settle(pins_.in, &pins_.out);
    const bool good = !checked || checker_.Check(pins_.in, pins_.out);
    dut_->Clock();
    return good;
  }
  // At the end of a run: what is outstanding, and who waits for it, stays so.
  void RunEmpty() { ended_ = true; }

  const FenceChecker& checker() const { return checker_; }
  void OpenTrace(const std::string& path, std::uint64_t cycle) { dut_->OpenTrace(path, cycle); }
  void CloseTrace() { dut_->CloseTrace(); }

 private:
  std::unique_ptr<FenceDut> dut_;
  FenceChecker checker_;
  FencePins& pins_;
  bool drove_ = false;  // in the latest cycle that was run
  bool ended_ = false;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_CHECKED_FENCES_H_
