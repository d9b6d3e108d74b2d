// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The pins of the atomics on shared memory (rtl/atomics/README.md) as plain numbers, one cycle's
// worth.
#ifndef MUSTER_SIM_PORT_ATOMIC_PINS_H_
#define MUSTER_SIM_PORT_ATOMIC_PINS_H_

#include <cstdint>

#include "sim/isa/atomic_operation.h"
#include "sim/isa/fault.h"
#include "sim/port/bank.h"
#include "sim/port/pins.h"

namespace muster {

struct AtomicInputs : SmemAnswer {
  bool issue_valid = false;
  AtomicUpdate issue;         // held until ready
  bool remote_valid = false;  // of another CTA
  AtomicUpdate remote;
  std::uint64_t fence_ack = 0;  // a bit per warp
  bool response_ready = true;
  // Not a pin: shared memory as the cores' loads see it in this cycle.
  lockstep::Bank::Words* memory = nullptr;
};

inline constexpr unsigned kAtomicHeld = 2;  // words that the block may hold at once

struct AtomicOutputs : SmemRequest {
  // Settled in the same cycle as the inputs.
  bool issue_ready = false;
  bool remote_ready = false;
  bool active = false;  // something is presented, under way, or shown
  struct Commit {
    AtomicFrom from;
    std::uint8_t warp = 0;
    std::uint8_t lane = 0;
    bool completes = false;
    bool written = false;
    MbPlace place;
    std::uint64_t word = 0;  // written
  };
  bool commit_valid = false;
  Commit commit;

  // Registered.
  std::uint64_t busy = 0;    // warps with an update between acceptance and commit
  bool remote_busy = false;  // an update of another CTA likewise
  std::uint64_t fence_req = 0;
  bool response_valid = false;
  AtomicResponse response;
  struct Fault {
    FaultCause cause = FaultCause::kNone;
    AtomicFrom from;
    std::uint8_t warp = 0;
    std::uint8_t lane = 0;
    MbPlace place;
  };
  bool fault_valid = false;
  Fault fault;
};

// The driver sets `in`, and the block sets `out`.
struct AtomicPins {
  AtomicInputs in;
  AtomicOutputs out;
};

}  // namespace muster

#endif  // MUSTER_SIM_PORT_ATOMIC_PINS_H_
