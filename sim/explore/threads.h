// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the threads of a run know of each other: what they learn at barriers and by releases that
// they acquire, and what they publish because of fences. Numbers the events of the run. Knows
// neither memory nor copies, and does not judge what lacks an order.
#ifndef MUSTER_SIM_EXPLORE_THREADS_H_
#define MUSTER_SIM_EXPLORE_THREADS_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/explore/known.h"
#include "sim/explore/observer.h"
#include "sim/explore/shared.h"
#include "sim/isa/bits.h"
#include "sim/ptx/simt/launch.h"

namespace muster::explore {

inline Thread ThreadOf(const Place& at, unsigned lane) {
  return {at.cta, at.warp * kWarpSize + lane};
}

// What a barrier, a phase or a location of memory makes known to those that acquire it.
struct Release {
  std::vector<Published> list;
  Clock must;
};

// A release that an acquire has seen and, because a scope is too small, not taken.
struct Missed {
  Place at;  // of the acquire
  ptx::Scope scope = ptx::Scope::kCta;
  bool of_release = false;  // it is the release's scope that is too small
  Shared<Known> known;
};

class Threads {
 public:
  explicit Threads(const ptx::Launch& launch) : launch_(launch) {}

  // Returns the number of the next event.
  EventNumber NewEvent() { return ++events_; }
  EventNumber latest_event() const { return events_; }
  // Returns a pseudo-thread of the CTA that stands for a barrier in clocks.
  Thread NewPseudo(std::uint64_t cta);

  const Known& KnownOf(const Place& at, unsigned lane) { return *LanesOf(at)[lane].known; }
  // Returns the union of what the lanes know, with their own event.
  Shared<Known> Gather(const Place& at, EventNumber event);
  // Returns the events that must have come before the end of the CTA.
  Clock MustOf(std::uint64_t cta) const;
  // Calls f(known, lanes) for each group of lanes that share what they know.
  template <typename F>
  void ForEachKnown(const Place& at, F f) {
    ForEachState(at, [&](State* state, std::uint32_t lanes) { f(*state->known, lanes); });
  }

  // The lanes learn `news`.
  void Learn(const Place& at, const Shared<Known>& news);
  // The lanes learn that these events have happened.
  void LearnMust(const Place& at, const Clock& must);
  // The lanes learn of these events all that there is to know.
  void LearnAll(const Place& at, const Clock& events);
  // The lane's latest event happened. Returns all that must have, in a clock that the lane shares.
  const Clock& NoteOwn(const Place& at, unsigned lane, EventNumber event);

  void Fence(const Place& at, const ptx::MemoryFence& fence, EventNumber event);
  // Returns what relaxed writes or arrivals of these lanes publish, because of fences before them.
  std::vector<Published> FencesOf(const Place& at);
  // Publishes, with a relaxed write or arrival, what the fences before it have released.
  static void PublishRelaxed(const std::vector<Published>& fences, ptx::Scope scope,
                             Release* release);
  // The lanes learn that all published events must have happened.
  void AcquireMust(const Release& release, const Place& at);
  // The lanes learn what was published: its stores are visible to them, or, of a relaxed read, will
  // be after a fence.
  void Acquire(const Release& release, ptx::Scope scope, bool acquires, const Place& at);
  // Returns a release of the event that one of these lanes has missed; null: there is none.
  const Missed* MissedBy(const Place& at, std::uint32_t lanes, const Thread& thread,
                         EventNumber event) const;

  std::uint64_t ClusterOf(std::uint64_t cta) const;
  // Whether each scope, at its CTA, includes the other CTA.
  bool BothInclude(ptx::Scope of_a, std::uint64_t a, ptx::Scope of_b, std::uint64_t b) const {
    return Includes(of_a, a, b) && Includes(of_b, b, a);
  }

 private:
  // A thread's latest fences, by kind. The thread publishes its own events up to them, too.
  struct Passed {
    EventNumber async_global = 0;
    EventNumber async_shared = 0;
    EventNumber released = 0;
    EventNumber maps = 0;
    EventNumber inits = 0;

    void Note(const Thread& first, std::uint32_t lanes, Known* known) const;
  };
  // The latest releasing fence of a scope, with what the thread knew of others at that point.
  struct Released {
    ptx::Scope scope = ptx::Scope::kSystem;
    Shared<Known> known;
    EventNumber event = 0;
    Passed passed;

    // Returns `known` with the lanes' own events up to the fence.
    Shared<Known> With(const Thread& first, std::uint32_t lanes) const;
  };
  // State that most threads do not need.
  struct Fences {
    std::vector<Released> released;  // what a relaxed write publishes
    std::vector<Published> pending;  // what a fence acquires
    Passed passed;
  };
  // Lanes of a warp that have always executed together share both members.
  struct State {
    Shared<Known> known;  // of the others
    Shared<Fences> fences;

    bool Is(const State& other) const { return known.Is(other.known) && fences.Is(other.fences); }
  };

  State* LanesOf(const Place& at);
  // Calls f(state, lanes) for each group of lanes that share their state.
  template <typename F>
  void ForEachState(const Place& at, F f);
  // Calls f(state, lanes) likewise, and stores the changed state for each of these lanes.
  template <typename F>
  void Teach(const Place& at, F change);
  bool Includes(ptx::Scope scope, std::uint64_t a, std::uint64_t b) const;

  const ptx::Launch& launch_;
  EventNumber events_ = 0;
  std::unordered_map<std::uint64_t, std::vector<State>> states_;  // by CTA
  std::vector<State>* latest_states_ = nullptr;                   // of this one:
  std::uint64_t latest_cta_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> pseudo_;  // by CTA: how many so far
  std::vector<Published> sequential_;                        // by fence.sc
  // The latest of each warp and instruction.
  std::map<std::tuple<std::uint64_t, unsigned, std::uint32_t>, Missed> missed_;
};

template <typename F>
void Threads::ForEachState(const Place& at, F f) {
  State* const states = LanesOf(at);
  for (std::uint32_t rest = at.lanes; rest != 0;) {
    State& first = states[First(rest)];
    std::uint32_t lanes = 0;
    while (rest != 0 && states[First(rest)].Is(first)) {
      lanes |= rest & -rest;
      rest &= rest - 1;
    }
    f(&first, lanes);
  }
}

template <typename F>
void Threads::Teach(const Place& at, F change) {
  State* const states = LanesOf(at);
  ForEachState(at, [&](State* first, std::uint32_t lanes) {
    State state = std::move(*first);
    change(&state, lanes);
    ForEachBit(lanes, [&](unsigned lane) { states[lane] = state; });
  });
}

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_THREADS_H_
