// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A tracker that answers drains as a plain C++ class: pins in, pins out, nothing of Verilator.
#ifndef MUSTER_SIM_LOCKSTEP_FENCE_DUT_H_
#define MUSTER_SIM_LOCKSTEP_FENCE_DUT_H_

#include <memory>

#include "sim/lockstep/scope_dut.h"
#include "sim/port/fence_pins.h"

namespace muster::lockstep {

// The parameters of muster_fence_tracker.
struct FenceShape {
  unsigned num_warps;
  unsigned num_classes;
  unsigned most;  // accesses of a warp and class in one epoch
};

class FenceDut : public ScopeDut<FenceShape, FenceInputs, FenceOutputs> {
 public:
  static constexpr const char* kName = "fences";
};

// Returns a Verilated tracker of kFenceWarps warps, out of reset; null if this program has none.
std::unique_ptr<FenceDut> MakeFenceDut();

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_FENCE_DUT_H_
