// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Plays the warp scope at its pins with the golden model alone: a request is accepted at once, and
// its answers come one after the other from the second cycle on.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_WARPS_AT_PINS_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_WARPS_AT_PINS_H_

#include <algorithm>
#include <cstdint>
#include <deque>

#include "sim/golden/warp_scope.h"
#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/warp_operation.h"
#include "sim/port/warp_pins.h"

namespace muster::ptx {

class GoldenWarps {
 public:
  GoldenWarps(const Config& config, WarpPins* pins)
      : num_warps_(config.num_warps), model_(config.num_warps), pins_(pins) {}

  std::uint64_t lanes() const { return lanes_; }  // that came to collectives and barriers

  void Clock() {
    if (pins_ == nullptr) {
      return;
    }
    const WarpInputs& in = pins_->in;
    WarpOutputs& out = pins_->out;
    ForEachBit(in.clear, [&](unsigned warp) { model_.Clear(warp); });
    out = {};
    out.answer_valid = !answers_.empty();
    if (out.answer_valid) {
      out.answer = answers_.front();
      answers_.pop_front();
    }
    out.fault_valid = refused_.cause != FaultCause::kNone;
    out.fault = refused_;
    refused_ = {};
    const auto free = std::find_if(due_.begin(), due_.end(), [&](const WarpArrival& arrival) {
      return (in.busy & Bit(arrival.warp)) == 0;
    });
    out.arrival_valid = free != due_.end();
    if (out.arrival_valid) {
      out.arrival = *free;
      due_.erase(free);
    }
    out.ready = answers_.empty() && !out.arrival_valid;
    if (in.valid && in.last && out.ready) {
      Accept(in.request);
    }
    for (unsigned warp = 0; warp < num_warps_; ++warp) {
      out.open |= !model_.Groups(warp).empty() ? Bit(warp) : 0;
    }
  }

 private:
  void Accept(const WarpRequest& request) {
    if (IsRendezvous(request.op)) {
      lanes_ += Ones(request.lanes);
    }
    const WarpEffects effects = model_.Step(request);
    refused_ = {effects.fault, request.warp, request.lanes};
    answers_.insert(answers_.end(), effects.answers.begin(), effects.answers.end());
    if (effects.arrival) {
      due_.push_back(*effects.arrival);
    }
  }

  const unsigned num_warps_;
  golden::WarpScope model_;
  WarpPins* const pins_;
  std::deque<WarpAnswer> answers_;
  std::deque<WarpArrival> due_;
  WarpOutputs::Fault refused_;
  std::uint64_t lanes_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_WARPS_AT_PINS_H_
