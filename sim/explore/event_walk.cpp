// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/event_walk.h"

#include <algorithm>

namespace muster::explore {
namespace {

using Mode = ObjectAccess::Mode;

// Calls f for the accesses of the event to an object.
template <typename F>
void ForEachAccess(const Event& event, std::uint64_t object, F f) {
  auto access = std::lower_bound(
      event.accesses.begin(), event.accesses.end(), object,
      [](const ObjectAccess& one, std::uint64_t wanted) { return one.object < wanted; });
  for (; access != event.accesses.end() && access->object == object; ++access) {
    f(*access);
  }
}

}  // namespace

EventWalk::EventWalk(const EventIndex& index, const std::vector<Node>& nodes, const Event& event,
                     Of of)
    : index_(index), nodes_(nodes) {
  using What = EventIndex::What;
  switch (event.actor.kind) {
    case Actor::Kind::kStart:
      Start({What::kStart, 0});
      break;
    case Actor::Kind::kTransfer:
      Start({What::kProcess, event.process});
      Start({What::kBegun, event.process});
      for (const std::uint64_t process : event.follows) {
        Start({What::kProcess, process});
      }
      break;
    default:
      lanes_ = event.lanes | event.turn.lanes;
      Start({What::kWarp, EventIndex::WarpOf(event.turn.cta, event.turn.warp)});
      Start({What::kWoken, EventIndex::WarpOf(event.turn.cta, event.turn.warp)});
  }
  // Accesses are ordered by object.
  for (std::size_t i = 0; of == Of::kRelated && i < event.accesses.size();) {
    Object* const object = &objects_.emplace_back();
    object->object = event.accesses[i].object;
    bool only_reads = true;
    for (; i < event.accesses.size() && event.accesses[i].object == object->object; ++i) {
      only_reads =
          only_reads && event.accesses[i].mode == Mode::kRead && event.accesses[i].generation == 0;
    }
    Start({What::kOther, object->object}, object);
    if (!only_reads) {
      Start({What::kRead, object->object}, object);
    }
  }
  Find();
}

void EventWalk::Start(const EventIndex::Key& key, Object* object) {
  const EventIndex::Numbers* const list = index_.ListOf(key);
  if (list != nullptr && !list->empty()) {
    Push({list, list->size(), key.what == EventIndex::What::kWarp, object});
  }
}

void EventWalk::Push(const Cursor& cursor) {
  cursors_.push_back(cursor);
  std::push_heap(cursors_.begin(), cursors_.end(),
                 [](const Cursor& a, const Cursor& b) { return a.number() < b.number(); });
}

// Whether the cursor's event, and those before it in its list, could be unknown.
bool EventWalk::Matters(const Cursor& cursor) const {
  if (cursor.object == nullptr) {
    return !lanes_ || *lanes_ != 0;
  }
  const Object& object = *cursor.object;
  if (object.is_over || object.floor == 0) {
    return !object.is_over;
  }
  bool matters = false;
  ForEachAccess(nodes_[cursor.number()].event, object.object, [&](const ObjectAccess& access) {
    matters = matters || access.generation >= object.floor;
  });
  return matters;
}

// Takes note of what is known with the current event.
//
// Of a lane, each event comes after all earlier ones, and what these come after, and so after lanes
// that it has met before them. Of an object, a
// write conflicts with all other accesses, and an arrival with all those of generations before its
// own but waits; these conflict with the arrival that completed their generation.
void EventWalk::Settle(const Cursor& cursor, const Events& known) {
  const Event& event = nodes_[*number_].event;
  if (cursor.is_of_warp) {
    *lanes_ &= ~event.lanes;
  }
  if (cursor.object == nullptr || !known.Has(*number_)) {
    return;
  }
  Object& object = *cursor.object;
  ForEachAccess(event, object.object, [&](const ObjectAccess& access) {
    object.is_over = object.is_over || access.mode == Mode::kWrite;
    if (access.mode == Mode::kArrive || access.mode == Mode::kComplete) {
      object.floor = std::max(object.floor, access.generation);
    }
  });
}

// Goes to the latest event that matters.
void EventWalk::Find() {
  const auto by_number = [](const Cursor& a, const Cursor& b) { return a.number() < b.number(); };
  number_.reset();
  at_current_.clear();
  while (!cursors_.empty() && (!number_ || cursors_.front().number() == *number_)) {
    std::pop_heap(cursors_.begin(), cursors_.end(), by_number);
    const Cursor cursor = cursors_.back();
    cursors_.pop_back();
    if (Matters(cursor)) {
      number_ = cursor.number();
      at_current_.push_back(cursor);
    }
  }
}

void EventWalk::Next(const Events& known) {
  for (const Cursor& cursor : at_current_) {
    Settle(cursor, known);
  }
  for (Cursor& cursor : at_current_) {
    if (--cursor.left != 0) {
      Push(cursor);
    }
  }
  Find();
}

}  // namespace muster::explore
