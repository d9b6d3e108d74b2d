// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/barrier_meetings.h"

#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "sim/litmus/barrier_table.h"

namespace muster::litmus {
namespace {

using Kind = Instruction::Kind;
using End = Path::End;

// Tries the arrivals and the exits in all orders. Orders that come to the same meetings are one.
class Search {
 public:
  Search(const Candidate& candidate, const std::vector<std::int64_t>& values)
      : candidate_(candidate), values_(values) {}

  std::vector<Meetings> Find() {
    Visit(State(candidate_.ends().size()));
    return std::move(found_);
  }

 private:
  struct State {
    explicit State(std::size_t threads) : next(threads), exited(threads) {}
    std::vector<std::size_t> next;  // barrier of each thread
    std::vector<bool> exited;
    Set waiting = 0;     // events
    BarrierTable table;  // of events
    // Arrivals that met, of all generations, and the threads whose exits it took.
    std::set<std::pair<Set, Set>> met;
    bool operator<(const State& other) const {
      return std::tie(next, exited, waiting, table, met) <
             std::tie(other.next, other.exited, other.waiting, other.table, other.met);
    }
  };

  void Visit(const State& state) {
    if (!seen_.insert(state).second) {
      return;
    }
    bool moved = false;
    for (unsigned thread = 0; thread < state.next.size(); ++thread) {
      if (IsWaiting(state, thread)) {
        continue;
      }
      if (state.next[thread] < candidate_.barriers(thread).size()) {
        moved = true;
        State next = state;
        Arrive(&next, thread);
        Visit(next);
      } else if (!state.exited[thread] && candidate_.ends()[thread] == End::kEnds) {
        moved = true;
        State next = state;
        next.exited[thread] = true;
        CompleteAll(&next);
        Visit(next);
      }
    }
    if (!moved && AreRightOnesBlocked(state)) {
      Keep(state);
    }
  }

  bool IsWaiting(const State& state, unsigned thread) const {
    return state.next[thread] != 0 &&
           Has(state.waiting, candidate_.barriers(thread)[state.next[thread] - 1].event);
  }

  void Arrive(State* state, unsigned thread) const {
    const BarrierEvent& barrier = candidate_.barriers(thread)[state->next[thread]++];
    const bool waits = candidate_.events()[barrier.event].instruction->kind == Kind::kSync;
    const auto count = barrier.count ? std::optional(values_[*barrier.count]) : std::nullopt;
    state->table.Arrive(candidate_.test(), thread, values_[barrier.number], count, waits,
                        barrier.event);
    if (waits) {
      state->waiting |= Of(barrier.event);
    }
    CompleteAll(state);
  }

  // Completes each barrier at which all have arrived.
  void CompleteAll(State* state) const {
    const auto live = [&](unsigned cta) {
      std::int64_t threads = 0;
      for (unsigned i = 0; i < state->exited.size(); ++i) {
        threads += !state->exited[i] && CtaOf(candidate_.test(), i) == cta ? 1 : 0;
      }
      return threads;
    };
    for (const BarrierTable::Met& met : state->table.Complete(live)) {
      Set exited = 0;
      for (unsigned i = 0; met.for_all && i < state->exited.size(); ++i) {
        const Set first = met.members & -met.members;
        const unsigned thread = candidate_.events()[__builtin_ctzll(first)].thread;
        exited |=
            state->exited[i] && CtaOf(candidate_.test(), i) == CtaOf(candidate_.test(), thread)
                ? Of(i)
                : 0;
      }
      state->met.emplace(met.members, exited);
      state->waiting &= ~met.members;
    }
  }

  bool AreRightOnesBlocked(const State& state) const {
    for (unsigned thread = 0; thread < state.next.size(); ++thread) {
      const bool blocked = candidate_.ends()[thread] == End::kBlocked &&
                           state.next[thread] == candidate_.barriers(thread).size();
      if (IsWaiting(state, thread) != blocked ||
          (candidate_.ends()[thread] == End::kBlocked && !blocked)) {
        return false;
      }
    }
    return true;
  }

  // "A bar.sync or bar.red or bar.arrive operation synchronizes with a bar.sync or bar.red
  // operation executed on the same barrier."
  void Keep(const State& state) {
    if (!kept_.insert(state.met).second) {
      return;
    }
    const auto& events = candidate_.events();
    Meetings meetings{Relation(static_cast<unsigned>(events.size())),
                      std::vector<Set>(events.size())};
    for (const auto& [arrived, exited] : state.met) {
      Set waited = 0;
      ForEach(arrived, [&](unsigned event) {
        waited |= events[event].instruction->kind == Kind::kSync ? Of(event) : 0;
      });
      Set control = 0;
      ForEach(exited, [&](unsigned thread) { control |= candidate_.control(thread); });
      ForEach(arrived,
              [&](unsigned event) { meetings.synchronizes.AddAll(event, waited & ~Of(event)); });
      ForEach(waited, [&](unsigned event) {
        ForEach(candidate_.program_order().After(event),
                [&](unsigned later) { meetings.dependencies[later] |= control; });
      });
    }
    found_.push_back(meetings);
  }

  const Candidate& candidate_;
  const std::vector<std::int64_t>& values_;
  std::set<State> seen_;
  std::set<std::set<std::pair<Set, Set>>> kept_;
  std::vector<Meetings> found_;
};

}  // namespace

std::vector<Meetings> FindMeetings(const Candidate& candidate,
                                   const std::vector<std::int64_t>& values) {
  for (unsigned thread = 0; thread < candidate.ends().size(); ++thread) {
    if (!candidate.barriers(thread).empty()) {
      return Search(candidate, values).Find();
    }
  }
  const std::size_t events = candidate.events().size();
  return {{Relation(static_cast<unsigned>(events)), std::vector<Set>(events)}};
}

}  // namespace muster::litmus
