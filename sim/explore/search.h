// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A depth-first search through all orders, or all orders with a given beginning, in one world: it
// runs one order to its end and then goes back to the deepest node where another step was planned.
// Knows the plan and the sleep sets, and not why a step is planned (races.h).
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
  // Searches all orders with this beginning.
  Search(World* world, const ExhaustOptions& options, const std::function<bool(const Order&)>& each,
         std::vector<Node> beginning = {});
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  ~Search();

  // Returns a list of beginnings that covers all orders, at least this many if possible.
  std::vector<std::vector<Node>> Split(std::size_t wanted);
  Exhausted Run();

 private:
  static constexpr std::size_t kAskEach = 256;  // steps from one look at the time to the next

  void Step(Node* node, std::size_t which);
  void Count(const Event& event);
  bool Repeat();
  void RunOne();
  Node After(const std::vector<Actor>& enabled);
  void Join(Node* last, Node* fresh) const;
  bool Begin(Node* next);
  void Extend();
  void Cut();
  void PlanWaits();
  bool TakeNext();

  World& world_;
  const ExhaustOptions& options_;
  const std::function<bool(const Order&)>& each_;
  std::vector<Node> nodes_;
  Races races_;
  std::size_t fixed_ = 0;  // nodes of the beginning, which stay
  std::vector<Taken> steps_;
  std::unordered_map<std::uint64_t, std::uint32_t> generations_;  // by object: completions
  std::uint64_t next_ = 0;
  bool is_new_ = true;
  bool stopped_ = false;
  bool cut_ = false;
  Exhausted found_;
  World::Stop former_stop_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_SEARCH_H_
