// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Plays the atomics on shared memory at their pins with the golden model alone: one update at a
// time, whose word is written in the cycle after its acceptance and answered in the next one; or
// the two halves of 128 bits.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_ATOMICS_AT_PINS_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_ATOMICS_AT_PINS_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/golden/atomics.h"
#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/port/atomic_pins.h"

namespace muster::ptx {

class GoldenAtomics {
 public:
  GoldenAtomics(const Config& config, AtomicPins* pins)
      : smem_bytes_(config.smem_bytes), pins_(*pins) {}

  void Clock() {
    const AtomicInputs& in = pins_.in;
    AtomicOutputs& out = pins_.out;
    const bool answers = response_.has_value();
    out = {};
    out.response_valid = answers;
    if (answers) {
      out.response = *response_;
    }
    if (answers && in.response_ready) {
      response_.reset();
    }
    const bool waits = flights_.size() == 1 && IsLower(flights_.front());
    if (!flights_.empty() && !waits && !response_) {
      Commit(in, &out);
    }
    out.active =
        in.issue_valid || in.remote_valid || !flights_.empty() || answers || out.commit_valid;
    const bool room = flights_.empty() || waits;
    const bool remote = waits ? flights_.front().from.remote : in.remote_valid && !remote_last_;
    if (room && remote && in.remote_valid) {
      out.remote_ready = remote_last_ = true;
      flights_.push_back(in.remote);
    } else if (room && !remote && in.issue_valid &&
               (!in.issue.releasing || (in.fence_ack & Bit(in.issue.warp)) != 0)) {
      out.issue_ready = true;
      remote_last_ = false;
      flights_.push_back(in.issue);
    } else if (room && !waits) {
      remote_last_ = false;
    }
    for (const AtomicUpdate& update : flights_) {
      out.held[Ones(out.held_valid)] = {update.cta, WordAt(update)};
      out.held_valid = static_cast<std::uint8_t>(2 * out.held_valid + 1);
    }
  }

 private:
  static bool IsLower(const AtomicUpdate& update) {
    return update.size == AtomicSize::k128 && !update.upper;
  }
  void Commit(const AtomicInputs& in, AtomicOutputs* out) {
    const AtomicUpdate update = flights_.front();
    const MbPlace place{update.cta, WordAt(update)};
    const std::uint64_t word = in.memory->Load(place);
    bool also = !update.upper || lower_as_wanted_;
    if (IsLower(update)) {
      const AtomicUpdate& upper = flights_.back();
      also = golden::IsAsWanted(upper, in.memory->Load({upper.cta, WordAt(upper)}));
    }
    const golden::AtomicEffects effects = golden::StepAtomic(update, word, smem_bytes_, also);
    out->write_valid = true;
    out->write_place = place;
    out->write_data = effects.after;
    out->commit_valid = in.write_ready;
    if (in.write_ready) {
      out->commit = {update.from,      update.warp, update.lane,
                     update.completes, true,        {update.cta, update.addr},
                     effects.after};
      if (update.has_answer) {
        response_ = {update.from, update.warp, update.lane, update.upper, effects.before};
      }
      lower_as_wanted_ = golden::IsAsWanted(update, word);
      flights_.pop_front();
    }
  }

  const std::uint32_t smem_bytes_;
  AtomicPins& pins_;
  std::deque<AtomicUpdate> flights_;  // one, or two halves
  bool lower_as_wanted_ = false;
  bool remote_last_ = false;  // an update of another CTA entered last
  std::optional<AtomicResponse> response_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_ATOMICS_AT_PINS_H_
