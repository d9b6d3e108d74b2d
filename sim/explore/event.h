// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One step of an order as others see it, how two steps stand to each other, and the places at which
// a search can choose another step. Knows nothing of what a step does to the world.
#ifndef MUSTER_SIM_EXPLORE_EVENT_H_
#define MUSTER_SIM_EXPLORE_EVENT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/explore/touch.h"
#include "sim/explore/world.h"
#include "sim/ptx/simt/schedule.h"

namespace muster::explore {

// A set of events of one order, by their numbers.
class Events {
 public:
  void Add(std::size_t event) {
    if (bits_.size() <= event / kBits) {
      bits_.resize(event / kBits + 1);
    }
    bits_[event / kBits] |= std::uint64_t{1} << event % kBits;
  }
  void Add(const Events& others) {
    if (bits_.size() < others.bits_.size()) {
      bits_.resize(others.bits_.size());
    }
    for (std::size_t i = 0; i < others.bits_.size(); ++i) {
      bits_[i] |= others.bits_[i];
    }
  }
  bool Has(std::size_t event) const {
    return event / kBits < bits_.size() && (bits_[event / kBits] >> event % kBits & 1) != 0;
  }
  void Clear() { bits_.clear(); }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> bits_;
};

// What one actor has done, as others see it.
struct Event {
  Actor actor;
  std::uint64_t process = 0;
  ptx::Turn turn;
  std::vector<Touch> touches;  // in the order of their objects
  std::vector<Place> woken;
  std::vector<std::uint64_t> begun;  // transfers
  Gathered gathered;
  bool ends = false;          // the run, in a fault: what others would still have done is cut off
  std::uint64_t cluster = 0;  // of its lanes, in the order of the grid
  std::uint64_t channel = 0;  // of a transfer: that keeps the order of some
  std::vector<std::uint32_t> comes_to;  // where its lanes stand after it
  std::vector<std::uint64_t> sends;     // channels of the transfers that it has begun
  // Its lanes are several that came together there: when those of a process came to be with others.
  std::optional<std::size_t> joined_at;
  std::uint64_t joined = 0;
  Events before;    // that it comes after
  Events arrivals;  // those of a generation that it completed, and what they come after
};

// Calls f for each pair of touches of one object; stops when it returns true.
template <typename F>
bool AnyPair(const std::vector<Touch>& a, const std::vector<Touch>& b, F f) {
  std::size_t j = 0;
  for (const Touch& one : a) {
    while (j < b.size() && b[j].object < one.object) {
      ++j;
    }
    for (std::size_t k = j; k < b.size() && b[k].object == one.object; ++k) {
      if (f(one, b[k])) {
        return true;
      }
    }
  }
  return false;
}

inline bool IsSameWarp(const Place& place, const ptx::Turn& turn) {
  return place.cta == turn.cta && place.warp == turn.warp;
}

// `a` has let the lanes of `b` go.
inline bool Woke(const Event& a, const Event& b) {
  return std::any_of(a.woken.begin(), a.woken.end(), [&](const Place& place) {
    return IsSameWarp(place, b.turn) && (place.lanes & b.turn.lanes) != 0;
  });
}

// `b` is by lanes that have done `a`, that `a` has let go, or by what `a` has started.
inline bool IsInProgramOrder(const Event& a, const Event& b) {
  if (b.actor.kind == Actor::Kind::kStart) {
    return a.actor.kind == Actor::Kind::kStart;
  }
  const bool same_warp = a.turn.cta == b.turn.cta && a.turn.warp == b.turn.warp;
  const bool a_flies = a.actor.kind == Actor::Kind::kTransfer;
  if (b.actor.kind == Actor::Kind::kTransfer) {
    return a.process == b.process ||
           std::find(a.begun.begin(), a.begun.end(), b.process) != a.begun.end();
  }
  return (same_warp && !a_flies && (a.actor.lanes & b.actor.lanes) != 0) || Woke(a, b);
}

// Lanes of `a` have left where those of `b`, of the same warp, come to: had they waited, they would
// have gone on together.
inline bool Leaves(const Event& a, const Event& b) {
  return a.actor.kind == Actor::Kind::kLanes && b.actor.kind != Actor::Kind::kTransfer &&
         a.turn.cta == b.turn.cta && a.turn.warp == b.turn.warp &&
         std::find(b.comes_to.begin(), b.comes_to.end(), a.actor.pc) != b.comes_to.end();
}

// Both begin transfers that come in the order in which they set out.
inline bool SendBoth(const Event& a, const Event& b) {
  return std::any_of(a.sends.begin(), a.sends.end(), [&](std::uint64_t channel) {
    return std::find(b.sends.begin(), b.sends.end(), channel) != b.sends.end();
  });
}

// Lanes of one instruction that come to the same word, to write there: one after the other.
inline bool ConflictsWithItself(const Event& event) {
  const auto& touches = event.touches;
  return std::adjacent_find(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
           return a.object == b.object && a.mode == Touch::Mode::kWrite;
         }) != touches.end();
}

inline bool Completes(const Event& event) {
  return std::any_of(event.touches.begin(), event.touches.end(),
                     [](const Touch& touch) { return touch.mode == Touch::Mode::kComplete; });
}

// A wait for what `a` has completed.
inline bool IsWaitFor(const Touch& a, const Touch& b) {
  return a.mode == Touch::Mode::kComplete &&
         (b.mode == Touch::Mode::kWait || b.mode == Touch::Mode::kPass);
}

inline bool Has(const std::vector<std::uint64_t>& set, std::uint64_t one) {
  return std::find(set.begin(), set.end(), one) != set.end();
}

// A place in a search: who could go, and what has been done about it.
struct Node {
  std::vector<Actor> enabled;
  std::vector<std::uint64_t> processes;  // of these
  std::vector<std::uint64_t> planned;
  std::vector<std::uint64_t> done;
  std::vector<Event> asleep;  // gone before from here: going later would only repeat that order
  std::uint64_t begun = 0;    // clusters
  // Lanes that stand together with others since a step: of the actor that they are now, the step,
  // and who they were.
  struct Joined {
    std::uint32_t lanes = 0;
    std::uint64_t cta = 0;
    unsigned warp = 0;
    std::size_t step = 0;
    std::uint64_t process = 0;
  };
  std::vector<Joined> joined;
  Event event;  // that was taken

  void Plan(std::uint64_t process) {
    if (Has(processes, process) && !Has(planned, process)) {
      planned.push_back(process);
    }
  }
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_EVENT_H_
