// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/isa/cluster_operation.h"

#include <tuple>

namespace muster {

const char* Name(ClusterLifeOp op) {
  switch (op) {
    case ClusterLifeOp::kGrid:
      return "grid";
    case ClusterLifeOp::kOpen:
      return "open";
    case ClusterLifeOp::kLaunch:
      return "launch";
    case ClusterLifeOp::kEnd:
      return "end";
  }
  return "?";
}

const char* Name(ClusterOp op) {
  switch (op) {
    case ClusterOp::kArrive:
      return "barrier.cluster.arrive";
    case ClusterOp::kArriveRelaxed:
      return "barrier.cluster.arrive.relaxed";
    case ClusterOp::kWait:
      return "barrier.cluster.wait";
    case ClusterOp::kExit:
      return "exit";
    case ClusterOp::kTrigger:
      return "griddepcontrol.launch_dependents";
    case ClusterOp::kGridWait:
      return "griddepcontrol.wait";
  }
  return "?";
}

bool operator==(const RemoteSend& a, const RemoteSend& b) {
  return std::tie(a.cluster, a.rank, a.warp, a.op, a.addr, a.lanes, a.operand, a.has_token) ==
             std::tie(b.cluster, b.rank, b.warp, b.op, b.addr, b.lanes, b.operand, b.has_token) &&
         a.atomic == b.atomic;
}

bool operator==(const RemoteOperation& a, const RemoteOperation& b) {
  return std::tie(a.op, a.place, a.addr, a.lanes, a.operand, a.has_token) ==
             std::tie(b.op, b.place, b.addr, b.lanes, b.operand, b.has_token) &&
         a.atomic == b.atomic;
}

bool operator==(const RemoteLost& a, const RemoteLost& b) {
  return std::tie(a.unit, a.warp, a.lanes, a.cluster, a.rank, a.addr) ==
         std::tie(b.unit, b.warp, b.lanes, b.cluster, b.rank, b.addr);
}

bool operator==(const CancelStep& a, const CancelStep& b) {
  return std::tie(a.writes, a.place, a.addr, a.data, a.bytes) ==
         std::tie(b.writes, b.place, b.addr, b.data, b.bytes);
}

}  // namespace muster
