// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Who drives the unit: a kernel, a random stream, a recorded one. The harness asks it for the pins
// of each cycle and tells it what was committed.
#ifndef MUSTER_SIM_LOCKSTEP_DRIVER_H_
#define MUSTER_SIM_LOCKSTEP_DRIVER_H_

#include <cstdint>

#include "sim/golden/golden.h"
#include "sim/golden/operation.h"
#include "sim/lockstep/pins.h"

namespace muster::lockstep {

class Driver {
 public:
  Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual ~Driver() = default;

  // Called at the start of each cycle. `seen` are the outputs at the end of the cycle before, and
  // *inputs still holds that cycle's pins (so a handshake fired where its valid and ready were both
  // high); change *inputs to this cycle's. Returns false when there is nothing left to drive: the
  // harness then drains the pipeline, checks what remains, and ends the run.
  virtual bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) = 0;

  // Called for each operation in the cycle in which it commits, with the golden model's verdict
  // (which the unit's outputs show a constant number of cycles later).
  virtual void OnCommit(std::uint64_t cycle, const Operation& operation,
                        const golden::Effects& effects) {
    static_cast<void>(cycle);
    static_cast<void>(operation);
    static_cast<void>(effects);
  }
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_DRIVER_H_
