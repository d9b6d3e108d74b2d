// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/follower.h"

#include <algorithm>

#include "sim/explore/trace.h"
#include "sim/isa/bits.h"
#include "sim/ptx/program/op_class.h"

namespace muster::explore {
namespace {

bool IsOfWarp(const Actor& actor) {
  return actor.kind == Actor::Kind::kLanes || actor.kind == Actor::Kind::kWait;
}

}  // namespace

Follower::Follower(World* world, const std::vector<ptx::Turn>& turns, std::size_t needed)
    : world_(*world), needed_(std::min(needed, turns.size())) {
  for (const ptx::Turn& turn : turns) {
    listed_[{turn.cta, turn.warp, turn.pc, turn.what}].push_back(states_.size());
    states_.push_back({turn, turn.lanes});
  }
}

void Follower::Reset() {
  world_.Reset();
  for (State& state : states_) {
    state.left = state.turn.lanes;
  }
  head_ = 0;
  times_.clear();
}

std::uint32_t Follower::TimeOf(const ptx::Turn& turn, unsigned lane) const {
  if (turn.what != ptx::Turn::What::kExecutes) {
    return turn.time;
  }
  const auto found = times_.find({turn.cta, turn.warp, turn.pc, lane});
  return found == times_.end() ? 1 : found->second + 1;
}

// Returns the number of states where the lane's next step there is not listed.
std::size_t Follower::IndexOf(const ptx::Turn& turn, unsigned lane) const {
  const auto found = listed_.find({turn.cta, turn.warp, turn.pc, turn.what});
  if (found == listed_.end()) {
    return states_.size();
  }
  const std::uint32_t time = TimeOf(turn, lane);
  for (const std::size_t index : found->second) {
    const ptx::Turn& one = states_[index].turn;
    if (one.time == time && (one.lanes >> lane & 1) != 0 &&
        (!one.to || !turn.to || one.to == turn.to)) {
      return index;
    }
  }
  return states_.size();
}

// The lanes of the step whose turn it is, or that have none.
std::uint32_t Follower::MayTake(const Actor& actor, const ptx::Turn& turn) const {
  // As at the pins: what takes from a pool and is not listed comes after all takers that are.
  const ptx::Program& program = world_.program();
  const bool takes_later =
      IsOfWarp(actor) && TakesResource(program.code[actor.pc]) &&
      std::any_of(states_.begin() + static_cast<std::ptrdiff_t>(head_),
                  states_.begin() + static_cast<std::ptrdiff_t>(needed_), [&](const State& state) {
                    return state.turn.what == ptx::Turn::What::kExecutes &&
                           TakesResource(program.code[state.turn.pc]);
                  });
  std::uint32_t lanes = 0;
  ForEachBit(IsOfWarp(actor) ? turn.lanes : turn.lanes & (~turn.lanes + 1), [&](unsigned lane) {
    const std::size_t index = IndexOf(turn, lane);
    const bool is_listed = index != states_.size();
    const bool may = head_ >= needed_ || (is_listed ? index <= head_ : !takes_later);
    lanes |= (may ? 1U : 0U) << lane;
  });
  return IsOfWarp(actor) || lanes == 0 ? lanes : turn.lanes;
}

// The actors that may go. Lanes whose turn it is not are split off, as on the unit.
std::vector<Actor> Follower::Allowed(const std::vector<Actor>& enabled) {
  std::vector<Actor> allowed;
  for (const Actor& actor : enabled) {
    const ptx::Turn turn = world_.TurnOf(actor);
    const std::uint32_t lanes = MayTake(actor, turn);
    const std::uint32_t free = lanes | (actor.lanes & ~turn.lanes);
    if (lanes == turn.lanes) {
      allowed.push_back(actor);
    } else if (free != 0 && actor.kind == Actor::Kind::kLanes && (turn.lanes & ~actor.lanes) == 0) {
      world_.Split(actor, free);
      Actor part = actor;
      part.lanes = free;
      allowed.push_back(part);
    }
  }
  return allowed;
}

void Follower::TakeLanes(const ptx::Turn& turn) {
  ForEachBit(turn.lanes, [&](unsigned lane) {
    if (const std::size_t index = IndexOf(turn, lane); index != states_.size()) {
      states_[index].left &= ~(1U << lane);
    }
  });
  while (head_ < needed_ && states_[head_].left == 0) {
    ++head_;
  }
}

void Follower::Take(const Actor& actor) {
  const ptx::Turn turn = world_.TurnOf(actor);
  world_.Step(actor);
  if (world_.gathered().asks) {
    return;
  }
  TakeLanes(turn);
  if (IsOfWarp(actor)) {
    ForEachBit(turn.lanes, [&](unsigned lane) { ++times_[{turn.cta, turn.warp, turn.pc, lane}]; });
  }
}

// Nothing else may go: waits at mbarriers whose turn it is have come, though nothing has answered
// them, as on the unit.
bool Follower::TakeWaits() {
  const std::size_t before = head_;
  for (const Actor& wait : world_.Waiting()) {
    ptx::Turn turn = world_.TurnOf(wait);
    std::uint32_t lanes = 0;
    ForEachBit(turn.lanes,
               [&](unsigned lane) { lanes |= (IndexOf(turn, lane) == head_ ? 1U : 0U) << lane; });
    turn.lanes = lanes;
    TakeLanes(turn);
  }
  return head_ != before;
}

// In every second run some warps are held back for a while.
bool Follower::Run(std::uint64_t seed) {
  constexpr std::uint64_t kMostSteps = 4'000'000;
  constexpr std::uint32_t kOtherOneIn = 64;
  Reset();
  ptx::Random random(seed);
  std::uint64_t behind = random.Next();
  while (world_.steps() < kMostSteps) {
    const std::vector<Actor> enabled = world_.Enabled();
    if (enabled.empty()) {
      break;
    }
    std::vector<Actor> allowed = Allowed(enabled);
    if (allowed.empty()) {
      if (!TakeWaits()) {
        return false;
      }
      continue;
    }
    behind = random.OneIn(kOtherOneIn) ? random.Next() : behind;
    if (seed % 2 == 1) {
      const auto ahead =
          std::stable_partition(allowed.begin(), allowed.end(), [&](const Actor& actor) {
            constexpr unsigned kOfOthers = 63;
            return (behind >> (IsOfWarp(actor) ? actor.warp : kOfOthers) & 1) == 0;
          });
      if (ahead != allowed.begin()) {
        allowed.erase(ahead, allowed.end());
      }
    }
    Take(allowed[random.Below(static_cast<std::uint32_t>(allowed.size()))]);
  }
  return head_ == needed_ || world_.end() == World::End::kFault;
}

bool TakesLanesApart(World* world, const std::vector<ptx::Turn>& turns) {
  constexpr std::uint64_t kMostSteps = 4'000'000;
  world->Reset();
  Trace trace;
  while (world->steps() < kMostSteps && !world->Enabled().empty()) {
    const Actor actor = world->Enabled().front();
    const ptx::Turn turn = world->TurnOf(actor);
    world->Step(actor);
    trace.Add(actor, turn, world->gathered());
  }
  return std::any_of(turns.begin(), turns.end(), [&](const ptx::Turn& wanted) {
    return wanted.what == ptx::Turn::What::kExecutes &&
           std::any_of(trace.turns().begin(), trace.turns().end(), [&](const ptx::Turn& turn) {
             return turn.what == wanted.what && turn.cta == wanted.cta &&
                    turn.warp == wanted.warp && turn.pc == wanted.pc && turn.time == wanted.time &&
                    (turn.lanes & wanted.lanes) != 0 && (turn.lanes & ~wanted.lanes) != 0;
           });
  });
}

}  // namespace muster::explore
