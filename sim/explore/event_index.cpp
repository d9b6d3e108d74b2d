// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/event_index.h"

namespace muster::explore {

void EventIndex::Add(const Event& event) {
  const auto number = static_cast<std::uint32_t>(keys_.size());
  std::vector<Numbers*>& lists = keys_.emplace_back();
  const auto add = [&](const Key& key) {
    Numbers& list = lists_[key];
    if (list.empty() || list.back() != number) {
      list.push_back(number);
      lists.push_back(&list);
    }
  };
  for (const ObjectAccess& access : event.accesses) {
    add({access.mode == ObjectAccess::Mode::kRead ? What::kRead : What::kOther, access.object});
  }
  switch (event.actor.kind) {
    case Actor::Kind::kStart:
      add({What::kStart, 0});
      break;
    case Actor::Kind::kTransfer:
      add({What::kProcess, event.process});
      break;
    default:
      add({What::kWarp, WarpOf(event.turn.cta, event.turn.warp)});
  }
  for (const Place& place : event.woken) {
    add({What::kWoken, WarpOf(place.cta, place.warp)});
  }
  for (const std::uint64_t process : event.begun) {
    add({What::kBegun, process});
  }
}

void EventIndex::Truncate(std::size_t size) {
  while (keys_.size() > size) {
    for (Numbers* const list : keys_.back()) {
      list->pop_back();
    }
    keys_.pop_back();
  }
}

}  // namespace muster::explore
