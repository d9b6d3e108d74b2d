// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What effects at barriers, mbarriers and collectives mean to other actors: the objects that a step
// accesses, the events that the observer is told, and the warps that go on.
#include <algorithm>

#include "sim/explore/world.h"
#include "sim/isa/bits.h"
#include "sim/isa/state_word.h"

namespace muster::explore {
namespace {

constexpr unsigned kGranule = 4;

}  // namespace

// ------------------------------------------------------------------------------------------------
// Named barriers, and the ends of CTAs
// ------------------------------------------------------------------------------------------------

void World::OnBarrier(const ptx::Core& core, const Operation& operation, const Effects& effects) {
  const bool exits = operation.kind == OpKind::kExit;
  if (operation.kind == OpKind::kEnd && observer_ != nullptr) {
    observer_->OnCtaEnd(core.residents().ctas[operation.cta].cta.linear_id);
  }
  if (!exits && !IsArrival(operation.kind)) {
    return;
  }
  const WarpState& state = StateOf(core, operation.warp);
  const Place at = PlaceOf(state, exits ? state.warp().exited : operation.lanes, state.pc);
  if (exits) {
    NoteExit(core, operation, effects);
  } else {
    gathered_.arrived.push_back(at);
    const std::uint64_t entry = ObjectOf(kNamedBarriers, at.cta * kNumBars + operation.bar);
    if (effects.fault != FaultCause::kNone) {
      NoteAccess(entry, ObjectAccess::Mode::kWrite);
      return;
    }
    Change(cycle_);
    constexpr unsigned kKindBits = 4;
    const std::uint32_t kind =
        IsReduction(operation.kind) ? static_cast<std::uint32_t>(operation.kind) : 0;
    NoteAccess(entry,
               effects.completed ? ObjectAccess::Mode::kComplete : ObjectAccess::Mode::kArrive,
               std::uint32_t{operation.count} << kKindBits | kind);
  }
  std::vector<Place> released;
  ForEachBit(effects.released, [&](unsigned warp) {
    const WarpState& waited = StateOf(core, warp);
    released.push_back(PlaceOf(waited, waited.warp().arrival.lanes, 0));
  });
  woken_.insert(woken_.end(), released.begin(), released.end());
  if (observer_ != nullptr && (!exits || effects.completed)) {
    observer_->OnArrive(at, operation, effects, released);
  }
}

// An exit is an arrival at the open generations that wait for all live warps.
void World::NoteExit(const ptx::Core& core, const Operation& exit, const Effects& effects) {
  const golden::Model& model = At(core.unit()).model();
  const std::uint64_t cta = core.residents().ctas[exit.cta].cta.linear_id;
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    const bool completes = effects.completed && effects.bar == bar;
    if (completes || (model.Arrived(exit.cta, bar) != 0 &&
                      DecodeBarWord(model.EntryWord(exit.cta, bar)).expected == 0)) {
      NoteAccess(ObjectOf(kNamedBarriers, cta * kNumBars + bar),
                 completes ? ObjectAccess::Mode::kComplete : ObjectAccess::Mode::kArrive);
    }
  }
}

void World::OnRelease(const ptx::Core& core, std::uint64_t warps) {
  ForEachBit(warps, [&](unsigned warp) { Advance(&StateOf(core, warp)); });
}

void World::OnExit(const ptx::Core& core, unsigned warp) {
  if (observer_ != nullptr) {
    const WarpState& state = StateOf(core, warp);
    observer_->OnExit(PlaceOf(state, state.warp().exited, state.pc));
  }
}

// ------------------------------------------------------------------------------------------------
// barrier.cluster, and collectives
// ------------------------------------------------------------------------------------------------

void World::OnCluster(const ptx::Core& core, const ClusterRequest& request,
                      const ClusterEffects& effects, bool completes) {
  const WarpState& state = StateOf(core, request.warp);
  const std::uint64_t cluster = clusters_.NumberOf(state.warp().cta->cluster->slot);
  const bool arrives = IsClusterArrival(request.op);
  const bool waits = request.op == muster::ClusterOp::kWait;
  if (arrives || waits) {
    gathered_.arrived.push_back(PlaceOf(state, request.lanes, state.pc));
  }
  for (const bool releases : {true, false}) {
    const std::uint32_t operand = state.warp().arrival.operand;
    const std::uint32_t lanes = request.lanes & (releases ? operand : ~operand);
    if (observer_ != nullptr && arrives && lanes != 0) {
      observer_->OnClusterArrive(PlaceOf(state, lanes, state.pc), cluster, releases);
    }
  }
  if (observer_ != nullptr && completes) {
    observer_->OnClusterComplete(cluster);
  }
  const std::uint64_t barrier = ObjectOf(kClusterBarriers, cluster);
  if (arrives || request.op == muster::ClusterOp::kExit) {
    NoteAccess(barrier, completes ? ObjectAccess::Mode::kComplete : ObjectAccess::Mode::kArrive);
  }
  if (Overlap()) {
    NoteLaunch(state, request, effects);
  }
  if (waits && effects.fault == FaultCause::kNone) {
    Change(cycle_);
    if (observer_ != nullptr && effects.go != 0) {
      observer_->OnClusterWait(PlaceOf(state, effects.go, state.pc), cluster);
    }
    NoteAccess(barrier, ObjectAccess::Mode::kPass);
  }
}

void World::OnClusterRelease(const std::vector<ClusterLanes>& lanes) {
  for (const ClusterLanes& released : lanes) {
    const WarpState& state = warps_[released.unit][released.warp];
    const Place at = PlaceOf(state, released.lanes, 0);
    if (observer_ != nullptr) {
      observer_->OnClusterWait(at, clusters_.NumberOf(state.warp().cta->cluster->slot));
    }
    woken_.push_back(at);
  }
  for (const ClusterLanes& released : lanes) {
    Advance(&warps_[released.unit][released.warp]);
  }
}

// ------------------------------------------------------------------------------------------------
// Launches that overlap
// ------------------------------------------------------------------------------------------------

// A CTA lets the next launch begin when its first thread executes launch_dependents, or when all
// have exited: which thread that is depends on the order.
void World::NoteLaunch(const WarpState& state, const ClusterRequest& request,
                       const ClusterEffects& effects) {
  const std::uint64_t cta = state.warp().cta->linear_id;
  const std::size_t launch = launch_.IndexOfCta(cta);
  const bool exits = request.op == muster::ClusterOp::kExit;
  const bool triggers = request.op == muster::ClusterOp::kTrigger;
  if (triggers) {
    NoteAccess(ObjectOf(kCtaTriggers, cta), ObjectAccess::Mode::kWrite);
  }
  if (triggers || exits) {
    NoteAccess(ObjectOf(kTriggers, launch), ObjectAccess::Mode::kArrive);
  }
  if (exits) {
    NoteAccess(ObjectOf(kLaunchEnds, launch), ObjectAccess::Mode::kArrive);
  }
  if (request.op == muster::ClusterOp::kGridWait && launch != 0) {
    NoteAccess(ObjectOf(kLaunchEnds, launch - 1), ObjectAccess::Mode::kPass);
  }
  if (effects.launches != 0) {
    OnLaunchable(effects.launches);
  }
}

// The last of the CTAs that had neither executed launch_dependents nor completed has done so.
void World::OnLaunchable(std::uint8_t grids) {
  for (std::size_t i = 0; i + 1 < launch_.Launches(); ++i) {
    if (!IsOver(i) && i < announced() && (grids >> GridOf(i) & 1) != 0) {
      NoteAccess(ObjectOf(kTriggers, i), ObjectAccess::Mode::kComplete);
    }
  }
}

bool World::IsInFlight(std::size_t launch) const {
  return std::any_of(flights_.begin(), flights_.end(),
                     [&](const auto& flight) { return launch_.IndexOfCta(flight->cta) == launch; });
}

void World::OnLaunchEnd(std::size_t launch) {
  NoteAccess(ObjectOf(kLaunchEnds, launch), ObjectAccess::Mode::kComplete);
  if (observer_ != nullptr) {
    observer_->OnLaunchEnd(launch);
  }
}

void World::OnGridRelease(const std::vector<ClusterLanes>& lanes) {
  for (const ClusterLanes& released : lanes) {
    WarpState& state = warps_[released.unit][released.warp];
    const Place at = PlaceOf(state, released.lanes, 0);
    if (const std::size_t launch = launch_.IndexOfCta(at.cta);
        observer_ != nullptr && launch != 0) {
      observer_->OnLaunchWait(at, launch);
    }
    if (&state != running_) {
      woken_.push_back(at);
    }
  }
  for (const ClusterLanes& released : lanes) {
    WarpState& state = warps_[released.unit][released.warp];
    if (&state != running_) {
      Advance(&state);
    }
  }
}

void World::OnWarpScope(const ptx::Core& core, const WarpRequest& request,
                        const WarpEffects& effects) {
  const WarpState& state = StateOf(core, request.warp);
  std::uint32_t together = 0;  // lanes that met, though their answers may differ
  for (const WarpAnswer& answer : effects.answers) {
    together |= answer.lanes;
    if (request.op == WarpOp::kExit && observer_ != nullptr) {
      const ptx::Group* const waiting = GroupOf(state, answer.lanes);
      observer_->OnWarpSync(
          PlaceOf(state, answer.lanes, waiting == nullptr ? state.pc : waiting->pc), answer.op);
    }
  }
  if (request.op == WarpOp::kExit) {
    return;
  }
  met_ |= together;
  if (together != 0 && observer_ != nullptr) {
    observer_->OnWarpSync(PlaceOf(state, together, state.pc), request.op);
  }
}

// ------------------------------------------------------------------------------------------------
// Mbarriers
// ------------------------------------------------------------------------------------------------

void World::OnWait(const ptx::Core& core, const MbOperation& wait) {
  WarpState& state = StateOf(core, wait.warp);
  const ptx::Group* const asked = GroupOf(state, wait.lanes);
  state.waits.push_back({wait, state.pc, Retries(core, state.warp(), *asked, wait.lanes)});
}

void World::Answer(WarpState* state, std::size_t index, bool answer) {
  const Wait wait = state->waits[index];
  state->waits.erase(state->waits.begin() + static_cast<std::ptrdiff_t>(index));
  state->pc = wait.pc;
  MbOperation operation = wait.operation;
  operation.whole = false;  // no wait parks here: one that would is not enabled
  const MbEffects effects = At(state->unit).Perform(operation);
  if (!ending()) {
    ptx::MbReply reply;
    reply.warp = operation.warp;
    reply.lanes = operation.lanes;
    reply.complete = answer;
    reply.report = answer ? effects.report : MbReport{0};
    At(state->unit).core().Reply(reply);
  }
}

void World::OnMbarrier(const ptx::Core& core, const MbOperation& operation,
                       const MbEffects& effects) {
  const std::uint64_t owner = core.residents().ctas[operation.cta].cta.linear_id;
  const std::uint64_t word = ObjectOf(owner, operation.addr / kGranule);
  if (ending()) {
    if (AnyRefused(effects)) {
      NoteAccess(word, ObjectAccess::Mode::kWrite);
    }
    return;
  }
  const bool makes = operation.op == MbOp::kInit || operation.op == MbOp::kInval;
  const auto mode = makes                      ? ObjectAccess::Mode::kWrite
                    : IsMbWait(operation.op)   ? ObjectAccess::Mode::kWait
                    : effects.completions != 0 ? ObjectAccess::Mode::kComplete
                                               : ObjectAccess::Mode::kArrive;
  NoteAccess(word, mode);
  NoteAccess(ObjectOf(owner, operation.addr / kGranule + 1), mode);
  if (observer_ == nullptr) {
    return;
  }
  const WarpState& state = StateOf(core, operation.warp);
  const Place at =
      performing_ != nullptr ? PlaceOf(*performing_) : PlaceOf(state, operation.lanes, state.pc);
  const ptx::Mbarrier* const instruction =
      operation.source == MbSource::kAsync ? nullptr : &program_.code[at.pc].As<ptx::Mbarrier>();
  observer_->OnMbarrier(at, owner, operation, instruction, effects,
                        performing_ == nullptr ? 0 : performing_->number);
}

// If what a warp takes from a pool is not there, it comes again.
void World::ObserveWholeWarp(const WarpState& state, const Place& at) {
  observer_->OnWholeWarp(at);
  const ptx::Group* const after = GroupOf(state, at.lanes);
  if (program_.code[at.pc].op == ptx::Op::kRegisterLimit &&
      (after == nullptr || after->state != ptx::Group::State::kAwaitsResource)) {
    observer_->OnRegisters(at);
  }
}

// Warps that wait for columns or registers may go on.
void World::OnResource(const ptx::Warp& warp) {
  NoteAccess(ObjectOf(kResources, warp.cta->linear_id), ObjectAccess::Mode::kWrite);
  for (const WarpState& state : warps_[warp.cta->unit]) {
    if (state.exists() && state.warp().cta == warp.cta && !state.warp().groups.empty() &&
        state.warp().groups.front().state == ptx::Group::State::kAwaitsResource) {
      woken_.push_back(PlaceOf(state, state.warp().live, 0));
    }
  }
}

void World::OnTensorAccess(const ptx::Warp& warp, const std::vector<ptx::TensorRange>& ranges) {
  const WarpState& state = warps_[warp.cta->unit][warp.slot];
  for (const ptx::TensorRange& range : ranges) {
    NoteAccesses({RangeOf(range)},
                 range.writes ? ObjectAccess::Mode::kWrite : ObjectAccess::Mode::kRead);
    if (observer_ != nullptr) {
      observer_->OnTensorAccess(PlaceOf(state, warp.live, state.pc), RangeOf(range), range.writes);
    }
  }
}

// Notes an access to memory that free may remove.
void World::NoteHeapAccess(std::uint64_t address) {
  if (has_heap_ && ptx::SegmentOf(address) >= initial_.segments()) {
    NoteAccess(ObjectOf(kHeap, 0), ObjectAccess::Mode::kRead);
  }
}

}  // namespace muster::explore
