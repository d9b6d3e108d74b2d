// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A warp scope as a plain C++ class: pins in, pins out, nothing of Verilator.
#ifndef MUSTER_SIM_LOCKSTEP_WARP_DUT_H_
#define MUSTER_SIM_LOCKSTEP_WARP_DUT_H_

#include <cstdint>
#include <memory>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/scope_dut.h"
#include "sim/port/warp_pins.h"

namespace muster::lockstep {

// The parameters of muster_warp.
struct WarpShape {
  unsigned num_warps;
  unsigned warp_size;
  unsigned lanes_per_beat;
  bool collectives;
  bool faults;

  std::uint32_t Lanes() const { return ~std::uint32_t{0} >> (kMaxLanes - warp_size); }
  unsigned Beats() const { return warp_size / lanes_per_beat; }
  unsigned BeatWidth() const {  // of beat_i
    unsigned width = 1;
    while (Beats() > 1U << width) {
      ++width;
    }
    return width;
  }
};

class WarpDut : public ScopeDut<WarpShape, WarpInputs, WarpOutputs> {
 public:
  static constexpr const char* kName = "warp";
};

// Returns a Verilated warp scope for units of the configuration, out of reset; null if this program
// has none.
std::unique_ptr<WarpDut> MakeWarpDut(const Config& config);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_WARP_DUT_H_
