// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The core's side of the unit's issue ports, its lifecycle and exit ports and its memory drain.
// Knows the phases of warps, and nothing of their instructions.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_ISSUE_PINS_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_ISSUE_PINS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/port/pins.h"
#include "sim/ptx/runtime/on_pins/mb_port.h"
#include "sim/ptx/runtime/on_pins/warp_times.h"
#include "sim/ptx/runtime/residents.h"
#include "sim/ptx/simt/random.h"

namespace muster::ptx {

class ClockedGrid;
class Core;

class IssuePins {
 public:
  IssuePins(const Config& config, const ClockedGrid& grid, Core* core, CoreTimes* times,
            Random* random)
      : config_(config), grid_(grid), core_(*core), times_(*times), random_(*random) {}

  // If the program has mbarriers.
  void set_mb_port(const MbPort* port) { port_ = port; }

  // Queues an operation at its port.
  void Request(const Operation& operation);

  // The beginning of a cycle: takes what the unit accepted in the cycle before.
  void Accept(const Outputs& seen, Inputs* inputs);
  // The end of a cycle: presents warps at barriers and queued requests, as far as they may be.
  void Present(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);
  void AcknowledgeFences(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);

  // An operation of either kind has committed.
  void Committed() { --in_flight_; }
  // How many requests, and barriers at a port or beyond, have not committed.
  unsigned in_flight() const { return in_flight_; }
  // Whether all of these are exits, and the first is of a warp whose operations to other CTAs are
  // in flight.
  bool ExitsStand() const;
  // How many requests wait for their port.
  std::size_t requests() const { return lifecycle_.size() + exits_.size(); }

 private:
  std::uint64_t MbBusy() const { return port_ == nullptr ? 0 : port_->busy(); }

  const Config config_;
  const ClockedGrid& grid_;
  Core& core_;
  CoreTimes& times_;
  Random& random_;
  const MbPort* port_ = nullptr;
  std::uint64_t presented_ = 0;  // warps at a port
  std::array<unsigned, kMaxIssue> at_port_{};
  std::deque<Operation> lifecycle_;  // queued, in order
  std::deque<Operation> exits_;      // queued, in order
  unsigned in_flight_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_ISSUE_PINS_H_
