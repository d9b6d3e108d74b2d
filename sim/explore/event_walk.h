// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Walks through the earlier events that may be related to an event, the latest first, and stops
// where all that is left is known to come before the event: so the walk is about as long as what is
// not ordered, and not as the run. Knows which events another one must come after, and does not
// decide what follows from that.
#ifndef MUSTER_SIM_EXPLORE_EVENT_WALK_H_
#define MUSTER_SIM_EXPLORE_EVENT_WALK_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/explore/event.h"
#include "sim/explore/event_index.h"

namespace muster::explore {

class EventWalk {
 public:
  enum class Of : std::uint8_t {
    kFormer,   // events that may be before the event in program order
    kRelated,  // these, and those that access one of its objects where not both only read it
  };
  // All arguments must outlive the walk.
  EventWalk(const EventIndex& index, const std::vector<Node>& nodes, const Event& event, Of of);

  // The current event; nothing: the walk is over.
  std::optional<std::size_t> number() const { return number_; }
  // Goes on. `known`: the events that are known to come before the event. With each of them it has
  // all that come before that one.
  void Next(const Events& known);

 private:
  // How far back accesses to an object matter.
  struct Object {
    std::uint64_t object = 0;
    bool is_over = false;     // a write is known: all accesses before it are
    std::uint32_t floor = 0;  // accesses of generations before this one are known
  };
  struct Cursor {
    const EventIndex::Numbers* list = nullptr;
    std::size_t left = 0;      // events of the list that have not been walked through
    bool is_of_warp = false;   // events of the event's warp
    Object* object = nullptr;  // events that access it; null: others

    std::uint32_t number() const { return (*list)[left - 1]; }
  };

  void Start(const EventIndex::Key& key, Object* object = nullptr);
  void Push(const Cursor& cursor);
  bool Matters(const Cursor& cursor) const;
  void Settle(const Cursor& cursor, const Events& known);
  void Find();

  const EventIndex& index_;
  const std::vector<Node>& nodes_;
  std::deque<Object> objects_;
  std::vector<Cursor> cursors_;     // a heap, by number
  std::vector<Cursor> at_current_;  // taken from it: those of the current event
  std::optional<std::size_t> number_;
  // Of an event of lanes: those of which no earlier event has come yet.
  std::optional<std::uint32_t> lanes_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_EVENT_WALK_H_
