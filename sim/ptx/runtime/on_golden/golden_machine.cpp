// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_golden/golden_machine.h"

#include <cstring>
#include <utility>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/ptx/runtime/on_golden/golden_grid.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWordBytes = 8;

}  // namespace

GoldenMachine::GoldenMachine(GoldenGrid* grid, unsigned unit, const Config& config,
                             const Program& program, const Launch& launch, Memory* memory)
    : grid_(*grid),
      config_(config),
      model_(config),
      words_(model_, config.smem_bytes, config.report),
      scope_(config.num_warps),
      core_(grid, unit, config, program, launch, memory, unit, this) {
  core_.interpreter().set_mbarriers(this);
  core_.interpreter().set_warp_unit(this);
  core_.interpreter().set_whole_copies();
}

void GoldenMachine::Reset() {
  model_.Reset();
  words_.Reset();
  requests_.clear();
  for (unsigned warp = 0; warp < config_.num_warps; ++warp) {
    Reset(warp);
  }
}

StepEvent GoldenMachine::Run(unsigned warp) {
  const StepEvent event = core_.Step(warp, grid_.cycle());
  while (!requests_.empty() && !grid_.ending()) {
    for (const WarpRequest& request : std::exchange(requests_, {})) {
      Perform(request);
    }
  }
  return event;
}

// ------------------------------------------------------------------------------------------------
// CTAs and named barriers
// ------------------------------------------------------------------------------------------------

void GoldenMachine::TakeCta(Cta* cta) {
  cta->port = this;
  cta->engine = &grid_;
  watched_[cta->slot].assign(cta->shared.size() / kWordBytes, false);
}

void GoldenMachine::FreeMemory(unsigned slot) {
  MbEvent event;
  event.kind = MbEvent::Kind::kLeave;
  event.operation.cta = static_cast<std::uint8_t>(slot);
  core_.Take(grid_.cycle(), event, words_.Leave(slot, event.how));
}

void GoldenMachine::Request(const Operation& operation) {
  if (!grid_.ending()) {
    Commit(operation,
           operation.kind == OpKind::kExit ? core_.residents().warps[operation.warp].exit_line : 0);
  }
}

void GoldenMachine::Arrive(unsigned warp) {
  const Warp& at_barrier = core_.residents().warps[warp].warp;
  core_.Accept(warp);
  Commit(OperationOf(at_barrier, at_barrier.arrival), at_barrier.arrival.line);
}

void GoldenMachine::Commit(const Operation& operation, std::uint32_t line) {
  const Effects effects = model_.Step(operation);
  grid_.OnBarrier(core_, operation, effects);
  if (core_.Commit(grid_.cycle(), operation, effects, line) && effects.released != 0) {
    core_.Release(effects.released, effects.released_kind, effects.released_value);
    grid_.OnRelease(core_, effects.released & ~Bit(operation.warp));
  }
}

// ------------------------------------------------------------------------------------------------
// The warp scope and the cluster scope
// ------------------------------------------------------------------------------------------------

void GoldenMachine::ExitLanes(unsigned warp) {
  const Warp& left = core_.residents().warps[warp].warp;
  grid_.OnExit(core_, warp);
  Perform(RequestOf(left, muster::ClusterOp::kExit, left.exited), left.exit_line);
  WarpRequest exit;
  exit.op = WarpOp::kExit;
  exit.warp = static_cast<std::uint8_t>(warp);
  exit.cta = static_cast<std::uint8_t>(left.cta->slot);
  exit.lanes = left.exited;
  exit.live = left.live;
  Perform(exit);
}

void GoldenMachine::Reset(unsigned warp) {
  scope_.Clear(warp);
  due_[warp].reset();
}

void GoldenMachine::Perform(const WarpRequest& request) {
  const WarpEffects effects = scope_.Step(request);
  if (effects.fault != FaultCause::kNone) {
    core_.EndWithRefusal(request.warp, effects.fault, request.lanes);
    return;
  }
  grid_.OnWarpScope(core_, request, effects);
  for (const WarpAnswer& answer : effects.answers) {
    core_.Answer(answer);
  }
  if (effects.arrival) {
    due_[request.warp] = effects.arrival;
  }
}

void GoldenMachine::TakeDue(unsigned warp) {
  core_.TakeArrival(*std::exchange(due_[warp], std::nullopt));
}

void GoldenMachine::ReachCluster(unsigned warp) {
  const Warp& at_barrier = core_.residents().warps[warp].warp;
  const Arrival& arrival = at_barrier.arrival;
  Perform(RequestOf(at_barrier, arrival.cluster, arrival.lanes), arrival.line);
}

void GoldenMachine::RequestGrid(const ClusterRequest& request, std::uint32_t line) {
  Perform(request, line);
}

void GoldenMachine::Perform(const ClusterRequest& request, std::uint32_t line) {
  const ClusterEffects effects = grid_.StepCluster(core_, request);
  if (effects.fault != FaultCause::kNone) {
    core_.EndWithClusterFault(request.warp, effects.fault, effects.at_fault, line);
    return;
  }
  if (IsClusterArrival(request.op)) {
    core_.Settle(request.warp);
  } else if (request.op == muster::ClusterOp::kWait) {
    core_.LeaveCluster(request.warp, effects.go);
  }
  grid_.ReleaseCluster(effects);
}

void GoldenMachine::Cancel(const Warp& warp, const CancelCall& call) {
  grid_.OnCancel(core_, warp, call);
}

void GoldenMachine::Send(Transfer sent) { grid_.Post(std::move(sent), grid_.cycle()); }

// ------------------------------------------------------------------------------------------------
// Mbarriers
// ------------------------------------------------------------------------------------------------

void GoldenMachine::Issue(unsigned warp) {
  const WarpSlot& slot = core_.residents().warps[warp];
  const MbInstruction instruction = slot.warp.mbarrier;
  MbReply reply;
  reply.warp = warp;
  reply.lanes = instruction.has_token ? instruction.lanes : 0;
  std::vector<MbReply> answers;
  for (const MbGroup& group : GroupsOf(config_, warp, slot.cta, instruction)) {
    const MbOperation& operation = group.operation;
    if (operation.source == MbSource::kOutbound) {
      core_.SendRemote(group.rank, operation);
    } else if (operation.asks == MbAsks::kLayout) {
      MbReply& answer = answers.emplace_back();
      answer.warp = warp;
      answer.lanes = operation.lanes;
      answer.complete = Perform(operation).complete != 0;
    } else if (IsMbWait(operation.op)) {
      grid_.OnWait(core_, operation);
    } else {
      const MbEffects effects = Perform(operation);
      ForEachBit(operation.lanes, [&](unsigned lane) { reply.token[lane] = effects.token[lane]; });
    }
    if (grid_.ending()) {
      return;
    }
  }
  core_.Issued(warp);
  if (reply.lanes != 0) {
    core_.Reply(reply);
  }
  for (const MbReply& answer : answers) {
    core_.Reply(answer);
  }
}

MbEffects GoldenMachine::Perform(const MbOperation& operation) {
  Watch(operation.cta, operation.addr);
  MbEffects effects = words_.Step(operation);
  const bool is_admitted = core_.Admit(grid_.cycle(), operation, effects);
  if (effects.written) {
    std::memcpy(&core_.residents().ctas[operation.cta].cta.shared[operation.addr], &effects.word,
                kWordBytes);
  }
  grid_.OnMbarrier(core_, operation, effects);
  if (is_admitted) {
    core_.Perform(grid_.cycle(), operation, effects);
  }
  return effects;
}

std::uint64_t GoldenMachine::Word(unsigned cta, std::uint32_t addr) const {
  std::uint64_t word = 0;
  std::memcpy(&word, &core_.residents().ctas[cta].cta.shared[addr], kWordBytes);
  return word;
}

// Loads a word into the golden model before the first operation on it.
void GoldenMachine::Watch(unsigned cta, std::uint32_t addr) {
  const std::uint32_t index = addr / kWordBytes;
  if (addr % kWordBytes != 0 || index >= watched_[cta].size() || watched_[cta][index]) {
    return;
  }
  watched_[cta][index] = true;
  if (const std::uint64_t word = Word(cta, addr); word != 0) {
    words_.Store(cta, addr, word);
  }
}

bool GoldenMachine::Watches(unsigned cta, std::uint64_t addr, unsigned bytes) const {
  for (std::uint64_t index = addr / kWordBytes;
       index * kWordBytes < addr + bytes && index < watched_[cta].size(); ++index) {
    if (watched_[cta][index]) {
      return true;
    }
  }
  return false;
}

void GoldenMachine::Stored(unsigned warp, unsigned cta, std::uint64_t addr, unsigned bytes,
                           std::uint32_t line) {
  for (std::uint64_t index = addr / kWordBytes;
       index * kWordBytes < addr + bytes && index < watched_[cta].size(); ++index) {
    if (!watched_[cta][index]) {
      continue;
    }
    MbEvent store;
    store.kind = MbEvent::Kind::kStore;
    store.operation.cta = static_cast<std::uint8_t>(cta);
    store.operation.warp = static_cast<std::uint8_t>(warp);
    store.operation.addr = static_cast<std::uint32_t>(index * kWordBytes);
    store.operation.tag = line;
    store.word = Word(cta, store.operation.addr);
    core_.Take(grid_.cycle(), store, words_.Do(store));
  }
}

}  // namespace muster::ptx
