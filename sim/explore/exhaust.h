// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Goes through all orders of a grid's events, one of each class: orders that differ only in steps
// that have nothing to do with each other are one (dynamic partial-order reduction with sleep sets;
// each order is run from its beginning).
#ifndef MUSTER_SIM_EXPLORE_EXHAUST_H_
#define MUSTER_SIM_EXPLORE_EXHAUST_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/explore/suspicion.h"
#include "sim/explore/trace.h"
#include "sim/explore/world.h"

namespace muster::explore {

struct ExhaustOptions {
  std::uint64_t most_classes = ~std::uint64_t{0};
  std::uint64_t most_steps = 32'768;  // of one order: its cost grows with their square
  bool races = true;                  // each order is looked at for races, too
  // Asked now and then: whether to stop, since the time is over.
  std::function<bool(std::uint64_t classes)> stop;
};

// A step of an order.
struct Taken {
  Actor actor;
  ptx::Turn turn;
  Gathered gathered;
};

// One order and how it ended: the world is as it left it.
struct Order {
  const World& world;
  const std::vector<Taken>& steps;
  const std::vector<Suspicion>& suspicions;  // what nothing orders in it

  Trace Traced() const;
};

// Why a search cannot say that it has seen what every run may do.
struct LeftOut {
  enum class Cause : std::uint8_t {
    kVolatile,  // the effect of an instruction is a matter of a clock, or of which lanes are
                // together
    kPieces,    // of a bulk copy that nothing orders with another access
  };
  Cause cause = Cause::kVolatile;
  std::uint32_t pc = 0;

  bool operator<(const LeftOut& other) const {
    return std::tie(cause, pc) < std::tie(other.cause, other.pc);
  }
};
// A sentence.
std::string Explain(const LeftOut& one, const ptx::Program& program);

struct Exhausted {
  bool complete = false;  // there are no other orders
  std::set<LeftOut> left_out;
  std::uint64_t classes = 0;
  std::uint64_t steps = 0;
};

// Calls `each` at the end of one order of each class; it returns whether to go on.
Exhausted Exhaust(World* world, const ExhaustOptions& options,
                  const std::function<bool(const Order&)>& each);

// The same by several threads, each of which makes a world of its own. `each` is called by one of
// them at a time.
Exhausted Exhaust(const std::function<std::unique_ptr<World>()>& make_world, unsigned jobs,
                  const ExhaustOptions& options, const std::function<bool(const Order&)>& each);

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_EXHAUST_H_
