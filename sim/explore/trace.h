// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The order of a run's events, as a schedule that repeats it.
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
  // A step that was taken. `turn` as World::TurnOf gave it before: how often its lanes have come
  // there is counted here. Where lanes gather for a barrier, the turns of all come when they
  // arrive.
  void Add(const Actor& actor, const ptx::Turn& turn, const Gathered& gathered);
  const std::vector<ptx::Turn>& turns() const { return turns_; }
  // The same, and then what each thread would have done next: it must not come before.
  std::vector<ptx::Turn> WithNext(const World& world) const;
  // The turn of a lane in the run's step of that number, from 1.
  ptx::Turn At(std::uint64_t step, unsigned lane) const;
  // How often the lane has come to the instruction.
  std::uint32_t Times(const ptx::Turn& turn, unsigned lane) const;

 private:
  using Where = std::tuple<std::uint64_t, unsigned, std::uint32_t>;  // CTA, warp, pc

  std::vector<ptx::Turn> turns_;    // in the order of a schedule
  std::vector<ptx::Turn> waiting_;  // turns of lanes that gather, and have not arrived
  std::vector<ptx::Turn> all_;      // in the order of the steps
  std::vector<std::size_t> first_;  // of each step: its first turn among these
  std::map<Where, std::array<std::uint32_t, kWarpSize>> times_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_TRACE_H_
