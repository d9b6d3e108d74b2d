// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/machine.h"

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/ptx/runtime/fits.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kMaxMemoryLatency = 32;  // cycles, drawn for each access
constexpr std::uint32_t kMaxIssueStall = 4;      // cycles, drawn for each barrier
constexpr std::uint32_t kSchedulerStall = 8;     // one in so many issue slots stays empty
constexpr std::uint64_t kMaxLaunchesAhead = 2;   // launches queued at a time

}  // namespace

Machine::Machine(ClockedGrid* grid, unsigned unit, const Config& config, const Program& program,
                 const Launch& launch, Memory* memory, std::uint64_t seed)
    : grid_(*grid),
      unit_(unit),
      config_(config),
      program_(program),
      engine_(memory, seed ^ 0x636f70696573U),
      random_(seed ^ 0x6d7573746572U),
      core_(grid, unit, config, program, launch, memory, seed, this),
      residents_(core_.residents()),
      pins_(config, *grid, &core_, &times_, &random_) {
  if (UsesWarpScope(program)) {
    warp_port_ = std::make_unique<WarpPort>();
    core_.interpreter().set_warp_unit(warp_port_.get());
  }
  if (UsesSharedAtomics(program) && launch.shared_bytes <= config.smem_bytes) {
    atomic_port_ = std::make_unique<AtomicPort>(seed ^ 0x61746f6d696373U);
    core_.interpreter().set_atomics();
    engine_.set_network([this](const Transfer& transfer) { return SendAsync(transfer); });
  }
  if (UsesMbarriers(program)) {
    port_ = std::make_unique<MbPort>(config, seed ^ 0x6d62617272696572U);
    core_.interpreter().set_mbarriers(port_.get());
    pins_.set_mb_port(port_.get());
    port_->set_remote(
        [this](unsigned to, const MbOperation& operation) { core_.SendRemote(to, operation); });
  }
}

void Machine::set_late(LateSink* late) {
  core_.interpreter().set_late(late);
  engine_.set_late(late);
  fence_port_ = std::make_unique<FencePort>(config_.num_warps);
}

WaitReport Machine::wait_report() const {
  return {program_, core_, grid_.cluster_model(), port_.get(),
          grid_.outcome() == Outcome::kDeadlock};
}

// ------------------------------------------------------------------------------------------------
// The cycle
// ------------------------------------------------------------------------------------------------

bool Machine::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  grid_.set_cycle(cycle);
  if (fence_port_ != nullptr) {
    fence_port_->Begin(cycle);
  }
  if (port_ != nullptr) {
    BeginMbarriers(seen, inputs);
  }
  if (atomic_port_ != nullptr) {
    BeginAtomics(cycle);
  }
  pins_.Accept(seen, inputs);
  Release(seen);
  if (warp_port_ != nullptr) {
    BeginWarpScope();
  }
  if (!grid_.ending()) {
    grid_.Begin(unit_, cycle);
    if (!engine_.Idle() && engine_.Step(cycle)) {
      grid_.Change(cycle);
    }
    if ((residents_.arriving | residents_.in_cluster) != 0) {
      AskCluster(cycle);
    }
    if (cycle >= times_.wakes_at) {
      WakeWarps(cycle);
    }
    RunWarps(cycle);
    if (core_.interpreter().TakeChanged()) {
      grid_.Change(cycle);
    }
    grid_.Conclude(unit_, cycle);
  }
  pins_.Present(cycle, seen, inputs);
  pins_.AcknowledgeFences(cycle, seen, inputs);
  if (fence_port_ != nullptr) {
    fence_port_->Present(MbBusy());
  }
  if (port_ != nullptr) {
    PresentMbarriers(cycle, seen, inputs);
  }
  if (atomic_port_ != nullptr) {
    PresentAtomics(cycle);
  }
  if (warp_port_ != nullptr) {
    warp_port_->Present(seen.busy | Occupied(), grid_.ending());
  }
  if (unit_ == 0) {
    grid_.PresentCluster(cycle);
  }
  // A presented request stays until it is accepted, even at the end.
  left_ = grid_.ending() && inputs->issue_valid == 0 && !inputs->lifecycle_valid &&
          !inputs->exit_valid && (warp_port_ == nullptr || !warp_port_->Presents()) &&
          (atomic_port_ == nullptr || !atomic_port_->Presents()) &&
          (unit_ != 0 || !grid_.ClusterPresents());
  return !left_;
}

void Machine::Release(const Outputs& seen) {
  core_.Release(seen.released, seen.release_kind, seen.release_value);
  ForEachBit(seen.released, [&](unsigned warp) { RecordRelease(warp); });
}

void Machine::BeginWarpScope() {
  warp_port_->Begin(grid_.cycle());
  if (grid_.ending()) {
    return;
  }
  if (const auto& fault = warp_port_->fault()) {
    core_.EndWithRefusal(fault->warp, fault->cause, fault->lanes);
    return;
  }
  if (const auto& answer = warp_port_->answer()) {
    core_.Answer(*answer);
  }
  if (const auto& arrival = warp_port_->arrival()) {
    core_.TakeArrival(*arrival);
  }
  ForEachBit(warp_port_->settled(), [&](unsigned warp) { core_.Wake(warp); });
}

void Machine::BeginAtomics(std::uint64_t cycle) {
  atomic_port_->Begin();
  for (const AtomicResponse& reply : atomic_port_->replies()) {
    core_.AnswerAtomic(reply.warp, reply.lane, reply.upper, reply.word);
  }
  for (const AtomicResponse& answer : atomic_port_->answers()) {
    grid_.cluster_port()->Answer(unit_, answer);
  }
  for (const Transfer& sent : atomic_port_->performed()) {
    SpreadUnknown(sent, &sent.to->unknown);
    if (LateSink* const late = core_.interpreter().late(); late != nullptr) {
      late->EndWrite(sent, true);
    }
    remote_order_.Commit(sent);
  }
  ReceiveDue();
  ForEachBit(atomic_port_->done(), [&](unsigned warp) { core_.EndAtomic(warp); });
  if (atomic_port_->changed()) {
    grid_.Change(cycle);
  }
}

// Lanes whose value is in another CTA's memory send an update each, in lane order. An answer is
// asked of all, since only that says that the update is performed.
void Machine::PerformAtomic(unsigned warp) {
  const WarpSlot& slot = residents_.warps[warp];
  const AtomicCall& call = slot.warp.atomic;
  AtomicInstruction here = call.instruction;
  here.lanes &= ~call.away;
  if (here.lanes != 0) {
    atomic_port_->Perform(here);
  }
  const unsigned answers = here.size == AtomicSize::k128 ? 2 : 1;
  const std::uint64_t from =
      here.releasing ? std::max(grid_.cycle(), times_.warps[warp].memory_until) : grid_.cycle();
  ForEachBit(call.away, [&](unsigned lane) {
    updates_.push_back({from, UpdateOf(slot.warp, lane)});
    atomic_port_->Await(warp, answers);
  });
}

void Machine::TakeAnswer(const AtomicResponse& answer) {
  if (residents_.warps[answer.warp].warp.atomic.instruction.has_answer) {
    core_.AnswerAtomic(answer.warp, answer.lane, answer.upper, answer.word);
  }
  if (atomic_port_->TakeAnswer(answer.warp)) {
    core_.EndAtomic(answer.warp);
  }
}

void Machine::PresentAtomics(std::uint64_t cycle) {
  std::uint64_t outstanding = times_.outstanding;
  ForEachBit(outstanding, [&](unsigned warp) {
    if (cycle >= times_.warps[warp].memory_until) {
      outstanding &= ~Bit(warp);
    }
  });
  while (!updates_.empty() && updates_.front().from <= cycle) {
    Send(std::move(updates_.front().sent));
    updates_.pop_front();
  }
  atomic_port_->Present(outstanding, grid_.ending());
}

// ------------------------------------------------------------------------------------------------
// Warps
// ------------------------------------------------------------------------------------------------

// Wakes the warps whose time has come.
void Machine::WakeWarps(std::uint64_t cycle) {
  times_.wakes_at = Waits::kNever;
  ForEachBit(residents_.asleep, [&](unsigned warp) {
    if (times_.warps[warp].wakes_at <= cycle) {
      residents_.SetPhase(warp, WarpPhase::kReady);
    } else {
      times_.wakes_at = std::min(times_.wakes_at, times_.warps[warp].wakes_at);
    }
  });
}

void Machine::RunWarps(std::uint64_t cycle) {
  std::uint64_t ran = 0;
  for (unsigned slot = 0; slot < config_.num_issue && !grid_.ending(); ++slot) {
    const std::uint64_t ready = residents_.ready & ~ran;
    if (ready == 0) {
      return;
    }
    const std::uint64_t draw = random_.Next();
    if (draw % kSchedulerStall == 0) {
      continue;
    }
    const auto from = static_cast<unsigned>((draw >> 32) % config_.num_warps);
    const std::uint64_t above = ready >> from << from;
    const auto warp = static_cast<unsigned>(__builtin_ctzll(above != 0 ? above : ready));
    ran |= Bit(warp);
    StepWarp(warp, cycle);
  }
}

void Machine::StepWarp(unsigned warp, std::uint64_t cycle) {
  stepped_ = cycle;
  if (Timeline* const timeline = grid_.timeline(); timeline != nullptr) {
    timeline->EndWait(NameOf(warp), Timeline::Kind::kLanes, ~0U, cycle);
  }
  WarpTimes& times = times_.warps[warp];
  LateSink* const late = core_.interpreter().late();
  switch (core_.Step(warp, cycle)) {
    case StepEvent::kAccess:
      times.memory_until = std::max(times.memory_until,
                                    late != nullptr ? late->PerformedBy(residents_.warps[warp].warp)
                                                    : cycle + 1 + random_.Below(kMaxMemoryLatency));
      times_.outstanding |= Bit(warp);
      break;
    case StepEvent::kAsleep:
      RecordLanes(warp, cycle);
      residents_.SetPhase(warp, WarpPhase::kAsleep);
      times.wakes_at = Waits::WakesAt(residents_.warps[warp].warp);
      times_.wakes_at = std::min(times_.wakes_at, times.wakes_at);
      break;
    case StepEvent::kStuck:
      RecordLanes(warp, cycle);
      residents_.SetPhase(warp, WarpPhase::kStuck);
      break;
    default:
      break;
  }
  if (core_.interpreter().TakeReleased()) {
    for (unsigned other = 0; other < residents_.warps.size(); ++other) {
      if (residents_.warps[other].phase == WarpPhase::kStuck) {
        residents_.SetPhase(other, WarpPhase::kReady);
      }
    }
  }
}

// ------------------------------------------------------------------------------------------------
// CTAs and barriers
// ------------------------------------------------------------------------------------------------

bool Machine::TakesLaunch() const { return pins_.requests() < kMaxLaunchesAhead; }

void Machine::TakeCta(Cta* cta) {
  cta->port = port_.get();
  cta->atomics = atomic_port_.get();
  cta->engine = &engine_;
  cta->fences = fence_port_.get();
  if (atomic_port_ != nullptr) {
    atomic_port_->Launch(cta->slot, &cta->shared);
  }
  if (port_ != nullptr) {
    port_->Launch(cta->slot, &cta->shared);
  }
  leavers_[cta->slot].clear();
}

// Operations that have reached the unit are executed.
void Machine::AbandonCta(Cta* cta) {
  if (port_ != nullptr) {
    port_->Abandon(cta->slot);
  }
  const Transfer* late = remote_order_.Reaching(cta);
  if (atomic_port_ != nullptr && late == nullptr) {
    late = atomic_port_->Reaching(cta);
  }
  if (const ClusterPort* const cluster = grid_.cluster_port();
      cluster != nullptr && late == nullptr) {
    late = cluster->Reaching(cta);
  }
  if (late != nullptr) {
    grid_.EndWithLost(*late);
  }
}

void Machine::FreeMemory(unsigned slot) {
  if (port_ != nullptr) {
    port_->Leave(slot);
  }
}

void Machine::Arrive(unsigned warp) {
  times_.warps[warp].issue_at = grid_.cycle() + random_.Below(kMaxIssueStall);
}

void Machine::ExitLanes(unsigned warp) {
  const WarpSlot& slot = residents_.warps[warp];
  if (ClusterPort* const cluster = grid_.cluster_port(); cluster != nullptr) {
    cluster->Ask(unit_, RequestOf(slot.warp, muster::ClusterOp::kExit, slot.warp.exited),
                 slot.exit_line);
  }
  if (warp_port_ != nullptr) {
    warp_port_->Exit(warp, slot.cta, slot.warp.exited, slot.warp.live);
  }
  if (slot.warp.live != 0 && !config_.lanes) {  // no exit will commit
    AddLeavers(warp, grid_.cycle());
  }
}

// ------------------------------------------------------------------------------------------------
// Effects
// ------------------------------------------------------------------------------------------------

std::uint32_t Machine::LineOf(const Operation& operation) const {
  return operation.kind == OpKind::kExit ? residents_.warps[operation.warp].exit_line
         : IsLifecycle(operation.kind)   ? 0
                                         : times_.warps[operation.warp].issued_line;
}

void Machine::OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) {
  ++operations_[static_cast<unsigned>(operation.kind)];
  pins_.Committed();
  Change(cycle);
  CommitTurn(operation);
  const std::uint32_t line = LineOf(operation);
  if (effects.fault == FaultCause::kNone) {
    Record(cycle, operation, effects);
    // Except for lanes that the block does not fill.
    if (operation.kind == OpKind::kExit && line != 0) {
      AddLeavers(operation.warp, cycle);
    }
    NoteLeavers(operation, effects, line, cycle);
  }
  core_.Commit(cycle, operation, effects, line);
}

// ------------------------------------------------------------------------------------------------
// Waiting warps
// ------------------------------------------------------------------------------------------------

// Returns warps that are at another barrier or exiting, and so cannot arrive now.
std::uint64_t Machine::Occupied() const {
  return ~(residents_.ready | residents_.asleep | residents_.stuck);
}

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
      return false;
    case WarpPhase::kAtGrid:
      return grid_.HoldsAtGrid(*slot.warp.cta);
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
  const std::uint32_t repeating = core_.livelock().Repeating(warp);
  const bool may_dry_run = config_.mb_limit && dry_runs == DryRuns::kYes;
  return std::all_of(slot.warp.groups.begin(), slot.warp.groups.end(), [&](const Group& group) {
    const std::uint32_t rest = group.lanes & ~repeating;
    return rest == 0 || group.state == Group::State::kAligned ||
           core_.interpreter().IsHeldByReplay(&slot.warp, group) ||
           (group.state == Group::State::kHeld && (rest & under_way) == 0) ||
           (group.state == Group::State::kAsked && (rest & (~parked | slot.excused)) == 0 &&
            (!may_dry_run || core_.interpreter().WouldReturn(slot.warp, group, rest)));
  });
}

bool Machine::Repeats(std::uint64_t cycle) {
  if (!core_.livelock().Settled(cycle) || (pins_.in_flight() != 0 && !ExitsStand()) ||
      engine_.Moves()) {
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
         (atomic_port_ != nullptr && !atomic_port_->Quiet()) ||
         (warp_port_ != nullptr && warp_port_->Moves(Occupied())) || grid_.ClusterMoves();
}

bool Machine::IsBusy() const {
  // Waits that end at a given time, and sleeping lanes.
  const bool timed =
      residents_.asleep != 0 && (config_.mb_limit || times_.wakes_at != Waits::kNever);
  return timed || Moves();
}

// Warps that wait for others of the cluster arrived there some cycles ago, or are about to arrive.
std::uint64_t Machine::SleepsUntil(std::uint64_t cycle) const {
  bool moves = grid_.ending() || grid_.TurnsMove() || Moves();
  ForEachBit(residents_.in_cluster,
             [&](unsigned warp) { moves = moves || times_.warps[warp].issue_at >= cycle; });
  if (moves || residents_.asleep == 0) {
    return moves ? cycle : kNever;
  }
  // A deadlock is found without waiting for time limits.
  const bool looked = grid_.looked() > std::max(stepped_, core_.livelock().SettledFrom());
  const std::uint64_t look = ClockedGrid::LookFrom(std::max(cycle, core_.livelock().SettledFrom()));
  return looked ? times_.wakes_at : std::min(times_.wakes_at, look);
}

}  // namespace muster::ptx
