// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Says in words what crosses the pins of the cluster scope, for mismatches.
#ifndef MUSTER_SIM_LOCKSTEP_CLUSTER_TEXT_H_
#define MUSTER_SIM_LOCKSTEP_CLUSTER_TEXT_H_

#include <fmt/format.h>

#include <string>

#include "sim/isa/cluster_operation.h"

namespace muster::lockstep {

inline std::string Describe(const ClusterRequest& request) {
  return fmt::format("{} of warp {} in CTA slot {}: lanes {:#010x} live {:#010x}", Name(request.op),
                     request.warp, request.cta, request.lanes, request.live);
}

inline std::string Describe(const RemoteOperation& op) {
  const RemoteAtomic& atomic = op.atomic;
  return fmt::format("{} at {:#x} of CTA slot {} of unit {}: lanes {:#010x} operand {:#x}{}",
                     Name(op.op), op.addr, op.place.cta, op.place.unit, op.lanes, op.operand,
                     atomic.valid
                         ? fmt::format(", after {} at {:#x} of lane {}: {:#x}", Name(atomic.op),
                                       atomic.addr, atomic.lane, atomic.operand)
                         : "");
}

inline std::string Describe(const RemoteLost& lost) {
  return fmt::format("warp {} of unit {}: lanes {:#010x}, rank {} of cluster {}, address {:#x}",
                     lost.warp, lost.unit, lost.lanes, lost.rank, lost.cluster, lost.addr);
}

inline std::string Describe(const CancelStep& step) {
  return fmt::format("{} at {:#x} of CTA slot {} of unit {}: {} {:#x} {:#x} {:#x}, {} bytes",
                     step.writes ? "a write" : "complete_tx", step.addr, step.place.cta,
                     step.place.unit, step.data[0], step.data[1], step.data[2], step.data[3],
                     step.bytes);
}

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_CLUSTER_TEXT_H_
