// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Stimulus recorded once and driven again, pin by pin.
#ifndef MUSTER_SIM_LOCKSTEP_RECORDER_H_
#define MUSTER_SIM_LOCKSTEP_RECORDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/isa/effects.h"
#include "sim/port/driver.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

// The pins of each cycle of a run.
struct Recording {
  std::vector<Inputs> driven;
  std::vector<Inputs> served;  // while the unit ran empty after these
};

// Drives what another driver drives, and records it.
class Recorder : public Driver {
 public:
  Recorder(Driver* source, Recording* recording) : source_(*source), recording_(*recording) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
  void Serve(const Outputs& seen, Inputs* inputs) override;
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override;
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override;

 private:
  Driver& source_;
  Recording& recording_;
};

class Replay : public Driver {
 public:
  explicit Replay(const Recording& recording) : recording_(recording) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
  void Serve(const Outputs& seen, Inputs* inputs) override;

 private:
  const Recording& recording_;
  std::size_t next_ = 0;
  std::size_t next_served_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_RECORDER_H_
