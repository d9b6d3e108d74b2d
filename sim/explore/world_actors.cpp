// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which actors are enabled, and what identifies them.
#include <algorithm>

#include "sim/explore/world.h"
#include "sim/isa/bits.h"
#include "sim/ptx/program/op_class.h"

namespace muster::explore {

const std::vector<Actor>& World::Enabled() {
  if (!started_up_) {
    started_up_ = true;
    if (!starts_are_steps_) {
      LaunchClusters();
    }
  }
  enabled_.clear();
  if (ending()) {
    return enabled_;
  }
  if (starts_are_steps_ && !clusters_.AllBegun() && HasRoom() && LaunchMayBegin()) {
    Actor start;
    start.kind = Actor::Kind::kStart;
    enabled_.push_back(start);
  }
  for (const std::vector<WarpState>& states : warps_) {
    ForEachBit(At(states.front().unit).core().residents().ready,
               [&](unsigned warp) { EnableWarp(states[warp]); });
  }
  EnableTransfers();
  if (enabled_.empty()) {
    Grid::End(clusters_.AllEnded() ? ptx::Outcome::kCompletes : ptx::Outcome::kDeadlock);
  }
  return enabled_;
}

void World::EnableWarp(const WarpState& state) {
  const ptx::Warp& warp = state.warp();
  const ptx::GoldenMachine& machine = At(state.unit);
  const auto add = [&](Actor::Kind kind, std::uint32_t lanes, std::uint32_t pc, bool answer,
                       std::uint64_t object = 0) {
    enabled_.push_back({kind, static_cast<std::uint8_t>(state.unit),
                        static_cast<std::uint8_t>(warp.slot), answer, lanes, pc, 0, object});
  };
  const std::uint32_t idle = (state.spun == epoch_ ? state.spinning : 0) | state.stuck_at_copies;
  for (const ptx::Group& group : state.warp().groups) {
    if (group.state == ptx::Group::State::kReady) {
      if ((group.lanes & idle) == 0 && !IsDraining(state, group.pc)) {
        add(Actor::Kind::kLanes, group.lanes, group.pc, true);
      }
    } else if (group.state == ptx::Group::State::kAligned && group.lanes == state.warp().live &&
               !IsDraining(state, group.pc)) {
      add(Actor::Kind::kLanes, group.lanes, group.pc,
          true);  // the lanes that it lacked have exited
    } else if (group.state == ptx::Group::State::kAwaitsResource &&
               machine.core().interpreter().execution().MayTake(warp, group)) {
      add(Actor::Kind::kLanes, group.lanes, group.pc, true);
    }
  }
  for (const Wait& wait : state.waits) {
    const MbOperation& operation = wait.operation;
    const MbWord word =
        DecodeMbWord(machine.Word(operation.cta, operation.addr), machine.config().report);
    const bool phase =
        operation.asks == MbAsks::kConditional && word.v1 ? word.conditional : word.phase;
    const bool complete =
        phase != operation.phase || machine.core().IsInvalidatedByAnother(operation);
    if (complete || !wait.returns) {
      constexpr unsigned kGranule = 4;
      add(Actor::Kind::kWait, operation.lanes, wait.pc, complete,
          ObjectOf(state.warp().cta->linear_id, operation.addr / kGranule));
      enabled_.back().may_give_up = !wait.returns;
    }
  }
}

// A release or an exit waits for the warp's operations on other CTAs' mbarriers.
bool World::IsDraining(const WarpState& state, std::uint32_t pc) const {
  const ptx::Instruction& i = program_.code[pc];
  const bool releases = i.op == ptx::Op::kClusterBarrier &&
                        i.As<ptx::ClusterBarrier>().op == ptx::ClusterForm::kArrive;
  return (releases || i.op == ptx::Op::kExit) &&
         std::any_of(flights_.begin(), flights_.end(), [&](const auto& flight) {
           return flight->transfer.kind == ptx::Transfer::Kind::kRemote &&
                  flight->transfer.issuer == state.warp().cta &&
                  flight->transfer.warp == state.warp().slot;
         });
}

void World::EnableTransfers() {
  for (const auto& flight : flights_) {
    if (MayStep(*flight)) {
      Actor actor;
      actor.kind = Actor::Kind::kTransfer;
      actor.transfer = flight->number;
      actor.pc = flight->transfer.pc;
      enabled_.push_back(actor);
    }
  }
}

ptx::Turn World::TurnOf(const Flight& flight) const {
  const ptx::Transfer& transfer = flight.transfer;
  const ptx::Instruction& i = program_.code[transfer.pc];
  const bool reads = (transfer.to == nullptr && !transfer.has_read) || ReadsApart(transfer);
  const bool multicast = ptx::IsMulticast(i);
  ptx::Turn turn{flight.cta,        flight.warp_index,
                 LanesOf(transfer), transfer.pc,
                 flight.time,       reads ? ptx::Turn::What::kReads : ptx::Turn::What::kPerforms};
  if (!reads && multicast) {
    turn.to = transfer.to->linear_id;
  }
  return turn;
}

std::vector<ptx::Turn> World::Flying() const {
  std::vector<ptx::Turn> turns = lost_;
  for (const auto& flight : flights_) {
    turns.push_back(TurnOf(*flight));
  }
  return turns;
}

// Lanes that stand at the same aligned barrier arrive there together.
std::uint32_t World::StandingWith(const WarpState& state, const ptx::Group& group) {
  std::uint32_t lanes = group.lanes;
  for (const ptx::Group& other : state.warp().groups) {
    if (other.state == ptx::Group::State::kAligned && other.pc == group.pc &&
        other.frame == group.frame) {
      lanes |= other.lanes;
    }
  }
  return lanes;
}

ptx::Turn World::TurnOf(const Actor& actor) const {
  if (actor.kind == Actor::Kind::kStart) {
    return {clusters_.CtasOf(clusters_.begun()).front(), 0, 1, 0, 1, ptx::Turn::What::kStarts};
  }
  if (actor.kind == Actor::Kind::kTransfer) {
    return TurnOf(*FlightOf(actor));
  }
  const WarpState& state = warps_[actor.unit][actor.warp];
  std::uint32_t lanes = actor.lanes;
  for (const ptx::Group& group : state.warp().groups) {
    if (actor.kind == Actor::Kind::kLanes && group.lanes == actor.lanes) {
      lanes = ActiveOf(state, group);
      lanes |= IsAligned(program_.code[group.pc]) ? StandingWith(state, group) : 0;
    }
  }
  const Place at = PlaceOf(state, lanes, actor.pc);
  return {at.cta, at.warp, at.lanes, at.pc, 1, ptx::Turn::What::kExecutes};
}

std::uint64_t World::ProcessOf(const Actor& actor) const {
  if (actor.kind == Actor::Kind::kStart) {
    return ~std::uint64_t{0};
  }
  if (actor.kind == Actor::Kind::kTransfer) {
    return FlightOf(actor)->process;
  }
  const WarpState& state = warps_[actor.unit][actor.warp];
  return (state.warp().cta->linear_id * launch_.MaxWarps() + PlaceOf(state, 0, 0).warp) *
             kWarpSize +
         First(actor.lanes);
}

const World::Flight* World::FlightOf(const Actor& actor) const {
  return std::find_if(flights_.begin(), flights_.end(),
                      [&](const auto& flight) { return flight->number == actor.transfer; })
      ->get();
}

std::uint64_t World::ClusterOf(const Actor& actor) const {
  switch (actor.kind) {
    case Actor::Kind::kStart:
      return clusters_.begun();
    case Actor::Kind::kTransfer:
      return 0;
    default:
      return clusters_.NumberOf(warps_[actor.unit][actor.warp].warp().cta->cluster->slot);
  }
}

const World::Flight* World::FlightOf(std::uint64_t process) const {
  const auto found = std::find_if(flights_.begin(), flights_.end(),
                                  [&](const auto& flight) { return flight->process == process; });
  return found == flights_.end() ? nullptr : found->get();
}

std::uint64_t World::ChannelOf(std::uint64_t process) const {
  const Flight* const flight = FlightOf(process);
  if (flight == nullptr || flight->transfer.kind != ptx::Transfer::Kind::kRemote) {
    return 0;
  }
  constexpr unsigned kUnitBits = 8;
  return std::uint64_t{flight->unit} << kUnitBits | (flight->transfer.to->unit + 1);
}

std::vector<std::uint64_t> World::FollowedBy(std::uint64_t process) const {
  const Flight* const flight = FlightOf(process);
  return flight == nullptr ? std::vector<std::uint64_t>() : flight->follows;
}

World::End World::end() const {
  switch (outcome()) {
    case ptx::Outcome::kCompletes:
      return End::kCompletes;
    case ptx::Outcome::kDeadlock:
      return End::kDeadlock;
    case ptx::Outcome::kTimeout:
      return ending() && !is_stopped_ ? End::kEndless : End::kNone;
    default:
      return End::kFault;
  }
}

std::string World::Ending() const {
  switch (end()) {
    case End::kCompletes:
      return "completes";
    case End::kDeadlock:
      return "deadlock";
    case End::kFault: {
      const std::string& name = faults().front().name;
      return outcome() == ptx::Outcome::kFault ? "fault:" + name : name;
    }
    default:
      return "timeout";
  }
}

std::vector<Actor> World::Waiting() const {
  std::vector<Actor> waiting;
  constexpr unsigned kGranule = 4;
  for (const std::vector<WarpState>& states : warps_) {
    for (const WarpState& state : states) {
      for (std::size_t i = 0; state.exists() && i < state.waits.size(); ++i) {
        const Wait& wait = state.waits[i];
        waiting.push_back({Actor::Kind::kWait, static_cast<std::uint8_t>(state.unit),
                           static_cast<std::uint8_t>(state.warp().slot), false,
                           wait.operation.lanes, wait.pc, 0,
                           ObjectOf(state.warp().cta->linear_id, wait.operation.addr / kGranule)});
      }
    }
  }
  return waiting;
}

void World::Split(const Actor& actor, std::uint32_t lanes) {
  ptx::Warp& warp = warps_[actor.unit][actor.warp].warp();
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    ptx::Group& group = warp.groups[i];
    if (group.lanes == actor.lanes && group.state == ptx::Group::State::kReady &&
        (group.lanes & ~lanes) != 0) {
      ptx::Group apart = group;
      apart.lanes &= lanes;
      group.lanes &= ~lanes;
      warp.groups.push_back(apart);
      return;
    }
  }
}

std::vector<Place> World::Next() const {
  std::vector<Place> places;
  for (const std::vector<WarpState>& states : warps_) {
    for (const WarpState& state : states) {
      for (std::size_t i = 0;
           state.exists() && !state.IsAtBarrier() && i < state.warp().groups.size(); ++i) {
        const ptx::Group& group = state.warp().groups[i];
        // After a fault, lanes may stand at an instruction that is not visible.
        if (group.state == ptx::Group::State::kAsked ||
            group.state == ptx::Group::State::kAwaitsResource ||
            (group.state == ptx::Group::State::kReady && IsSeen(state, group))) {
          places.push_back(PlaceOf(state, ActiveOf(state, group), group.pc));
        }
      }
    }
  }
  return places;
}

std::vector<Place> World::Standing() const {
  std::vector<Place> places;
  for (const std::vector<WarpState>& states : warps_) {
    for (const WarpState& state : states) {
      for (std::size_t i = 0; state.exists() && i < state.warp().groups.size(); ++i) {
        const ptx::Group& group = state.warp().groups[i];
        // Lanes at a barrier already have the pc of the next instruction, but still wait.
        const std::uint32_t waiting = group.lanes & (state.slot->phase == ptx::WarpPhase::kWaiting
                                                         ? state.warp().arrival.lanes
                                                         : state.slot->in_cluster);
        if (waiting != 0) {
          places.push_back(PlaceOf(state, waiting, state.pc));
        }
        if (waiting != group.lanes) {
          places.push_back(PlaceOf(state, group.lanes & ~waiting, group.pc));
        }
      }
    }
  }
  return places;
}

// The unit and the slot of a resident CTA.
std::optional<std::pair<unsigned, unsigned>> World::SlotOf(std::uint64_t cta) const {
  for (unsigned unit = 0; unit < units(); ++unit) {
    const std::vector<ptx::CtaSlot>& ctas = At(unit).core().residents().ctas;
    for (unsigned slot = 0; slot < ctas.size(); ++slot) {
      if (ctas[slot].taken && !ctas[slot].ended && ctas[slot].cta.linear_id == cta) {
        return std::pair(unit, slot);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> World::WordAt(std::uint64_t cta, std::uint32_t address) const {
  const auto slot = SlotOf(cta);
  return slot ? std::optional(At(slot->first).Word(slot->second, address)) : std::nullopt;
}

std::optional<unsigned> World::ArrivedAt(std::uint64_t cta, unsigned barrier) const {
  const auto slot = SlotOf(cta);
  if (!slot) {
    return std::nullopt;
  }
  const ptx::BarrierArrivals& arrivals = At(slot->first).core().barriers();
  return static_cast<unsigned>(arrivals.At(slot->second, barrier).members.size());
}

Place World::PlaceOf(const WarpState& state, std::uint32_t lanes, std::uint32_t pc) {
  return {state.warp().cta->linear_id, state.warp().first_thread / kWarpSize, lanes, pc};
}

ptx::Group* World::GroupOf(const WarpState& state, std::uint32_t lanes) {
  for (ptx::Group& group : state.warp().groups) {
    if ((group.lanes & lanes) != 0) {
      return &group;
    }
  }
  return nullptr;
}

}  // namespace muster::explore
