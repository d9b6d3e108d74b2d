// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Detects lanes that repeat a loop for ever: they have branched back with the same state, while
// nothing that a thread can see has changed. A loop that counts, or that a clock can end, is no
// livelock. Knows the state of lanes and when something changed, and not what lanes wait for.
#ifndef MUSTER_SIM_PTX_SIMT_LIVELOCK_DETECTOR_H_
#define MUSTER_SIM_PTX_SIMT_LIVELOCK_DETECTOR_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/isa/warp_size.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

class LivelockDetector {
 public:
  explicit LivelockDetector(const Program& program);

  // Something that a thread can see has changed.
  void Change(std::uint64_t cycle) {
    last_change_ = cycle;
    ++epoch_;
  }
  // Whether the latest change was long enough ago to look for livelocks.
  bool Settled(std::uint64_t cycle) const { return cycle >= SettledFrom(); }
  std::uint64_t SettledFrom() const { return last_change_ + kSettled; }

  // The group has branched back. A livelock repeats for ever, so that it suffices to look now and
  // then, and less often the longer a look takes.
  void GoBack(const Warp& warp, const Group& group, std::uint64_t cycle) {
    std::uint64_t& next = next_look_[warp.slot];
    if (cycle >= next && Settled(cycle)) {
      next = cycle + kCyclesPerLane * static_cast<unsigned>(__builtin_popcount(group.lanes));
      Visit(warp, group);
    }
  }
  // Without this, lanes are bound only when it is time to look for livelocks.
  void BindAlways() { binds_always_ = true; }
  // Lanes of a warp have exchanged values: until something changes, none of them repeats unless all
  // do.
  void Exchange(unsigned warp, std::uint32_t lanes, std::uint64_t cycle) {
    if (binds_always_ || Settled(cycle)) {
      Bind(warp, lanes);
    }
  }
  // Returns a hash of a lane's state: its place, registers and local memory.
  std::uint64_t StateOf(const Warp& warp, const Group& group, unsigned lane) const {
    return StateOf(warp, lane, RegistersOf(warp, group, lane));
  }
  // Returns a hash of the states of all these lanes of a group.
  std::uint64_t StateOfAll(const Warp& warp, const Group& group, std::uint32_t lanes) const;
  // Returns the lanes that repeat unless something changes.
  std::uint32_t Repeating(unsigned warp) const;

 private:
  static constexpr std::uint64_t kSettled = 4096;  // cycles
  static constexpr unsigned kRepeats = 2;
  static constexpr std::uint64_t kCyclesPerLane = 64;

  // Brent's cycle detection: each state is compared with a kept one, which is replaced after 1, 2,
  // 4 and so on others.
  struct Lane {
    std::uint64_t epoch = 0;
    std::uint64_t registers = 0;
    std::uint64_t state = 0;  // hash of the lane's state
    std::uint64_t steps = 0;
    std::uint64_t limit = 1;
    unsigned repeats = 0;
  };

  void Bind(unsigned warp, std::uint32_t lanes);
  void Visit(const Warp& warp, const Group& group);
  const Function& FunctionAt(std::uint32_t pc) const;
  std::uint64_t RegistersOf(const Warp& warp, const Group& group, unsigned lane) const;
  static std::uint64_t OwnState(const Warp& warp, unsigned lane, std::uint64_t registers);
  std::uint64_t BoundState(const Warp& warp, std::uint32_t lanes) const;
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
  bool binds_always_ = false;
  std::uint64_t epoch_ = 1;
  std::uint64_t last_change_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_LIVELOCK_DETECTOR_H_
