// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/world.h"

#include <algorithm>

#include "sim/explore/world_unit.h"
#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/ptx/program/address.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/program/registers.h"

namespace muster::explore {
namespace {

using ptx::Group;
using ptx::Interpreter;
using ptx::Op;
using ptx::Space;

// Instructions of one group of lanes without a visible step, after which its loop counts as
// endless.
constexpr unsigned kLongestWay = 1U << 20;

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
    : config_(config),
      program_(program),
      launch_(launch),
      initial_(memory),
      clusters_(launch, config.num_ctas),
      starts_are_steps_(
          Has(program, [](const ptx::Instruction& i) { return i.op == Op::kTryCancel; })),
      has_heap_(Has(program, IsHeapCall)) {
  for (unsigned rank = 0; rank < launch.ClusterCtas(); ++rank) {
    units_.push_back(std::make_unique<Unit>(this, rank));
  }
  if (Has(program, [](const ptx::Instruction& i) { return i.timed; })) {
    for (const ptx::Instruction& i : program.code) {
      uses_.push_back({SourcesOf(i), ResultsOf(i)});
      uses_.back().sources.push_back(i.guard);
    }
  }
  Reset();
}

World::~World() = default;

void World::Reset() {
  memory_ = initial_;
  printed_ = {};
  for (const auto& unit : units_) {
    unit->Reset();
  }
  clusters_.Reset();
  cluster_scope_ = golden::ClusterScope();
  ClusterLife grid;
  grid.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(launch_.Ctas(), ~0U));
  cluster_scope_.Step(grid);
  flights_.clear();
  next_flight_ = 1;
  started_.clear();
  times_.clear();
  latest_arrivals_.clear();
  lost_.clear();
  enabled_.clear();
  epoch_ = 1;
  steps_ = 0;
  cycle_ = 0;
  started_up_ = false;
  end_ = End::kNone;
  fault_.clear();
  hazards_.clear();
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
  gathered_.waits = false;
  gathered_.arrived.clear();
  if (actor.kind == Actor::Kind::kStart) {
    NoteAccess(ObjectOf(kQueue, 0), ObjectAccess::Mode::kWrite);
    Change();
    LaunchCluster();
  } else if (actor.kind == Actor::Kind::kTransfer) {
    for (std::size_t i = 0; i < flights_.size(); ++i) {
      if (flights_[i]->number == actor.transfer) {
        StepTransfer(i);
        break;
      }
    }
  } else {
    Unit& unit = *units_[actor.unit];
    WarpState& state = unit.warps[actor.warp];
    if (actor.kind == Actor::Kind::kWait) {
      const auto wait = std::find_if(state.waits.begin(), state.waits.end(), [&](const Wait& one) {
        return one.operation.lanes == actor.lanes && one.pc == actor.pc;
      });
      Answer(&unit, &state, static_cast<std::size_t>(wait - state.waits.begin()), actor.answer);
    } else {
      state.warp.favoured = actor.lanes & -actor.lanes;
      state.warp.turns = ~0U;
      if (ptx::Group* const group = GroupOf(&state, actor.lanes); group != nullptr) {
        NoteVolatile(&state, *group, ActiveOf(state, *group));
      }
      here_ = PlaceOf(state, actor.lanes, actor.pc);
      if (IsHeapCall(program_.code[actor.pc])) {
        NoteAccess(ObjectOf(kHeap, 0), ObjectAccess::Mode::kWrite);
      }
      Handle(&unit, &state, unit.interpreter.Step(&state.warp, cycle_), actor.pc);
    }
    if (unit.interpreter.TakeChanged()) {
      Change();
    }
    Advance(&unit, &state, actor.lanes);
    const ptx::Instruction& i = program_.code[actor.pc];
    gathered_.waits =
        actor.kind == Actor::Kind::kLanes && IsBarrier(i) && !IsAligned(i) &&
        std::none_of(gathered_.arrived.begin(), gathered_.arrived.end(), [&](const Place& place) {
          return place.cta == state.warp.cta->linear_id && place.warp == state.index &&
                 (place.lanes & actor.lanes) != 0;
        });
  }
  if (!starts_are_steps_ && end_ == End::kNone && !clusters_.AllBegun()) {
    LaunchClusters();
  }
}

std::uint64_t World::ValueOf(const WarpState& state, const Group& group, ptx::Slot slot,
                             unsigned lane) const {
  return ptx::IsLiteral(slot)
             ? program_.literals[ptx::LiteralIndex(slot)]
             : state.warp.registers[(std::size_t{group.frame} + static_cast<std::uint32_t>(slot)) *
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
    } else if (active == state->warp.live) {
      state->is_volatile.erase(key(slot));
    }
  }
}

// Tells the observer of fences and copy groups, which are no steps of their own.
void World::Observe(const Place& at) {
  const ptx::Instruction& i = program_.code[at.pc];
  if (i.op == Op::kFence) {
    observer_->OnFence(at, i.As<ptx::MemoryFence>());
  } else if (i.op == Op::kCopyGroup) {
    const auto& group = i.As<ptx::CopyGroup>();
    const std::uint64_t left =
        group.groups == ptx::kNoSlot ? 0 : program_.literals[ptx::LiteralIndex(group.groups)];
    observer_->OnCopyGroup(at, group.op, group.bulk, left);
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
      // At an aligned barrier lanes wait for the rest of their warp.
      return !IsAligned(i) || (ActiveOf(state, group) |
                               (StandingWith(state, group) & ~group.lanes)) == state.warp.live;
    case Op::kCopy:
    case Op::kBulk:
    case Op::kTensor:
    case Op::kTensorReplace:
    case Op::kStoreAsync:
    case Op::kTryCancel:
    case Op::kExit:
    case Op::kRuntime:
      return true;
    case Op::kMbarrier:
      return !IsMbWait(i.As<ptx::Mbarrier>().op);
    default:
      return false;
  }
}

// Runs the groups of a warp up to their next visible instruction. `moved`: lanes that have already
// executed an instruction.
void World::Advance(Unit* unit, WarpState* state, std::uint32_t moved) {
  TakeDue(unit, state);
  for (unsigned way = 0; end_ == End::kNone && MayGo(*state); ++way) {
    const auto next =
        std::find_if(state->warp.groups.begin(), state->warp.groups.end(), [&](const Group& group) {
          return group.state == Group::State::kAsleep ||
                 (group.state == Group::State::kReady &&
                  (group.lanes & state->stuck_at_copies) == 0 && !IsSeen(*state, group));
        });
    if (next == state->warp.groups.end()) {
      break;
    }
    if (way == kLongestWay) {
      end_ = End::kEndless;
      return;
    }
    const std::uint32_t pc = next->pc;
    if (next->state == Group::State::kAsleep) {
      cycle_ = std::max(cycle_, next->until);
      unit->interpreter.Wake(&state->warp, cycle_);
      continue;
    }
    state->warp.favoured = next->lanes & -next->lanes;
    state->warp.turns = ~0U;
    const std::uint32_t lanes = next->lanes;
    moved |= lanes;
    const Op op = program_.code[pc].op;
    const Group before = *next;
    const std::uint32_t active = ActiveOf(*state, before);
    NoteVolatile(state, before, active);
    here_ = PlaceOf(*state, active, pc);
    const Interpreter::Event event = unit->interpreter.Step(&state->warp, cycle_);
    if (op == Op::kCopyGroup) {
      const Group* const after = GroupOf(state, lanes);
      state->stuck_at_copies |= after != nullptr && after->pc == pc ? lanes : 0;
    }
    if (observer_ != nullptr && active != 0 && (state->stuck_at_copies & lanes) == 0) {
      Observe(PlaceOf(*state, active, pc));
    }
    Handle(unit, state, event, pc);
    TakeDue(unit, state);
  }
  for (const Group& group : state->warp.groups) {
    if (end_ == End::kNone && MayGo(*state) && group.state == Group::State::kReady &&
        (group.lanes & moved) != 0) {
      NoteSpin(unit, state, group);
    }
  }
}

// Lanes that return to an access in the same state, while nothing has changed, would repeat that
// for ever.
void World::NoteSpin(Unit* unit, WarpState* state, const Group& group) {
  const Op op = program_.code[group.pc].op;
  if (op != Op::kLoad && op != Op::kAtomic) {
    return;
  }
  Spin& spin = state->loops[std::uint64_t{group.pc} << 8 | First(group.lanes)];
  if (spin.epoch != epoch_) {
    spin = {epoch_, 0};
    return;
  }
  std::uint64_t now = group.lanes | 1ULL << 63;
  ForEachBit(group.lanes, [&](unsigned lane) {
    now = now * 0x9e3779b97f4a7c15U + unit->livelock.StateOf(state->warp, group, lane);
  });
  if (spin.state == now) {
    state->spinning = group.lanes | (state->spun == epoch_ ? state->spinning : 0);
    state->spun = epoch_;
  }
  spin.state = now;
}

void World::Fault(std::string cause, const Place& at) {
  if (end_ == End::kNone) {
    end_ = End::kFault;
    fault_ = std::move(cause);
    fault_at_ = at;
  }
}

void World::Hazards(std::uint32_t hazards, const Place& at) {
  const std::uint32_t line = program_.code[at.pc].line;
  ForEachBit(hazards, [&](unsigned bit) {
    HazardMet& met = hazards_[{Name(static_cast<Hazard>(bit)), line}];
    met.first = met.count == 0 ? at : met.first;
    ++met.count;
  });
}

// Notes an access to memory that free may remove.
void World::NoteHeapAccess(std::uint64_t address) {
  if (has_heap_ && ptx::SegmentOf(address) >= initial_.segments()) {
    NoteAccess(ObjectOf(kHeap, 0), ObjectAccess::Mode::kRead);
  }
}

void World::OnAccess(const ptx::Warp& warp, unsigned lane, const ptx::Instruction& instruction,
                     const ptx::Access& access, const ptx::Cta* owner, std::uint64_t address,
                     bool changed) {
  const unsigned size = Bytes(access.type);
  const std::uint64_t cta = owner == nullptr ? kGlobal : owner->linear_id;
  constexpr std::uint64_t kGranule = 4;
  const auto mode =
      instruction.op == Op::kLoad ? ObjectAccess::Mode::kRead : ObjectAccess::Mode::kWrite;
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
  const WarpState& state = units_[warp.cta->rank]->warps[warp.slot];
  const Place at = PlaceOf(state, 1U << lane, here_.pc);
  for (unsigned k = 0; k < access.count; ++k) {
    observer_->OnAccess(at, {cta, address + std::uint64_t{k} * size, size},
                        instruction.op == Op::kTensorReplace ? Op::kStore : instruction.op,
                        access.ordering, changed);
  }
}

}  // namespace muster::explore
