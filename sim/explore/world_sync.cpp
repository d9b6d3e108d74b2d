// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Barriers, mbarriers, collectives and exits, executed by the golden models.
#include <algorithm>
#include <utility>

#include "sim/explore/world.h"
#include "sim/explore/world_unit.h"
#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/isa/state_word.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::explore {
namespace {

using ptx::Arrival;
using ptx::ClusterForm;
using ptx::Interpreter;

}  // namespace

void World::Handle(Unit* unit, WarpState* state, Interpreter::Event event, std::uint32_t pc) {
  switch (event) {
    case Interpreter::Event::kBarrier:
      ReachBarrier(unit, state, pc);
      break;
    case Interpreter::Event::kMbarrier:
      ReachMbarrier(unit, state, pc);
      break;
    case Interpreter::Event::kExit:
      Exit(unit, state, pc);
      break;
    case Interpreter::Event::kFault:
      for (const ptx::Cta* const cta : state->warp.cta->cluster->ctas) {
        NoteAccess(ObjectOf(kCtas, cta->linear_id), ObjectAccess::Mode::kRead);
      }
      if (has_heap_) {
        NoteAccess(ObjectOf(kHeap, 0), ObjectAccess::Mode::kRead);  // it may have been freed
      }
      Fault("memory_fault", PlaceOf(*state, unit->interpreter.problem_lanes(), pc));
      break;
    case Interpreter::Event::kMisuse:
      Fault(unit->interpreter.cause(), PlaceOf(*state, unit->interpreter.problem_lanes(), pc));
      break;
    case Interpreter::Event::kAssert:
      Fault("assert", PlaceOf(*state, unit->interpreter.problem_lanes(), pc));
      break;
    default:
      break;
  }
  while (!unit->requests.empty() && end_ == End::kNone) {
    const std::vector<WarpRequest> requests = std::exchange(unit->requests, {});
    for (const WarpRequest& request : requests) {
      ReachWarpScope(unit, request);
    }
  }
}

// ------------------------------------------------------------------------------------------------
// Named barriers
// ------------------------------------------------------------------------------------------------

void World::ReachBarrier(Unit* unit, WarpState* state, std::uint32_t pc) {
  const Arrival& arrival = state->warp.arrival;
  const Place at = PlaceOf(*state, arrival.lanes, pc);
  gathered_.arrived.push_back(at);
  state->barrier_pc = pc;
  if (arrival.cluster != ClusterForm::kNone) {
    ReachCluster(unit, state, pc);
    return;
  }
  const unsigned size = Ones(unit->ctas[state->warp.cta->slot].warps);
  if (const char* const cause = ptx::RefusedArrival(config_, arrival, size); cause != nullptr) {
    Fault(cause, at);
    return;
  }
  const Operation operation = OperationOf(state->warp, arrival);
  state->at_barrier = !GoesOn(operation.kind);
  const Effects effects = unit->model.Step(operation);
  if (effects.fault != FaultCause::kNone) {
    NoteAccess(ObjectOf(kNamedBarriers, at.cta * kNumBars + arrival.bar),
               ObjectAccess::Mode::kWrite);
    Fault(Name(effects.fault), at);
    return;
  }
  Change();
  Hazards(effects.hazards, at);
  latest_arrivals_[{at.cta, arrival.bar}] = at;
  constexpr unsigned kKindBits = 4;
  const std::uint32_t kind =
      IsReduction(operation.kind) ? static_cast<std::uint32_t>(operation.kind) : 0;
  NoteAccess(ObjectOf(kNamedBarriers, at.cta * kNumBars + arrival.bar),
             effects.completed ? ObjectAccess::Mode::kComplete : ObjectAccess::Mode::kArrive,
             arrival.count << kKindBits | kind);
  Released(unit, effects, at, operation);
}

// Continues the warps that an operation released.
void World::Released(Unit* unit, const Effects& effects, const Place& at,
                     const Operation& operation) {
  if (effects.completed) {
    latest_arrivals_.erase({at.cta, effects.bar});
  }
  std::vector<Place> released;
  ForEachBit(effects.released, [&](unsigned warp) {
    WarpState& state = unit->warps[warp];
    released.push_back(PlaceOf(state, state.warp.arrival.lanes, 0));
    woken_.push_back(released.back());
  });
  if (observer_ != nullptr && (IsArrival(operation.kind) || effects.completed)) {
    observer_->OnArrive(at, operation, effects, released);
  }
  ForEachBit(effects.released, [&](unsigned warp) {
    WarpState& state = unit->warps[warp];
    if (effects.released_kind != BarKind::kSync) {
      Interpreter::WriteResult(&state.warp, effects.released_value);
    }
    state.at_barrier = false;
  });
  ForEachBit(effects.released, [&](unsigned warp) {
    if (warp != operation.warp) {
      Advance(unit, &unit->warps[warp]);
    }
  });
}

// ------------------------------------------------------------------------------------------------
// barrier.cluster
// ------------------------------------------------------------------------------------------------

void World::ReachCluster(Unit* unit, WarpState* state, std::uint32_t pc) {
  const Arrival& arrival = state->warp.arrival;
  const bool waits = arrival.cluster == ClusterForm::kWait;
  const std::uint64_t cluster = clusters_.NumberOf(state->warp.cta->cluster->slot);
  for (const bool releases : {true, false}) {
    const std::uint32_t lanes = arrival.lanes & (releases ? arrival.operand : ~arrival.operand);
    if (observer_ != nullptr && !waits && lanes != 0) {
      observer_->OnClusterArrive(PlaceOf(*state, lanes, pc), cluster, releases);
    }
  }
  const ClusterEffects effects =
      StepCluster(cluster, unit->rank, RequestOf(state->warp, arrival.cluster, arrival.lanes),
                  state->warp.cta->cluster->slot);
  if (effects.fault != FaultCause::kNone) {
    Fault(Name(effects.fault), PlaceOf(*state, arrival.lanes, pc));
    return;
  }
  Change();
  if (waits) {
    state->in_cluster = arrival.lanes & ~effects.go;
    if (observer_ != nullptr && effects.go != 0) {
      observer_->OnClusterWait(PlaceOf(*state, effects.go, pc), cluster);
    }
    NoteAccess(ObjectOf(kClusterBarriers, cluster), ObjectAccess::Mode::kPass);
  }
  ReleaseCluster(effects, cluster);
}

ClusterEffects World::StepCluster(std::uint64_t cluster, unsigned unit,
                                  const ClusterRequest& request, unsigned slot) {
  const unsigned phases = cluster_scope_.Phases(slot);
  ClusterEffects effects = cluster_scope_.Step(unit, request);
  const bool completes = cluster_scope_.Phases(slot) != phases;
  if (observer_ != nullptr && completes) {
    observer_->OnClusterComplete(cluster);
  }
  if (request.op != muster::ClusterOp::kWait) {
    NoteAccess(ObjectOf(kClusterBarriers, cluster),
               completes ? ObjectAccess::Mode::kComplete : ObjectAccess::Mode::kArrive);
  }
  return effects;
}

void World::ReleaseCluster(const ClusterEffects& effects, std::uint64_t cluster) {
  const bool completes = !effects.releases.empty();
  for (const ClusterLanes& lanes : effects.releases) {
    WarpState& state = units_[lanes.unit]->warps[lanes.warp];
    if (observer_ != nullptr) {
      observer_->OnClusterWait(PlaceOf(state, lanes.lanes, 0), cluster);
    }
    woken_.push_back(PlaceOf(state, lanes.lanes, 0));
    state.in_cluster &= ~lanes.lanes;
  }
  if (completes) {
    Change();
    for (const ClusterLanes& lanes : effects.releases) {
      Advance(units_[lanes.unit].get(), &units_[lanes.unit]->warps[lanes.warp]);
    }
  }
}

// ------------------------------------------------------------------------------------------------
// Mbarriers
// ------------------------------------------------------------------------------------------------

void World::ReachMbarrier(Unit* unit, WarpState* state, std::uint32_t pc) {
  const ptx::MbInstruction instruction = state->warp.mbarrier;
  const auto& decoded = program_.code[pc].As<ptx::Mbarrier>();
  if (instruction.outside != 0) {
    Fault(Name(FaultCause::kBadAddress), PlaceOf(*state, instruction.outside, pc));
    return;
  }
  const unsigned slot = state->warp.cta->slot;
  ptx::MbReply reply;
  reply.lanes = instruction.has_token ? instruction.lanes : 0;
  for (const ptx::MbGroup& group : GroupsOf(config_, state->warp.slot, slot, instruction)) {
    const MbOperation& operation = group.operation;
    if (operation.source == MbSource::kOutbound) {
      if (!IsRemote(operation.op) || operation.has_token) {
        Fault(Name(FaultCause::kRemoteNotAllowed), PlaceOf(*state, operation.lanes, pc));
        return;
      }
      ptx::Transfer sent = RemoteOf(state->warp, group.rank, operation);
      sent.pc = pc;
      Post(unit, std::move(sent));
      continue;
    }
    if (IsMbWait(operation.op)) {
      state->waits.push_back({operation, pc, false});
      const ptx::Group* const asked = GroupOf(state, operation.lanes);
      state->waits.back().returns = unit->Retries(state->warp, *asked, operation.lanes);
      continue;
    }
    const Place at = PlaceOf(*state, operation.lanes, pc);
    const MbEffects effects = StepMbarrier(unit, at, operation, &decoded, 0);
    if (end_ != End::kNone) {
      return;
    }
    ForEachBit(operation.lanes, [&](unsigned lane) { reply.token[lane] = effects.token[lane]; });
  }
  if (instruction.op == MbOp::kCopyArrive || instruction.op == MbOp::kCopyArriveNoInc) {
    StartArrivals(unit, state, instruction.lanes, instruction.addr, pc);
  }
  if (reply.lanes != 0) {
    unit->interpreter.Answer(&state->warp, reply);
  }
}

// Executes the operation in the golden model and writes its word to memory.
MbEffects World::StepMbarrier(Unit* unit, const Place& at, const MbOperation& operation,
                              const ptx::Mbarrier* instruction, std::uint64_t of) {
  const std::uint64_t owner = unit->CtaAt(operation.cta).linear_id;
  const std::pair<unsigned, std::uint32_t> object{operation.cta, operation.addr};
  unit->Watch(operation.cta, operation.addr);
  const bool makes = operation.op == MbOp::kInit || operation.op == MbOp::kInval;
  const bool by_another = unit->IsInvalidatedByAnother(operation);
  if (by_another && !makes && operation.op != MbOp::kCopyArriveNoInc) {
    if (!launch_.inval_is_hazard) {
      Fault(Name(FaultCause::kWordExhausted), at);
      return {};
    }
    Hazards(1U << static_cast<unsigned>(Hazard::kUninitialisedWord), at);
  }
  MbEffects effects = unit->words.Step(operation);
  const auto refused = std::find_if(effects.fault.begin(), effects.fault.end(),
                                    [](FaultCause cause) { return cause != FaultCause::kNone; });
  if (refused != effects.fault.end() && !(by_another && launch_.inval_is_hazard)) {
    constexpr unsigned kGranule = 4;
    NoteAccess(ObjectOf(owner, operation.addr / kGranule), ObjectAccess::Mode::kWrite);
    Fault(Name(*refused), at);
    return effects;
  }
  if (operation.op == MbOp::kInit) {
    unit->invalidated.erase(object);
  } else if (operation.op == MbOp::kInval) {
    unit->invalidated[object] = {operation.warp, operation.lanes};
  }
  Hazards(effects.hazards, at);
  if (effects.written) {
    unit->SetWord(operation.cta, operation.addr, effects.word);
    Change();
  }
  const auto mode = makes                      ? ObjectAccess::Mode::kWrite
                    : IsMbWait(operation.op)   ? ObjectAccess::Mode::kWait
                    : effects.completions != 0 ? ObjectAccess::Mode::kComplete
                                               : ObjectAccess::Mode::kArrive;
  constexpr unsigned kGranule = 4;
  NoteAccess(ObjectOf(owner, operation.addr / kGranule), mode);
  NoteAccess(ObjectOf(owner, operation.addr / kGranule + 1), mode);
  if (observer_ != nullptr) {
    observer_->OnMbarrier(at, owner, operation, instruction, effects, of);
  }
  return effects;
}

// Of a wait.
void World::Answer(Unit* unit, WarpState* state, std::size_t index, bool answer) {
  const Wait wait = state->waits[index];
  state->waits.erase(state->waits.begin() + static_cast<std::ptrdiff_t>(index));
  const Place at = PlaceOf(*state, wait.operation.lanes, wait.pc);
  const auto& decoded = program_.code[wait.pc].As<ptx::Mbarrier>();
  MbOperation operation = wait.operation;
  operation.whole = false;  // no wait parks here: one that would is not enabled
  StepMbarrier(unit, at, operation, &decoded, 0);
  if (end_ == End::kNone) {
    ptx::MbReply reply;
    reply.lanes = wait.operation.lanes;
    reply.complete = answer;
    unit->interpreter.Answer(&state->warp, reply);
  }
}

// ------------------------------------------------------------------------------------------------
// The warp scope, and exits
// ------------------------------------------------------------------------------------------------

void World::ReachWarpScope(Unit* unit, const WarpRequest& request) {
  WarpState& state = unit->warps[request.warp];
  const WarpEffects effects = unit->scope.Step(request);
  if (effects.fault != FaultCause::kNone) {
    const ptx::Group* const refused = GroupOf(&state, request.lanes);
    Fault(Name(effects.fault),
          PlaceOf(state, request.lanes, refused == nullptr ? here_.pc : refused->pc));
    return;
  }
  std::uint32_t together = 0;  // lanes that met, though their answers may differ
  for (const WarpAnswer& answer : effects.answers) {
    together |= request.op == WarpOp::kExit ? 0 : answer.lanes;
  }
  if (observer_ != nullptr && together != 0) {
    observer_->OnWarpSync(PlaceOf(state, together, here_.pc), request.op);
  }
  for (const WarpAnswer& answer : effects.answers) {
    if (observer_ != nullptr && together == 0) {
      const ptx::Group* const waiting = GroupOf(&state, answer.lanes);
      observer_->OnWarpSync(
          PlaceOf(state, answer.lanes, waiting == nullptr ? here_.pc : waiting->pc), answer.op);
    }
    unit->interpreter.Answer(&state.warp, answer);
  }
  if (effects.arrival) {
    state.due = effects.arrival;
  }
}

// Lanes that the warp scope has gathered arrive when the warp waits at no other barrier.
void World::TakeDue(Unit* unit, WarpState* state) {
  if (state->due && MayGo(*state) && end_ == End::kNone) {
    const WarpArrival arrival = *std::exchange(state->due, std::nullopt);
    const ptx::Group* const group = GroupOf(state, arrival.lanes);
    const std::uint32_t pc = group == nullptr ? here_.pc : group->pc;
    unit->interpreter.TakeArrival(&state->warp, arrival);
    ReachBarrier(unit, state, pc);
  }
}

void World::Exit(Unit* unit, WarpState* state, std::uint32_t pc) {
  const std::uint32_t exited = state->warp.exited;
  const Place at = PlaceOf(*state, exited, pc);
  const unsigned slot = state->warp.cta->slot;
  if (observer_ != nullptr) {
    observer_->OnExit(at);
  }
  Change();
  const std::uint64_t cluster = clusters_.NumberOf(state->warp.cta->cluster->slot);
  const ClusterEffects left =
      StepCluster(cluster, unit->rank, RequestOf(state->warp, muster::ClusterOp::kExit, exited),
                  state->warp.cta->cluster->slot);
  ReleaseCluster(left, cluster);
  WarpRequest request;
  request.op = WarpOp::kExit;
  request.warp = static_cast<std::uint8_t>(state->warp.slot);
  request.cta = static_cast<std::uint8_t>(slot);
  request.lanes = exited;
  request.live = state->warp.live;
  ReachWarpScope(unit, request);
  if (state->warp.live != 0 && !config_.lanes) {
    return;
  }
  const Operation exit = ExitOf(config_, state->warp);
  std::array<bool, kNumBars> active{};  // generations that wait for all live warps
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    active[bar] = unit->model.Arrived(slot, bar) != 0 &&
                  DecodeBarWord(unit->model.EntryWord(slot, bar)).expected == 0;
  }
  const Effects effects = unit->model.Step(exit);
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    if (active[bar]) {
      NoteAccess(ObjectOf(kNamedBarriers, at.cta * kNumBars + bar),
                 effects.completed && effects.bar == bar ? ObjectAccess::Mode::kComplete
                                                         : ObjectAccess::Mode::kArrive);
    }
  }
  Released(unit, effects, at, exit);
  if (state->warp.live != 0) {
    return;
  }
  state->exists = false;
  CtaState& cta = unit->ctas[slot];
  cta.exited |= Bit(state->warp.slot);
  if (cta.exited == cta.warps) {
    EndCta(unit, slot, at);
  }
}

// Ends a CTA whose last threads exit at `at`.
void World::EndCta(Unit* unit, unsigned slot, const Place& at) {
  CtaState& cta = unit->ctas[slot];
  cta.cta.exited = true;
  NoteAccess(ObjectOf(kCtas, cta.cta.linear_id), ObjectAccess::Mode::kWrite);
  Operation end;
  end.kind = OpKind::kEnd;
  end.cta = static_cast<std::uint8_t>(slot);
  unit->model.Step(end);
  const auto first = latest_arrivals_.lower_bound({cta.cta.linear_id, 0});
  const auto last = latest_arrivals_.upper_bound({cta.cta.linear_id, kNumBars});
  for (auto one = first; one != last; ++one) {
    Hazards(1U << static_cast<unsigned>(Hazard::kUnfinishedBarrier), one->second);
  }
  latest_arrivals_.erase(first, last);
  if (observer_ != nullptr) {
    observer_->OnCtaEnd(cta.cta.linear_id);
  }
  Abandon(cta.cta);
  Hazards(unit->words.Leave(slot, OpKind::kEnd).hazards, at);
  ClusterLife life;
  life.op = ClusterLifeOp::kEnd;
  life.unit = static_cast<std::uint8_t>(unit->rank);
  life.cta = static_cast<std::uint8_t>(slot);
  cluster_scope_.Step(life);
  clusters_.EndCta(slot);
}

}  // namespace muster::explore
