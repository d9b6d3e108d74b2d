// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The grid's part in the cluster scope: passes the scope's outputs to
// the machines.
#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"

namespace muster::ptx {

// Passes on what the scope showed in the cycle before.
void ClockedGrid::BeginCluster(std::uint64_t cycle) {
  cluster_port_->Begin(cycle);
  AnswerWarps();
  Deliver();
  Cancel(cycle);
}

void ClockedGrid::AnswerWarps() {
  for (unsigned u = 0; u < machines_.size(); ++u) {
    Machine& machine = *machines_[u];
    const ClusterOutputs::Unit& seen = cluster_port_->out().units[u];
    if (seen.fault_valid) {
      machine.core().EndWithClusterFault(seen.fault.warp, seen.fault.cause, seen.fault.lanes,
                                         cluster_port_->Line(u, seen.fault.warp));
      return;
    }
    if (seen.go_valid) {
      machine.LeaveCluster(seen.go.warp, seen.go.lanes);
    }
    ForEachBit(cluster_port_->settled(u), [&](unsigned warp) { machine.SettleCluster(warp); });
    ForEachBit(seen.release, [&](unsigned warp) { machine.LeaveCluster(warp, ~0U); });
    ForEachBit(seen.grid_release, [&](unsigned warp) { machine.core().LeaveGrid(warp); });
  }
}

void ClockedGrid::Deliver() {
  for (unsigned u = 0; u < machines_.size(); ++u) {
    const ClusterOutputs::Unit& seen = cluster_port_->out().units[u];
    if (const std::optional<Transfer> arrived = cluster_port_->TakeArrived(u); arrived) {
      machines_[u]->TakeRemote(*arrived);
    }
    if (seen.reply_valid) {  // which is always taken
      machines_[u]->TakeAnswer(seen.reply);
    }
    if (cluster_port_->lost(u)) {
      EndWithLost(*cluster_port_->lost(u));
    }
  }
}

// Each output is taken in the cycle after the one in which it is first seen.
void ClockedGrid::Cancel(std::uint64_t cycle) {
  ClusterInputs& in = cluster_port_->pins()->in;
  const ClusterOutputs& out = cluster_port_->out();
  const ClusterPort::Cancel& cancel = cluster_port_->cancel();
  in.take_ready = out.take_valid && !in.take_ready;
  if (in.take_ready) {
    in.take = CancelNext(*clusters_.At(cancel.request.cluster).launch);
    for (const std::uint32_t pass : cancel.passes) {
      if (replay_ != nullptr) {
        replay_->Read(pass);
      }
    }
  }
  for (unsigned u = 0; u < machines_.size(); ++u) {
    ClusterInputs::Unit& pins = in.units[u];
    pins.write_ready = out.units[u].write_valid && !pins.write_ready &&
                       !cluster_port_->HoldsResponse(u) &&
                       machines_[u]->WriteResponse(out.write, cancel.line, cycle);
    pins.complete_ready = out.units[u].complete_valid && !pins.complete_ready;
    if (pins.complete_ready) {
      machines_[u]->CompleteResponse(out.complete, cancel);
    }
  }
  if (out.cancel_lost_valid) {
    const RemoteLost& lost = out.cancel_lost;
    machines_[lost.unit]->core().EndWithCancelLost(lost, cancel.line);
  }
}

void ClockedGrid::PresentCluster(std::uint64_t cycle) {
  if (cluster_port_ == nullptr) {
    return;
  }
  ClusterInputs& in = cluster_port_->pins()->in;
  if (ending()) {
    cluster_port_->Begin(cycle);
    in.take_ready = false;
  }
  in.flushed = Flushed();
  for (unsigned u = 0; u < machines_.size(); ++u) {
    in.units[u].fence_ack = ending() ? ~std::uint64_t{0} : machines_[u]->DrainedWarps(cycle);
    in.units[u].remote_ready = ending() || machines_[u]->TakesRemote();
  }
  cluster_port_->Present(ending());
}

}  // namespace muster::ptx
