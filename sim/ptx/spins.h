// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Finds lanes that repeat a wait for ever: they have come back to it with the same registers, while
// nothing changed that a thread can see. A loop that counts, or that a clock can end, is none.
#ifndef MUSTER_SIM_PTX_SPINS_H_
#define MUSTER_SIM_PTX_SPINS_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/ptx/program.h"
#include "sim/ptx/warp.h"

namespace muster::ptx {

// Marks the registers that depend on a clock, and the instructions whose effect on anything but
// registers does.
void MarkTimed(Program* program);

class Spins {
 public:
  explicit Spins(const Program& program);

  // Something changed.
  void Change(std::uint64_t cycle) {
    last_change_ = cycle;
    ++epoch_;
  }
  // It was so long ago that it is worth looking.
  bool Settled(std::uint64_t cycle) const { return cycle - last_change_ >= kSettled; }

  // Lanes of a group were answered false.
  void Visit(const Warp& warp, const Group& group, std::uint32_t lanes);
  // Lanes that repeat, if nothing changes any more.
  std::uint32_t Repeating(unsigned warp) const;

 private:
  static constexpr std::uint64_t kSettled = 4096;  // cycles
  static constexpr unsigned kRepeats = 2;

  // Brent's way to find a cycle of any length: what comes is compared with one state that was kept,
  // which is replaced after 1, 2, 4, ... others.
  struct Lane {
    std::uint64_t epoch = 0;
    std::uint64_t state = 0;
    std::uint64_t steps = 0;
    std::uint64_t limit = 1;
    unsigned repeats = 0;
  };

  const Function& FunctionAt(std::uint32_t pc) const;
  std::uint64_t StateOf(const Warp& warp, const Group& group, unsigned lane) const;

  const Program& program_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> functions_;  // by entry: index
  std::array<std::array<Lane, kWarpSize>, kMaxWarps> lanes_;
  std::uint64_t epoch_ = 1;
  std::uint64_t last_change_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SPINS_H_
