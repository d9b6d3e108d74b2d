// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/search.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "sim/explore/analysis.h"

namespace muster::explore {
namespace {

bool Sleeps(const Node& node, std::uint64_t process) {
  return std::any_of(node.asleep.begin(), node.asleep.end(),
                     [&](const Event& event) { return event.process == process; });
}

bool IsOf(const Node::Joined& joined, const Event& event) {
  return event.actor.kind == Actor::Kind::kLanes && joined.cta == event.turn.cta &&
         joined.warp == event.turn.warp && (joined.lanes & event.actor.lanes) != 0;
}

}  // namespace

Search::Search(World* world, const ExhaustOptions& options,
               const std::function<bool(const Order&)>& each, std::vector<Node> beginning)
    : world_(*world),
      options_(options),
      each_(each),
      nodes_(std::move(beginning)),
      races_(&nodes_, world->program(), options.most_reversals),
      fixed_(nodes_.size()),
      former_stop_(world->set_stop(options.stop ? [this] { return options_.stop(found_.classes); }
                                                : World::Stop())) {
  for (std::size_t i = 0; i < fixed_; ++i) {
    races_.Find(i);
  }
}

Search::~Search() { world_.set_stop(std::move(former_stop_)); }

std::vector<std::vector<Node>> Search::Split(std::size_t wanted) {
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

Exhausted Search::Run() {
  do {
    RunOne();
    if (stopped_ || world_.is_stopped() || (options_.stop && options_.stop(found_.classes)) ||
        found_.classes >= options_.most_classes) {
      found_.complete = !stopped_ && !cut_ && !TakeNext();
      break;
    }
    found_.complete = !TakeNext();
  } while (!found_.complete);
  found_.has_ended = found_.complete;
  found_.complete = found_.complete && !cut_ && !races_.has_spared();
  for (const std::uint32_t pc : world_.volatile_pcs()) {
    found_.left_out.insert({LeftOut::Cause::kVolatile, pc});
  }
  for (const auto& [copy, other] : races_.unordered_copies()) {
    found_.left_out.insert({LeftOut::Cause::kPieces, copy, other});
  }
  return found_;
}

void Search::Step(Node* node, std::size_t which) {
  Event& event = node->event;
  event.actor = node->enabled[which];
  event.process = node->processes[which];
  event.turn = world_.TurnOf(event.actor);
  event.cluster = world_.ClusterOf(event.actor);
  const bool flies = event.actor.kind == Actor::Kind::kTransfer;
  event.channel = flies ? world_.ChannelOf(event.process) : 0;
  event.follows = flies ? world_.FollowedBy(event.process) : std::vector<std::uint64_t>();
  event.comes_to.clear();
  event.joined_at.reset();
  for (const Node::Joined& joined : node->joined) {
    if (IsOf(joined, event)) {
      event.joined_at = joined.step;
      event.joined = joined.process;
    }
  }
  world_.Step(event.actor);
  event.accesses = world_.object_accesses();
  std::stable_sort(
      event.accesses.begin(), event.accesses.end(),
      [](const ObjectAccess& a, const ObjectAccess& b) { return a.object < b.object; });
  event.woken = world_.woken();
  event.begun = world_.begun();
  event.sends.clear();
  for (const std::uint64_t process : event.begun) {
    if (const std::uint64_t channel = world_.ChannelOf(process); channel != 0) {
      event.sends.push_back(channel);
    }
  }
  event.gathered = world_.gathered();
  event.lanes = event.actor.lanes | event.turn.lanes;
  event.met = world_.met();
  for (const Place& place : event.gathered.arrived) {
    event.lanes |= IsSameWarp(place, event.turn) ? place.lanes : 0;
  }
  event.ends = world_.end() == World::End::kFault;
  if (event.ends) {
    node->planned = node->processes;
  }
  for (const std::uint64_t process : world_.dropped()) {
    node->Plan(process);
  }
  ++found_.steps;
  for (ObjectAccess& access : event.accesses) {
    access.generation = generations_[access.object];
  }
  Count(event);
}

void Search::Count(const Event& event) {
  for (const ObjectAccess& access : event.accesses) {
    generations_[access.object] += access.mode == ObjectAccess::Mode::kComplete ? 1 : 0;
  }
}

// Takes the steps of all nodes again, but of the last one the step that is next. Returns false if
// the run has stopped.
bool Search::Repeat() {
  for (std::size_t depth = 0; depth < nodes_.size(); ++depth) {
    if (world_.Enabled().empty()) {
      return false;
    }
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
    races_.Find(depth);
  }
  return true;
}

// Follows the plan, and then takes the first enabled step until the end.
void Search::RunOne() {
  world_.Reset();
  generations_.clear();
  std::unique_ptr<Analysis> analysis;
  if (options_.races) {
    analysis = std::make_unique<Analysis>(world_);
  }
  world_.set_observer(analysis.get());
  if (Repeat()) {
    Extend();
  } else {
    Cut();
  }
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

// Adds a node after the latest one.
Node Search::After(const std::vector<Actor>& enabled) {
  Node fresh;
  fresh.enabled = enabled;
  fresh.begun = world_.begun_clusters();
  for (const Actor& actor : enabled) {
    fresh.processes.push_back(world_.ProcessOf(actor));
  }
  if (nodes_.empty()) {
    return fresh;
  }
  Node& last = nodes_.back();
  Join(&last, &fresh);
  for (const Event& event : last.asleep) {
    if (!event.ends && !IsInProgramOrder(last.event, event) && !MetAfter(last.event, event) &&
        !Leaves(last.event, event) && !Leaves(event, last.event) && !SendBoth(last.event, event) &&
        !AnyPair(last.event.accesses, event.accesses, MayConflict)) {
      fresh.asleep.push_back(event);
    }
  }
  return fresh;
}

// Records where the lanes of the last step stand, and which lanes they joined there.
void Search::Join(Node* last, Node* fresh) const {
  Event& event = last->event;
  if (event.actor.kind != Actor::Kind::kLanes && event.actor.kind != Actor::Kind::kWait) {
    fresh->joined = last->joined;
    return;
  }
  for (const Node::Joined& joined : last->joined) {
    if (!IsOf(joined, event)) {
      fresh->joined.push_back(joined);
    }
  }
  const bool is_apart =
      std::any_of(last->enabled.begin(), last->enabled.end(), [&](const Actor& other) {
        return other.kind == Actor::Kind::kLanes && other.unit == event.actor.unit &&
               other.warp == event.actor.warp && (other.lanes & event.actor.lanes) == 0;
      });
  if (!is_apart) {
    return;
  }
  for (const Actor& now : fresh->enabled) {
    const bool same_warp = now.kind == Actor::Kind::kLanes && now.unit == event.actor.unit &&
                           now.warp == event.actor.warp;
    if (!same_warp || (now.lanes & event.actor.lanes) == 0) {
      continue;
    }
    event.comes_to.push_back(now.pc);
    for (std::size_t k = 0; k < last->enabled.size(); ++k) {
      const Actor& before = last->enabled[k];
      if (before.kind == Actor::Kind::kLanes && before.unit == now.unit &&
          before.warp == now.warp && before.pc == now.pc && (before.lanes & ~now.lanes) == 0 &&
          (before.lanes & event.actor.lanes) == 0) {
        fresh->joined.push_back(
            {now.lanes, event.turn.cta, event.turn.warp, nodes_.size() - 1, last->processes[k]});
      }
    }
  }
}

// Enters the next node. Returns false if the order ends there.
bool Search::Begin(Node* next) {
  world_.Reset();
  generations_.clear();
  for (const Node& node : nodes_) {
    if (world_.Enabled().empty()) {
      return false;
    }
    world_.Step(node.event.actor);
    Count(node.event);
  }
  const std::vector<Actor> enabled = world_.Enabled();
  *next = After(enabled);
  return !enabled.empty();
}

// The order is not followed to its end.
void Search::Cut() {
  cut_ = true;
  is_new_ = false;
}

void Search::Extend() {
  is_new_ = true;
  while (true) {
    const std::vector<Actor>& enabled = world_.Enabled();
    if (world_.is_stopped()) {
      return Cut();
    }
    if (enabled.empty()) {
      cut_ = cut_ || world_.end() == World::End::kEndless;
      PlanWaits();
      return;
    }
    const bool asks = nodes_.size() % kAskEach == kAskEach - 1 && options_.stop;
    if (nodes_.size() >= options_.most_steps || (asks && options_.stop(found_.classes))) {
      return Cut();
    }
    Node fresh = After(enabled);
    std::size_t which = 0;
    while (which < enabled.size() && Sleeps(fresh, fresh.processes[which])) {
      ++which;
    }
    if (which == enabled.size()) {
      is_new_ = false;  // all continuations have been seen
      PlanWaits();
      return;
    }
    nodes_.push_back(std::move(fresh));
    nodes_.back().planned.push_back(nodes_.back().processes[which]);
    Step(&nodes_.back(), which);
    races_.Find(nodes_.size() - 1);
  }
}

// A wait that never ends could have come while the phase that it waits for was complete.
void Search::PlanWaits() {
  for (const Actor& wait : world_.Waiting()) {
    nodes_.emplace_back();  // treat the wait as answered now
    Event& event = nodes_.back().event;
    event.actor = wait;
    event.process = world_.ProcessOf(wait);
    event.turn = world_.TurnOf(wait);
    event.lanes = wait.lanes;
    event.actor.answer = true;
    event.accesses.push_back(
        {wait.object, ObjectAccess::Mode::kWait, generations_[wait.object] + 1});
    races_.Find(nodes_.size() - 1);
    nodes_.pop_back();
  }
}

// Goes back to the deepest node with another planned step. Returns false if there is none.
bool Search::TakeNext() {
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

}  // namespace muster::explore
