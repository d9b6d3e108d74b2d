// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/explore/naive.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace muster::explore {
namespace {

using Kind = Operation::Kind;

constexpr int kNobody = -1;
constexpr std::size_t kLanesApart = 2;
constexpr unsigned kMostEvents = 2 * kMostWarps * kMostOperations;  // a sync has two
static_assert(kMostEvents <= 64);
using Events = std::uint64_t;  // a set, by index
constexpr Events Bit(int event) {
  return event == kNobody ? 0 : Events{1} << static_cast<unsigned>(event);
}

// An operation, or the release of a warp or lane after a sync.
struct Event {
  Site site;
  int observed = kNobody;  // the write whose value it reads
};

struct Variable {
  std::uint32_t value = 0;
  int writer = kNobody;
};

struct NamedBarrier {
  std::uint32_t threads = 0;  // as the first arrival says
  unsigned arrived = 0;       // warps
  Events arrivals = 0;
  std::array<bool, kMostWarps> waits{};
};

struct MbObject {
  unsigned pending = 0;
  unsigned phase = 0;
  Events arrivals = 0;   // of the current phase
  Events completed = 0;  // of the preceding one
};

struct State {
  std::array<unsigned, kMostWarps> next{};
  std::array<bool, kMostWarps> waits{};  // at a named barrier
  std::array<bool, kMostWarps> exited{};
  std::array<int, kMostWarps> last{};  // event
  std::array<Variable, kMostObjects> variables{};
  std::array<NamedBarrier, kMostObjects + 1> barriers{};
  // Of the two lanes of a warp: at bar.warp.sync, and that have come to a named barrier, to which
  // their warp arrives when both have come.
  NamedBarrier lanes;
  std::array<int, kLanesApart> gathered{kNobody, kNobody};
  std::array<MbObject, kMostObjects> mbarriers{};
  std::array<std::uint32_t, std::size_t{kMostWarps} * kMostOperations> read{};
  std::array<Event, kMostEvents> events{};
  std::array<Events, kMostEvents> before{};  // program order and what synchronizes, event by event
  unsigned num_events = 0;
  bool faulted = false;
};

class Naive {
 public:
  Naive(const SmallProgram& program, Outcomes* outcomes) : program_(program), outcomes_(*outcomes) {
    assert(program.warps.size() <= kMostWarps && program.shared.size() <= kMostObjects &&
           program.expected.size() <= kMostObjects);
    for (const auto& warp : program.warps) {
      assert(warp.size() <= kMostOperations);
      for (const Operation& operation : warp) {
        const bool is_named = operation.kind == Kind::kSync || operation.kind == Kind::kArrive;
        exits_matter_ |= (is_named && (operation.value == 0 || program.lanes_apart)) ||
                         operation.kind == Kind::kWarpSync;
      }
    }
  }

  State Initial() const {
    State state;
    state.last.fill(kNobody);
    state.read.fill(kNotRead);
    for (std::size_t i = 0; i < program_.expected.size(); ++i) {
      state.mbarriers[i].pending = program_.expected[i];
    }
    return state;
  }

  void GoOn(const State& state, std::uint64_t most) {
    bool any = false;
    for (unsigned warp = 0; warp < program_.warps.size() && outcomes_.complete; ++warp) {
      if (MayGo(state, warp)) {
        any = true;
        State after = state;
        Step(&after, warp);
        GoOn(after, most);
      }
    }
    if (!any && outcomes_.complete) {
      outcomes_.complete = ++outcomes_.interleavings <= most;
      End(state);
    }
  }

  bool MayGo(const State& state, unsigned warp) const {
    if (state.faulted || state.waits[warp] || state.exited[warp]) {
      return false;
    }
    if (state.next[warp] == program_.warps[warp].size()) {
      return exits_matter_;
    }
    // try_wait.parity answers true if the phase with that parity is the immediately preceding one.
    const Operation& next = program_.warps[warp][state.next[warp]];
    return next.kind != Kind::kMbWait || (state.mbarriers[next.object].phase & 1) != next.value;
  }

  void Step(State* state, unsigned warp) {
    if (state->next[warp] == program_.warps[warp].size()) {
      Exit(state, warp);
      return;
    }
    const Site site{warp, state->next[warp]++};
    const Operation& operation = At(site);
    if (operation.kind == Kind::kExit) {
      state->next[warp] = static_cast<unsigned>(program_.warps[warp].size());
      Exit(state, warp);
      return;
    }
    const int event = Add(state, site);
    switch (operation.kind) {
      case Kind::kSync:
      case Kind::kArrive:
        if (program_.lanes_apart && warp < kLanesApart) {
          if (state->lanes.arrived != 0) {
            Refuse(state, "mask_mismatch");
            break;
          }
          if (IsElsewhere(*state, warp, operation)) {
            Refuse(state, "barrier_mismatch");
            break;
          }
          state->waits[warp] = true;
          state->gathered[warp] = event;
          Gather(state);
        } else {
          Arrive(state, {event});
        }
        break;
      case Kind::kWarpSync:
        if (state->gathered[0] != kNobody || state->gathered[1] != kNobody) {
          Refuse(state, "mask_mismatch");  // the lanes wait for each other
          break;
        }
        state->waits[warp] = state->lanes.waits[warp] = true;
        ++state->lanes.arrived;
        state->lanes.arrivals |= Bit(event);
        MeetIfAllAreThere(state);
        break;
      case Kind::kMbArrive: {
        MbObject& object = state->mbarriers[operation.object];
        object.arrivals |= Bit(event);
        if (--object.pending == 0) {
          object.pending = program_.expected[operation.object];
          ++object.phase;
          object.completed = object.arrivals;
          object.arrivals = 0;
        }
        break;
      }
      case Kind::kMbWait:
        state->before[event] |= state->mbarriers[operation.object].completed;
        break;
      default:
        Access(state, event, operation);
    }
  }

  void End(const State& state) {
    AddRaces(state);
    if (state.faulted) {
      return;
    }
    bool ended = true;
    for (unsigned warp = 0; warp < program_.warps.size(); ++warp) {
      ended &= state.exited[warp] ||
               (!state.waits[warp] && state.next[warp] == program_.warps[warp].size());
    }
    Words words(WordsOf(program_), 0);
    for (std::size_t i = 0; i < program_.shared.size(); ++i) {
      words[i] = program_.shared[i] ? 0 : state.variables[i].value;
    }
    std::copy_n(state.read.begin(), words.size() - program_.shared.size(),
                words.begin() + static_cast<std::ptrdiff_t>(program_.shared.size()));
    outcomes_.deadlock |= !ended;
    (ended ? outcomes_.completed : outcomes_.deadlocked).insert(std::move(words));
  }

  void AddRaces(const State& state) {
    // The relation's closure: what precedes an event has a lower index.
    std::array<Events, kMostEvents> before = state.before;
    for (unsigned i = 0; i < state.num_events; ++i) {
      for (unsigned j = 0; j < i; ++j) {
        if ((before[i] & Bit(static_cast<int>(j))) != 0) {
          before[i] |= before[j];
        }
      }
    }
    for (unsigned i = 0; i < state.num_events; ++i) {
      for (unsigned j = 0; j < i; ++j) {
        const Site& a = state.events[j].site;
        const Site& b = state.events[i].site;
        if ((before[i] & Bit(static_cast<int>(j))) == 0 && Conflict(a, b)) {
          outcomes_.races.insert(std::minmax(a, b));
        }
      }
    }
  }

 private:
  const Operation& At(const Site& site) const { return program_.warps[site.first][site.second]; }

  // Whether two accesses race: they are of two warps, at one variable, at least one writes, and
  // they are not morally strong. All threads are of one CTA, which every scope includes.
  bool Conflict(const Site& a, const Site& b) const {
    return a.first != b.first && IsAccess(At(a)) && IsAccess(At(b)) &&
           At(a).object == At(b).object && (Writes(At(a)) || Writes(At(b))) &&
           !(IsStrong(At(a)) && IsStrong(At(b)));
  }

  int Add(State* state, const Site& site) const {
    const int event = static_cast<int>(state->num_events++);
    state->events[event] = {site};
    state->before[event] = Bit(state->last[site.first]);
    state->last[site.first] = event;
    return event;
  }

  void Refuse(State* state, const char* cause) {
    outcomes_.faults.insert(cause);
    state->faulted = true;
  }

  // For lanes apart: whether the other lane is at another barrier, or has another count or form.
  bool IsElsewhere(const State& state, std::size_t lane, const Operation& operation) const {
    const int event = state.gathered[1 - lane];
    if (event == kNobody) {
      return false;
    }
    const Operation& other = At(state.events[event].site);
    return other.kind != operation.kind || other.object != operation.object ||
           other.value != operation.value;
  }

  // For lanes apart: the warp arrives when all live lanes have come.
  void Gather(State* state) {
    std::vector<int> events;
    for (std::size_t lane = 0; lane < kLanesApart; ++lane) {
      if (state->exited[lane]) {
        continue;
      }
      if (state->gathered[lane] == kNobody) {
        return;
      }
      events.push_back(state->gathered[lane]);
    }
    if (events.empty()) {
      return;
    }
    state->gathered.fill(kNobody);
    Arrive(state, events);
  }

  // A warp arrives: an event of each of its lanes.
  void Arrive(State* state, const std::vector<int>& events) {
    const Operation& operation = At(state->events[events.front()].site);
    NamedBarrier& barrier = state->barriers[operation.object];
    if (barrier.arrived != 0 && barrier.threads != operation.value) {
      Refuse(state, "count_mismatch");
      return;
    }
    barrier.threads = operation.value;
    ++barrier.arrived;
    for (const int event : events) {
      const unsigned thread = state->events[event].site.first;
      barrier.arrivals |= Bit(event);
      barrier.waits[thread] = state->waits[thread] = operation.kind == Kind::kSync;
    }
    CompleteIfAllAreThere(state, &barrier);
  }

  // An arrival is that of a warp, and counts all threads of a warp.
  void CompleteIfAllAreThere(State* state, NamedBarrier* barrier) const {
    std::size_t live = 0;
    for (std::size_t list = 0; list < program_.warps.size(); ++list) {
      const bool is_counted = program_.lanes_apart && list == 1 && !state->exited[0];
      live += state->exited[list] || is_counted ? 0 : 1;
    }
    LetGoIfAllAreThere(state, barrier, live);
  }

  // Without a count all that have not exited take part.
  void LetGoIfAllAreThere(State* state, NamedBarrier* barrier, std::size_t live) const {
    const auto needed =
        barrier->threads == 0 ? live : static_cast<std::size_t>(barrier->threads / kThreadsOfWarp);
    if (barrier->arrived == 0 || barrier->arrived < needed) {
      return;
    }
    for (unsigned warp = 0; warp < program_.warps.size(); ++warp) {
      if (barrier->waits[warp]) {
        state->waits[warp] = false;
        const int goes_on = Add(state, state->events[state->last[warp]].site);
        state->before[goes_on] |= barrier->arrivals;
      }
    }
    *barrier = {};
  }

  void MeetIfAllAreThere(State* state) const {
    const auto end = state->exited.begin() + kLanesApart;
    LetGoIfAllAreThere(state, &state->lanes,
                       static_cast<std::size_t>(std::count(state->exited.begin(), end, false)));
  }

  void Exit(State* state, unsigned warp) {
    state->exited[warp] = true;
    for (NamedBarrier& barrier : state->barriers) {
      if (barrier.threads == 0) {
        CompleteIfAllAreThere(state, &barrier);
      }
    }
    if (program_.lanes_apart) {
      MeetIfAllAreThere(state);
      Gather(state);
    }
  }

  void Access(State* state, int event, const Operation& operation) const {
    Event& now = state->events[event];
    Variable& variable = state->variables[operation.object];
    if (Reads(operation)) {
      state->read[WordOf(program_, now.site) - program_.shared.size()] = variable.value;
      now.observed = variable.writer;
    }
    if (Acquires(operation)) {
      Acquire(state, event, operation);
    }
    if (Writes(operation)) {
      variable.value = operation.value + (operation.kind == Kind::kAdd ? variable.value : 0);
      variable.writer = event;
    }
  }

  // Acquire patterns that end here: this read, or a strong one of the variable before it.
  void Acquire(State* state, int event, const Operation& operation) const {
    for (int read = 0; read <= event; ++read) {
      const Site& site = state->events[read].site;
      const Operation& other = At(site);
      if (site.first == state->events[event].site.first && Reads(other) && IsStrong(other) &&
          other.object == operation.object) {
        Observe(state, event, state->events[read].observed, operation.object);
      }
    }
  }

  // Release patterns that have written what is observed: the write itself, or a release of the
  // variable before it. Observation goes on through atomic operations, and ends at a weak write.
  void Observe(State* state, int acquire, int write, unsigned variable) const {
    while (write != kNobody && IsStrong(At(state->events[write].site))) {
      for (int release = 0; release <= write; ++release) {
        const Site& site = state->events[release].site;
        const Operation& other = At(site);
        if (site.first == state->events[write].site.first && Writes(other) && Releases(other) &&
            other.object == variable) {
          state->before[acquire] |= Bit(release);
        }
      }
      write = At(state->events[write].site).kind == Kind::kAdd ? state->events[write].observed
                                                               : kNobody;
    }
  }

  const SmallProgram& program_;
  Outcomes& outcomes_;
  // Exits count at barriers without a count; otherwise they are no steps.
  bool exits_matter_ = false;
};

}  // namespace

Outcomes EnumerateAll(const SmallProgram& program, std::uint64_t most) {
  Outcomes outcomes;
  Naive naive(program, &outcomes);
  naive.GoOn(naive.Initial(), most);
  return outcomes;
}

Outcomes RunOne(const SmallProgram& program, const std::vector<unsigned>& turns) {
  Outcomes outcomes;
  Naive naive(program, &outcomes);
  State state = naive.Initial();
  for (const unsigned warp : turns) {
    assert(naive.MayGo(state, warp));
    naive.Step(&state, warp);
  }
  outcomes.interleavings = 1;
  naive.End(state);
  return outcomes;
}

}  // namespace muster::explore
