// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A reset in a given cycle.
#ifndef MUSTER_TB_LOCKSTEP_RESET_BETWEEN_H_
#define MUSTER_TB_LOCKSTEP_RESET_BETWEEN_H_

#include <cstdint>

#include "sim/isa/effects.h"
#include "sim/lockstep/lockstep.h"
#include "sim/port/driver.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

// One driver up to a cycle, in which the unit is reset, and another one right after that. In reset
// the pins are low, or as they were (`keeps`).
class ResetBetween : public Driver {
 public:
  ResetBetween(Driver* before, std::uint64_t cycle, bool keeps, Driver* after)
      : now_(before), after_(after), cycle_(cycle), keeps_(keeps) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
    if (cycle == cycle_) {
      now_ = after_;
      if (!keeps_) {
        *inputs = Inputs();
      }
      inputs->reset = true;
      return true;
    }
    if (cycle == cycle_ + 1) {
      *inputs = Inputs();
    }
    return now_->Drive(cycle, seen, inputs);
  }
  void Serve(const Outputs& seen, Inputs* inputs) override { now_->Serve(seen, inputs); }
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override {
    now_->OnCommit(cycle, operation, effects);
  }
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override {
    now_->OnMbEvent(cycle, event, effects);
  }

 private:
  Driver* now_;
  Driver* const after_;
  const std::uint64_t cycle_;
  const bool keeps_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_RESET_BETWEEN_H_
