// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/world.h"

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/ptx/program/address.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/program/registers.h"
#include "sim/ptx/simt/tensor_operation.h"

namespace muster::explore {
namespace {

using ptx::Group;
using ptx::Op;
using ptx::Space;
using ptx::StepEvent;

// Instructions of one group of lanes without a visible step, after which its loop counts as
// endless.
constexpr unsigned kLongestWay = 1U << 20;

constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15U;  // mixes the bits of a key

template <typename F>
bool Has(const ptx::Program& program, F is) {
  return std::any_of(program.code.begin(), program.code.end(), is);
}

bool IsHeapCall(const ptx::Instruction& i) {
  return i.op == Op::kRuntime && (i.As<ptx::RuntimeCall>().function == ptx::Runtime::kMalloc ||
                                  i.As<ptx::RuntimeCall>().function == ptx::Runtime::kFree);
}

bool IsPrivate(Space space) {
  return space == Space::kLocal || space == Space::kParam || space == Space::kConst;
}

bool IsPrivateSegment(std::uint64_t segment) {
  return segment == ptx::kLocalSegment || segment == ptx::kParamSegment ||
         segment == ptx::kConstSegment;
}

}  // namespace

World::World(const Config& config, const ptx::Program& program, const ptx::Launch& launch,
             const ptx::Memory& memory)
    : GoldenGrid(config, program, launch, memory),
      program_(program),
      starts_are_steps_(
          !launch.programmatic.empty() ||
          Has(program, [](const ptx::Instruction& i) { return i.op == Op::kTryCancel; })),
      has_heap_(Has(program, IsHeapCall)) {
  for (unsigned unit = 0; unit < units(); ++unit) {
    At(unit).core().interpreter().set_accesses(this);
    At(unit).core().livelock().BindAlways();
    std::vector<WarpState>& states = warps_.emplace_back(config.num_warps);
    for (unsigned warp = 0; warp < config.num_warps; ++warp) {
      states[warp].slot = &At(unit).core().residents().warps[warp];
      states[warp].unit = unit;
    }
  }
  if (Has(program, [](const ptx::Instruction& i) { return i.timed; })) {
    for (const ptx::Instruction& i : program.code) {
      uses_.push_back({SourcesOf(i), ResultsOf(i)});
      uses_.back().sources.push_back(i.guard);
    }
  }
  Reset();
}

void World::Reset() {
  GoldenGrid::Reset();
  flights_.clear();
  next_flight_ = 1;
  started_.clear();
  sent_.clear();
  times_.clear();
  lost_.clear();
  enabled_.clear();
  epoch_ = 0;
  Change(0);
  steps_ = 0;
  is_stopped_ = false;
  started_up_ = false;
}

void World::Change(std::uint64_t cycle) {
  ++epoch_;
  for (unsigned unit = 0; unit < units(); ++unit) {
    At(unit).core().livelock().Change(cycle);
  }
}

void World::OnStart(const ptx::Cluster& cluster) {
  for (const ptx::Cta* const cta : cluster.ctas) {
    ForEachBit(At(cta->unit).core().residents().ctas[cta->slot].warps, [&](unsigned warp) {
      WarpState& fresh = warps_[cta->unit][warp];
      fresh.waits.clear();
      fresh.spinning = fresh.stuck_at_copies = 0;
      fresh.loops.clear();
      fresh.is_volatile.clear();
    });
  }
  for (const ptx::Cta* const cta : cluster.ctas) {
    ForEachBit(At(cta->unit).core().residents().ctas[cta->slot].warps, [&](unsigned warp) {
      WarpState& fresh = warps_[cta->unit][warp];
      if (starts_are_steps_) {
        woken_.push_back(PlaceOf(fresh, ~0U, 0));
      }
      Advance(&fresh);
    });
  }
}

// An incident in a step of a transfer is its issuer's. Otherwise the lanes are known, and the
// instruction is the warp's latest one, one at which lanes of it stand, or the first of the line.
void World::Locate(ptx::Incident* incident) const {
  if (performing_ != nullptr) {
    const Place at = PlaceOf(*performing_);
    incident->cta = at.cta;
    incident->warp = at.warp;
    incident->lanes = at.lanes;
    incident->pc = at.pc;
    return;
  }
  const auto fits = [&](std::uint32_t pc) { return program_.code[pc].line == incident->line; };
  for (const std::vector<WarpState>& states : warps_) {
    for (const WarpState& state : states) {
      if (state.warp().cta == nullptr || state.warp().cta->linear_id != incident->cta ||
          PlaceOf(state, 0, 0).warp != incident->warp) {
        continue;
      }
      std::vector<std::uint32_t> candidates = {state.pc};
      for (const Group& group : state.warp().groups) {
        candidates.push_back(group.pc);
      }
      const auto found = std::find_if(candidates.begin(), candidates.end(), fits);
      if (found != candidates.end()) {
        incident->pc = *found;
        return;
      }
    }
  }
  while (incident->pc + 1 < program_.code.size() && !fits(incident->pc)) {
    ++incident->pc;
  }
}

// ------------------------------------------------------------------------------------------------
// Steps
// ------------------------------------------------------------------------------------------------

void World::Step(const Actor& actor) {
  ++steps_;
  ++cycle_;
  object_accesses_.clear();
  woken_.clear();
  dropped_.clear();
  begun_.clear();
  gathered_ = {};
  met_ = 0;
  if (actor.kind == Actor::Kind::kStart) {
    NoteAccess(ObjectOf(kQueue, 0), ObjectAccess::Mode::kWrite);
    if (const std::size_t launch = clusters_.NextLaunch(); launch != 0) {
      NoteAccess(ObjectOf(kTriggers, launch - 1), ObjectAccess::Mode::kPass);
    }
    Change(cycle_);
    LaunchCluster();
  } else if (actor.kind == Actor::Kind::kTransfer) {
    for (std::size_t i = 0; i < flights_.size(); ++i) {
      if (flights_[i]->number == actor.transfer) {
        StepTransfer(i);
        break;
      }
    }
  } else {
    WarpState& state = warps_[actor.unit][actor.warp];
    if (actor.kind == Actor::Kind::kWait) {
      const auto wait = std::find_if(state.waits.begin(), state.waits.end(), [&](const Wait& one) {
        return one.operation.lanes == actor.lanes && one.pc == actor.pc;
      });
      Answer(&state, static_cast<std::size_t>(wait - state.waits.begin()), actor.answer);
    } else {
      state.warp().favoured = actor.lanes & -actor.lanes;
      state.warp().turns = ~0U;
      if (const Group* const group = GroupOf(state, actor.lanes); group != nullptr) {
        NoteVolatile(&state, *group, ActiveOf(state, *group));
      }
      if (IsHeapCall(program_.code[actor.pc])) {
        NoteAccess(ObjectOf(kHeap, 0), ObjectAccess::Mode::kWrite);
      }
      const std::uint32_t live = state.warp().live;
      Run(&state, actor.pc);
      if (observer_ != nullptr && ptx::IsOfWholeWarp(program_.code[actor.pc].op)) {
        ObserveWholeWarp(state, PlaceOf(state, live, actor.pc));
      }
    }
    if (At(actor.unit).core().interpreter().TakeChanged()) {
      Change(cycle_);
    }
    Advance(&state, actor.lanes);
    const Group* const group = GroupOf(state, actor.lanes);
    gathered_.asks = group != nullptr && group->state == Group::State::kAwaitsResource;
    const ptx::Instruction& i = program_.code[actor.pc];
    gathered_.waits =
        actor.kind == Actor::Kind::kLanes && IsBarrier(i) && !IsAligned(i) &&
        std::none_of(gathered_.arrived.begin(), gathered_.arrived.end(), [&](const Place& place) {
          return place.cta == state.warp().cta->linear_id &&
                 place.warp == PlaceOf(state, 0, 0).warp && (place.lanes & actor.lanes) != 0;
        });
  }
  if (Overlap()) {
    EndLaunches();
  }
  if (!starts_are_steps_) {
    LaunchClusters();
  }
}

// Executes the next instruction of the warp.
void World::Run(WarpState* state, std::uint32_t pc) {
  state->pc = pc;
  running_ = state;
  const StepEvent event = At(state->unit).Run(state->warp().slot);
  running_ = nullptr;
  if (event == StepEvent::kBarrier && ending() && gathered_.arrived.empty()) {
    gathered_.arrived.push_back(PlaceOf(*state, state->warp().arrival.lanes, pc));  // refused
  } else if (event == StepEvent::kFault) {
    for (const ptx::Cta* const cta : state->warp().cta->cluster->ctas) {
      NoteAccess(ObjectOf(kCtas, cta->linear_id), ObjectAccess::Mode::kRead);
    }
    if (has_heap_) {
      NoteAccess(ObjectOf(kHeap, 0), ObjectAccess::Mode::kRead);  // it may have been freed
    }
  }
}

bool World::MustStop() {
  constexpr std::uint32_t kAskEach = 4096;  // instructions
  if (++unasked_ >= kAskEach) {
    unasked_ = 0;
    is_stopped_ = stop_ && stop_();
  }
  return is_stopped_;
}

// Lanes that the warp scope has gathered arrive when the warp waits at no other barrier.
void World::TakeDue(WarpState* state) {
  ptx::GoldenMachine& machine = At(state->unit);
  const unsigned warp = state->warp().slot;
  if (machine.due(warp) && state->MayGo() && !ending()) {
    const Group* const group = GroupOf(*state, machine.due(warp)->lanes);
    state->pc = group == nullptr ? state->pc : group->pc;
    machine.TakeDue(warp);
  }
}

std::uint64_t World::ValueOf(const WarpState& state, const Group& group, ptx::Slot slot,
                             unsigned lane) const {
  return ptx::IsLiteral(slot)
             ? program_.literals[ptx::LiteralIndex(slot)]
             : state.warp()
                   .registers[(std::size_t{group.frame} + static_cast<std::uint32_t>(slot)) *
                                  kWarpSize +
                              lane];
}

// Returns the lanes of the group that execute the instruction, by its guard.
std::uint32_t World::ActiveOf(const WarpState& state, const Group& group) const {
  const ptx::Instruction& i = program_.code[group.pc];
  std::uint32_t active = group.lanes;
  if (i.guard != ptx::kNoSlot) {
    ForEachBit(group.lanes, [&](unsigned lane) {
      const bool holds = ValueOf(state, group, i.guard, lane) != 0;
      active &= ~((holds != i.guard_negated ? 0U : 1U) << lane);
    });
  }
  return active;
}

// Tracks values that depend on clocks through the registers of a warp, up to a visible effect.
void World::NoteVolatile(WarpState* state, const Group& group, std::uint32_t active) {
  if (uses_.empty()) {
    return;
  }
  const Uses& uses = uses_[group.pc];
  const ptx::Instruction& i = program_.code[group.pc];
  const auto key = [&](ptx::Slot slot) { return group.frame + static_cast<std::uint32_t>(slot); };
  const bool is_volatile =
      OpClassOf(i) == ptx::OpClass::kVolatile ||
      std::any_of(uses.sources.begin(), uses.sources.end(), [&](ptx::Slot slot) {
        return slot != ptx::kNoSlot && !ptx::IsLiteral(slot) &&
               state->is_volatile.count(key(slot)) != 0;
      });
  if (is_volatile && i.timed) {
    volatile_pcs_.insert(group.pc);
  }
  for (const ptx::Slot slot : uses.results) {
    if (is_volatile) {
      state->is_volatile.insert(key(slot));
    } else if (active == state->warp().live) {
      state->is_volatile.erase(key(slot));
    }
  }
}

// Tells the observer of fences and copy groups, which are no steps of their own.
void World::Observe(const Place& at) {
  const ptx::Instruction& i = program_.code[at.pc];
  if (ptx::IsOfWholeWarp(i.op)) {
    observer_->OnWholeWarp(at);
  }
  if (i.op == Op::kFence) {
    observer_->OnFence(at, i.As<ptx::MemoryFence>());
  } else if (i.op == Op::kCopyGroup) {
    const auto& group = i.As<ptx::CopyGroup>();
    const std::uint64_t left =
        group.groups == ptx::kNoSlot ? 0 : program_.literals[ptx::LiteralIndex(group.groups)];
    observer_->OnCopyGroup(at, group.op, group.bulk, left);
  } else if (i.op == Op::kTensorWait) {
    observer_->OnWarpSync(at, WarpOp::kSync);
  } else if (i.op == Op::kWarpgroupOrder) {
    observer_->OnProductGroup(at, i.As<ptx::WarpgroupOrder>());
  }
}

// Whether the group's next instruction is visible to other actors.
bool World::IsSeen(const WarpState& state, const Group& group) const {
  const ptx::Instruction& i = program_.code[group.pc];
  if (i.guard != ptx::kNoSlot && ActiveOf(state, group) == 0) {
    return false;
  }
  switch (i.op) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kAtomic: {
      const ptx::Address& address = i.op == Op::kLoad    ? i.As<ptx::Load>().address
                                    : i.op == Op::kStore ? i.As<ptx::Store>().address
                                                         : i.As<ptx::AtomicAccess>().address;
      if (address.space != Space::kGeneric) {
        return !IsPrivate(address.space);
      }
      // Compilers access the stack with generic addresses.
      const std::uint64_t base = ValueOf(state, group, address.base, First(group.lanes));
      return !IsPrivateSegment(ptx::SegmentOf(address.From(base)));
    }
    case Op::kBarrier:
    case Op::kClusterBarrier:
    case Op::kTensorAllocation:
    case Op::kTensorAccess:
    case Op::kWarpgroupProduct:
    case Op::kRegisterLimit:
      // At an aligned instruction lanes wait for the rest of their warp.
      return !IsAligned(i) || (ActiveOf(state, group) |
                               (StandingWith(state, group) & ~group.lanes)) == state.warp().live;
    case Op::kCopy:
    case Op::kBulk:
    case Op::kTensor:
    case Op::kTensorReplace:
    case Op::kStoreBulk:
    case Op::kStoreAsync:
    case Op::kMultimem:
    case Op::kTexture:
    case Op::kSurface:
    case Op::kTryCancel:
    case Op::kTensorProduct:
    case Op::kTensorMovement:
    case Op::kTensorCommit:
    case Op::kExit:
    case Op::kRuntime:
      return true;
    case Op::kMbarrier:
      return !IsMbWait(i.As<ptx::Mbarrier>().op);
    case Op::kGridControl:
      return Overlap();
    default:
      return false;
  }
}

// Runs the groups of a warp up to their next visible instruction. `moved`: lanes that have already
// executed an instruction.
void World::Advance(WarpState* state, std::uint32_t moved) {
  TakeDue(state);
  ptx::Warp& warp = state->warp();
  for (unsigned way = 0; !ending() && state->MayGo(); ++way) {
    const auto next = std::find_if(warp.groups.begin(), warp.groups.end(), [&](const Group& group) {
      return group.state == Group::State::kAsleep ||
             (group.state == Group::State::kReady && (group.lanes & state->stuck_at_copies) == 0 &&
              !IsSeen(*state, group));
    });
    if (next == warp.groups.end()) {
      break;
    }
    if (way == kLongestWay || MustStop()) {
      Grid::End(ptx::Outcome::kTimeout);
      return;
    }
    const std::uint32_t pc = next->pc;
    if (next->state == Group::State::kAsleep) {
      cycle_ = std::max(cycle_, next->until);
      At(state->unit).core().interpreter().Wake(&warp, cycle_);
      continue;
    }
    warp.favoured = next->lanes & -next->lanes;
    warp.turns = ~0U;
    const std::uint32_t lanes = next->lanes;
    moved |= lanes;
    const bool awaits = AwaitsTransfers(program_.code[pc]);
    const std::uint32_t active = ActiveOf(*state, *next);
    NoteVolatile(state, *next, active);
    Run(state, pc);
    if (awaits) {
      const Group* const after = GroupOf(*state, lanes);
      state->stuck_at_copies |=
          after != nullptr && after->pc == pc && after->state == Group::State::kReady ? lanes : 0;
    }
    if (observer_ != nullptr && active != 0 && (state->stuck_at_copies & lanes) == 0) {
      Observe(PlaceOf(*state, active, pc));
    }
    TakeDue(state);
  }
  for (const Group& group : warp.groups) {
    if (!ending() && state->MayGo() && group.state == Group::State::kReady &&
        (group.lanes & moved) != 0) {
      NoteSpin(state, group);
    }
  }
}

// Lanes that return to an access in the same state, while nothing has changed, would repeat that
// for ever.
void World::NoteSpin(WarpState* state, const Group& group) {
  const Op op = program_.code[group.pc].op;
  if (op != Op::kLoad && op != Op::kAtomic) {
    return;
  }
  Spin& spin = state->loops[std::uint64_t{group.pc} << 8 | First(group.lanes)];
  if (spin.epoch != epoch_) {
    spin = {epoch_, 0};
    return;
  }
  const ptx::LivelockDetector& livelock = At(state->unit).core().livelock();
  const std::uint64_t now = group.lanes + livelock.StateOfAll(state->warp(), group, group.lanes);
  if (spin.state == now) {
    state->spinning = group.lanes | (state->spun == epoch_ ? state->spinning : 0);
    state->spun = epoch_;
  }
  spin.state = now;
}

// Whether lanes that wait at an mbarrier would only retry, however often they are answered false.
bool World::Retries(const ptx::Core& core, const ptx::Warp& warp, const Group& group,
                    std::uint32_t lanes) {
  std::uint64_t key = (std::uint64_t{group.pc} << 32 | lanes) * kSpread + core.unit();
  key = key * kSpread + core.livelock().StateOfAll(warp, group, lanes);
  const auto [found, fresh] = retries_.try_emplace(key);
  if (fresh) {
    ptx::Interpreter& interpreter = At(core.unit()).core().interpreter();
    found->second = interpreter.WouldReturn(warp, group, lanes) ||
                    interpreter.RetriesForEver(warp, group, lanes);
  }
  return found->second;
}

void World::OnAccess(const ptx::Warp& warp, unsigned lane, const ptx::Instruction& instruction,
                     const ptx::Access& access, const ptx::Cta* owner, std::uint64_t address,
                     bool changed) {
  const unsigned size = Bytes(access.type);
  const std::uint64_t cta = owner == nullptr ? kGlobal : owner->linear_id;
  constexpr std::uint64_t kGranule = 4;
  const bool reads = instruction.op == Op::kLoad;
  const auto mode = reads ? ObjectAccess::Mode::kRead : ObjectAccess::Mode::kWrite;
  for (std::uint64_t at = address / kGranule; at * kGranule < address + size * access.count; ++at) {
    NoteAccess(ObjectOf(cta, at), mode);
  }
  if (owner == nullptr) {
    NoteHeapAccess(address);
  } else if (owner != warp.cta) {
    NoteAccess(ObjectOf(kCtas, cta), ObjectAccess::Mode::kRead);
  }
  if (observer_ == nullptr) {
    return;
  }
  const WarpState& state = warps_[warp.cta->unit][warp.slot];
  const Place at = PlaceOf(state, 1U << lane, state.pc);
  for (unsigned k = 0; k < access.count; ++k) {
    observer_->OnAccess(at, {cta, address + std::uint64_t{k} * size, size},
                        reads || instruction.op == Op::kAtomic ? instruction.op : Op::kStore,
                        access.ordering, changed);
  }
}

}  // namespace muster::explore
