// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The search through all orders, for exhaust.cpp alone.
#ifndef MUSTER_SIM_EXPLORE_SEARCH_H_
#define MUSTER_SIM_EXPLORE_SEARCH_H_

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/explore/analysis.h"
#include "sim/explore/exhaust.h"

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
  bool ends = false;  // the run, in a fault: what others would still have done is cut off
  Events before;      // that it comes after
  Events arrivals;    // those of a generation that it completed, and what they come after
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
  const bool same_warp = a.turn.cta == b.turn.cta && a.turn.warp == b.turn.warp;
  const bool a_flies = a.actor.kind == Actor::Kind::kTransfer;
  if (b.actor.kind == Actor::Kind::kTransfer) {
    return a.process == b.process ||
           std::find(a.begun.begin(), a.begun.end(), b.process) != a.begun.end();
  }
  return (same_warp && !a_flies && (a.actor.lanes & b.actor.lanes) != 0) || Woke(a, b);
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

// A place in a search: who could go, and what has been done about it.
struct Node {
  std::vector<Actor> enabled;
  std::vector<std::uint64_t> processes;  // of these
  std::vector<std::uint64_t> planned;
  std::vector<std::uint64_t> done;
  std::vector<Event> asleep;  // gone before from here: going later would only repeat that order
  Event event;                // that was taken
};

class Search {
 public:
  // All orders that begin so.
  Search(World* world, const ExhaustOptions& options, const std::function<bool(const Order&)>& each,
         std::vector<Node> beginning = {})
      : world_(*world),
        options_(options),
        each_(each),
        nodes_(std::move(beginning)),
        fixed_(nodes_.size()) {
    for (std::size_t i = 0; i < fixed_; ++i) {
      Judge(i);
    }
  }

  // Ways to begin, at least so many if there are: each order begins in one of them.
  std::vector<std::vector<Node>> Split(std::size_t wanted) {
    std::deque<std::vector<Node>> open(1);
    std::vector<std::vector<Node>> ended;
    constexpr std::size_t kDeepest = 64;
    while (!open.empty() && open.size() + ended.size() < wanted) {
      nodes_ = std::move(open.front());
      open.pop_front();
      Node next;
      if (!Begin(&next) || nodes_.size() >= kDeepest) {
        ended.push_back(std::move(nodes_));
        continue;
      }
      for (std::size_t which = 0; which < next.enabled.size(); ++which) {
        if (Sleeps(next, next.processes[which])) {
          continue;
        }
        Node unused;
        Begin(&unused);
        Step(&next, which);
        open.push_back(nodes_);
        open.back().push_back(next);
        next.asleep.push_back(next.event);
      }
    }
    ended.insert(ended.end(), open.begin(), open.end());
    nodes_.clear();
    return ended;
  }

  Exhausted Run() {
    do {
      RunOne();
      if (stopped_ || (options_.stop && options_.stop(found_.classes)) ||
          found_.classes >= options_.most_classes) {
        found_.complete = !stopped_ && !cut_ && !TakeNext();
        return found_;
      }
    } while (TakeNext());
    found_.complete = !cut_;
    return found_;
  }

 private:
  static constexpr std::size_t kAskEach = 256;  // steps of an order: whether the time is over

  static bool Has(const std::vector<std::uint64_t>& set, std::uint64_t one) {
    return std::find(set.begin(), set.end(), one) != set.end();
  }
  static bool Sleeps(const Node& node, std::uint64_t process) {
    return std::any_of(node.asleep.begin(), node.asleep.end(),
                       [&](const Event& event) { return event.process == process; });
  }

  void Step(Node* node, std::size_t which) {
    Event& event = node->event;
    event.actor = node->enabled[which];
    event.process = node->processes[which];
    event.turn = world_.TurnOf(event.actor);
    world_.Step(event.actor);
    event.touches = world_.touched();
    std::stable_sort(event.touches.begin(), event.touches.end(),
                     [](const Touch& a, const Touch& b) { return a.object < b.object; });
    event.woken = world_.woken();
    event.begun = world_.begun();
    event.gathered = world_.gathered();
    event.ends = world_.end() == World::End::kFault;
    if (event.ends) {
      node->planned = node->processes;
    }
    for (const std::uint64_t process : world_.dropped()) {
      Plan(node, process);
    }
    ++found_.steps;
    for (Touch& touch : event.touches) {
      touch.generation = generations_[touch.object];
    }
    Count(event);
  }

  void Count(const Event& event) {
    for (const Touch& touch : event.touches) {
      generations_[touch.object] += touch.mode == Touch::Mode::kComplete ? 1 : 0;
    }
  }

  // The plan so far, and then whoever comes first, to the end.
  void RunOne() {
    world_.Reset();
    generations_.clear();
    std::unique_ptr<Analysis> analysis;
    if (options_.races) {
      analysis = std::make_unique<Analysis>(world_);
    }
    world_.set_observer(analysis.get());
    for (std::size_t depth = 0; depth < nodes_.size(); ++depth) {
      world_.Enabled();
      Node& node = nodes_[depth];
      if (depth + 1 < nodes_.size() || depth < fixed_) {
        world_.Step(node.event.actor);
        Count(node.event);
        ++found_.steps;
        continue;
      }
      const auto which = static_cast<std::size_t>(
          std::find(node.processes.begin(), node.processes.end(), next_) - node.processes.begin());
      Step(&node, which);
      Judge(depth);
    }
    Extend();
    if (is_new_) {
      ++found_.classes;
      steps_.clear();
      for (const Node& node : nodes_) {
        steps_.push_back({node.event.actor, node.event.turn, node.event.gathered});
      }
      static const std::vector<Suspicion> none;
      if (analysis != nullptr) {
        analysis->Conclude();
      }
      stopped_ = !each_({world_, steps_, analysis == nullptr ? none : analysis->suspicions()});
    }
    world_.set_observer(nullptr);
  }

  // The place after all those so far.
  Node After(const std::vector<Actor>& enabled) const {
    Node fresh;
    fresh.enabled = enabled;
    for (const Actor& actor : enabled) {
      fresh.processes.push_back(world_.ProcessOf(actor));
    }
    if (nodes_.empty()) {
      return fresh;
    }
    const Node& last = nodes_.back();
    for (const Event& event : last.asleep) {
      if (!event.ends && !IsInProgramOrder(last.event, event) &&
          !AnyPair(last.event.touches, event.touches, MayConflict)) {
        fresh.asleep.push_back(event);
      }
    }
    return fresh;
  }

  // Goes to the place after the nodes. Returns false if the order ends there.
  bool Begin(Node* next) {
    world_.Reset();
    generations_.clear();
    for (const Node& node : nodes_) {
      world_.Enabled();
      world_.Step(node.event.actor);
      Count(node.event);
    }
    const std::vector<Actor> enabled = world_.Enabled();
    *next = After(enabled);
    return !enabled.empty();
  }

  void Extend() {
    is_new_ = true;
    while (true) {
      const std::vector<Actor>& enabled = world_.Enabled();
      if (enabled.empty()) {
        cut_ = cut_ || world_.end() == World::End::kEndless;
        PlanWaits();
        return;
      }
      const bool asks = nodes_.size() % kAskEach == kAskEach - 1 && options_.stop;
      if (nodes_.size() >= options_.most_steps || (asks && options_.stop(found_.classes))) {
        cut_ = true;
        is_new_ = false;  // it has not ended
        return;
      }
      Node fresh = After(enabled);
      std::size_t which = 0;
      while (which < enabled.size() && Sleeps(fresh, fresh.processes[which])) {
        ++which;
      }
      if (which == enabled.size()) {
        is_new_ = false;  // all that could follow has been seen
        PlanWaits();
        return;
      }
      nodes_.push_back(std::move(fresh));
      nodes_.back().planned.push_back(nodes_.back().processes[which]);
      Step(&nodes_.back(), which);
      Judge(nodes_.size() - 1);
    }
  }

  // What the event comes after; where it could have come before, that is planned.
  void Judge(std::size_t index) {
    Event& event = nodes_[index].event;
    const bool waits = event.actor.kind == Actor::Kind::kWait;
    event.before.Clear();
    event.arrivals.Clear();
    std::optional<Events> own;             // worked out where it is asked for
    bool any_phase = !event.actor.answer;  // the parity of generations says nothing of the answer
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
        Plan(&node, event.process);
        Reverse(i, index);
      }
      const bool waited = AnyPair(other.touches, event.touches, IsWaitFor);
      const bool follows = IsInProgramOrder(other, event) || waited;
      if (known && !follows) {
        continue;
      }
      if (!known && !follows && conflicts && !waits) {
        Reverse(i, index);
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
  }

  // What the lanes have done before the event, and what that comes after.
  Events BeforeItsThread(std::size_t index) const {
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
  void Gather(std::size_t index) {
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
        Plan(&node, node.processes[k]);
      }
    }
  }

  // Who waits in vain might have come when the phase that it wants was complete.
  void PlanWaits() {
    for (const Actor& wait : world_.Waiting()) {
      nodes_.emplace_back();  // as if it were answered now
      Event& event = nodes_.back().event;
      event.actor = wait;
      event.process = world_.ProcessOf(wait);
      event.turn = world_.TurnOf(wait);
      event.actor.answer = true;
      event.touches.push_back({wait.object, Touch::Mode::kWait, generations_[wait.object] + 1});
      Judge(nodes_.size() - 1);
      nodes_.pop_back();
    }
  }

  static void Plan(Node* node, std::uint64_t process) {
    if (Has(node->processes, process) && !Has(node->planned, process)) {
      node->planned.push_back(process);
    }
  }

  // From before event i, something goes first that leads to event j without i.
  void Reverse(std::size_t i, std::size_t j) {
    Node& node = nodes_[i];
    std::optional<std::uint64_t> first;
    std::vector<std::size_t> between;
    for (std::size_t k = i + 1; k <= j; ++k) {
      const Event& event = nodes_[k].event;
      if (k != j && event.before.Has(i)) {
        continue;
      }
      const bool is_first = std::none_of(between.begin(), between.end(), [&](std::size_t other) {
        return event.before.Has(other);
      });
      between.push_back(k);
      if (!is_first || !Has(node.processes, event.process)) {
        continue;
      }
      if (Has(node.planned, event.process)) {
        return;
      }
      first = first ? first : event.process;
    }
    if (first) {
      node.planned.push_back(*first);
    }
  }

  // The deepest place where something else was planned. Returns whether there is any.
  bool TakeNext() {
    while (nodes_.size() > fixed_) {
      Node& node = nodes_.back();
      node.done.push_back(node.event.process);
      node.asleep.push_back(node.event);
      for (const std::uint64_t process : node.planned) {
        if (!Has(node.done, process) && !Sleeps(node, process)) {
          next_ = process;
          return true;
        }
      }
      nodes_.pop_back();
    }
    return false;
  }

  World& world_;
  const ExhaustOptions& options_;
  const std::function<bool(const Order&)>& each_;
  std::vector<Node> nodes_;
  std::size_t fixed_ = 0;  // of these: not to be changed
  std::vector<Taken> steps_;
  std::unordered_map<std::uint64_t, std::uint32_t> generations_;  // by object: completions
  std::uint64_t next_ = 0;
  bool is_new_ = true;
  bool stopped_ = false;
  bool cut_ = false;
  Exhausted found_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_SEARCH_H_
