// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/recorder.h"

#include "sim/isa/effects.h"

namespace muster::lockstep {

bool Recorder::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  if (!source_.Drive(cycle, seen, inputs)) {
    return false;
  }
  recording_.driven.push_back(*inputs);
  return true;
}

void Recorder::Serve(const Outputs& seen, Inputs* inputs) {
  source_.Serve(seen, inputs);
  recording_.served.push_back(*inputs);
}

void Recorder::OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) {
  source_.OnCommit(cycle, operation, effects);
}

void Recorder::OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) {
  source_.OnMbEvent(cycle, event, effects);
}

bool Replay::Drive(std::uint64_t /*cycle*/, const Outputs& /*seen*/, Inputs* inputs) {
  if (next_ == recording_.driven.size()) {
    return false;
  }
  *inputs = recording_.driven[next_++];
  return true;
}

// Only if all of it was driven; otherwise it is not known how the unit runs empty.
void Replay::Serve(const Outputs& /*seen*/, Inputs* inputs) {
  if (next_ == recording_.driven.size() && next_served_ < recording_.served.size()) {
    *inputs = recording_.served[next_served_++];
  }
}

}  // namespace muster::lockstep
