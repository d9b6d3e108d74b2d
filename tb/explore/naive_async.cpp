// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cassert>

#include "tb/explore/async_program.h"

namespace muster::explore {
namespace {

using Kind = AsyncOperation::Kind;
using Form = AsyncProgram::Form;
using Events = std::uint64_t;  // a set, by index

constexpr unsigned kMostEvents = 64;
constexpr unsigned kCtas = 2;
constexpr int kNobody = -1;
constexpr Events Bit(int event) {
  return event == kNobody ? 0 : Events{1} << static_cast<unsigned>(event);
}

// An operation; what a copy writes; or what a thread goes on with after it has waited.
struct Event {
  Site site;
  unsigned agent = 0;   // the thread, or a copy
  int place = kNobody;  // of an access: the variable and its CTA
  bool writes = false;
  Events before = 0;
};

// What a copy has still to write, or an arrival that has still to come to another CTA.
struct Flight {
  Site site;
  unsigned cta = 0;  // to which it goes
  int issue = kNobody;
  int done = kNobody;
};

struct MbObject {
  unsigned pending = 0;
  long bytes = 0;
  unsigned phase = 0;
  Events arrivals = 0;   // of the current phase
  Events completed = 0;  // of the one before
};

struct State {
  std::vector<unsigned> next;
  std::vector<bool> exited;
  std::vector<bool> waits;                                    // at barrier.cluster
  bool launched = false;                                      // it has let dependents begin
  std::vector<int> last;                                      // event
  std::vector<std::vector<std::size_t>> open;                 // flights of no group, by list
  std::vector<std::vector<std::vector<std::size_t>>> groups;  // flights
  std::vector<std::uint32_t> variables;                       // by variable and CTA
  std::vector<std::uint32_t> read;
  std::array<MbObject, kCtas> mbarriers{};
  Events cluster_arrivals = 0;
  std::vector<Flight> flights;
  std::vector<Event> events;
  bool faulted = false;
};

class Naive {
 public:
  Naive(const AsyncProgram& program, std::uint64_t most, Outcomes* outcomes)
      : program_(program), most_(most), outcomes_(*outcomes) {}

  State Initial() const {
    const std::size_t lists = program_.lists.size();
    State state;
    state.next.assign(lists, 0);
    state.exited.assign(lists, false);
    state.waits.assign(lists, false);
    state.last.assign(lists, kNobody);
    state.open.resize(lists);
    state.groups.resize(lists);
    state.variables.assign(program_.shared.size() * kCtas, 0);
    state.read.assign(WordsOf(program_), kNotRead);
    for (MbObject& object : state.mbarriers) {
      object.pending = program_.arrivals;
    }
    return state;
  }

  void GoOn(const State& state) {
    bool any = false;
    for (unsigned list = 0; list < program_.lists.size() && outcomes_.complete; ++list) {
      if (MayGo(state, list)) {
        any = true;
        State after = state;
        Step(&after, list);
        GoOn(after);
      }
    }
    for (std::size_t i = 0; i < state.flights.size() && outcomes_.complete && !state.faulted; ++i) {
      if (MayLand(state, i)) {
        any = true;
        State after = state;
        Land(&after, i);
        GoOn(after);
      }
    }
    if (!any && outcomes_.complete) {
      outcomes_.complete = ++outcomes_.interleavings <= most_;
      End(state);
    }
  }

 private:
  static constexpr int kLost = -2;

  const AsyncOperation& At(const Site& site) const {
    return program_.lists[site.first].operations[site.second];
  }
  unsigned CtaOf(unsigned list) const { return program_.lists[list].cta; }
  static bool IsFlying(const State& state, std::size_t flight) {
    return state.flights[flight].done == kNobody;
  }
  // A release and an exit wait for the thread's arrivals at other CTAs.
  bool HasSent(const State& state, unsigned list) const {
    for (std::size_t i = 0; i < state.flights.size(); ++i) {
      if (IsFlying(state, i) && state.flights[i].site.first == list &&
          At(state.flights[i].site).kind == Kind::kArriveAtAll) {
        return true;
      }
    }
    return false;
  }
  // Arrivals of a CTA at another one keep their order.
  bool MayLand(const State& state, std::size_t index) const {
    const auto arrives = [&](const Flight& flight) {
      return At(flight.site).kind == Kind::kArriveAtAll;
    };
    const Flight& flight = state.flights[index];
    for (std::size_t i = 0; i < index && arrives(flight); ++i) {
      const Flight& other = state.flights[i];
      if (IsFlying(state, i) && arrives(other) && other.cta == flight.cta &&
          CtaOf(other.site.first) == CtaOf(flight.site.first)) {
        return false;
      }
    }
    return IsFlying(state, index);
  }
  int PlaceOf(unsigned variable, unsigned cta) const {
    return static_cast<int>(variable * kCtas + (program_.shared[variable] ? cta : 0));
  }
  bool HasExited(const State& state, unsigned cta) const {
    for (unsigned list = 0; list < program_.lists.size(); ++list) {
      if (CtaOf(list) == cta && !state.exited[list]) {
        return false;
      }
    }
    return true;
  }

  bool MayGo(const State& state, unsigned list) const {
    if (state.faulted || state.exited[list] || state.waits[list]) {
      return false;
    }
    // A launch begins when a thread of the CTA before has let it, or none is left there.
    if (program_.form == Form::kLaunches && CtaOf(list) == 1 && !state.launched &&
        !HasExited(state, 0)) {
      return false;
    }
    const auto& operations = program_.lists[list].operations;
    if (state.next[list] == operations.size()) {
      return !HasSent(state, list);  // it exits
    }
    const AsyncOperation& next = operations[state.next[list]];
    switch (next.kind) {
      case Kind::kWait:
        return (state.mbarriers[CtaOf(list)].phase & 1) != next.value;
      case Kind::kWaitGroup: {
        const std::vector<std::size_t> awaited = Awaited(state, list, next.value);
        return std::none_of(awaited.begin(), awaited.end(),
                            [&](std::size_t flight) { return IsFlying(state, flight); });
      }
      case Kind::kGridWait:
        return CtaOf(list) == 0 || HasExited(state, 0);
      case Kind::kClusterSync:
        return !HasSent(state, list);
      default:
        return true;
    }
  }

  // The flights of all groups but the latest ones.
  static std::vector<std::size_t> Awaited(const State& state, unsigned list, std::uint32_t latest) {
    std::vector<std::size_t> flights;
    const auto& groups = state.groups[list];
    for (std::size_t i = 0; i + latest < groups.size(); ++i) {
      flights.insert(flights.end(), groups[i].begin(), groups[i].end());
    }
    return flights;
  }

  int Add(State* state, const Site& site, unsigned agent, Events before) const {
    assert(state->events.size() < kMostEvents);
    state->events.push_back({site, agent, kNobody, false, before});
    return static_cast<int>(state->events.size() - 1);
  }

  void Step(State* state, unsigned list) {
    if (state->next[list] == program_.lists[list].operations.size()) {
      Exit(state, list);
      return;
    }
    const Site site{list, state->next[list]++};
    const AsyncOperation& operation = At(site);
    const unsigned cta = CtaOf(list);
    const int event = Add(state, site, list, Bit(state->last[list]));
    state->last[list] = event;
    Event& now = state->events[event];
    switch (operation.kind) {
      case Kind::kLoad:
        now.place = PlaceOf(operation.object, cta);
        state->read[WordOf(program_, site)] = state->variables[now.place];
        break;
      case Kind::kStore:
        now.place = PlaceOf(operation.object, cta);
        now.writes = true;
        state->variables[now.place] = operation.value;
        break;
      case Kind::kCopy:
        state->open[list].push_back(state->flights.size());
        state->flights.push_back({site, cta, event});
        break;
      case Kind::kCommit:
        state->groups[list].push_back(std::move(state->open[list]));
        state->open[list].clear();
        break;
      case Kind::kWaitGroup:
        for (const std::size_t flight : Awaited(*state, list, operation.value)) {
          now.before |= Bit(state->flights[flight].done);
        }
        break;
      case Kind::kMulticast:
        for (unsigned to = 0; to < kCtas; ++to) {
          if ((operation.mask >> to & 1) == 0) {
            continue;
          }
          if (HasExited(*state, to)) {
            Refuse(state, "memory_fault");
            return;
          }
          state->flights.push_back({site, to, event});
        }
        break;
      case Kind::kArrive:
        state->mbarriers[cta].bytes += operation.value;
        Arrive(state, cta, event);
        break;
      case Kind::kArriveAtAll:
        for (unsigned to = 0; to < kCtas; ++to) {
          if ((operation.mask >> to & 1) != 0 && to != cta) {
            state->flights.push_back({site, to, event});
          }
        }
        if ((operation.mask >> cta & 1) != 0) {
          Arrive(state, cta, event);
        }
        break;
      case Kind::kWait:
        now.before |= state->mbarriers[cta].completed;
        break;
      case Kind::kClusterSync:
        state->cluster_arrivals |= Bit(event);
        state->waits[list] = true;
        MeetIfAllAreThere(state);
        break;
      case Kind::kLaunchDependents:
        state->launched = state->launched || cta == 0;
        break;
      case Kind::kGridWait:
        for (std::size_t i = 0; cta == 1 && i < state->events.size(); ++i) {
          if (CtaOf(state->events[i].site.first) == 0) {
            state->events[event].before |= Bit(static_cast<int>(i));
          }
        }
        break;
    }
  }

  void Arrive(State* state, unsigned cta, int event) {
    MbObject& object = state->mbarriers[cta];
    if (object.pending == 0) {
      Refuse(state, "bad_arrive_count");
      return;
    }
    --object.pending;
    object.arrivals |= Bit(event);
    CompleteIfAllIsThere(&object);
  }

  // A copy writes at one CTA, or an arrival comes there.
  void Land(State* state, std::size_t index) {
    const Flight flight = state->flights[index];
    const AsyncOperation& operation = At(flight.site);
    if (operation.kind == Kind::kArriveAtAll) {
      state->flights[index].done = flight.issue;
      if (HasExited(*state, flight.cta)) {
        Refuse(state, "memory_fault");
      } else {
        Arrive(state, flight.cta, flight.issue);
      }
      return;
    }
    constexpr unsigned kFirstCopy = 1000;
    const int event =
        Add(state, flight.site, kFirstCopy + static_cast<unsigned>(index), Bit(flight.issue));
    state->flights[index].done = event;
    Event& now = state->events[event];
    now.place = PlaceOf(operation.object, flight.cta);
    now.writes = true;
    state->variables[now.place] = operation.value;
    if (operation.kind == Kind::kMulticast) {
      MbObject& object = state->mbarriers[flight.cta];
      object.bytes -= kAsyncBytes;
      object.arrivals |= Bit(event);
      CompleteIfAllIsThere(&object);
    }
  }

  void CompleteIfAllIsThere(MbObject* object) const {
    if (object->pending == 0 && object->bytes == 0) {
      object->pending = program_.arrivals;
      ++object->phase;
      object->completed = object->arrivals;
      object->arrivals = 0;
    }
  }

  // All threads that have not exited have arrived.
  void MeetIfAllAreThere(State* state) const {
    for (unsigned list = 0; list < program_.lists.size(); ++list) {
      if (!state->exited[list] && !state->waits[list]) {
        return;
      }
    }
    for (unsigned list = 0; list < program_.lists.size(); ++list) {
      if (state->waits[list]) {
        state->waits[list] = false;
        const Site site = state->events[state->last[list]].site;
        state->last[list] =
            Add(state, site, list, Bit(state->last[list]) | state->cluster_arrivals);
      }
    }
    state->cluster_arrivals = 0;
  }

  void Exit(State* state, unsigned list) {
    state->exited[list] = true;
    const unsigned cta = CtaOf(list);
    if (HasExited(*state, cta)) {
      for (Flight& flight : state->flights) {
        if (flight.done == kNobody && flight.cta == cta) {
          if (CtaOf(flight.site.first) != cta) {
            Refuse(state, "memory_fault");
            return;
          }
          flight.done = kLost;
        }
      }
    }
    MeetIfAllAreThere(state);
  }

  void Refuse(State* state, const char* cause) {
    outcomes_.faults.insert(cause);
    state->faulted = true;
  }

  void End(const State& state) {
    AddRaces(state);
    if (state.faulted) {
      return;
    }
    Words words(WordsOf(program_), 0);
    for (unsigned i = 0; i < program_.shared.size(); ++i) {
      words[i] = program_.shared[i] ? 0 : state.variables[PlaceOf(i, 0)];
    }
    std::copy(state.read.begin() + static_cast<std::ptrdiff_t>(program_.shared.size()),
              state.read.end(),
              words.begin() + static_cast<std::ptrdiff_t>(program_.shared.size()));
    const bool ended =
        std::all_of(state.exited.begin(), state.exited.end(), [](bool e) { return e; });
    outcomes_.deadlock |= !ended;
    (ended ? outcomes_.completed : outcomes_.deadlocked).insert(std::move(words));
  }

  void AddRaces(const State& state) {
    std::vector<Events> before;
    for (std::size_t i = 0; i < state.events.size(); ++i) {
      before.push_back(state.events[i].before);
      for (std::size_t j = 0; j < i; ++j) {
        if ((before[i] & Bit(static_cast<int>(j))) != 0) {
          before[i] |= before[j];
        }
      }
      for (std::size_t j = 0; j < i; ++j) {
        const Event& a = state.events[j];
        const Event& b = state.events[i];
        if ((before[i] & Bit(static_cast<int>(j))) == 0 && a.agent != b.agent &&
            a.place != kNobody && a.place == b.place && (a.writes || b.writes)) {
          outcomes_.races.insert(std::minmax(a.site, b.site));
        }
      }
    }
  }

  const AsyncProgram& program_;
  const std::uint64_t most_;
  Outcomes& outcomes_;
};

}  // namespace

Outcomes EnumerateAll(const AsyncProgram& program, std::uint64_t most) {
  Outcomes outcomes;
  Naive naive(program, most, &outcomes);
  naive.GoOn(naive.Initial());
  return outcomes;
}

}  // namespace muster::explore
