// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One step of an order as other actors see it, the relations between two steps, and the points at
// which a search can choose another step. Does not know what a step does to the state of the world.
#ifndef MUSTER_SIM_EXPLORE_EVENT_H_
#define MUSTER_SIM_EXPLORE_EVENT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/explore/object_access.h"
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

inline bool Has(const std::vector<std::uint64_t>& set, std::uint64_t one) {
  return std::find(set.begin(), set.end(), one) != set.end();
}

// A step of one actor, as other actors see it.
struct Event {
  Actor actor;
  std::uint64_t process = 0;
  ptx::Turn turn;
  std::vector<ObjectAccess> accesses;  // ordered by object
  std::vector<Place> woken;
  std::vector<std::uint64_t> begun;  // transfers
  Gathered gathered;
  // The lanes of its warp that took it, and those without which it could not have come, since they
  // had come to the same barrier.
  std::uint32_t lanes = 0;
  // The lanes that met at a collective when it had been taken: none could go on before.
  std::uint32_t met = 0;
  bool ends = false;          // the run ends in a fault, which cuts off the other actors
  std::uint64_t cluster = 0;  // the cluster of its lanes, in the order of the grid
  std::uint64_t channel = 0;  // of a transfer: the channel that keeps the order of transfers
  std::vector<std::uint64_t> follows;   // of a transfer: those that it has waited for
  std::vector<std::uint32_t> comes_to;  // the instructions at which its lanes stand afterwards
  std::vector<std::uint64_t> sends;     // channels of the transfers that it has begun
  // If its lanes came together at the instruction: the step in which the lanes of process `joined`
  // joined the others.
  std::optional<std::size_t> joined_at;
  std::uint64_t joined = 0;
  Events before;    // the events that happen before this one
  Events meeting;   // the events of the lanes that met, and those before these
  Events arrivals;  // the arrivals of the generation that it completed, and the events before these
};

// Calls f for each pair of accesses of one object; stops when it returns true.
template <typename F>
bool AnyPair(const std::vector<ObjectAccess>& a, const std::vector<ObjectAccess>& b, F f) {
  std::size_t j = 0;
  for (const ObjectAccess& one : a) {
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

// Whether `a` released the lanes of `b`. A transfer that they had started does not wait for them.
inline bool Woke(const Event& a, const Event& b) {
  return b.actor.kind != Actor::Kind::kTransfer &&
         std::any_of(a.woken.begin(), a.woken.end(), [&](const Place& place) {
           return IsSameWarp(place, b.turn) && (place.lanes & b.turn.lanes) != 0;
         });
}

// Whether `b` is a step of lanes that took step `a`, of lanes that `a` released, or of a transfer
// that `a` started or that comes after the transfer `a`.
inline bool IsInProgramOrder(const Event& a, const Event& b) {
  if (b.actor.kind == Actor::Kind::kStart) {
    return a.actor.kind == Actor::Kind::kStart;
  }
  const bool same_warp = a.turn.cta == b.turn.cta && a.turn.warp == b.turn.warp;
  const bool a_flies = a.actor.kind == Actor::Kind::kTransfer;
  if (b.actor.kind == Actor::Kind::kTransfer) {
    return a.process == b.process || Has(a.begun, b.process) ||
           (a_flies && Has(b.follows, a.process));
  }
  return (same_warp && !a_flies && (a.lanes & b.lanes) != 0) || Woke(a, b);
}

// Whether lanes of `b` had met others when `a` had been taken.
inline bool MetAfter(const Event& a, const Event& b) {
  return b.actor.kind != Actor::Kind::kTransfer && a.turn.cta == b.turn.cta &&
         a.turn.warp == b.turn.warp && (a.met & b.lanes) != 0;
}

// Whether the lanes of `b` came to the instruction that lanes of `a`, of the same warp, had left:
// had those waited, both would have executed together.
inline bool Leaves(const Event& a, const Event& b) {
  return a.actor.kind == Actor::Kind::kLanes && b.actor.kind != Actor::Kind::kTransfer &&
         a.turn.cta == b.turn.cta && a.turn.warp == b.turn.warp &&
         std::find(b.comes_to.begin(), b.comes_to.end(), a.actor.pc) != b.comes_to.end();
}

// Whether both begin transfers in a channel that delivers in order.
inline bool SendBoth(const Event& a, const Event& b) {
  return std::any_of(a.sends.begin(), a.sends.end(), [&](std::uint64_t channel) {
    return std::find(b.sends.begin(), b.sends.end(), channel) != b.sends.end();
  });
}

// Whether lanes of one instruction write to the same word, one after the other.
inline bool ConflictsWithItself(const Event& event) {
  const auto& accesses = event.accesses;
  return std::adjacent_find(accesses.begin(), accesses.end(),
                            [](const ObjectAccess& a, const ObjectAccess& b) {
                              return a.object == b.object && a.mode == ObjectAccess::Mode::kWrite;
                            }) != accesses.end();
}

inline bool Completes(const Event& event) {
  return std::any_of(event.accesses.begin(), event.accesses.end(), [](const ObjectAccess& access) {
    return access.mode == ObjectAccess::Mode::kComplete;
  });
}

// Whether `b` waits for the phase that `a` completed.
inline bool IsWaitFor(const ObjectAccess& a, const ObjectAccess& b) {
  return a.mode == ObjectAccess::Mode::kComplete &&
         (b.mode == ObjectAccess::Mode::kWait || b.mode == ObjectAccess::Mode::kPass);
}

// A node of the search: the actors that are enabled, and which of them have been tried.
struct Node {
  std::vector<Actor> enabled;
  std::vector<std::uint64_t> processes;  // of these
  std::vector<std::uint64_t> planned;
  std::vector<std::uint64_t> done;
  // The sleep set: steps tried from here before, which would only repeat an order.
  std::vector<Event> asleep;
  std::uint64_t begun = 0;  // clusters
  // Lanes that joined others in a step: by the actor that they are part of now, that step and the
  // process that they were.
  struct Joined {
    std::uint32_t lanes = 0;
    std::uint64_t cta = 0;
    unsigned warp = 0;
    std::size_t step = 0;
    std::uint64_t process = 0;
  };
  std::vector<Joined> joined;
  Event event;  // the step that was taken

  void Plan(std::uint64_t process) {
    if (Has(processes, process) && !Has(planned, process)) {
      planned.push_back(process);
    }
  }
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_EVENT_H_
