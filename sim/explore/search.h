// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The search through all orders, or those with one beginning, by one world: it takes one order to
// its end, then goes back to the deepest place where another step was planned. Knows the plan, and
// which steps sleep; not why a step is planned (races.h).
#ifndef MUSTER_SIM_EXPLORE_SEARCH_H_
#define MUSTER_SIM_EXPLORE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "sim/explore/event.h"
#include "sim/explore/exhaust.h"
#include "sim/explore/races.h"

namespace muster::explore {

class Search {
 public:
  // All orders that begin so.
  Search(World* world, const ExhaustOptions& options, const std::function<bool(const Order&)>& each,
         std::vector<Node> beginning = {});

  // Ways to begin, at least so many if there are: each order begins in one of them.
  std::vector<std::vector<Node>> Split(std::size_t wanted);
  Exhausted Run();

 private:
  static constexpr std::size_t kAskEach = 256;  // steps of an order: whether the time is over

  void Step(Node* node, std::size_t which);
  void Count(const Event& event);
  void RunOne();
  Node After(const std::vector<Actor>& enabled);
  void Join(Node* last, Node* fresh) const;
  bool Begin(Node* next);
  void Extend();
  void PlanWaits();
  bool TakeNext();

  World& world_;
  const ExhaustOptions& options_;
  const std::function<bool(const Order&)>& each_;
  std::vector<Node> nodes_;
  Races races_;
  std::size_t fixed_ = 0;  // of the nodes: not to be changed
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
