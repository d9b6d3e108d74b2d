// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/trace.h"

#include <algorithm>

#include "sim/isa/bits.h"

namespace muster::explore {

void Trace::Add(const Actor& actor, const ptx::Turn& turn, const Gathered& gathered) {
  first_.push_back(all_.size());
  if (gathered.asks) {
    return;
  }
  if (actor.kind == Actor::Kind::kTransfer || actor.kind == Actor::Kind::kStart) {
    all_.push_back(turn);
  } else {
    auto& times = times_[{turn.cta, turn.warp, turn.pc}];
    ForEachBit(turn.lanes, [&](unsigned lane) { ++times[lane]; });
    // Lanes with different execution counts of the instruction are turns of their own.
    for (std::uint32_t rest = turn.lanes; rest != 0;) {
      ptx::Turn part = turn;
      part.time = times[First(rest)];
      part.lanes = 0;
      ForEachBit(
          rest, [&](unsigned lane) { part.lanes |= (times[lane] == part.time ? 1U : 0U) << lane; });
      rest &= ~part.lanes;
      all_.push_back(part);
    }
  }
  // Turns of lanes that waited come just before the turn that completes the warp's arrival.
  const auto arrives = [&](const ptx::Turn& one) {
    return std::any_of(gathered.arrived.begin(), gathered.arrived.end(), [&](const Place& place) {
      return place.cta == one.cta && place.warp == one.warp && (place.lanes & one.lanes) != 0;
    });
  };
  const auto still = std::stable_partition(waiting_.begin(), waiting_.end(),
                                           [&](const ptx::Turn& one) { return !arrives(one); });
  const auto own = all_.begin() + static_cast<std::ptrdiff_t>(first_.back());
  const bool own_first = !gathered.arrived.empty() && std::none_of(own, all_.end(), arrives);
  if (own_first) {  // the other lanes arrive because these have exited
    turns_.insert(turns_.end(), own, all_.end());
  }
  turns_.insert(turns_.end(), still, waiting_.end());
  waiting_.erase(still, waiting_.end());
  if (!own_first) {
    std::vector<ptx::Turn>& list = gathered.waits ? waiting_ : turns_;
    list.insert(list.end(), own, all_.end());
  }
}

std::vector<ptx::Turn> Trace::WithNext(const World& world) const {
  Trace all = *this;
  all.turns_.insert(all.turns_.end(), waiting_.begin(), waiting_.end());
  for (const Place& place : world.Next()) {
    all.Add({}, {place.cta, place.warp, place.lanes, place.pc, 1, ptx::Turn::What::kExecutes}, {});
  }
  const std::vector<ptx::Turn> flying = world.Flying();
  all.turns_.insert(all.turns_.end(), flying.begin(), flying.end());
  return all.turns_;
}

ptx::Turn Trace::At(std::uint64_t step, unsigned lane) const {
  const std::size_t end = step < first_.size() ? first_[step] : all_.size();
  for (std::size_t i = first_[step - 1]; i < end; ++i) {
    if ((all_[i].lanes >> lane & 1) != 0) {
      ptx::Turn turn = all_[i];
      turn.lanes = 1U << lane;
      return turn;
    }
  }
  return all_[first_[step - 1]];
}

std::uint32_t Trace::Times(const ptx::Turn& turn, unsigned lane) const {
  const auto found = times_.find({turn.cta, turn.warp, turn.pc});
  return found == times_.end() ? 0 : found->second[lane];
}

}  // namespace muster::explore
