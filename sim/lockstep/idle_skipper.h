// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decides which cycles of an idle unit the lockstep skips, and counts them until the unit runs
// again. Knows the pins and the debug sweeps, and nothing of models and checkers.
#ifndef MUSTER_SIM_LOCKSTEP_IDLE_SKIPPER_H_
#define MUSTER_SIM_LOCKSTEP_IDLE_SKIPPER_H_

#include <cstdint>
#include <utility>

#include "sim/port/pins.h"

namespace muster::lockstep {

// Whether inputs keep the unit's clock on, or turn it on.
inline bool Presents(const Inputs& in) {
  const MbInputs& mb = in.mb;
  return in.issue_valid != 0 || in.lifecycle_valid || in.exit_valid || mb.issue_valid ||
         mb.async_valid || mb.remote_valid || mb.rdata_valid;
}

class IdleSkipper {
 public:
  // `period`: after that many idle cycles the unit is in the same state again.
  IdleSkipper(bool enabled, std::uint64_t period) : enabled_(enabled), period_(period) {}

  // A sweep through the state begins. It reads if the unit has run since the sweep before, or if
  // it is the last one of the run.
  void BeginSweep() {
    reads_ = changed_ || !enabled_;
    changed_ = false;
  }
  void BeginLastSweep() { reads_ = true; }

  // Returns whether to skip this cycle: the unit was idle, and nothing wakes it, so that its
  // outputs stay as they are. `sweeping`: the debug port is in use.
  bool Skip(const Inputs& in, const Outputs& out, bool sweeping) {
    const bool skips = enabled_ && out.idle && !Presents(in) && !in.reset && in.stopped == 0 &&
                       !(sweeping && reads_) && !swept_;
    skipped_ += skips ? 1 : 0;
    swept_ = sweeping && !skips;
    return skips;
  }
  // Cycles skipped since the unit ran.
  std::uint64_t skipped() const { return skipped_; }
  // The unit runs: returns how many cycles it has to catch up.
  std::uint64_t TakeSkipped() { return std::exchange(skipped_, 0) % period_; }
  void NoteRun(const Outputs& out) {
    if (!out.idle) {
      changed_ = reads_ = true;
    }
  }

 private:
  const bool enabled_;
  const std::uint64_t period_;
  std::uint64_t skipped_ = 0;
  bool changed_ = true;  // the unit has run since the latest sweep began
  bool reads_ = true;    // the unit has run since the sweep before began
  bool swept_ = false;   // the debug port was in use in the cycle before
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_IDLE_SKIPPER_H_
