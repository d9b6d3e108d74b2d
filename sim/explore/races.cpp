// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/races.h"

#include <algorithm>

namespace muster::explore {

// What the event comes after; where it could have come before, that is planned.
void Races::Find(std::size_t index) {
  Event& event = nodes_[index].event;
  const bool waits = event.actor.kind == Actor::Kind::kWait;
  event.before.Clear();
  event.arrivals.Clear();
  std::optional<Events> own;  // worked out where it is asked for
  // The parity of generations says nothing of the answer.
  bool any_phase = !event.actor.answer || event.actor.may_give_up;
  for (std::size_t i = index; i-- > 0;) {
    Node& node = nodes_[i];
    const Event& other = node.event;
    const bool known = event.before.Has(i);
    const bool conflicts = AnyPair(other.touches, event.touches, Conflict);
    const auto concerns = [&](const Touch& a, const Touch& b) {
      any_phase = any_phase || (a.object == b.object && a.mode == Touch::Mode::kWrite);
      return MayConflict(a, b) && (any_phase || (a.generation ^ b.generation) % 2 == 0);
    };
    const bool is_concerned = waits && AnyPair(other.touches, event.touches, concerns);
    if (is_concerned && !own) {
      own = BeforeItsThread(index);
    }
    if (is_concerned && !own->Has(i)) {
      // It could have been answered before, at once or when what it comes after has happened; not
      // where the phase that it waits for was the one that ran.
      node.Plan(event.process);
      Reverse(i, index);
    }
    const bool waited = AnyPair(other.touches, event.touches, IsWaitFor);
    const bool follows = IsInProgramOrder(other, event) || waited;
    if (known && !follows) {
      continue;
    }
    if (!known && !follows && conflicts && !waits) {
      Reverse(i, index);
      TakeApart(i);
      TakeApart(index);
      NoteCopy(other);
      NoteCopy(event);
    }
    if (follows || conflicts) {
      event.before.Add(other.before);
      event.before.Add(i);
    }
    if (waited || Woke(other, event)) {
      event.before.Add(other.arrivals);
    }
  }
  if (Completes(event)) {
    Gather(index);
  }
  if (ConflictsWithItself(event)) {
    TakeApart(index);
  }
}

// Lanes that have come together by chance could have gone on before the others came.
void Races::TakeApart(std::size_t index) {
  const Event& event = nodes_[index].event;
  if (event.joined_at) {
    Reverse(*event.joined_at, index, event.joined);
  }
}

void Races::NoteCopy(const Event& event) {
  if (event.actor.kind == Actor::Kind::kTransfer &&
      program_.code[event.actor.pc].op == ptx::Op::kBulk) {
    unordered_copies_.insert(event.actor.pc);
  }
}

// What the lanes have done before the event, and what that comes after.
Events Races::BeforeItsThread(std::size_t index) const {
  Events own;
  for (std::size_t i = 0; i < index; ++i) {
    if (IsInProgramOrder(nodes_[i].event, nodes_[index].event)) {
      own.Add(nodes_[i].event.before);
      own.Add(i);
    }
  }
  return own;
}

// The other arrivals of the generation; and waits that this one may make wait for the next.
void Races::Gather(std::size_t index) {
  Node& node = nodes_[index];
  Event& event = node.event;
  const auto together = [](const Touch& a, const Touch& b) {
    return a.mode == Touch::Mode::kJoin && b.mode == Touch::Mode::kComplete &&
           a.generation == b.generation;
  };
  for (std::size_t i = 0; i < index; ++i) {
    if (AnyPair(nodes_[i].event.touches, event.touches, together)) {
      event.arrivals.Add(nodes_[i].event.before);
      event.arrivals.Add(i);
    }
  }
  for (std::size_t k = 0; k < node.enabled.size(); ++k) {
    const Actor& actor = node.enabled[k];
    const bool concerned =
        actor.kind == Actor::Kind::kWait &&
        std::any_of(event.touches.begin(), event.touches.end(),
                    [&](const Touch& touch) { return touch.object == actor.object; });
    if (concerned) {
      node.Plan(node.processes[k]);
    }
  }
}

// The step that has started the transfer of that event.
std::optional<std::size_t> Races::StartOf(std::size_t index) const {
  const std::uint64_t process = nodes_[index].event.process;
  for (std::size_t i = index; i-- > 0;) {
    if (Has(nodes_[i].event.begun, process)) {
      return i;
    }
  }
  return std::nullopt;
}

// From before event i, something goes first that leads to event j without i; if `as` is given, to
// that of a process which has been a part of it since then.
void Races::Reverse(std::size_t i, std::size_t j, std::optional<std::uint64_t> as) {
  Node& node = nodes_[i];
  std::optional<std::uint64_t> first;
  bool unbegun = false;  // what would go first is of a cluster for which there was no room
  std::vector<std::size_t> between;
  for (std::size_t k = i + 1; k <= j; ++k) {
    const Event& event = nodes_[k].event;
    if (k != j && event.before.Has(i)) {
      continue;
    }
    const bool is_first = std::none_of(between.begin(), between.end(),
                                       [&](std::size_t other) { return event.before.Has(other); });
    between.push_back(k);
    unbegun = unbegun || (is_first && event.cluster >= node.begun);
    const std::uint64_t process = k == j ? as.value_or(event.process) : event.process;
    if (!is_first || !Has(node.processes, process)) {
      continue;
    }
    if (Has(node.planned, process)) {
      return;
    }
    first = first ? first : process;
  }
  if (first) {
    node.planned.push_back(*first);
    return;
  }
  if (unbegun) {  // any step may make room
    node.planned = node.processes;
  }
  // What the network delivers in order could have set out in another.
  for (const std::size_t k : between) {
    if (node.event.channel == 0 || nodes_[k].event.channel != node.event.channel) {
      continue;
    }
    const std::optional<std::size_t> a = StartOf(i);
    const std::optional<std::size_t> b = StartOf(k);
    if (a && b && *a < *b && !nodes_[*b].event.before.Has(*a)) {
      Reverse(*a, *b);
    }
  }
}

}  // namespace muster::explore
