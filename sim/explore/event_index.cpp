// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/event_index.h"

#include <algorithm>
#include <functional>

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

void EventIndex::Collect(const Key& key, Numbers* all) const {
  if (const Numbers* const list = ListOf(key); list != nullptr) {
    all->insert(all->end(), list->begin(), list->end());
  }
}

void EventIndex::CollectFormer(const Event& event, Numbers* all) const {
  switch (event.actor.kind) {
    case Actor::Kind::kStart:
      Collect({What::kStart, 0}, all);
      break;
    case Actor::Kind::kTransfer:
      Collect({What::kProcess, event.process}, all);
      Collect({What::kBegun, event.process}, all);
      break;
    default: {
      const std::uint64_t warp = WarpOf(event.turn.cta, event.turn.warp);
      Collect({What::kWarp, warp}, all);
      Collect({What::kWoken, warp}, all);
    }
  }
}

EventIndex::Numbers EventIndex::Latest(Numbers all) {
  std::sort(all.begin(), all.end(), std::greater<>());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

EventIndex::Numbers EventIndex::Former(const Event& event) const {
  Numbers all;
  CollectFormer(event, &all);
  return Latest(std::move(all));
}

EventIndex::Numbers EventIndex::Related(const Event& event) const {
  Numbers all;
  CollectFormer(event, &all);
  for (const ObjectAccess& access : event.accesses) {
    Collect({What::kOther, access.object}, &all);
    if (access.mode != ObjectAccess::Mode::kRead || access.generation != 0) {
      Collect({What::kRead, access.object}, &all);
    }
  }
  return Latest(std::move(all));
}

}  // namespace muster::explore
