// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The interface of everything that drives the unit: a kernel, a random stream, a recorded one. The
// harness asks the driver for the pins of each cycle and tells it which operations committed.
#ifndef MUSTER_SIM_PORT_DRIVER_H_
#define MUSTER_SIM_PORT_DRIVER_H_

#include <cstdint>
#include <vector>

#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/port/atomic_pins.h"
#include "sim/port/cluster_pins.h"
#include "sim/port/fence_pins.h"
#include "sim/port/pins.h"
#include "sim/port/warp_pins.h"

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
  // harness then drains the pipeline, checks what remains, and ends the run. In a run of several
  // units each has a driver of its own; all are called before any unit sees the cycle, and one
  // that returns false is not called again.
  virtual bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) = 0;

  // Called instead of Drive while the unit runs empty at the end, and in the cycle in which Drive
  // returned false. The driver's memory continues to serve the unit, and no new operation is
  // presented. As for Drive, *inputs holds the pins of the cycle before, except for the
  // acknowledges of drains.
  virtual void Serve(const Outputs& seen, Inputs* inputs) {
    static_cast<void>(seen);
    static_cast<void>(inputs);
  }

  // Whether it may ever present an operation at an mbarrier.
  virtual bool has_mbarriers() const { return true; }

  // The warp scope beside the unit, or null: it has none. Drive sets its inputs for the cycle, and
  // finds there what it showed in the cycle before. While nothing is presented to it and it shows
  // that it is not active, it may be left without a clock.
  virtual WarpPins* warp_pins() { return nullptr; }

  // The atomics on shared memory beside the unit, a block for each bank; none: likewise.
  virtual std::vector<AtomicPins*> atomic_pins() { return {}; }

  // The trackers that answer fences beside the unit, of kFenceWarps warps each; none: it has none.
  // One has a clock while anything of it is driven, and in the cycle after that.
  virtual std::vector<FencePins*> fence_pins() { return {}; }

  // The cluster scope beside all units, or null: of the first driver of a run. As warp_pins.
  virtual ClusterPins* cluster_pins() { return nullptr; }

  // Called after Drive. Returns the first cycle in which the driver does anything by itself,
  // whether or not the unit does something before; kNever if there is none; this cycle if it may do
  // something at once. While all drivers sleep and no operation is under way in any unit, cycles
  // are skipped instead of run: the clock of the units stands still, time goes on, and the number
  // of the next cycle is higher by the cycles skipped.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  virtual std::uint64_t SleepsUntil(std::uint64_t cycle) const { return cycle; }

  // The line of the program, if the driver has one, that an operation which commits in this cycle,
  // or an event at mbarriers, comes from; 0: none. For logs; called after those below.
  virtual std::uint32_t LineOf(const Operation& operation) const {
    static_cast<void>(operation);
    return 0;
  }
  virtual std::uint32_t LineOf(const MbEvent& event) const {
    static_cast<void>(event);
    return 0;
  }

  // Called for each operation in the cycle in which it commits, with the golden model's verdict
  // (which the unit's outputs show a constant number of cycles later).
  virtual void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) {
    static_cast<void>(cycle);
    static_cast<void>(operation);
    static_cast<void>(effects);
  }

  // Called for each event at mbarriers, in order, in the cycle after it: an operation, or those of
  // its lanes that were one update; a time limit; a CTA that leaves; a store.
  virtual void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) {
    static_cast<void>(cycle);
    static_cast<void>(event);
    static_cast<void>(effects);
  }
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_PORT_DRIVER_H_
