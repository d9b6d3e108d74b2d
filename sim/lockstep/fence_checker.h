// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Compares a tracker that answers drains with its golden model in every cycle: each acknowledge,
// where there is room, and that epochs tell accesses apart. It also checks that the core keeps the
// rules of the ports.
#ifndef MUSTER_SIM_LOCKSTEP_FENCE_CHECKER_H_
#define MUSTER_SIM_LOCKSTEP_FENCE_CHECKER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "sim/golden/fence_tracker.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/fence_dut.h"
#include "sim/lockstep/mismatch.h"
#include "sim/port/fence_pins.h"

namespace muster::lockstep {

class FenceChecker {
 public:
  explicit FenceChecker(const FenceShape& shape)
      : shape_(shape), model_(shape.num_warps, shape.num_classes, shape.most) {}

  // Nothing is outstanding any more.
  void Reset() { *this = FenceChecker(shape_); }
  // The settled pins of one cycle, before its clock edge. Cycles without an edge, in which nothing
  // is driven and nothing was in the one before, may be left out. False: they are wrong; see
  // mismatch().
  bool Check(const FenceInputs& in, const FenceOutputs& out);
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }
  const golden::FenceTracker& model() const { return model_; }

  struct Counts {
    std::uint64_t accesses = 0;
    std::uint64_t drains = 0;   // requests that have been acknowledged, and of them
    std::uint64_t at_once = 0;  // in their first cycle
    std::uint64_t overtaken =
        0;                      // while accesses of their classes that came later were outstanding
    std::uint64_t passed = 0;   // while accesses of other classes were
    std::uint64_t held_up = 0;  // cycles of requests in which a busy class alone was in the way
    std::uint64_t full = 0;     // cycles of a warp and class without room
    std::uint64_t both_full = 0;  // likewise, and as much of the epoch before was outstanding
  };
  const Counts& counts() const { return counts_; }

 private:
  std::uint64_t AllWarps() const { return ~std::uint64_t{0} >> (kMaxWarps - shape_.num_warps); }
  bool Wrong(const char* field, const std::string& unit, std::string golden, unsigned warp);
  bool CheckWarp(unsigned warp, const FenceInputs& in, const FenceOutputs& out);
  bool CheckRoom(unsigned warp, const FenceOutputs& out);
  bool Begin(const FenceInputs::Access& access, const FenceOutputs& out);
  bool End(const FenceInputs::Access& access);
  void CountDrain(unsigned warp, golden::FenceTracker::Classes classes);

  FenceShape shape_;
  golden::FenceTracker model_;
  std::uint64_t open_ = 0;   // warps with accesses
  std::uint64_t asked_ = 0;  // those whose request was not acknowledged in the cycle before
  WarpsByClass named_{};     // by these requests
  std::optional<Mismatch> mismatch_;
  Counts counts_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_FENCE_CHECKER_H_
