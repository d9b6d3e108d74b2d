// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The pins of the tracker that answers drains (rtl/README.md, Fences) as plain numbers, one cycle's
// worth.
#ifndef MUSTER_SIM_PORT_FENCE_PINS_H_
#define MUSTER_SIM_PORT_FENCE_PINS_H_

#include <cstdint>
#include <vector>

#include "sim/isa/access_class.h"

namespace muster {

struct FenceInputs {
  // An access that begins in this cycle, or is performed; of a warp and class one of either.
  struct Access {
    std::uint64_t number = 0;  // told to the checker alone
    std::uint8_t warp = 0;
    std::uint8_t of = 0;  // its class
    bool epoch = false;   // performed: that in which it began
  };
  std::vector<Access> begun;
  std::vector<Access> done;
  WarpsByClass busy{};
  std::uint64_t request = 0;  // a bit per warp
  WarpsByClass classes{};     // that the requests name

  bool IsIdle() const { return begun.empty() && done.empty() && request == 0; }
};

// Settled in the same cycle as the inputs; epoch and full are of its beginning.
struct FenceOutputs {
  WarpsByClass epoch{};
  WarpsByClass full{};
  std::uint64_t acknowledge = 0;
};

// Warps of a tracker beside a unit, which has as many of them as that takes: warp w is the tracker
// w / kFenceWarps's warp w % kFenceWarps. No warp has to do with another, and a small tracker is
// left without a clock more often.
inline constexpr unsigned kFenceWarps = 8;

// The driver sets `in`, and the tracker sets `out`.
struct FencePins {
  FenceInputs in;
  FenceOutputs out;
};

}  // namespace muster

#endif  // MUSTER_SIM_PORT_FENCE_PINS_H_
