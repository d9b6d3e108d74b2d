// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/state_search.h"

#include <algorithm>

#include "sim/explore/trace.h"
#include "sim/isa/bits.h"
#include "sim/ptx/simt/random.h"

namespace muster::explore {
namespace {

constexpr std::uint64_t kMostSteps = 1'000'000;  // of an order

// One order. Returns its turns.
Trace TakeOrder(World* world, const HungState& state, std::uint64_t seed,
                const std::function<bool()>& stop) {
  constexpr std::uint64_t kFreeOneIn = 4;     // orders that are random throughout
  constexpr std::uint32_t kAnyoneOneIn = 32;  // steps of the others
  constexpr std::uint64_t kAskEach = 1024;    // steps
  Trace trace;
  world->Reset();
  ptx::Random random(seed);
  while (world->steps() < kMostSteps && (world->steps() % kAskEach != 0 || !stop())) {
    const std::vector<Actor>& enabled = world->Enabled();
    if (enabled.empty()) {
      break;
    }
    std::vector<Actor> others;
    for (const Actor& actor : enabled) {
      const bool is_of_warp = actor.kind == Actor::Kind::kLanes || actor.kind == Actor::Kind::kWait;
      const ptx::Turn turn = is_of_warp ? world->TurnOf(actor) : ptx::Turn{};
      if (!is_of_warp || !state.Has({turn.cta, turn.warp, turn.lanes, turn.pc})) {
        others.push_back(actor);
      }
    }
    const bool any = others.empty() || seed % kFreeOneIn == 0 || random.OneIn(kAnyoneOneIn);
    const std::vector<Actor>& from = any ? enabled : others;
    const Actor actor = from[random.Below(static_cast<std::uint32_t>(from.size()))];
    const ptx::Turn turn = world->TurnOf(actor);
    world->Step(actor);
    trace.Add(actor, turn, world->gathered());
  }
  return trace;
}

}  // namespace

bool HungState::Has(const Place& place) const {
  bool all = true;
  ForEachBit(place.lanes, [&](unsigned lane) {
    const auto found = lanes.find({place.cta, place.warp, lane});
    all = all && found != lanes.end() &&
          std::find(found->second.begin(), found->second.end(), place.pc) != found->second.end();
  });
  return all;
}

bool HungState::HoldsThreadsOf(const World& world) const {
  std::size_t standing = 0;
  for (const Place& place : world.Standing()) {
    if (!Has(place)) {
      return false;
    }
    standing += static_cast<std::size_t>(__builtin_popcount(place.lanes));
  }
  return standing == lanes.size();
}

bool HungState::HoldsBarriersOf(const World& world) const {
  return std::all_of(
             words.begin(), words.end(),
             [&](const Word& word) { return world.WordAt(word.cta, word.address) == word.bits; }) &&
         std::all_of(barriers.begin(), barriers.end(), [&](const Barrier& barrier) {
           return world.ArrivedAt(barrier.cta, barrier.id) == barrier.arrived;
         });
}

StateSearch SearchState(World* world, const HungState& state, std::uint64_t seed,
                        std::uint64_t orders, const std::function<bool()>& stop) {
  StateSearch search;
  World::Stop former = world->set_stop(stop);
  while (search.orders < orders && (search.orders == 0 || !stop())) {
    const Trace trace = TakeOrder(world, state, seed + search.orders, stop);
    ++search.orders;
    if (world->end() != World::End::kDeadlock || !state.HoldsThreadsOf(*world)) {
      continue;
    }
    if (!state.HoldsBarriersOf(*world)) {
      ++search.near;
      continue;
    }
    Finding& finding = search.found.emplace();
    finding.what.kind = Kind::kDeadlock;
    finding.ending = world->Ending();
    finding.is_bad = true;
    finding.needed = trace.turns().size();
    finding.turns = trace.WithNext(*world);
    finding.standing = world->Standing();
    break;
  }
  world->set_stop(std::move(former));
  return search;
}

}  // namespace muster::explore
