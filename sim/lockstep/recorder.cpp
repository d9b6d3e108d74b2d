// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/recorder.h"

namespace muster::lockstep {

bool Recorder::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  if (!source_.Drive(cycle, seen, inputs)) {
    return false;
  }
  recording_.push_back(*inputs);
  return true;
}

void Recorder::OnCommit(std::uint64_t cycle, const Operation& operation,
                        const golden::Effects& effects) {
  source_.OnCommit(cycle, operation, effects);
}

bool Replay::Drive(std::uint64_t /*cycle*/, const Outputs& /*seen*/, Inputs* inputs) {
  if (next_ == recording_.size()) {
    return false;
  }
  *inputs = recording_[next_++];
  return true;
}

}  // namespace muster::lockstep
