// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The pins of the warp scope (rtl/warp/README.md) as plain numbers, one cycle's worth.
#ifndef MUSTER_SIM_PORT_WARP_PINS_H_
#define MUSTER_SIM_PORT_WARP_PINS_H_

#include <cstdint>
#include <vector>

#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"

namespace muster {

struct WarpInputs {
  std::uint64_t clear = 0;  // a bit per warp
  bool valid = false;
  WarpRequest request;  // held until ready
  unsigned beat = 0;    // which of its values come
  bool last = true;
  bool arrival_ready = true;
  std::uint64_t busy = 0;  // a bit per warp
};

struct WarpOutputs {
  // Settled in the same cycle as the inputs.
  bool ready = false;
  bool arrival_valid = false;
  WarpArrival arrival;  // held until ready
  bool active = false;  // something is presented, under way, or shown

  // Registered.
  bool answer_valid = false;
  WarpAnswer answer;
  // With the answer of kRead: the group, and a lane's value.
  bool group_open = false;
  std::uint8_t group_cta = 0;
  WarpGroup group;
  std::uint64_t value = 0;
  struct Fault {
    FaultCause cause = FaultCause::kNone;
    std::uint8_t warp = 0;
    std::uint32_t lanes = 0;
  };
  bool fault_valid = false;
  Fault fault;
  std::uint64_t open = 0;  // a bit per warp
};

// The driver sets `in`, and the scope sets `out`.
struct WarpPins {
  WarpInputs in;
  WarpOutputs out;
  unsigned lanes_per_beat = kMaxLanes;  // of the scope
};

// The beats in which lanes of the request have values, or all beats; without values, one.
std::vector<unsigned> BeatsOf(const WarpRequest& request, unsigned lanes_per_beat, bool all = false,
                              unsigned warp_size = kMaxLanes);

}  // namespace muster

#endif  // MUSTER_SIM_PORT_WARP_PINS_H_
