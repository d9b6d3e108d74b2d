// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The machine's part in the cluster scope: barrier.cluster, griddepcontrol, try_cancel, and
// operations from the network.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/ptx/runtime/on_pins/grid.h"
#include "sim/ptx/runtime/on_pins/machine.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kMaxClusterStall = 4;  // cycles, drawn for each barrier.cluster

}  // namespace

ClusterPins* Machine::cluster_pins() { return rank_ == 0 ? grid_.cluster_pins() : nullptr; }

void Machine::ReachClusterBarrier(unsigned warp, std::uint64_t cycle) {
  WarpSlot& slot = residents_.warps[warp];
  const bool waits = slot.warp.arrival.cluster == ClusterForm::kWait;
  slot.issue_at = cycle + 1 + random_.Below(kMaxClusterStall);
  slot.asked_cluster = false;
  slot.in_cluster = waits ? slot.warp.arrival.lanes : 0;
  residents_.SetPhase(warp, waits ? WarpPhase::kInCluster : WarpPhase::kArriving);
}

// Issues the requests whose time has come.
void Machine::AskCluster(std::uint64_t cycle) {
  ForEachBit(residents_.arriving | residents_.in_cluster, [&](unsigned warp) {
    WarpSlot& slot = residents_.warps[warp];
    if (slot.asked_cluster || slot.issue_at > cycle) {
      return;
    }
    const Arrival& arrival = slot.warp.arrival;
    slot.asked_cluster = true;
    if (slot.phase == WarpPhase::kInCluster) {
      RecordCluster(warp, ClusterStep::kWaits);
    }
    grid_.cluster_port()->Ask(rank_, RequestOf(slot.warp, arrival.cluster, arrival.lanes),
                              arrival.line);
  });
}

// A warp waits while its arrival drains.
void Machine::SettleCluster(unsigned warp, std::uint64_t cycle) {
  WarpSlot& slot = residents_.warps[warp];
  if (ScheduleReplay* const replay = grid_.replay();
      replay != nullptr && grid_.cluster_port()->IsAtBarrier(rank_, warp)) {
    replay->Commit(slot.warp, Op::kClusterBarrier, slot.warp.arrival.lanes);
  }
  if (slot.phase == WarpPhase::kArriving && slot.asked_cluster) {
    slot.cluster_line = slot.warp.arrival.line;
    RecordCluster(warp, ClusterStep::kArrives);
    grid_.Change(cycle);
    residents_.SetPhase(warp, WarpPhase::kReady);
  }
}

void Machine::LeaveCluster(unsigned warp, std::uint32_t lanes) {
  WarpSlot& slot = residents_.warps[warp];
  slot.in_cluster &= ~lanes;
  if (slot.phase == WarpPhase::kInCluster && slot.in_cluster == 0) {
    RecordCluster(warp, ClusterStep::kLeaves);
    residents_.SetPhase(warp, WarpPhase::kReady);
  }
}

void Machine::ReachGridControl(unsigned warp) {
  const WarpSlot& slot = residents_.warps[warp];
  const GridControlCall& call = slot.warp.grid_control;
  grid_.cluster_port()->Ask(
      rank_,
      RequestOf(slot.warp, call.waits ? muster::ClusterOp::kGridWait : muster::ClusterOp::kTrigger,
                call.lanes),
      call.line);
  if (call.waits) {
    residents_.SetPhase(warp, WarpPhase::kAtGrid);
  }
}

void Machine::LeaveGrid(unsigned warp) {
  if (residents_.warps[warp].phase == WarpPhase::kAtGrid) {
    residents_.SetPhase(warp, WarpPhase::kReady);
  }
}

void Machine::EndWithClusterFault(const ClusterOutputs::Fault& fault, std::uint32_t line,
                                  std::uint64_t cycle) {
  grid_.EndWithFault(Outcome::kFault,
                     {Name(fault.cause), line, cycle, residents_.LinearCta(fault.warp),
                      residents_.IndexInCta(fault.warp), 0, fault.lanes});
}

void Machine::CancelCluster(const Warp& warp, const CancelCall& call) {
  const muster::CancelRequest request{static_cast<std::uint8_t>(warp.cta->cluster->slot),
                                      static_cast<std::uint8_t>(rank_),
                                      static_cast<std::uint8_t>(warp.slot),
                                      call.multicast,
                                      call.response,
                                      call.mbarrier};
  grid_.cluster_port()->Ask(rank_, request, call);
}

bool Machine::WriteResponse(const CancelStep& write, std::uint32_t line, std::uint64_t cycle) {
  CtaSlot& cta = residents_.ctas[write.place.cta];
  constexpr auto kBytes = static_cast<unsigned>(sizeof write.data);
  if (!port_->MayStore(write.place.cta, write.addr, kBytes)) {
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
  operation.pass = cancel.passes[rank_];
  operation.cta = complete.place.cta;
  operation.lanes = 1;
  operation.addr = complete.addr;
  operation.operand = complete.bytes;
  port_->PostAsync(operation);
}

void Machine::EndWithCancelLost(const RemoteLost& lost, std::uint32_t line, std::uint64_t cycle) {
  grid_.EndWithFault(
      Outcome::kFault,
      {Name(FaultCause::kRankNotThere), line, cycle, residents_.LinearCta(lost.warp),
       residents_.IndexInCta(lost.warp), 0, 0},
      fmt::format("warp {} of CTA {} asks for a response at {:#x} of the CTA with "
                  "rank {} of its cluster, which has exited",
                  residents_.IndexInCta(lost.warp), grid_.CtaName(residents_.LinearCta(lost.warp)),
                  lost.addr, lost.rank));
}

void Machine::Receive(const Transfer& sent, std::uint64_t cycle) {
  if (sent.to->exited) {
    grid_.EndWithLost(sent, cycle);
    return;
  }
  port_->PostRemote(sent.operation);
}

std::uint64_t Machine::DrainedWarps(std::uint64_t cycle) const {
  std::uint64_t drained = ~MbBusy();
  ForEachBit(residents_.arriving, [&](unsigned warp) {
    const WarpSlot& slot = residents_.warps[warp];
    if (cycle < slot.memory_until || grid_.IsSending(slot.warp.cta, warp)) {
      drained &= ~Bit(warp);
    }
  });
  return drained;
}

}  // namespace muster::ptx
