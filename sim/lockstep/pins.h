// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The pins of the unit as plain numbers, one cycle's worth, whatever the configuration. Bits and
// ports that a configuration lacks stay 0.
#ifndef MUSTER_SIM_LOCKSTEP_PINS_H_
#define MUSTER_SIM_LOCKSTEP_PINS_H_

#include <array>
#include <cstdint>

#include "sim/golden/operation.h"

namespace muster {

struct Inputs {
  std::uint8_t issue_valid = 0;            // a bit per port
  std::array<Operation, kMaxIssue> issue;  // held until ready
  bool lifecycle_valid = false;
  Operation lifecycle;          // held until ready
  std::uint64_t fence_ack = 0;  // a bit per warp
  bool response_ready = true;
  std::uint8_t census_cta = 0;  // entry to read
  std::uint8_t census_bar = 0;
  std::uint8_t census_warp = 0;  // warp to look at
};

struct Outputs {
  // Settled in the same cycle as the inputs.
  std::uint8_t issue_ready = 0;
  bool lifecycle_ready = false;
  // The operations that enter the read-modify-write pipeline in this cycle, in port order.
  std::uint8_t commit_valid = 0;  // a bit per port
  std::array<std::uint8_t, kMaxIssue> commit_warp{};
  bool commit_lifecycle = false;

  // Registered.
  std::uint64_t busy = 0;  // warps with an operation between issue and commit
  std::uint64_t fence_req = 0;
  std::uint64_t released = 0;
  std::uint8_t release_cta = 0;
  std::uint8_t release_bar = 0;
  BarKind release_kind = BarKind::kIdle;
  std::uint16_t release_value = 0;
  bool response_valid = false;
  std::uint8_t response_warp = 0;
  std::uint32_t response_data = 0;
  bool response_pred = false;
  struct Fault {
    FaultCause cause = FaultCause::kNone;
    std::uint8_t cta = 0;
    std::uint8_t warp = 0;
    std::uint8_t bar = 0;
    std::uint32_t lanes = 0;
  };
  std::uint8_t fault_valid = 0;  // a bit per issue port, then the lifecycle port
  std::array<Fault, kMaxIssue + 1> fault;
  bool entry_valid = false;  // an entry was written, and its word afterwards
  std::uint8_t entry_cta = 0;
  std::uint8_t entry_bar = 0;
  std::uint32_t entry_word = 0;
  std::uint32_t census_word = 0;  // of the entry addressed in the cycle before
  // Of the warp addressed in the cycle before.
  bool census_live = false;  // if its CTA is resident
  bool census_waiting = false;
  std::uint8_t census_warp_cta = 0;
};

}  // namespace muster

#endif  // MUSTER_SIM_LOCKSTEP_PINS_H_
