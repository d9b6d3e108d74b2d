// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/core.h"

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/ptx/runtime/grid.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::ptx {

Core::Core(Grid* grid, unsigned unit, const Config& config, const Program& program,
           const Launch& launch, Memory* memory, std::uint64_t seed, Scopes* scopes)
    : grid_(*grid),
      unit_(unit),
      config_(config),
      program_(program),
      launch_(launch),
      scopes_(*scopes),
      interpreter_(program, launch, memory, grid->printed(), seed),
      livelock_(program),
      residents_(config.num_warps, config.num_ctas) {
  interpreter_.set_cancel(
      [this](const Warp& warp, const CancelCall& call) { scopes_.Cancel(warp, call); });
  interpreter_.set_livelock_detector(&livelock_);
  interpreter_.set_clock_period_ps(config.clock_period_ps);
}

void Core::Reset() {
  residents_.Reset();
  barrier_arrivals_.Reset();
  mbarrier_arrivals_.Reset();
}

// ------------------------------------------------------------------------------------------------
// CTAs
// ------------------------------------------------------------------------------------------------

Cta* Core::LaunchCta(unsigned slot, const Cluster& cluster, unsigned rank) {
  CtaSlot& cta = residents_.ctas[slot];
  cta.taken = true;
  cta.ended = false;
  cta.warps = 0;
  cta.exited = 0;
  Clusters::Place(cluster, rank, &cta.cta);
  cta.cta.unit = unit_;
  cta.cta.slot = slot;
  scopes_.TakeCta(&cta.cta);
  barrier_arrivals_.Launch(slot, cta.cta.linear_id);
  mbarrier_arrivals_.Launch(slot, cta.cta.linear_id);
  for (unsigned i = 0; i < cluster.launch->Warps(); ++i) {
    const auto warp = static_cast<unsigned>(__builtin_ctzll(residents_.free));
    WarpSlot& fresh = residents_.warps[warp];
    fresh.cta = slot;
    fresh.warp.cta = &cta.cta;
    fresh.warp.first_thread = i * kWarpSize;
    fresh.exit_line = fresh.in_cluster = fresh.excused = 0;
    interpreter_.Start(&fresh.warp);
    residents_.SetPhase(warp, WarpPhase::kBlocked);
    cta.warps |= Bit(warp);
  }
  scopes_.Request(LaunchOf(*cluster.launch, slot, cta.warps));
  return &cta.cta;
}

void Core::Free(unsigned slot) {
  CtaSlot& cta = residents_.ctas[slot];
  ForEachBit(cta.warps, [&](unsigned warp) { residents_.SetPhase(warp, WarpPhase::kFree); });
  cta.taken = false;
}

void Core::CommitLaunch(const Operation& operation) {
  ForEachBit(operation.warps, [&](unsigned warp) {
    const std::uint32_t unfilled = ~residents_.warps[warp].warp.live;
    if (unfilled == 0 || !config_.lanes) {
      residents_.SetPhase(warp, WarpPhase::kReady);
      return;
    }
    Operation exit = ExitOf(config_, residents_.warps[warp].warp);
    exit.lanes = unfilled;  // the block does not fill them
    scopes_.Request(exit);
  });
}

void Core::CommitExit(const Operation& operation) {
  const unsigned warp = operation.warp;
  if (residents_.warps[warp].warp.live != 0) {
    residents_.SetPhase(warp, WarpPhase::kReady);
    return;
  }
  residents_.SetPhase(warp, WarpPhase::kExited);
  CtaSlot& cta = residents_.ctas[operation.cta];
  cta.exited |= Bit(warp);
  if (cta.exited != cta.warps) {
    return;
  }
  cta.cta.exited = true;
  scopes_.AbandonCta(&cta.cta);
  grid_.Abandon(&cta.cta);
  Operation end;
  end.kind = OpKind::kEnd;
  end.cta = operation.cta;
  scopes_.Request(end);
}

void Core::CommitEnd(const Operation& operation, const Effects& effects, std::uint64_t cycle) {
  CtaSlot& cta = residents_.ctas[operation.cta];
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
  scopes_.FreeMemory(operation.cta);
  grid_.CtaEnded(unit_, operation.cta);
}

// ------------------------------------------------------------------------------------------------
// Instructions
// ------------------------------------------------------------------------------------------------

StepEvent Core::Step(unsigned warp, std::uint64_t cycle) {
  const StepEvent event = interpreter_.Step(&residents_.warps[warp].warp, cycle);
  switch (event) {
    case StepEvent::kBarrier:
      ReachBarrier(warp);
      break;
    case StepEvent::kMbarrier:
      ReachMbarrier(warp);
      break;
    case StepEvent::kAtomic:
      residents_.SetPhase(warp, WarpPhase::kAsking);
      scopes_.PerformAtomic(warp);
      break;
    case StepEvent::kGrid:
      ReachGridControl(warp);
      break;
    case StepEvent::kExit:
      ExitLanes(warp);
      break;
    case StepEvent::kFault:
      EndWithProblem(Outcome::kMemoryFault, "memory_fault", warp);
      break;
    case StepEvent::kMisuse:
      EndWithProblem(Outcome::kFault, interpreter_.execution().problem.cause, warp);
      break;
    case StepEvent::kAssert:
      EndWithProblem(Outcome::kAssert, "assert", warp);
      break;
    default:
      break;
  }
  return event;
}

void Core::ReachBarrier(unsigned warp) {
  WarpSlot& slot = residents_.warps[warp];
  Arrival& arrival = slot.warp.arrival;
  if (const ScheduleReplay* const replay = grid_.replay(); replay != nullptr) {
    arrival.listed = replay->IsListed(slot.warp, Op::kBarrier, arrival.lanes);
  }
  if (arrival.cluster != ClusterForm::kNone) {
    const bool waits = arrival.cluster == ClusterForm::kWait;
    slot.in_cluster = waits ? arrival.lanes : 0;
    residents_.SetPhase(warp, waits ? WarpPhase::kInCluster : WarpPhase::kArriving);
    scopes_.ReachCluster(warp);
    return;
  }
  if (RefusedArrival why = Refused(config_, arrival, launch_.Threads()); why.name != nullptr) {
    Incident refused = IncidentOf(why.name, warp, arrival.lanes, arrival.line);
    refused.barrier = arrival.bar;
    refused.explanation = std::move(why.why);
    grid_.EndWithFault(Outcome::kFault, std::move(refused));
    return;
  }
  residents_.SetPhase(warp, WarpPhase::kIssuing);
  scopes_.Arrive(warp);
}

void Core::ReachGridControl(unsigned warp) {
  const WarpSlot& slot = residents_.warps[warp];
  const GridControlCall& call = slot.warp.grid_control;
  if (call.waits) {
    residents_.SetPhase(warp, WarpPhase::kAtGrid);
  }
  scopes_.RequestGrid(
      RequestOf(slot.warp, call.waits ? muster::ClusterOp::kGridWait : muster::ClusterOp::kTrigger,
                call.lanes),
      call.line);
}

void Core::ExitLanes(unsigned warp) {
  WarpSlot& slot = residents_.warps[warp];
  slot.exit_line = slot.warp.exit_line;
  grid_.Change(grid_.cycle());
  scopes_.ExitLanes(warp);
  const bool last = slot.warp.live == 0;
  if (!last && !config_.lanes) {  // this unit knows of whole warps only
    if (ScheduleReplay* const replay = grid_.replay(); replay != nullptr) {
      replay->Commit(slot.warp, Op::kExit, slot.warp.exited);
    }
    return;
  }
  residents_.SetPhase(warp, WarpPhase::kBlocked);
  scopes_.Request(ExitOf(config_, slot.warp));
}

// ------------------------------------------------------------------------------------------------
// Effects
// ------------------------------------------------------------------------------------------------

void Core::Accept(unsigned warp) {
  const bool waits = IsWaiting(residents_.warps[warp].warp.arrival.kind);
  residents_.SetPhase(warp, waits ? WarpPhase::kWaiting : WarpPhase::kReady);
}

bool Core::Commit(std::uint64_t cycle, const Operation& operation, const Effects& effects,
                  std::uint32_t line) {
  const unsigned warp = operation.warp;
  if (effects.fault != FaultCause::kNone) {
    Incident refused = IncidentOf(Name(effects.fault), warp, operation.lanes, line, cycle);
    refused.barrier = operation.bar;
    refused.explanation = WhyRefused(effects.fault, operation);
    grid_.EndWithFault(Outcome::kFault, std::move(refused));
    return false;
  }
  if (((effects.hazards >> static_cast<unsigned>(Hazard::kRepeatedArrival)) & 1U) != 0) {
    AddHazard(Hazard::kRepeatedArrival, warp, operation.bar, line, cycle);
  }
  barrier_arrivals_.Commit(cycle, operation, effects, residents_.IndexInCta(warp), line);
  switch (operation.kind) {
    case OpKind::kLaunch:
      CommitLaunch(operation);
      break;
    case OpKind::kExit:
      CommitExit(operation);
      break;
    case OpKind::kEnd:
      CommitEnd(operation, effects, cycle);
      break;
    default:
      break;
  }
  return true;
}

void Core::Release(std::uint64_t warps, BarKind kind, std::uint32_t value) {
  ForEachBit(warps, [&](unsigned warp) {
    const Warp& released = residents_.warps[warp].warp;
    if (kind != BarKind::kSync) {
      WarpBarriers::WriteResult(&residents_.warps[warp].warp, value);
    }
    if (interpreter_.late() != nullptr) {
      interpreter_.late()->Leave(released, released.arrival.lanes, Scope::kCta);
    }
    residents_.SetPhase(warp, WarpPhase::kReady);
  });
}

void Core::Answer(const WarpAnswer& answer) {
  if (interpreter_.late() != nullptr && answer.op == WarpOp::kSync) {
    interpreter_.late()->Leave(residents_.warps[answer.warp].warp, answer.lanes, Scope::kCta);
  }
  interpreter_.Answer(&residents_.warps[answer.warp].warp, answer);
  Wake(answer.warp);
}

void Core::EndAtomic(unsigned warp) {
  Warp& performed = residents_.warps[warp].warp;
  interpreter_.EndAtomic(&performed);
  if (interpreter_.late() != nullptr) {
    interpreter_.late()->EndAtomic(performed);
  }
  if (ScheduleReplay* const replay = grid_.replay(); replay != nullptr) {
    replay->Commit(performed.atomic.pass, performed.atomic.instruction.lanes);
  }
  residents_.SetPhase(warp, WarpPhase::kReady);
}

void Core::TakeArrival(const WarpArrival& arrival) {
  interpreter_.TakeArrival(&residents_.warps[arrival.warp].warp, arrival);
  ReachBarrier(arrival.warp);
}

void Core::Wake(unsigned warp) {
  if (((residents_.asleep | residents_.stuck) & Bit(warp)) != 0) {
    residents_.SetPhase(warp, WarpPhase::kReady);
  }
}

void Core::Settle(unsigned warp) {
  WarpSlot& slot = residents_.warps[warp];
  slot.cluster_line = slot.warp.arrival.line;
  grid_.Change(grid_.cycle());
  residents_.SetPhase(warp, WarpPhase::kReady);
}

void Core::LeaveCluster(unsigned warp, std::uint32_t lanes) {
  WarpSlot& slot = residents_.warps[warp];
  if (interpreter_.late() != nullptr) {
    interpreter_.late()->Leave(slot.warp, slot.in_cluster & lanes, Scope::kCluster);
  }
  slot.in_cluster &= ~lanes;
  if (slot.phase == WarpPhase::kInCluster && slot.in_cluster == 0) {
    residents_.SetPhase(warp, WarpPhase::kReady);
  }
}

void Core::LeaveGrid(unsigned warp) {
  if (interpreter_.late() != nullptr) {
    interpreter_.late()->LeaveGrid();
  }
  if (residents_.warps[warp].phase == WarpPhase::kAtGrid) {
    residents_.SetPhase(warp, WarpPhase::kReady);
  }
}

void Core::Receive(const Transfer& sent) {
  if (sent.to->exited) {
    grid_.EndWithLost(sent);
    return;
  }
  scopes_.Receive(sent);
}

}  // namespace muster::ptx
