// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/analysis.h"

#include "sim/isa/bits.h"

namespace muster::explore {

void Analysis::OnAccess(const Place& at, const Range& range, ptx::Op op,
                        const ptx::Ordering& ordering, bool changed) {
  const std::uint32_t access = memory_.ByLane(at, range, op, ordering, changed);
  if (range.owner != kGlobal && range.owner != at.cta) {
    cta_memory_.NoteVisit(range.owner, ThreadOf(at, First(at.lanes)), access);
  }
  if (ordering.IsStrong() || (op == ptx::Op::kStore && !locations_.empty()) ||
      (op == ptx::Op::kLoad && memory_.has_read_strong())) {
    locations_.Access(at, range, op, ordering, memory_.At(access).event);
  }
}

void Analysis::OnTensorAccess(const Place& at, const Range& range, bool writes) {
  memory_.ByWarp(at, range, writes);
}

void Analysis::OnFence(const Place& at, const ptx::MemoryFence& fence) {
  threads_.Fence(at, fence, threads_.NewEvent());
}

void Analysis::OnWarpSync(const Place& at, WarpOp op) { meetings_.Meet(at, op); }

// ".sync ... causes the executing thread to wait until all threads in the warp execute the same
// instruction before resuming execution", and orders no memory.
void Analysis::OnWholeWarp(const Place& at) {
  threads_.LearnMust(at, threads_.Gather(at, threads_.NewEvent())->must);
}

void Analysis::OnRegisters(const Place& at) {
  register_limits_.Set(Now(at, "executes setmaxnreg"));
}

void Analysis::OnArrive(const Place& at, const Operation& operation, const Effects& effects,
                        const std::vector<Place>& released) {
  named_barriers_.Arrive(Now(at, ""), operation, effects, released);
}

void Analysis::OnClusterArrive(const Place& at, std::uint64_t cluster, bool releases) {
  cluster_barriers_.Arrive(Now(at, "arrives"), cluster, releases);
}

void Analysis::OnClusterComplete(std::uint64_t cluster) { cluster_barriers_.Complete(cluster); }

void Analysis::OnClusterWait(const Place& at, std::uint64_t cluster) {
  cluster_barriers_.Wait(at, cluster);
}

void Analysis::OnLaunchEnd(std::size_t launch) { launch_ends_.End(launch); }

void Analysis::OnLaunchWait(const Place& at, std::size_t launch) { launch_ends_.Wait(at, launch); }

void Analysis::OnMbarrier(const Place& at, std::uint64_t owner, const MbOperation& operation,
                          const ptx::Mbarrier* instruction, const MbEffects& effects,
                          std::uint64_t of) {
  mbarriers_.Operate(at, owner, operation, instruction, effects, of);
}

void Analysis::OnStart(const Place& at, std::uint64_t number, const ptx::Transfer& transfer) {
  transfers_.Start(at, number, transfer);
  memory_.NoteAction(at);
  if (transfer.map) {
    memory_.ByTransfer(number, {{kGlobal, *transfer.map, ptx::kTensorMapBytes}}, false, true);
  }
  if (transfer.to != nullptr && transfer.to->linear_id != at.cta) {
    cta_memory_.NoteSent(transfer.to->linear_id, number);
  }
}

void Analysis::OnRead(std::uint64_t number, const std::vector<Range>& ranges) {
  memory_.ByTransfer(number, ranges, false);
}

void Analysis::OnWrite(std::uint64_t number, const std::vector<Range>& ranges) {
  memory_.ByTransfer(number, ranges, true);
}

void Analysis::OnCopyGroup(const Place& at, ptx::CopyGroupOp op, bool bulk, std::uint64_t groups) {
  transfers_.CopyGroup(at, op, bulk, groups);
}

void Analysis::OnProductGroup(const Place& at, const ptx::WarpgroupOrder& order) {
  transfers_.ProductGroup(at, order);
}

void Analysis::OnExit(const Place& at) { exits_.Note({Now(at, "exits"), threads_.NewEvent()}); }

void Analysis::OnCtaEnd(std::uint64_t cta) { cta_memory_.End(cta, exits_.Of(cta).back().side); }

// In a deadlock threads may still come to a barrier for which none has waited, or wait there; and
// so they may where a run has no end.
void Analysis::Conclude() {
  mbarriers_.CountArrivals();
  if (world_.end() == World::End::kCompletes || world_.end() == World::End::kFault) {
    named_barriers_.Conclude();
    mbarriers_.Conclude();
  }
}

}  // namespace muster::explore
