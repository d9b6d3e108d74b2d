// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Plays the atomics on shared memory at their pins with the golden model alone: one update at a
// time, whose word is written in the cycle after its acceptance and answered in the next one.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_ATOMICS_AT_PINS_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_ATOMICS_AT_PINS_H_

#include <optional>

#include "sim/golden/atomics.h"
#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/port/atomic_pins.h"

namespace muster::ptx {

class GoldenAtomics {
 public:
  GoldenAtomics(const Config& config, AtomicPins* pins)
      : smem_bytes_(config.smem_bytes), pins_(pins) {}

  void Clock() {
    if (pins_ == nullptr) {
      return;
    }
    const AtomicInputs& in = pins_->in;
    AtomicOutputs& out = pins_->out;
    const bool answers = response_.has_value();
    out = {};
    out.response_valid = answers;
    if (answers) {
      out.response = *response_;
    }
    if (answers && in.response_ready) {
      response_.reset();
    }
    if (flight_ && !response_) {
      Commit(in, &out);
    }
    out.active = in.issue_valid || flight_.has_value() || answers || out.commit_valid;
    if (in.issue_valid && !flight_ &&
        (!in.issue.releasing || (in.fence_ack & Bit(in.issue.warp)) != 0)) {
      out.issue_ready = true;
      flight_ = in.issue;
    }
    if (flight_) {
      out.held_valid = 1;
      out.held[0] = {flight_->cta, flight_->addr & ~7U};
    }
  }

 private:
  void Commit(const AtomicInputs& in, AtomicOutputs* out) {
    const AtomicUpdate& update = *flight_;
    const MbPlace place{update.cta, update.addr & ~7U};
    const golden::AtomicEffects effects =
        golden::StepAtomic(update, in.memory->Load(place), smem_bytes_);
    out->write_valid = true;
    out->write_place = place;
    out->write_data = effects.after;
    out->commit_valid = in.write_ready;
    if (in.write_ready) {
      out->commit = {update.warp, update.lane, true, {update.cta, update.addr}, effects.after};
      if (update.has_answer) {
        response_ = {update.warp, update.lane, effects.before};
      }
      flight_.reset();
    }
  }

  const std::uint32_t smem_bytes_;
  AtomicPins* const pins_;
  std::optional<AtomicUpdate> flight_;
  std::optional<AtomicOutputs::Response> response_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_ATOMICS_AT_PINS_H_
