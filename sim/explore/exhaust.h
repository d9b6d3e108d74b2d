// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Enumerates all orders of a grid's events, one of each equivalence class: two orders are
// equivalent if they differ only in the order of independent steps (dynamic partial-order reduction
// with sleep sets; each order is run from its beginning).
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
  // Limit of one order: for each step it has a set of others, whose size grows with their number.
  std::uint64_t most_steps = 32'768;
  bool races = true;  // each order is also checked for races
  // How often steps at the same two instructions are reversed; 0: always.
  std::uint32_t most_reversals = 0;
  // Asked now and then: whether the time is over and the search must stop.
  std::function<bool(std::uint64_t classes)> stop;
};

// A step of an order.
struct Taken {
  Actor actor;
  ptx::Turn turn;
  Gathered gathered;
};

// One order, at its end. The world is in its final state.
struct Order {
  const World& world;
  const std::vector<Taken>& steps;
  const std::vector<Suspicion>& suspicions;  // its unordered events

  Trace Traced() const;
};

// Why a search cannot claim that it has seen all that a run may do.
struct LeftOut {
  enum class Cause : std::uint8_t {
    kVolatile,  // the effect of an instruction depends on a clock, or on which lanes are
                // together
    kPieces,    // pieces of a bulk copy are not ordered with another access
  };
  Cause cause = Cause::kVolatile;
  std::uint32_t pc = 0;
  std::uint32_t other = 0;  // of kPieces: the other access

  bool operator<(const LeftOut& with) const {
    return std::tie(cause, pc, other) < std::tie(with.cause, with.pc, with.other);
  }
};
// Returns the reason as a sentence.
std::string Explain(const LeftOut& one, const ptx::Program& program);
// Returns a sentence for each cause, which names each place in the source once.
std::vector<std::string> InShort(const std::vector<LeftOut>& all, const ptx::Program& program);

struct Exhausted {
  bool complete = false;   // there are no other orders
  bool has_ended = false;  // all that was planned was seen; of a search by one job
  std::set<LeftOut> left_out;
  std::uint64_t classes = 0;
  std::uint64_t steps = 0;
};

// Calls `each` at the end of one order of each class. `each` returns whether to continue.
Exhausted Exhaust(World* world, const ExhaustOptions& options,
                  const std::function<bool(const Order&)>& each);

// Does the same with several threads, each with a world of its own. Only one of them calls `each`
// at a time.
Exhausted Exhaust(const std::function<std::unique_ptr<World>()>& make_world, unsigned jobs,
                  const ExhaustOptions& options, const std::function<bool(const Order&)>& each);

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_EXHAUST_H_
