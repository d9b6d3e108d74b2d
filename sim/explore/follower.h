// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs a world by a schedule: steps that the schedule lists come in its order, all others at any
// time. Knows nothing of why an order is looked at.
#ifndef MUSTER_SIM_EXPLORE_FOLLOWER_H_
#define MUSTER_SIM_EXPLORE_FOLLOWER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "sim/explore/world.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/schedule.h"

namespace muster::explore {

class Follower {
 public:
  // The first `needed` turns come in their order, and the others after them.
  Follower(World* world, const std::vector<ptx::Turn>& turns, std::size_t needed);

  // Runs the world to its end, in an order that is random where the schedule leaves a choice.
  // Returns whether all turns that are needed have come, or the run has ended in a fault.
  bool Run(std::uint64_t seed);

 private:
  using Where =
      std::tuple<std::uint64_t, unsigned, std::uint32_t, ptx::Turn::What>;  // CTA, warp, pc
  struct State {
    ptx::Turn turn;
    std::uint32_t left = 0;  // lanes that have not taken it
  };

  void Reset();
  std::uint32_t TimeOf(const ptx::Turn& turn, unsigned lane) const;
  std::size_t IndexOf(const ptx::Turn& turn, unsigned lane) const;
  std::uint32_t MayTake(const Actor& actor, const ptx::Turn& turn) const;
  std::vector<Actor> Allowed(const std::vector<Actor>& enabled);
  void Take(const Actor& actor);
  void TakeLanes(const ptx::Turn& turn);
  bool TakeWaits();

  World& world_;
  const std::size_t needed_;
  std::vector<State> states_;
  std::map<Where, std::vector<std::size_t>> listed_;
  std::size_t head_ = 0;  // turns that have come
  std::map<std::tuple<std::uint64_t, unsigned, std::uint32_t, unsigned>, std::uint32_t> times_;
};

// Whether lanes that come to an instruction together execute it in several of these turns, or some
// of them in none. Runs the world in an order of its own.
bool TakesLanesApart(World* world, const std::vector<ptx::Turn>& turns);

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_FOLLOWER_H_
