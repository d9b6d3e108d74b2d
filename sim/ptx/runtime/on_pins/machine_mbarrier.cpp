// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The machine's part in mbarriers: moves operations between warps and the port, and finds out which
// warps wait.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/runtime/explain.h"
#include "sim/ptx/runtime/on_pins/grid.h"
#include "sim/ptx/runtime/operations.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
void CheckMbarriersFit(const Config& config, const Program& program, const Launch& launch) {
  bool any = false;
  for (const Instruction& i : program.code) {
    if (i.op != Op::kMbarrier) {
      continue;
    }
    any = true;
    const auto& mbarrier = i.As<Mbarrier>();
    const char* const lacks = !config.mbarrier                         ? "mbarriers"
                              : IsDrop(mbarrier.op) && !config.mb_drop ? "mbarrier.arrive_drop"
                              : mbarrier.hint != kNoSlot && !config.mb_limit
                                  ? "time limits of try_wait"
                                  : nullptr;
    if (lacks != nullptr) {
      throw DoesNotFit(fmt::format("{}:{}: the configuration {} has no {}", program.file, i.line,
                                   config.name, lacks));
    }
  }
  if (any && launch.shared_bytes > config.smem_bytes) {
    throw DoesNotFit(
        fmt::format("a CTA has {} bytes of shared memory, but mbarriers of the "
                    "configuration {} lie in the first {}: use less dynamic_shared",
                    launch.shared_bytes, config.name, config.smem_bytes));
  }
}

bool UsesMbarriers(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    return i.op == Op::kMbarrier || i.op == Op::kTryCancel ||
           (i.op == Op::kStoreAsync && i.As<AsyncStore>().mbarrier != kNoSlot) ||
           (i.op == Op::kBulk && i.As<BulkCopy>().space != Space::kGlobal) ||
           (i.op == Op::kTensor && i.As<TensorCopy>().mbarrier != kNoSlot);
  });
}

// ------------------------------------------------------------------------------------------------
// The cycle
// ------------------------------------------------------------------------------------------------

// The cycle in which Drive returns false has already begun.
void Machine::Serve(const Outputs& seen, Inputs* inputs) {
  if (port_ != nullptr && !std::exchange(left_, false)) {
    port_->Begin(seen.mb, &inputs->mb);
  }
}

void Machine::BeginMbarriers(const Outputs& seen, Inputs* inputs) {
  port_->Begin(seen.mb, &inputs->mb);
  if (port_->accepted()) {
    const unsigned warp = *port_->accepted();
    residents_.warps[warp].mb_drain_until = residents_.warps[warp].memory_until;
    if (!port_->Issuing(warp)) {
      residents_.SetPhase(warp, WarpPhase::kReady);
    }
  }
  for (const MbReply& reply : port_->replies()) {
    Reply(reply);
  }
}

void Machine::Reply(const MbReply& reply) {
  WarpSlot& slot = residents_.warps[reply.warp];
  const std::uint32_t excused = std::exchange(slot.excused, slot.excused & ~reply.lanes);
  MbReply answer = reply;
  answer.complete |= (excused & reply.lanes) != 0;
  interpreter_.Answer(&slot.warp, answer);
  if (residents_.warps[reply.warp].phase == WarpPhase::kAsleep) {
    residents_.SetPhase(reply.warp, WarpPhase::kReady);
  }
}

void Machine::ReachMbarrier(unsigned warp, std::uint64_t cycle) {
  WarpSlot& slot = residents_.warps[warp];
  const MbInstruction& instruction = slot.warp.mbarrier;
  if (instruction.outside != 0) {
    grid_.EndWithFault(Outcome::kFault,
                       {Name(FaultCause::kBadAddress), instruction.line, cycle,
                        residents_.LinearCta(warp), residents_.IndexInCta(warp), 0,
                        instruction.outside, 1, fmt::format("{:#x}", instruction.outside_address),
                        fmt::format("{}: {}", Name(instruction.op), instruction.outside_what)});
    return;
  }
  // The unit sees nothing of it before the arrive-on.
  if (instruction.op == MbOp::kCopyArriveNoInc) {
    ForEachBit(instruction.lanes, [&](unsigned lane) {
      MbOperation announced;
      announced.tag = instruction.line;
      announced.op = instruction.op;
      announced.cta = static_cast<std::uint8_t>(slot.cta);
      announced.warp = static_cast<std::uint8_t>(warp);
      announced.lanes = 1U << lane;
      announced.addr = instruction.addr[lane];
      port_->Announce(announced);
    });
    StartArrivals(warp, instruction.lanes, instruction.addr, instruction.line, instruction.pass,
                  cycle);
    return;
  }
  port_->Issue(warp, slot.cta, instruction);
  residents_.SetPhase(warp, WarpPhase::kAsking);
}

// Starts the arrive-ons of the copies that each lane has started so far.
void Machine::StartArrivals(unsigned warp, std::uint32_t lanes,
                            const std::array<std::uint32_t, kWarpSize>& addr, std::uint32_t line,
                            std::uint32_t pass, std::uint64_t cycle) {
  ForEachBit(lanes, [&](unsigned lane) {
    Transfer arrival = ArriveOn(&residents_.warps[warp].warp, lane, addr[lane], line);
    arrival.pass = pass;
    if (ScheduleReplay* const replay = grid_.replay(); replay != nullptr) {
      replay->Start(pass, 1U << lane);
    }
    engine_.Post(std::move(arrival), cycle);
  });
}

// Sends an operation on another CTA's mbarrier.
void Machine::SendRemote(unsigned rank, const MbOperation& operation) {
  Transfer sent = RemoteOf(residents_.warps[operation.warp].warp, rank, operation);
  const MbOperation& op = sent.operation;
  if (ScheduleReplay* const replay = grid_.replay(); replay != nullptr) {
    replay->Start(op.pass, op.lanes);
    replay->Commit(op.pass, op.lanes);
  }
  const RemoteSend send{static_cast<std::uint8_t>(sent.issuer->cluster->slot),
                        static_cast<std::uint8_t>(rank),
                        static_cast<std::uint8_t>(sent.warp),
                        op.op,
                        op.addr,
                        op.lanes,
                        op.operand,
                        op.has_token};
  grid_.cluster_port()->Send(rank_, send, std::move(sent));
}

// All threads of the CTA have exited. Operations to its mbarriers that are in flight, or are sent
// from now on, are lost. Operations that have reached the unit are executed.
void Machine::AbandonMbarriers(unsigned slot, std::uint64_t cycle) {
  if (port_ == nullptr) {
    return;
  }
  port_->Abandon(slot);
  const ClusterPort* const cluster = grid_.cluster_port();
  const Transfer* const late =
      cluster == nullptr ? nullptr : cluster->Reaching(&residents_.ctas[slot].cta);
  if (late != nullptr) {
    grid_.EndWithLost(*late, cycle);
  }
}

void Machine::EndWithLost(const Transfer& lost, std::uint64_t cycle) {
  const bool remote = lost.kind == Transfer::Kind::kRemote;
  const std::uint32_t lanes = remote ? lost.operation.lanes : 1U << lost.lane;
  const std::string sender =
      remote ? interpreter_.ThreadName(residents_.warps[lost.warp].warp, First(lanes))
             : fmt::format("warp {} of CTA {}", residents_.IndexInCta(lost.warp),
                           grid_.CtaName(residents_.LinearCta(lost.warp)));
  grid_.EndWithFault(
      Outcome::kMemoryFault,
      {"memory_fault", lost.line, cycle, residents_.LinearCta(lost.warp),
       residents_.IndexInCta(lost.warp), 0, lanes},
      fmt::format("{}: {} the CTA with rank {} of the cluster, which has exited", sender,
                  remote ? "an mbarrier operation on" : "a copy to shared memory of",
                  lost.to->rank));
}

void Machine::PresentMbarriers(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  port_->Present(residents_.outstanding, grid_.ending(), &inputs->mb);
  if (port_->refusal() && !grid_.ending()) {
    const MbPort::Refusal& refusal = *port_->refusal();
    FaultAtMbarrier(refusal.cause, refusal.operation.warp, refusal.operation, cycle);
  }
  inputs->mb.fence_ack = ~std::uint64_t{0};
  ForEachBit(residents_.outstanding, [&](unsigned warp) {
    if ((seen.mb.fence_req & Bit(warp)) == 0 || cycle < residents_.warps[warp].mb_drain_until) {
      inputs->mb.fence_ack &= ~Bit(warp);
    }
  });
}

// ------------------------------------------------------------------------------------------------
// Effects
// ------------------------------------------------------------------------------------------------

std::uint32_t Machine::LineOf(const MbEvent& event) const {
  const bool of_time = event.kind == MbEvent::Kind::kExpire || event.kind == MbEvent::Kind::kLeave;
  return of_time ? 0 : event.operation.tag;
}

void Machine::OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) {
  const MbOperation& operation = event.operation;
  Record(cycle, event, effects);
  switch (event.kind) {
    case MbEvent::Kind::kStep:
      CommitTurn(operation);
      StepMbarrier(cycle, operation, effects);
      break;
    case MbEvent::Kind::kExpire:
      mbarrier_arrivals_.Expire(operation.warp);
      break;
    case MbEvent::Kind::kLeave: {
      const auto warp =
          static_cast<unsigned>(__builtin_ctzll(residents_.ctas[operation.cta].warps));
      AddMbHazards(effects.hazards, warp, operation, residents_.warps[warp].exit_line, cycle);
      break;
    }
    default:
      AddMbHazards(effects.hazards, operation.warp, operation, operation.tag, cycle);
  }
}

void Machine::StepMbarrier(std::uint64_t cycle, const MbOperation& operation,
                           const MbEffects& effects) {
  // An operation of a copy or another CTA is attributed to a warp of the CTA that owns the word.
  const unsigned warp =
      operation.source == MbSource::kWarp
          ? operation.warp
          : static_cast<unsigned>(__builtin_ctzll(residents_.ctas[operation.cta].warps));
  if (MeetsInval(operation, effects, warp, cycle)) {
    return;
  }
  for (std::uint32_t left = operation.lanes; left != 0; left &= left - 1) {
    const FaultCause cause = effects.fault[First(left)];
    if (cause != FaultCause::kNone) {
      FaultAtMbarrier(cause, warp, operation, cycle);
      return;
    }
  }
  AddMbHazards(effects.hazards, warp, operation, operation.tag, cycle);
  NoteFresh(operation, effects, warp, cycle);
  mbarrier_arrivals_.Step(operation, effects, residents_.IndexInCta(warp), operation.tag);
  if (effects.written) {
    grid_.Change(cycle);
  }
  if (operation.op == MbOp::kCopyArrive) {
    std::array<std::uint32_t, kWarpSize> addr;
    addr.fill(operation.addr);
    StartArrivals(warp, operation.lanes, addr, operation.tag, operation.pass, cycle);
  }
}

void Machine::FaultAtMbarrier(FaultCause cause, unsigned warp, const MbOperation& operation,
                              std::uint64_t cycle) {
  grid_.EndWithFault(
      Outcome::kFault,
      {Name(cause), operation.tag, cycle, residents_.LinearCta(warp), residents_.IndexInCta(warp),
       0, operation.lanes, 1, MbarrierName(program_, operation.addr),
       fmt::format("{}: {}{}", Name(operation.op), Explain(cause),
                   cause == FaultCause::kWordExhausted ? WhoInvalidated(operation, warp) : "")});
}

void Machine::AddMbHazards(std::uint32_t hazards, unsigned warp, const MbOperation& operation,
                           std::uint32_t line, std::uint64_t cycle) {
  ForEachBit(hazards, [&](unsigned bit) {
    const auto hazard = static_cast<Hazard>(bit);
    grid_.AddHazard(
        {Name(hazard), line, cycle, residents_.LinearCta(warp), residents_.IndexInCta(warp), 0,
         operation.lanes, 1, MbarrierName(program_, operation.addr),
         std::string(Explain(hazard)) +
             (hazard == Hazard::kUninitialisedWord ? WhoInvalidated(operation, warp) : "")});
  });
}

// ------------------------------------------------------------------------------------------------
// Waiting warps
// ------------------------------------------------------------------------------------------------

// Whether all live lanes of the warp wait without a time limit or repeat loops. Parked lanes are
// tried in a dry run, or assumed to repeat.
bool Machine::WarpRepeats(unsigned warp, DryRuns dry_runs) {
  WarpSlot& slot = residents_.warps[warp];
  switch (slot.phase) {
    case WarpPhase::kFree:
    case WarpPhase::kExited:
    case WarpPhase::kWaiting:
    case WarpPhase::kInCluster:
      return true;
    case WarpPhase::kIssuing:
    case WarpPhase::kAtGrid:  // there is no other grid to wait for
      return false;
    case WarpPhase::kBlocked:
      return ExitsStand();
    case WarpPhase::kArriving:
      return grid_.HoldsSends();
    case WarpPhase::kReady:
    case WarpPhase::kAsking:
    case WarpPhase::kAsleep:
    case WarpPhase::kStuck:
      break;
  }
  const std::uint32_t under_way = warp_port_ == nullptr ? 0 : warp_port_->LanesUnderWay(warp);
  const std::uint32_t parked = port_ == nullptr ? 0 : port_->ParkedLanes(warp);
  const std::uint32_t repeating = livelock_.Repeating(warp);
  const bool may_dry_run = config_.mb_limit && dry_runs == DryRuns::kYes;
  return std::all_of(slot.warp.groups.begin(), slot.warp.groups.end(), [&](const Group& group) {
    const std::uint32_t rest = group.lanes & ~repeating;
    return rest == 0 || group.state == Group::State::kAligned ||
           interpreter_.IsHeldByReplay(&slot.warp, group) ||
           (group.state == Group::State::kHeld && (rest & under_way) == 0) ||
           (group.state == Group::State::kAsked && (rest & (~parked | slot.excused)) == 0 &&
            (!may_dry_run || interpreter_.WouldReturn(slot.warp, group, rest)));
  });
}

bool Machine::Repeats(std::uint64_t cycle) {
  if (!livelock_.Settled(cycle) || (pins_.in_flight() != 0 && !ExitsStand()) || engine_.Moves()) {
    return false;
  }
  for (const DryRuns dry_runs : {DryRuns::kNo, DryRuns::kYes}) {
    for (unsigned warp = 0; warp < residents_.warps.size(); ++warp) {
      if (!WarpRepeats(warp, dry_runs)) {
        return false;
      }
    }
  }
  return true;
}

bool Machine::Moves() const {
  return (residents_.ready | residents_.issuing | residents_.blocked | residents_.arriving) != 0 ||
         pins_.in_flight() != 0 || (port_ != nullptr && !port_->Quiet()) || engine_.Moves() ||
         (warp_port_ != nullptr && warp_port_->Moves(Occupied())) || grid_.ClusterMoves();
}

bool Machine::IsBusy() const {
  // Waits that end at a given time, and sleeping lanes.
  const bool timed =
      residents_.asleep != 0 && (config_.mb_limit || residents_.wakes_at != Interpreter::kNever);
  return timed || Moves();
}

// Warps that wait for others of the cluster arrived there some cycles ago, or are about to arrive.
std::uint64_t Machine::SleepsUntil(std::uint64_t cycle) const {
  bool moves = grid_.ending() || grid_.TurnsMove() || Moves();
  ForEachBit(residents_.in_cluster,
             [&](unsigned warp) { moves = moves || residents_.warps[warp].issue_at >= cycle; });
  if (moves || residents_.asleep == 0) {
    return moves ? cycle : kNever;
  }
  // A deadlock is found without waiting for time limits.
  const bool looked = grid_.looked() > std::max(stepped_, livelock_.SettledFrom());
  const std::uint64_t look = Grid::LookFrom(std::max(cycle, livelock_.SettledFrom()));
  return looked ? residents_.wakes_at : std::min(residents_.wakes_at, look);
}

}  // namespace muster::ptx
