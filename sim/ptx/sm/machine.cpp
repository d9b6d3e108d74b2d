// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/sm/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/ptx/sm/explain.h"
#include "sim/ptx/sm/grid.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kMaxMemoryLatency = 32;  // cycles, drawn for each access
constexpr std::uint32_t kMaxIssueStall = 4;      // likewise, for each barrier
constexpr std::uint32_t kSchedulerStall = 8;     // one in so many issue slots stays empty
constexpr std::uint64_t kMaxLaunchesAhead = 2;   // launches queued at a time

// The warps beyond which a configuration cannot hold a CTA.
unsigned LargestBlock() {
  unsigned warps = 0;
  for (const Config& config : Configs()) {
    warps = std::max(warps, config.num_warps);
  }
  return warps;
}

}  // namespace

void CheckFits(const Config& config, const Program& program, const Launch& launch) {
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
    if (i.op != Op::kBarrier || !IsReduction(static_cast<OpKind>(i.mode))) {
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
      interpreter_(program, launch, memory, &warp_unit_, grid->printed(), seed),
      engine_(memory, seed ^ 0x636f70696573U),
      spins_(program),
      random_(seed ^ 0x6d7573746572U),
      warps_(config.num_warps),
      ctas_(config.num_ctas) {
  for (unsigned warp = 0; warp < config.num_warps; ++warp) {
    warps_[warp].warp.slot = warp;
  }
  interpreter_.set_cancel([grid] { return grid->CancelCluster(); });
  interpreter_.set_spins(&spins_);
  interpreter_.set_clock_period_ps(config.clock_period_ps);
  if (UsesMbarriers(program)) {
    port_ = std::make_unique<MbPort>(config, seed ^ 0x6d62617272696572U);
    interpreter_.set_mbarriers(port_.get());
    port_->set_remote(
        [this](unsigned to, const MbOperation& operation) { SendRemote(to, operation); });
  }
}

// ------------------------------------------------------------------------------------------------
// The cycle
// ------------------------------------------------------------------------------------------------

bool Machine::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  cycle_ = cycle;
  if (port_ != nullptr) {
    BeginMbarriers(seen, inputs);
  }
  Accept(seen, inputs);
  Release(seen);
  if (!grid_.ending()) {
    grid_.Begin(rank_);
    if (!engine_.Idle() && engine_.Step(cycle)) {
      grid_.Change(cycle);
    }
    if ((arriving_ | in_cluster_) != 0) {
      StepClusterBarriers(cycle);
    }
    if (cycle >= wakes_at_) {
      WakeWarps(cycle);
    }
    RunWarps(cycle);
    if (interpreter_.TakeChanged()) {
      grid_.Change(cycle);
    }
    grid_.Conclude(rank_, cycle);
  }
  Present(cycle, seen, inputs);
  AcknowledgeFences(cycle, seen, inputs);
  if (port_ != nullptr) {
    PresentMbarriers(cycle, seen, inputs);
  }
  // What is presented stays until it is accepted, also at the end.
  left_ = grid_.ending() && inputs->issue_valid == 0 && !inputs->lifecycle_valid;
  return !left_;
}

void Machine::SetPhase(unsigned warp, Phase phase) {
  warps_[warp].phase = phase;
  const auto put = [&](std::uint64_t* set, bool member) {
    *set = member ? *set | Bit(warp) : *set & ~Bit(warp);
  };
  put(&ready_, phase == Phase::kReady);
  put(&issuing_, phase == Phase::kIssuing);
  put(&blocked_, phase == Phase::kBlocked || phase == Phase::kAsking);
  put(&asleep_, phase == Phase::kAsleep);
  put(&arriving_, phase == Phase::kArriving);
  put(&in_cluster_, phase == Phase::kInCluster);
}

void Machine::Accept(const Outputs& seen, Inputs* inputs) {
  const unsigned accepted = inputs->issue_valid & seen.issue_ready;
  ForEachBit(accepted, [&](unsigned port) {
    const unsigned warp = at_port_[port];
    WarpSlot& slot = warps_[warp];
    slot.drain_until = slot.memory_until;
    presented_ &= ~Bit(warp);
    SetPhase(warp, IsWaiting(slot.warp.arrival.kind) ? Phase::kWaiting : Phase::kReady);
  });
  inputs->issue_valid = static_cast<std::uint8_t>(inputs->issue_valid & ~accepted);
  if (inputs->lifecycle_valid && seen.lifecycle_ready) {
    inputs->lifecycle_valid = false;
  }
}

void Machine::Release(const Outputs& seen) {
  ForEachBit(seen.released, [&](unsigned warp) {
    if (seen.release_kind != BarKind::kSync) {
      Interpreter::WriteResult(&warps_[warp].warp, seen.release_value);
    }
    SetPhase(warp, Phase::kReady);
  });
}

void Machine::Request(const Operation& operation) {
  lifecycle_.push_back(operation);
  ++in_flight_;
}

bool Machine::HasRoom() const {
  const auto free = std::count_if(warps_.begin(), warps_.end(),
                                  [](const WarpSlot& slot) { return slot.phase == Phase::kFree; });
  return lifecycle_.size() < kMaxLaunchesAhead &&
         static_cast<std::uint64_t>(free) >= launch_.Warps();
}

Cta* Machine::LaunchCta(unsigned slot, const Cluster* cluster) {
  const auto need = static_cast<unsigned>(launch_.Warps());
  CtaSlot& cta = ctas_[slot];
  cta.taken = true;
  cta.ended = false;
  cta.warps = 0;
  cta.exited = 0;
  const auto place = PointOf(rank_, launch_.cluster);
  for (unsigned i = 0; i < 3; ++i) {
    cta.cta.id[i] = cluster->id[i] * launch_.cluster[i] + place[i];
  }
  cta.cta.linear_id = LinearOf(cta.cta.id, launch_.grid);
  cta.cta.cluster = cluster;
  cta.cta.rank = rank_;
  cta.cta.exited = false;
  cta.cta.last = false;
  cta.cta.shared.assign(launch_.shared_bytes, 0);
  cta.cta.slot = slot;
  cta.cta.port = port_.get();
  cta.cta.engine = &engine_;
  if (port_ != nullptr) {
    port_->Launch(slot, &cta.cta.shared);
    mb_census_.Launch(slot, cta.cta.linear_id);
  }
  census_.Launch(slot, cta.cta.linear_id);
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.cta = static_cast<std::uint8_t>(slot);
  launch.size = static_cast<std::uint8_t>(need);
  unsigned last = 0;
  for (unsigned i = 0, warp = 0; i < need; ++warp) {
    WarpSlot& fresh = warps_[warp];
    if (fresh.phase != Phase::kFree) {
      continue;
    }
    fresh.cta = slot;
    fresh.warp.cta = &cta.cta;
    fresh.warp.first_thread = i++ * kWarpSize;
    fresh.exit_line = 0;
    interpreter_.Start(&fresh.warp);
    SetPhase(warp, Phase::kBlocked);
    cta.warps |= Bit(warp);
    last = warp;
  }
  launch.warps = cta.warps;
  Request(launch);
  if (warps_[last].warp.live != ~0U && config_.lanes) {
    Operation exit;  // of the lanes that the block does not fill
    exit.kind = OpKind::kExit;
    exit.cta = launch.cta;
    exit.warp = static_cast<std::uint8_t>(last);
    exit.lanes = ~warps_[last].warp.live;
    Request(exit);
  }
  return &cta.cta;
}

std::vector<std::uint32_t> Machine::LiveLanes(unsigned slot) const {
  std::vector<std::uint32_t> live;
  ForEachBit(ctas_[slot].warps, [&](unsigned warp) { live.push_back(warps_[warp].warp.live); });
  return live;
}

void Machine::Free(unsigned slot) {
  CtaSlot& cta = ctas_[slot];
  ForEachBit(cta.warps, [&](unsigned warp) { SetPhase(warp, Phase::kFree); });
  cta.taken = false;
}

// ------------------------------------------------------------------------------------------------
// Warps
// ------------------------------------------------------------------------------------------------

// Those whose time has come.
void Machine::WakeWarps(std::uint64_t cycle) {
  wakes_at_ = Interpreter::kNever;
  ForEachBit(asleep_, [&](unsigned warp) {
    if (warps_[warp].wakes_at <= cycle) {
      SetPhase(warp, Phase::kReady);
    } else {
      wakes_at_ = std::min(wakes_at_, warps_[warp].wakes_at);
    }
  });
}

void Machine::RunWarps(std::uint64_t cycle) {
  std::uint64_t ran = 0;
  for (unsigned slot = 0; slot < config_.num_issue && !grid_.ending(); ++slot) {
    const std::uint64_t ready = ready_ & ~ran;
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
  WarpSlot& slot = warps_[warp];
  stepped_ = cycle;
  switch (interpreter_.Step(&slot.warp, cycle)) {
    case Interpreter::Event::kNone:
      break;
    case Interpreter::Event::kAccess:
      slot.memory_until = std::max(slot.memory_until, cycle + 1 + random_.Below(kMaxMemoryLatency));
      outstanding_ |= Bit(warp);
      break;
    case Interpreter::Event::kBarrier:
      ComeToBarrier(warp, cycle);
      break;
    case Interpreter::Event::kMbarrier:
      ComeToMbarrier(warp, cycle);
      break;
    case Interpreter::Event::kExit:
      ExitLanes(warp);
      break;
    case Interpreter::Event::kAsleep:
      SetPhase(warp, Phase::kAsleep);
      slot.wakes_at = Interpreter::WakesAt(slot.warp);
      wakes_at_ = std::min(wakes_at_, slot.wakes_at);
      break;
    case Interpreter::Event::kStuck:
      SetPhase(warp, Phase::kStuck);
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
}

void Machine::EndWithProblem(Outcome outcome, const char* cause, unsigned warp,
                             std::uint64_t cycle) {
  grid_.EndWithFault(
      outcome, {cause, interpreter_.problem_line(), cycle, LinearCta(warp), IndexInCta(warp), 0, 0},
      interpreter_.problem());
}

void Machine::ComeToBarrier(unsigned warp, std::uint64_t cycle) {
  WarpSlot& slot = warps_[warp];
  const Arrival& arrival = slot.warp.arrival;
  if (arrival.diverged_aligned) {
    AddHazard(Hazard::kDivergedAligned, warp, arrival.bar, arrival.line, cycle);
  }
  if (arrival.cluster != ClusterOp::kNone) {
    ComeToClusterBarrier(warp, cycle);
    return;
  }
  if (const char* const cause = FrontEndFault(arrival, warp); cause != nullptr) {
    EndWithArrival(cause, warp, cycle);
    return;
  }
  if (arrival.divergent_operand) {
    AddHazard(Hazard::kDivergentOperand, warp, arrival.bar, arrival.line, cycle);
  }
  if (arrival.diverged_barrier) {
    AddHazard(Hazard::kDivergedBarrier, warp, arrival.bar, arrival.line, cycle);
  }
  slot.issue_at = cycle + random_.Below(kMaxIssueStall);
  SetPhase(warp, Phase::kIssuing);
}

// An arrival that releases comes when the warp's accesses are performed.
void Machine::ComeToClusterBarrier(unsigned warp, std::uint64_t cycle) {
  WarpSlot& slot = warps_[warp];
  const ClusterOp op = slot.warp.arrival.cluster;
  const std::uint64_t from = op == ClusterOp::kArrive ? std::max(cycle, slot.memory_until) : cycle;
  slot.issue_at = from + 1 + random_.Below(kMaxIssueStall);
  SetPhase(warp, op == ClusterOp::kWait ? Phase::kInCluster : Phase::kArriving);
}

void Machine::StepClusterBarriers(std::uint64_t cycle) {
  ClusterUnit& unit = *grid_.cluster_unit();
  ForEachBit(arriving_, [&](unsigned warp) {
    WarpSlot& slot = warps_[warp];
    const bool relaxed = slot.warp.arrival.cluster == ClusterOp::kArriveRelaxed;
    if (slot.issue_at > cycle ||
        (!relaxed && ((MbBusy() & Bit(warp)) != 0 || grid_.IsSending(slot.warp.cta, warp)))) {
      return;
    }
    if (!unit.Arrive(InCluster(warp), slot.warp.arrival.lanes)) {
      EndWithArrival("cluster_arrived_twice", warp, cycle);
      return;
    }
    slot.cluster_line = slot.warp.arrival.line;
    grid_.Change(cycle);
    SetPhase(warp, Phase::kReady);
  });
  ForEachBit(in_cluster_, [&](unsigned warp) {
    if (warps_[warp].issue_at <= cycle &&
        unit.Wait(InCluster(warp), warps_[warp].warp.arrival.lanes)) {
      SetPhase(warp, Phase::kReady);
    }
  });
}

void Machine::ExitLanes(unsigned warp) {
  WarpSlot& slot = warps_[warp];
  slot.exit_line = slot.warp.exit_line;
  grid_.cluster_unit()->Exit(InCluster(warp), slot.warp.exited);
  grid_.Change(cycle_);
  const bool last = slot.warp.live == 0;
  if (!last && !config_.lanes) {
    return;  // this unit knows of whole warps only
  }
  Operation exit;
  exit.kind = OpKind::kExit;
  exit.cta = static_cast<std::uint8_t>(slot.cta);
  exit.warp = static_cast<std::uint8_t>(warp);
  exit.lanes = config_.lanes ? slot.warp.exited : ~0U;
  Request(exit);
  SetPhase(warp, Phase::kBlocked);
}

// ------------------------------------------------------------------------------------------------
// Pins
// ------------------------------------------------------------------------------------------------

void Machine::Present(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  // What a warp has asked of mbarriers comes before its exit, and before the end of its CTA.
  const auto unsettled = [&](const Operation& operation) {
    const bool ends = operation.kind == OpKind::kEnd;
    const std::uint64_t warps = ends                              ? ctas_[operation.cta].warps
                                : operation.kind == OpKind::kExit ? Bit(operation.warp)
                                                                  : 0;
    const Cta* const cta = &ctas_[operation.cta].cta;
    return (MbBusy() & warps) != 0 ||
           (operation.kind == OpKind::kExit && grid_.IsSending(cta, operation.warp)) ||
           (ends && port_ != nullptr && port_->IsReached(operation.cta, inputs->mb));
  };
  if (!inputs->lifecycle_valid && !lifecycle_.empty() && !grid_.ending() &&
      !unsettled(lifecycle_.front()) && !random_.OneIn(kSchedulerStall)) {
    inputs->lifecycle_valid = true;
    inputs->lifecycle = lifecycle_.front();
    lifecycle_.pop_front();
  }
  std::uint64_t candidates = grid_.ending() ? 0 : issuing_ & ~presented_ & ~seen.busy;
  candidates &= config_.drain ? ~std::uint64_t{0} : ~MbBusy();
  for (unsigned port = 0; port < config_.num_issue && candidates != 0; ++port) {
    if (((inputs->issue_valid >> port) & 1U) != 0) {
      continue;
    }
    const auto warp = static_cast<unsigned>(__builtin_ctzll(candidates));
    candidates &= candidates - 1;
    WarpSlot& slot = warps_[warp];
    if (slot.issue_at > cycle) {
      continue;
    }
    const Arrival& arrival = slot.warp.arrival;
    Operation& operation = inputs->issue[port];
    operation = {};
    operation.kind = arrival.kind;
    operation.cta = static_cast<std::uint8_t>(slot.cta);
    operation.warp = static_cast<std::uint8_t>(warp);
    operation.bar = static_cast<std::uint8_t>(arrival.bar);
    operation.count = static_cast<std::uint16_t>(arrival.count);
    operation.lanes = arrival.lanes;
    operation.operand = arrival.operand;
    inputs->issue_valid = static_cast<std::uint8_t>(inputs->issue_valid | (1U << port));
    at_port_[port] = warp;
    presented_ |= Bit(warp);
    slot.issued_line = arrival.line;
    ++in_flight_;
  }
}

// Low request: no access is outstanding. High request: those before it are performed.
void Machine::AcknowledgeFences(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  inputs->fence_ack = ~std::uint64_t{0};
  ForEachBit(outstanding_, [&](unsigned warp) {
    const WarpSlot& slot = warps_[warp];
    if (cycle >= slot.memory_until) {
      outstanding_ &= ~Bit(warp);
      return;
    }
    const bool in_drain = (seen.fence_req & ~presented_ & Bit(warp)) != 0;
    if (!in_drain || cycle < slot.drain_until) {
      inputs->fence_ack &= ~Bit(warp);
    }
  });
  inputs->fence_ack &= ~MbBusy();  // an mbarrier operation is an access, too
}

// ------------------------------------------------------------------------------------------------
// What came of it
// ------------------------------------------------------------------------------------------------

void Machine::OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) {
  ++operations_[static_cast<unsigned>(operation.kind)];
  --in_flight_;
  spins_.Change(cycle);
  const unsigned warp = operation.warp;
  const std::uint32_t line =
      operation.kind == OpKind::kExit ? warps_[warp].exit_line : warps_[warp].issued_line;
  if (effects.fault != FaultCause::kNone) {
    grid_.EndWithFault(Outcome::kFault,
                       {Name(effects.fault), line, cycle, ctas_[operation.cta].cta.linear_id,
                        IndexInCta(warp), operation.bar, operation.lanes, 1, "",
                        effects.fault == FaultCause::kCountMismatch ? Explain(effects.fault) : ""});
    return;
  }
  const auto has = [&](Hazard hazard) {
    return ((effects.hazards >> static_cast<unsigned>(hazard)) & 1U) != 0;
  };
  if (has(Hazard::kRepeatedArrival)) {
    AddHazard(Hazard::kRepeatedArrival, warp, operation.bar, line, cycle);
  }
  census_.Commit(cycle, operation, effects, IndexInCta(warp), line);
  if (IsLifecycle(operation.kind)) {
    CommitLifecycle(operation, effects, cycle);
  }
}

void Machine::CommitLifecycle(const Operation& operation, const Effects& effects,
                              std::uint64_t cycle) {
  CtaSlot& cta = ctas_[operation.cta];
  if (operation.kind == OpKind::kLaunch) {
    ForEachBit(operation.warps, [&](unsigned warp) {
      const bool partial = warps_[warp].warp.live != ~0U;
      if (!partial || !config_.lanes) {
        SetPhase(warp, Phase::kReady);
      }
    });
  } else if (operation.kind == OpKind::kExit) {
    const unsigned warp = operation.warp;
    if (warps_[warp].warp.live != 0) {
      SetPhase(warp, Phase::kReady);
      return;
    }
    SetPhase(warp, Phase::kExited);
    cta.exited |= Bit(warp);
    if (cta.exited != cta.warps) {
      return;
    }
    cta.cta.exited = true;
    Operation end;
    end.kind = OpKind::kEnd;
    end.cta = operation.cta;
    Request(end);
    AbandonMbarriers(operation.cta, cycle);
    if (const std::optional<Transfer> lost = grid_.Abandon(&cta.cta)) {
      grid_.EndWithLost(*lost, cycle);
    }
  } else {
    if (effects.hazards != 0) {  // an unfinished barrier: name who arrived there last
      for (unsigned bar = 0; bar < kNumBars; ++bar) {
        const auto& members = census_.At(operation.cta, bar).members;
        if (members.empty()) {
          continue;
        }
        const auto warp = static_cast<unsigned>(__builtin_ctzll(cta.warps));
        AddHazard(Hazard::kUnfinishedBarrier, warp, bar, members.back().line, cycle);
        break;
      }
    }
    cta.ended = true;
    if (port_ != nullptr) {
      port_->Leave(operation.cta);
    }
    grid_.CtaEnded(operation.cta);
  }
}

// ------------------------------------------------------------------------------------------------
// Who waits for whom
// ------------------------------------------------------------------------------------------------

Whereabouts Machine::Where(unsigned warp) const {
  const WarpSlot& slot = warps_[warp];
  const Arrival& arrival = slot.warp.arrival;
  Whereabouts where{IndexInCta(warp), "", 0};
  switch (slot.phase) {
    case Phase::kExited:
      where.what = "has exited";
      where.line = slot.exit_line;
      break;
    case Phase::kWaiting:
    case Phase::kIssuing:
      where.what = fmt::format("waits at barrier {}", arrival.bar);
      where.line = arrival.line;
      break;
    case Phase::kArriving:
    case Phase::kInCluster:
      where.what = "waits at barrier.cluster";
      if (slot.phase == Phase::kInCluster && grid_.cluster_unit()->Arrived(InCluster(warp)) == 0) {
        where.what += " without having arrived";
      }
      where.line = arrival.line;
      break;
    default: {
      if (slot.warp.groups.empty()) {
        where.what = "exits";
        where.line = slot.warp.exit_line;
        break;
      }
      std::vector<std::string> groups;
      for (const Group& group : slot.warp.groups) {
        groups.push_back(interpreter_.Standing(slot.warp, group));
      }
      where.line = interpreter_.LineAt(slot.warp.groups.front().pc);
      where.what = fmt::format("{}: {}",
                               slot.phase == Phase::kStuck             ? "waits for its own lanes"
                               : slot.phase == Phase::kAsleep          ? "waits"
                               : grid_.outcome() == Outcome::kDeadlock ? "repeats a loop"
                                                                       : "runs",
                               fmt::join(groups, ", "));
    }
  }
  return where;
}

std::vector<StuckBarrier> Machine::StuckBarriers() const {
  std::vector<StuckBarrier> stuck;
  for (unsigned slot = 0; slot < ctas_.size(); ++slot) {
    const CtaSlot& cta = ctas_[slot];
    for (unsigned bar = 0; cta.taken && !cta.ended && bar < kNumBars; ++bar) {
      const Census::Entry& entry = census_.At(slot, bar);
      if (entry.members.empty()) {
        continue;
      }
      StuckBarrier row;
      row.cta = cta.cta.linear_id;
      row.id = bar;
      row.kind = Name(entry.kind);
      row.all_warps = entry.count == 0;
      row.arrived = static_cast<unsigned>(entry.members.size());
      const std::uint64_t live = cta.warps & ~cta.exited;
      row.expected = row.all_warps ? static_cast<unsigned>(__builtin_popcountll(live))
                                   : entry.count / kWarpSize;
      for (const Census::Member& member : entry.members) {
        row.came.push_back(
            {member.warp, member.waits ? "waits" : "arrived and went on", member.line});
      }
      ForEachBit(cta.warps, [&](unsigned warp) {
        const unsigned index = IndexInCta(warp);
        const bool came =
            std::any_of(entry.members.begin(), entry.members.end(),
                        [&](const Census::Member& member) { return member.warp == index; });
        if (!came) {
          row.missing.push_back(Where(warp));
        }
      });
      stuck.push_back(std::move(row));
    }
  }
  return stuck;
}

bool Machine::DescribeCluster(const Cluster& cluster, StuckCluster* row) const {
  bool waits = false;
  ForEachBit(ctas_[cluster.slot].warps, [&](unsigned warp) {
    const ClusterUnit& unit = *grid_.cluster_unit();
    const WarpSlot& slot = warps_[warp];
    const std::uint32_t live = unit.Live(InCluster(warp));
    const bool came = live != 0 && unit.Arrived(InCluster(warp)) == live;
    const bool stands = slot.phase == Phase::kInCluster;
    waits = waits || stands;
    row->expected += live != 0 ? 1 : 0;
    if (came) {
      ++row->arrived;
      row->came.emplace_back(LinearCta(warp),
                             Whereabouts{IndexInCta(warp), stands ? "waits" : "arrived and went on",
                                         slot.cluster_line});
    } else {
      row->missing.emplace_back(LinearCta(warp), Where(warp));
    }
  });
  return waits;
}

std::vector<StuckWarp> Machine::WarpsIn(std::initializer_list<Phase> phases) const {
  std::vector<StuckWarp> there;
  for (unsigned warp = 0; warp < warps_.size(); ++warp) {
    if (std::find(phases.begin(), phases.end(), warps_[warp].phase) != phases.end()) {
      there.push_back({LinearCta(warp), Where(warp)});
    }
  }
  return there;
}

// Those that repeat a loop are at an mbarrier in turn, where the report has them, or here.
std::vector<StuckWarp> Machine::StuckWarps() const {
  std::vector<StuckWarp> there = WarpsIn({Phase::kStuck});
  for (unsigned warp = 0; grid_.outcome() == Outcome::kDeadlock && warp < warps_.size(); ++warp) {
    const WarpSlot& slot = warps_[warp];
    const bool sleeps =
        slot.phase == Phase::kAsleep && Interpreter::WakesAt(slot.warp) != Interpreter::kNever;
    if (sleeps || slot.phase == Phase::kReady || slot.phase == Phase::kAsking) {
      there.push_back({LinearCta(warp), Where(warp)});
    }
  }
  return there;
}

std::vector<StuckWarp> Machine::RunningWarps() const {
  return WarpsIn({Phase::kReady, Phase::kIssuing, Phase::kBlocked, Phase::kArriving, Phase::kAsking,
                  Phase::kAsleep});
}

}  // namespace muster::ptx
