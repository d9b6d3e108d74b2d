// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The pins of the cluster scope (rtl/cluster/README.md) as plain numbers, one cycle's worth.
#ifndef MUSTER_SIM_PORT_CLUSTER_PINS_H_
#define MUSTER_SIM_PORT_CLUSTER_PINS_H_

#include <array>
#include <cstdint>
#include <memory>

#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"

namespace muster {

namespace golden {
class ClusterScope;
}

// The driver holds what is valid until it is ready.
struct ClusterInputs {
  struct Unit {
    bool request_valid = false;
    ClusterRequest request;
    std::uint64_t fence_ack = ~std::uint64_t{0};  // a bit per warp
    bool send_valid = false;
    RemoteSend send;
    bool remote_ready = true;
    bool answer_valid = false;  // of the unit's atomics, to another unit's warp
    AtomicResponse answer;
    bool reply_ready = true;
    bool cancel_valid = false;
    CancelRequest cancel;
    bool write_ready = true;
    bool complete_ready = true;
  };

  bool life_valid = false;
  ClusterLife life;
  std::array<Unit, kMaxUnits> units;
  std::uint8_t flushed = 0xff;  // a bit per grid
  bool take_ready = false;
  CancelResponse take{};
};

// A payload has a meaning when its valid bit is set.
struct ClusterOutputs {
  struct Fault {
    FaultCause cause = FaultCause::kNone;
    std::uint8_t warp = 0;
    std::uint8_t cta = 0;
    std::uint32_t lanes = 0;
  };
  struct Unit {
    bool request_ready = false;
    std::uint64_t busy = 0;       // a bit per warp, as are the other vectors
    std::uint64_t fence_req = 0;  // perform what the warp has accessed
    bool go_valid = false;
    ClusterLanes go;
    std::uint64_t release = 0;
    std::uint64_t grid_release = 0;
    bool fault_valid = false;
    Fault fault;
    bool send_ready = false;
    bool remote_valid = false;
    RemoteOperation remote;
    ClusterLanes from;  // unit and warp of its sender
    bool lost_valid = false;
    RemoteLost lost;
    bool answer_ready = false;
    bool reply_valid = false;  // of another unit's atomics
    AtomicResponse reply;
    bool cancel_ready = false;
    bool write_valid = false;
    bool complete_valid = false;
  };

  bool life_ready = false;
  FaultCause life_fault = FaultCause::kNone;  // with ready
  std::array<Unit, kMaxUnits> units;
  std::uint8_t launch = 0;  // a bit per grid
  std::uint8_t flush = 0;
  bool take_valid = false;
  CancelStep write;     // for the unit that is valid
  CancelStep complete;  // likewise
  bool cancel_lost_valid = false;
  RemoteLost cancel_lost;
  bool active = false;  // something is presented, or on its way
};

// Whose driver sets `in`, and whose scope sets `out`.
struct ClusterPins {
  ClusterInputs in;
  ClusterOutputs out;
  bool awake = false;  // something is presented
  // What the checker knew at the end of the run, for reports; null: nothing.
  std::shared_ptr<const golden::ClusterScope> model;
};

}  // namespace muster

#endif  // MUSTER_SIM_PORT_CLUSTER_PINS_H_
