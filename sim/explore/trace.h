// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Records the order of a run's events as a schedule that repeats it.
#ifndef MUSTER_SIM_EXPLORE_TRACE_H_
#define MUSTER_SIM_EXPLORE_TRACE_H_

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "sim/explore/observer.h"
#include "sim/explore/world.h"
#include "sim/ptx/simt/schedule.h"

namespace muster::explore {

class Trace {
 public:
  // Adds a step. `turn` is what World::TurnOf returned before the step; the execution count of its
  // lanes is added here. When lanes gather at a barrier, their turns are placed at the arrival of
  // the whole warp. Lanes that only ask for what a pool does not have take no turn.
  void Add(const Actor& actor, const ptx::Turn& turn, const Gathered& gathered);
  const std::vector<ptx::Turn>& turns() const { return turns_; }
  // Returns the schedule, followed by the next event of each thread, so that these cannot come
  // earlier.
  std::vector<ptx::Turn> WithNext(const World& world) const;
  // Returns the turn of a lane in the step with that number, from 1 on.
  ptx::Turn At(std::uint64_t step, unsigned lane) const;
  // Returns how often the lane has executed the instruction.
  std::uint32_t Times(const ptx::Turn& turn, unsigned lane) const;

 private:
  using Where = std::tuple<std::uint64_t, unsigned, std::uint32_t>;  // CTA, warp, pc

  std::vector<ptx::Turn> turns_;    // in the order of a schedule
  std::vector<ptx::Turn> waiting_;  // turns of lanes that gather and have not arrived
  std::vector<ptx::Turn> all_;      // in the order of the steps
  std::vector<std::size_t> first_;  // of each step: its first turn among these
  std::map<Where, std::array<std::uint32_t, kWarpSize>> times_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_TRACE_H_
