// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/races.h"

#include <algorithm>
#include <iterator>

#include "sim/explore/event_walk.h"

namespace muster::explore {

// Computes what the event comes after. Where it could have come earlier, plans that.
void Races::Find(std::size_t index) {
  Event& event = nodes_[index].event;
  index_.Truncate(index);
  while (index_.size() < index) {
    index_.Add(nodes_[index_.size()].event);
  }
  const bool waits = event.actor.kind == Actor::Kind::kWait;
  event.before.Clear();
  event.meeting.Clear();
  event.arrivals.Clear();
  Events own;  // of a wait: what comes before it in program order
  // The parity of generations does not determine the answer.
  bool any_phase = !event.actor.answer || event.actor.may_give_up;
  if (waits) {
    own = BeforeItsThread(index);
  }
  EventWalk walk(index_, nodes_, event, EventWalk::Of::kRelated);
  for (; walk.number(); walk.Next(waits ? own : event.before)) {
    const std::size_t i = *walk.number();
    Node& node = nodes_[i];
    const Event& other = node.event;
    const bool known = event.before.Has(i);
    const bool conflicts = AnyPair(other.accesses, event.accesses, Conflict);
    const auto concerns = [&](const ObjectAccess& a, const ObjectAccess& b) {
      any_phase = any_phase || (a.object == b.object && a.mode == ObjectAccess::Mode::kWrite);
      return MayConflict(a, b) && (any_phase || (a.generation ^ b.generation) % 2 == 0);
    };
    const bool is_concerned = waits && AnyPair(other.accesses, event.accesses, concerns);
    if (is_concerned && !own.Has(i) && IsToReverse(other, event.turn.pc)) {
      // The wait could have been answered earlier, at once or after the events that it depends on;
      // but not while the phase that it waits for was the current one.
      node.Plan(event.process);
      Reverse(i, index);
    }
    const bool waited = AnyPair(other.accesses, event.accesses, IsWaitFor);
    const bool met = MetAfter(other, event);
    const bool follows = IsInProgramOrder(other, event) || waited || met;
    if (known && !follows) {
      continue;
    }
    if (!known && !follows && conflicts && !waits) {
      NoteCopy(other, event);
      NoteCopy(event, other);
      if (IsToReverse(other, event.turn.pc)) {
        Reverse(i, index);
        TakeApart(i);
        TakeApart(index);
      }
    }
    if (follows || conflicts) {
      event.before.Add(other.before);
      event.before.Add(i);
    }
    if (met) {
      event.before.Add(other.meeting);
    }
    if (waited || Woke(other, event)) {
      event.before.Add(other.arrivals);
    }
  }
  Meet(&event);
  if (Completes(event)) {
    Gather(index);
  }
  if (ConflictsWithItself(event) && event.joined_at && IsToReverse(event, event.turn.pc)) {
    TakeApart(index);
  }
}

// Notes what the lanes that met have done before, and what that comes after.
void Races::Meet(Event* event) const {
  std::uint32_t left = event->met;
  const EventIndex::Numbers* const steps = index_.ListOf(
      {EventIndex::What::kWarp, EventIndex::WarpOf(event->turn.cta, event->turn.warp)});
  for (std::size_t n = steps == nullptr ? 0 : steps->size(); n != 0 && left != 0; --n) {
    const std::size_t i = (*steps)[n - 1];
    const Event& other = nodes_[i].event;
    if ((other.lanes & left) != 0) {  // it comes after all earlier events of these lanes
      event->meeting.Add(other.before);
      event->meeting.Add(i);
      left &= ~other.lanes;
    }
  }
}

bool Races::IsToReverse(const Event& first, std::uint32_t second) {
  if (most_ == 0) {
    return true;
  }
  std::uint32_t& count = reversed_[{first.turn.pc, second}];
  count += count <= most_ ? 1 : 0;
  has_spared_ = has_spared_ || count > most_;
  return count <= most_;
}

// Lanes that joined others by chance could have continued before those came.
void Races::TakeApart(std::size_t index) {
  const Event& event = nodes_[index].event;
  if (event.joined_at) {
    Reverse(*event.joined_at, index, event.joined);
  }
}

// A wait finds a phase complete or not: what is between the pieces makes no difference to it.
void Races::NoteCopy(const Event& copy, const Event& other) {
  const auto comes_between = [](const ObjectAccess& a, const ObjectAccess& b) {
    return Conflict(a, b) && b.mode != ObjectAccess::Mode::kWait;
  };
  if (copy.actor.kind == Actor::Kind::kTransfer && ptx::IsBulk(program_.code[copy.actor.pc].op) &&
      AnyPair(copy.accesses, other.accesses, comes_between)) {
    unordered_copies_.insert({copy.actor.pc, other.actor.pc});
  }
}

// The earlier events of the lanes, and what these come after.
Events Races::BeforeItsThread(std::size_t index) const {
  Events own;
  EventWalk walk(index_, nodes_, nodes_[index].event, EventWalk::Of::kFormer);
  for (; walk.number(); walk.Next(own)) {
    const std::size_t i = *walk.number();
    if (IsInProgramOrder(nodes_[i].event, nodes_[index].event)) {
      own.Add(nodes_[i].event.before);
      own.Add(i);
    }
  }
  return own;
}

// Plans other orders of the generation's arrivals, and of waits that could miss this generation.
void Races::Gather(std::size_t index) {
  Node& node = nodes_[index];
  Event& event = node.event;
  const auto together = [](const ObjectAccess& a, const ObjectAccess& b) {
    return a.mode == ObjectAccess::Mode::kArrive && b.mode == ObjectAccess::Mode::kComplete &&
           a.generation == b.generation;
  };
  EventWalk walk(index_, nodes_, event, EventWalk::Of::kRelated);
  for (; walk.number(); walk.Next(event.before)) {
    const Event& other = nodes_[*walk.number()].event;
    if (AnyPair(other.accesses, event.accesses, together)) {
      event.arrivals.Add(other.before);
      event.arrivals.Add(*walk.number());
    }
  }
  for (std::size_t k = 0; k < node.enabled.size(); ++k) {
    const Actor& actor = node.enabled[k];
    const bool concerned =
        actor.kind == Actor::Kind::kWait &&
        std::any_of(event.accesses.begin(), event.accesses.end(),
                    [&](const ObjectAccess& access) { return access.object == actor.object; });
    if (concerned && !Has(node.planned, node.processes[k]) && IsToReverse(event, actor.pc)) {
      node.Plan(node.processes[k]);
    }
  }
}

// Returns the step that started the event's transfer.
std::optional<std::size_t> Races::StartOf(std::size_t index) const {
  const EventIndex::Numbers* const begun =
      index_.ListOf({EventIndex::What::kBegun, nodes_[index].event.process});
  if (begun == nullptr) {
    return std::nullopt;
  }
  const auto later = std::lower_bound(begun->begin(), begun->end(), index);
  return later == begun->begin() ? std::nullopt : std::optional<std::size_t>(*std::prev(later));
}

// Plans, before event i, a step that leads to event j without i. `as`: the process, now part of the
// actor of j, whose step it is.
void Races::Reverse(std::size_t i, std::size_t j, std::optional<std::uint64_t> as) {
  Node& node = nodes_[i];
  std::optional<std::uint64_t> first;
  bool unbegun = false;  // the step would be of a cluster for which there was no room
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
  if (unbegun) {  // any step could make room
    node.planned = node.processes;
  }
  // Transfers that the network delivers in order could have been sent in another order.
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
