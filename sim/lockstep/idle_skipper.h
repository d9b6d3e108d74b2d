// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decides which cycles of an idle unit, or of its idle mbarriers, the lockstep skips, and counts
// them until these run again. Knows the pins and the debug sweeps, and nothing of models and
// checkers.
#ifndef MUSTER_SIM_LOCKSTEP_IDLE_SKIPPER_H_
#define MUSTER_SIM_LOCKSTEP_IDLE_SKIPPER_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/port/pins.h"

namespace muster::lockstep {

// Whether inputs keep the clock of the mbarrier block on, or turn it on.
inline bool PresentsMb(const Inputs& in) {
  const MbInputs& mb = in.mb;
  return mb.issue_valid || mb.async_valid || mb.remote_valid || mb.rdata_valid;
}
// Likewise the unit's clock.
inline bool Presents(const Inputs& in) {
  return in.issue_valid != 0 || in.lifecycle_valid || in.exit_valid || PresentsMb(in);
}

// The first cycle in which the unit, or the mbarrier block, may be idle.
class IdleFrom {
 public:
  // `begins`: something is presented or commits in this cycle. `works`: something is under way.
  void Note(std::uint64_t cycle, bool begins, bool works) {
    first_ = begins ? cycle + kIdleAfter : std::max(first_, works ? cycle + 1 : 0);
  }
  bool Allows(std::uint64_t cycle) const { return cycle >= first_; }

 private:
  static constexpr std::uint64_t kIdleAfter = 3;  // cycles after the latest commit

  std::uint64_t first_ = 0;
};

class IdleSkipper {
 public:
  // `period`: after that many idle cycles the unit is in the same state again. `mb_period`: so are
  // its mbarriers.
  IdleSkipper(bool enabled, std::uint64_t period, std::uint64_t mb_period)
      : enabled_(enabled), period_(period), mb_period_(mb_period) {}

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
    mb_skipped_ += skips ? 1 : 0;
    swept_ = sweeping && !skips;
    return skips;
  }
  // In a cycle that the unit runs: whether its mbarriers skip it. If not, they have to catch up.
  bool SkipMbarriers(const Inputs& in, const Outputs& out) {
    const bool skips = enabled_ && out.mb.idle && !PresentsMb(in) && !in.reset;
    mb_skipped_ += skips ? 1 : 0;
    return skips;
  }
  // Cycles skipped since the unit ran.
  std::uint64_t skipped() const { return skipped_; }
  // The unit runs, or the mbarriers do: returns how many cycles they have to catch up.
  std::uint64_t TakeSkipped() { return std::exchange(skipped_, 0) % period_; }
  std::uint64_t TakeSkippedByMbarriers() { return std::exchange(mb_skipped_, 0) % mb_period_; }
  void NoteRun(const Outputs& out) {
    if (!out.idle) {
      changed_ = reads_ = true;
    }
  }

 private:
  const bool enabled_;
  const std::uint64_t period_;
  const std::uint64_t mb_period_;
  std::uint64_t skipped_ = 0;
  std::uint64_t mb_skipped_ = 0;
  bool changed_ = true;  // the unit has run since the latest sweep began
  bool reads_ = true;    // the unit has run since the sweep before began
  bool swept_ = false;   // the debug port was in use in the cycle before
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_IDLE_SKIPPER_H_
