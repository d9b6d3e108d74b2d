// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The machine's part in the cluster scope: barrier.cluster, griddepcontrol, try_cancel, and
// operations from the network.
#include <cstring>
#include <optional>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"
#include "sim/ptx/runtime/on_pins/machine.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kMaxClusterStall = 4;  // cycles, drawn for each barrier.cluster

}  // namespace

ClusterPins* Machine::cluster_pins() { return unit_ == 0 ? grid_.cluster_pins() : nullptr; }

void Machine::ReachCluster(unsigned warp) {
  times_.warps[warp].issue_at = grid_.cycle() + 1 + random_.Below(kMaxClusterStall);
  times_.warps[warp].asked_cluster = false;
}

// Issues the requests whose time has come.
void Machine::AskCluster(std::uint64_t cycle) {
  ForEachBit(residents_.arriving | residents_.in_cluster, [&](unsigned warp) {
    const WarpSlot& slot = residents_.warps[warp];
    WarpTimes& times = times_.warps[warp];
    if (times.asked_cluster || times.issue_at > cycle) {
      return;
    }
    const Arrival& arrival = slot.warp.arrival;
    times.asked_cluster = true;
    if (slot.phase == WarpPhase::kInCluster) {
      RecordCluster(warp, ClusterStep::kWaits);
    }
    grid_.cluster_port()->Ask(unit_, RequestOf(slot.warp, arrival.cluster, arrival.lanes),
                              arrival.line);
  });
}

// A warp waits while its arrival drains.
void Machine::SettleCluster(unsigned warp) {
  const WarpSlot& slot = residents_.warps[warp];
  if (ScheduleReplay* const replay = grid_.replay();
      replay != nullptr && grid_.cluster_port()->IsAtBarrier(unit_, warp)) {
    replay->Commit(slot.warp, Op::kClusterBarrier, slot.warp.arrival.lanes);
  }
  if (slot.phase == WarpPhase::kArriving && times_.warps[warp].asked_cluster) {
    RecordCluster(warp, ClusterStep::kArrives);
    core_.Settle(warp);
  }
}

void Machine::LeaveCluster(unsigned warp, std::uint32_t lanes) {
  const bool waits = residents_.warps[warp].phase == WarpPhase::kInCluster;
  core_.LeaveCluster(warp, lanes);
  if (waits && residents_.warps[warp].phase == WarpPhase::kReady) {
    RecordCluster(warp, ClusterStep::kLeaves);
  }
}

void Machine::RequestGrid(const ClusterRequest& request, std::uint32_t line) {
  grid_.cluster_port()->Ask(unit_, request, line);
}

void Machine::Send(Transfer sent) { grid_.cluster_port()->Send(std::move(sent)); }

// st.async and red.async, but for those at a word of an mbarrier, which the engine carries out.
bool Machine::SendAsync(const Transfer& transfer) {
  if (transfer.to == nullptr || program_.code[transfer.pc].op != Op::kStoreAsync) {
    return false;
  }
  const Piece& piece = transfer.target.front();
  if (transfer.to->port->Watches(transfer.to->slot, piece.address, piece.bytes)) {
    return false;
  }
  Send(MessageOf(transfer));
  return true;
}

void Machine::TakeRemote(const Transfer& sent) {
  if (sent.to->exited) {
    grid_.EndWithLost(sent);
    return;
  }
  if (sent.update.valid) {
    atomic_port_->TakeRemote(sent);
  }
  if (sent.operation.lanes != 0) {
    remote_order_.Push(sent);
    ReceiveDue();
  }
}

void Machine::ReceiveDue() {
  while (const std::optional<Transfer> due = remote_order_.TakeDue()) {
    core_.Receive(*due);
  }
}

void Machine::Cancel(const Warp& warp, const CancelCall& call) {
  grid_.cluster_port()->Ask(unit_, RequestOf(warp, call), call);
}

bool Machine::WriteResponse(const CancelStep& write, std::uint32_t line, std::uint64_t cycle) {
  CtaSlot& cta = residents_.ctas[write.place.cta];
  constexpr auto kBytes = static_cast<unsigned>(sizeof write.data);
  if (!port_->MayStore(write.place.cta, write.addr, kBytes) ||
      (atomic_port_ != nullptr && !atomic_port_->MayStore(write.place.cta, write.addr, kBytes))) {
    return false;
  }
  std::memcpy(&cta.cta.shared[write.addr], write.data.data(), kBytes);
  port_->Stored(First(cta.warps), write.place.cta, write.addr, kBytes, line);
  grid_.Change(cycle);
  return true;
}

void Machine::CompleteResponse(const CancelStep& complete, const ClusterPort::Cancel& cancel) {
  MbOperation operation;
  operation.op = MbOp::kCompleteTx;
  operation.source = MbSource::kAsync;
  operation.tag = cancel.line;
  operation.pass = cancel.passes[residents_.ctas[complete.place.cta].cta.rank];
  operation.cta = complete.place.cta;
  operation.lanes = 1;
  operation.addr = complete.addr;
  operation.operand = complete.bytes;
  port_->PostAsync(operation);
}

std::uint64_t Machine::DrainedWarps(std::uint64_t cycle) const {
  std::uint64_t drained = ~MbBusy();
  ForEachBit(residents_.arriving, [&](unsigned warp) {
    if (cycle < times_.warps[warp].memory_until ||
        grid_.IsSending(residents_.warps[warp].warp.cta, warp)) {
      drained &= ~Bit(warp);
    }
  });
  return drained;
}

}  // namespace muster::ptx
