// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Finds lanes that repeat a loop for ever: they have gone back in it with the same registers, while
// nothing changed that a thread can see. A loop that counts, or that a clock can end, is none.
#ifndef MUSTER_SIM_PTX_SIMT_SPINS_H_
#define MUSTER_SIM_PTX_SIMT_SPINS_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/isa/warp_size.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

class Spins {
 public:
  explicit Spins(const Program& program);

  // Something changed.
  void Change(std::uint64_t cycle) {
    last_change_ = cycle;
    ++epoch_;
  }
  // It was so long ago that it is worth looking.
  bool Settled(std::uint64_t cycle) const { return cycle >= SettledFrom(); }
  std::uint64_t SettledFrom() const { return last_change_ + kSettled; }

  // The group has gone back to where it stands. What is to be found comes back for ever: so it is
  // looked at now and then, the more seldom the longer it takes.
  void GoBack(const Warp& warp, const Group& group, std::uint64_t cycle) {
    std::uint64_t& next = next_look_[warp.slot];
    if (cycle >= next && Settled(cycle)) {
      next = cycle + kCyclesPerLane * static_cast<unsigned>(__builtin_popcount(group.lanes));
      Visit(warp, group);
    }
  }
  // Lanes of a warp have got values from each other: none repeats unless all of them do.
  void Bind(unsigned warp, std::uint32_t lanes);
  // All that a lane of a group has: its place, registers and local memory.
  std::uint64_t StateOf(const Warp& warp, const Group& group, unsigned lane) const {
    return StateOf(warp, lane, RegistersOf(warp, group, lane));
  }
  // Lanes that repeat, if nothing changes any more.
  std::uint32_t Repeating(unsigned warp) const;

 private:
  static constexpr std::uint64_t kSettled = 4096;  // cycles
  static constexpr unsigned kRepeats = 2;
  static constexpr std::uint64_t kCyclesPerLane = 64;

  // Brent's way to find a cycle of any length: what comes is compared with one state that was kept,
  // which is replaced after 1, 2, 4, ... others.
  struct Lane {
    std::uint64_t epoch = 0;
    std::uint64_t registers = 0;
    std::uint64_t state = 0;  // of all it has
    std::uint64_t steps = 0;
    std::uint64_t limit = 1;
    unsigned repeats = 0;
  };

  void Visit(const Warp& warp, const Group& group);
  const Function& FunctionAt(std::uint32_t pc) const;
  std::uint64_t RegistersOf(const Warp& warp, const Group& group, unsigned lane) const;
  std::uint64_t StateOf(const Warp& warp, unsigned lane, std::uint64_t registers) const;

  const Program& program_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> functions_;  // by entry: index
  std::array<std::array<Lane, kWarpSize>, kMaxWarps> lanes_;
  struct Bound {
    std::uint64_t epoch = 0;
    std::uint32_t lanes = 0;
  };
  std::array<Bound, kMaxWarps> bound_;
  std::array<std::uint64_t, kMaxWarps> next_look_{};
  std::uint64_t epoch_ = 1;
  std::uint64_t last_change_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_SPINS_H_
