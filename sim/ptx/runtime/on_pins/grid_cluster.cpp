// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The grid's part in the cluster scope: starts and ends clusters, and passes the scope's outputs to
// the machines.
#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/ptx/runtime/on_pins/grid.h"

namespace muster::ptx {

bool UsesClusterScope(const Program& program, const Launch& launch) {
  return launch.ClusterCtas() > 1 ||
         std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
           return i.op == Op::kClusterBarrier || i.op == Op::kGridControl || i.op == Op::kTryCancel;
         });
}

void Grid::OpenCluster(unsigned slot) {
  ClusterLife life;
  life.op = ClusterLifeOp::kOpen;
  life.cluster = static_cast<std::uint8_t>(slot);
  life.size = launch_.ClusterCtas();
  cluster_port_->Ask(life);
  for (unsigned rank = 0; rank < machines_.size(); ++rank) {
    life.op = ClusterLifeOp::kLaunch;
    life.size = static_cast<std::uint32_t>(launch_.Warps());
    life.rank = life.unit = static_cast<std::uint8_t>(rank);
    life.cta = static_cast<std::uint8_t>(slot);
    cluster_port_->Ask(life);
  }
}

// Passes on what the scope showed in the cycle before.
void Grid::BeginCluster(std::uint64_t cycle) {
  cluster_port_->Begin(cycle);
  AnswerWarps(cycle);
  Deliver(cycle);
  Cancel(cycle);
}

void Grid::AnswerWarps(std::uint64_t cycle) {
  for (unsigned u = 0; u < machines_.size(); ++u) {
    Machine& machine = *machines_[u];
    const ClusterOutputs::Unit& seen = cluster_port_->out().units[u];
    if (seen.fault_valid) {
      machine.EndWithClusterFault(seen.fault, cluster_port_->Line(u, seen.fault.warp), cycle);
      return;
    }
    if (seen.go_valid) {
      machine.LeaveCluster(seen.go.warp, seen.go.lanes);
    }
    ForEachBit(cluster_port_->settled(u),
               [&](unsigned warp) { machine.SettleCluster(warp, cycle); });
    ForEachBit(seen.release, [&](unsigned warp) { machine.LeaveCluster(warp, ~0U); });
    ForEachBit(seen.grid_release, [&](unsigned warp) { machine.LeaveGrid(warp); });
  }
}

void Grid::Deliver(std::uint64_t cycle) {
  for (unsigned u = 0; u < machines_.size(); ++u) {
    if (const std::optional<Transfer> arrived = cluster_port_->TakeArrived(u); arrived) {
      machines_[u]->Receive(*arrived, cycle);
    }
    if (cluster_port_->lost(u)) {
      EndWithLost(*cluster_port_->lost(u), cycle);
    }
  }
}

// Each output is taken in the cycle after the one in which it is first seen.
void Grid::Cancel(std::uint64_t cycle) {
  ClusterInputs& in = cluster_port_->pins()->in;
  const ClusterOutputs& out = cluster_port_->out();
  const ClusterPort::Cancel& cancel = cluster_port_->cancel();
  in.take_ready = out.take_valid && !in.take_ready;
  if (in.take_ready) {
    in.take = clusters_.Cancel();
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
    machines_[lost.unit]->EndWithCancelLost(lost, cancel.line, cycle);
  }
}

void Grid::PresentCluster(std::uint64_t cycle) {
  if (cluster_port_ == nullptr) {
    return;
  }
  ClusterInputs& in = cluster_port_->pins()->in;
  if (ending_) {
    cluster_port_->Begin(cycle);
    in.take_ready = false;
  }
  for (unsigned u = 0; u < machines_.size(); ++u) {
    in.units[u].fence_ack = ending_ ? ~std::uint64_t{0} : machines_[u]->DrainedWarps(cycle);
    in.units[u].remote_ready = ending_ || machines_[u]->TakesRemote();
  }
  cluster_port_->Present(ending_);
}

}  // namespace muster::ptx
