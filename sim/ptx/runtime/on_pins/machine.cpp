// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/runtime/explain.h"
#include "sim/ptx/runtime/on_pins/grid.h"
#include "sim/ptx/runtime/operations.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kMaxMemoryLatency = 32;  // cycles, drawn for each access
constexpr std::uint32_t kMaxIssueStall = 4;      // cycles, drawn for each barrier
constexpr std::uint32_t kSchedulerStall = 8;     // one in so many issue slots stays empty
constexpr std::uint64_t kMaxLaunchesAhead = 2;   // launches queued at a time

// The largest CTA, in warps, that the configuration holds.
unsigned LargestBlock() {
  unsigned warps = 0;
  for (const Config& config : Configs()) {
    warps = std::max(warps, config.num_warps);
  }
  return warps;
}

}  // namespace

void CheckFits(const Config& config, const Program& program, const Launch& launch) {
  if (config.warp_size != kWarpSize) {
    throw DoesNotFit(fmt::format("the configuration {} has warps of {} lanes: those of PTX have {}",
                                 config.name, config.warp_size, kWarpSize));
  }
  const std::uint64_t warps = launch.Warps();
  if (warps > LargestBlock()) {
    throw InputError(
        fmt::format("a block of {} threads is larger than any configuration holds "
                    "({} threads)",
                    launch.Threads(), LargestBlock() * kWarpSize));
  }
  if (warps > config.num_warps) {
    std::string names;
    for (const Config& other : Configs()) {
      if (other.num_warps < warps) {
        continue;
      }
      names += fmt::format("{}{}", names.empty() ? "" : " or ", other.name);
    }
    throw DoesNotFit(
        fmt::format("a block of {} threads is larger than the configuration {} holds "
                    "({} threads): use --config {}",
                    launch.Threads(), config.name, config.num_warps * kWarpSize, names));
  }
  if (config.reduce) {
    return;
  }
  for (const Instruction& i : program.code) {
    if (i.op != Op::kBarrier || !IsReduction(i.As<CtaBarrier>().kind)) {
      continue;
    }
    throw DoesNotFit(fmt::format("{}:{}: the configuration {} has no barrier reductions",
                                 program.file, i.line, config.name));
  }
}

Machine::Machine(Grid* grid, unsigned rank, const Config& config, const Program& program,
                 const Launch& launch, Memory* memory, std::uint64_t seed)
    : grid_(*grid),
      rank_(rank),
      config_(config),
      program_(program),
      launch_(launch),
      interpreter_(program, launch, memory, grid->printed(), seed),
      engine_(memory, seed ^ 0x636f70696573U),
      livelock_(program),
      random_(seed ^ 0x6d7573746572U),
      residents_(config.num_warps, config.num_ctas),
      pins_(config, *grid, &residents_, &random_) {
  interpreter_.set_cancel(
      [this](const Warp& warp, const CancelCall& call) { CancelCluster(warp, call); });
  interpreter_.set_livelock_detector(&livelock_);
  interpreter_.set_clock_period_ps(config.clock_period_ps);
  if (UsesWarpScope(program)) {
    warp_port_ = std::make_unique<WarpPort>();
    interpreter_.set_warp_unit(warp_port_.get());
  }
  if (UsesMbarriers(program)) {
    port_ = std::make_unique<MbPort>(config, seed ^ 0x6d62617272696572U);
    interpreter_.set_mbarriers(port_.get());
    pins_.set_mb_port(port_.get());
    port_->set_remote(
        [this](unsigned to, const MbOperation& operation) { SendRemote(to, operation); });
  }
}

WaitReport Machine::wait_report() const {
  return {program_,
          residents_,
          interpreter_,
          grid_.cluster_model(),
          rank_,
          barrier_arrivals_,
          {mbarrier_arrivals_, port_.get()},
          grid_.outcome() == Outcome::kDeadlock};
}

// ------------------------------------------------------------------------------------------------
// The cycle
// ------------------------------------------------------------------------------------------------

bool Machine::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  cycle_ = cycle;
  if (port_ != nullptr) {
    BeginMbarriers(seen, inputs);
  }
  pins_.Accept(seen, inputs);
  Release(seen);
  if (warp_port_ != nullptr) {
    BeginWarpScope(cycle);
  }
  if (!grid_.ending()) {
    grid_.Begin(rank_, cycle);
    if (!engine_.Idle() && engine_.Step(cycle)) {
      grid_.Change(cycle);
    }
    if ((residents_.arriving | residents_.in_cluster) != 0) {
      AskCluster(cycle);
    }
    if (cycle >= residents_.wakes_at) {
      WakeWarps(cycle);
    }
    RunWarps(cycle);
    if (interpreter_.TakeChanged()) {
      grid_.Change(cycle);
    }
    grid_.Conclude(rank_, cycle);
  }
  pins_.Present(cycle, seen, inputs);
  pins_.AcknowledgeFences(cycle, seen, inputs);
  if (port_ != nullptr) {
    PresentMbarriers(cycle, seen, inputs);
  }
  if (warp_port_ != nullptr) {
    warp_port_->Present(seen.busy | Occupied(), grid_.ending());
  }
  if (rank_ == 0) {
    grid_.PresentCluster(cycle);
  }
  // A presented request stays until it is accepted, even at the end.
  left_ = grid_.ending() && inputs->issue_valid == 0 && !inputs->lifecycle_valid &&
          !inputs->exit_valid && (warp_port_ == nullptr || !warp_port_->Presents()) &&
          (rank_ != 0 || !grid_.ClusterPresents());
  return !left_;
}

void Machine::Release(const Outputs& seen) {
  ForEachBit(seen.released, [&](unsigned warp) {
    if (seen.release_kind != BarKind::kSync) {
      Interpreter::WriteResult(&residents_.warps[warp].warp, seen.release_value);
    }
    residents_.SetPhase(warp, WarpPhase::kReady);
    RecordRelease(warp);
  });
}

bool Machine::HasRoom() const {
  const auto free =
      std::count_if(residents_.warps.begin(), residents_.warps.end(),
                    [](const WarpSlot& slot) { return slot.phase == WarpPhase::kFree; });
  return pins_.requests() < kMaxLaunchesAhead &&
         static_cast<std::uint64_t>(free) >= launch_.Warps();
}

Cta* Machine::LaunchCta(unsigned slot, const Cluster* cluster) {
  const auto need = static_cast<unsigned>(launch_.Warps());
  CtaSlot& cta = residents_.ctas[slot];
  cta.taken = true;
  cta.ended = false;
  cta.warps = 0;
  cta.exited = 0;
  cta.leavers.clear();
  grid_.clusters().Place(*cluster, rank_, &cta.cta);
  cta.cta.slot = slot;
  cta.cta.port = port_.get();
  cta.cta.engine = &engine_;
  if (port_ != nullptr) {
    port_->Launch(slot, &cta.cta.shared);
    mbarrier_arrivals_.Launch(slot, cta.cta.linear_id);
  }
  barrier_arrivals_.Launch(slot, cta.cta.linear_id);
  for (unsigned i = 0, warp = 0; i < need; ++warp) {
    WarpSlot& fresh = residents_.warps[warp];
    if (fresh.phase != WarpPhase::kFree) {
      continue;
    }
    fresh.cta = slot;
    fresh.warp.cta = &cta.cta;
    fresh.warp.first_thread = i++ * kWarpSize;
    fresh.exit_line = 0;
    interpreter_.Start(&fresh.warp);
    residents_.SetPhase(warp, WarpPhase::kBlocked);
    cta.warps |= Bit(warp);
  }
  pins_.Request(LaunchOf(launch_, slot, cta.warps));
  return &cta.cta;
}

std::vector<std::uint32_t> Machine::LiveLanes(unsigned slot) const {
  std::vector<std::uint32_t> live;
  ForEachBit(residents_.ctas[slot].warps,
             [&](unsigned warp) { live.push_back(residents_.warps[warp].warp.live); });
  return live;
}

void Machine::Free(unsigned slot) {
  CtaSlot& cta = residents_.ctas[slot];
  ForEachBit(cta.warps, [&](unsigned warp) { residents_.SetPhase(warp, WarpPhase::kFree); });
  cta.taken = false;
}

// ------------------------------------------------------------------------------------------------
// Warps
// ------------------------------------------------------------------------------------------------

// Wakes the warps whose time has come.
void Machine::WakeWarps(std::uint64_t cycle) {
  residents_.wakes_at = Interpreter::kNever;
  ForEachBit(residents_.asleep, [&](unsigned warp) {
    if (residents_.warps[warp].wakes_at <= cycle) {
      residents_.SetPhase(warp, WarpPhase::kReady);
    } else {
      residents_.wakes_at = std::min(residents_.wakes_at, residents_.warps[warp].wakes_at);
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
  WarpSlot& slot = residents_.warps[warp];
  stepped_ = cycle;
  if (Timeline* const timeline = grid_.timeline(); timeline != nullptr) {
    timeline->EndWait(NameOf(warp), Timeline::Kind::kLanes, ~0U, cycle);
  }
  switch (interpreter_.Step(&slot.warp, cycle)) {
    case Interpreter::Event::kNone:
      break;
    case Interpreter::Event::kAccess:
      slot.memory_until = std::max(slot.memory_until, cycle + 1 + random_.Below(kMaxMemoryLatency));
      residents_.outstanding |= Bit(warp);
      break;
    case Interpreter::Event::kBarrier:
      ReachBarrier(warp, cycle);
      break;
    case Interpreter::Event::kMbarrier:
      ReachMbarrier(warp, cycle);
      break;
    case Interpreter::Event::kGrid:
      ReachGridControl(warp);
      break;
    case Interpreter::Event::kExit:
      ExitLanes(warp);
      break;
    case Interpreter::Event::kAsleep:
      RecordLanes(warp, cycle);
      residents_.SetPhase(warp, WarpPhase::kAsleep);
      slot.wakes_at = Interpreter::WakesAt(slot.warp);
      residents_.wakes_at = std::min(residents_.wakes_at, slot.wakes_at);
      break;
    case Interpreter::Event::kStuck:
      RecordLanes(warp, cycle);
      residents_.SetPhase(warp, WarpPhase::kStuck);
      break;
    case Interpreter::Event::kFault:
      EndWithProblem(Outcome::kMemoryFault, "memory_fault", warp, cycle);
      break;
    case Interpreter::Event::kMisuse:
      EndWithProblem(Outcome::kFault, interpreter_.cause(), warp, cycle);
      break;
    case Interpreter::Event::kAssert:
      EndWithProblem(Outcome::kAssert, "assert", warp, cycle);
      break;
  }
  if (interpreter_.TakeReleasedColumns()) {
    for (unsigned other = 0; other < residents_.warps.size(); ++other) {
      if (residents_.warps[other].phase == WarpPhase::kStuck) {
        residents_.SetPhase(other, WarpPhase::kReady);
      }
    }
  }
}

void Machine::EndWithProblem(Outcome outcome, const char* cause, unsigned warp,
                             std::uint64_t cycle) {
  grid_.EndWithFault(outcome,
                     {cause, interpreter_.problem_line(), cycle, residents_.LinearCta(warp),
                      residents_.IndexInCta(warp), 0, interpreter_.problem_lanes()},
                     interpreter_.problem());
}

void Machine::ReachBarrier(unsigned warp, std::uint64_t cycle) {
  WarpSlot& slot = residents_.warps[warp];
  Arrival& arrival = slot.warp.arrival;
  if (const ScheduleReplay* const replay = grid_.replay(); replay != nullptr) {
    arrival.listed = replay->IsListed(slot.warp, Op::kBarrier, arrival.lanes);
  }
  if (arrival.cluster != ClusterForm::kNone) {
    ReachClusterBarrier(warp, cycle);
    return;
  }
  const auto size = Ones(residents_.ctas[slot.cta].warps);
  if (const char* const cause = RefusedArrival(config_, arrival, size); cause != nullptr) {
    EndWithArrival(cause, warp, cycle);
    return;
  }
  slot.issue_at = cycle + random_.Below(kMaxIssueStall);
  residents_.SetPhase(warp, WarpPhase::kIssuing);
}

void Machine::ExitLanes(unsigned warp) {
  WarpSlot& slot = residents_.warps[warp];
  slot.exit_line = slot.warp.exit_line;
  if (ClusterPort* const cluster = grid_.cluster_port(); cluster != nullptr) {
    cluster->Ask(rank_, RequestOf(slot.warp, muster::ClusterOp::kExit, slot.warp.exited),
                 slot.exit_line);
  }
  grid_.Change(cycle_);
  if (warp_port_ != nullptr) {
    warp_port_->Exit(warp, slot.cta, slot.warp.exited, slot.warp.live);
  }
  const bool last = slot.warp.live == 0;
  if (!last && !config_.lanes) {  // this unit knows of whole warps only
    if (ScheduleReplay* const replay = grid_.replay(); replay != nullptr) {
      replay->Commit(slot.warp, Op::kExit, slot.warp.exited);
    }
    AddLeavers(warp, cycle_);
    return;
  }
  pins_.Request(ExitOf(config_, slot.warp));
  residents_.SetPhase(warp, WarpPhase::kBlocked);
}

// ------------------------------------------------------------------------------------------------
// Results
// ------------------------------------------------------------------------------------------------

std::uint32_t Machine::LineOf(const Operation& operation) const {
  const WarpSlot& slot = residents_.warps[operation.warp];
  return operation.kind == OpKind::kExit ? slot.exit_line
         : IsLifecycle(operation.kind)   ? 0
                                         : slot.issued_line;
}

void Machine::OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) {
  ++operations_[static_cast<unsigned>(operation.kind)];
  pins_.Committed();
  livelock_.Change(cycle);
  CommitTurn(operation);
  const unsigned warp = operation.warp;
  const std::uint32_t line = LineOf(operation);
  if (effects.fault != FaultCause::kNone) {
    grid_.EndWithFault(
        Outcome::kFault,
        {Name(effects.fault), line, cycle, residents_.ctas[operation.cta].cta.linear_id,
         residents_.IndexInCta(warp), operation.bar, operation.lanes, 1, "",
         effects.fault == FaultCause::kCountMismatch ? Explain(effects.fault) : ""});
    return;
  }
  const auto has = [&](Hazard hazard) {
    return ((effects.hazards >> static_cast<unsigned>(hazard)) & 1U) != 0;
  };
  if (has(Hazard::kRepeatedArrival)) {
    AddHazard(Hazard::kRepeatedArrival, warp, operation.bar, line, cycle);
  }
  Record(cycle, operation, effects);
  // Except for lanes that the block does not fill.
  if (operation.kind == OpKind::kExit && line != 0) {
    AddLeavers(warp, cycle);
  }
  NoteLeavers(operation, effects, line, cycle);
  barrier_arrivals_.Commit(cycle, operation, effects, residents_.IndexInCta(warp), line);
  if (IsLifecycle(operation.kind)) {
    CommitLifecycle(operation, effects, cycle);
  }
}

void Machine::CommitLifecycle(const Operation& operation, const Effects& effects,
                              std::uint64_t cycle) {
  CtaSlot& cta = residents_.ctas[operation.cta];
  if (operation.kind == OpKind::kLaunch) {
    ForEachBit(operation.warps, [&](unsigned warp) {
      const std::uint32_t unfilled = ~residents_.warps[warp].warp.live;
      if (unfilled == 0 || !config_.lanes) {
        residents_.SetPhase(warp, WarpPhase::kReady);
        return;
      }
      Operation exit;  // of the lanes that the block does not fill
      exit.kind = OpKind::kExit;
      exit.cta = operation.cta;
      exit.warp = static_cast<std::uint8_t>(warp);
      exit.lanes = unfilled;
      pins_.Request(exit);
    });
  } else if (operation.kind == OpKind::kExit) {
    const unsigned warp = operation.warp;
    if (residents_.warps[warp].warp.live != 0) {
      residents_.SetPhase(warp, WarpPhase::kReady);
      return;
    }
    residents_.SetPhase(warp, WarpPhase::kExited);
    cta.exited |= Bit(warp);
    if (cta.exited != cta.warps) {
      return;
    }
    cta.cta.exited = true;
    Operation end;
    end.kind = OpKind::kEnd;
    end.cta = operation.cta;
    pins_.Request(end);
    AbandonMbarriers(operation.cta, cycle);
    if (const std::optional<Transfer> lost = grid_.Abandon(&cta.cta)) {
      grid_.EndWithLost(*lost, cycle);
    }
  } else {
    for (unsigned bar = 0; effects.hazards != 0 && bar < kNumBars; ++bar) {
      const auto& members = barrier_arrivals_.At(operation.cta, bar).members;
      if (members.empty()) {
        continue;
      }
      ForEachBit(cta.warps, [&](unsigned warp) {
        if (residents_.IndexInCta(warp) == members.back().warp) {
          AddHazard(Hazard::kUnfinishedBarrier, warp, bar, members.back().line, cycle);
        }
      });
    }
    cta.ended = true;
    if (port_ != nullptr) {
      port_->Leave(operation.cta);
    }
    grid_.CtaEnded(rank_, operation.cta);
  }
}

}  // namespace muster::ptx
