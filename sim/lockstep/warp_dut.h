// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A warp scope as a plain C++ class: pins in, pins out, nothing of Verilator.
#ifndef MUSTER_SIM_LOCKSTEP_WARP_DUT_H_
#define MUSTER_SIM_LOCKSTEP_WARP_DUT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
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
};

// A cycle is: Settle; Clock.
class WarpDut {
 public:
  WarpDut() = default;
  WarpDut(const WarpDut&) = delete;
  WarpDut& operator=(const WarpDut&) = delete;
  virtual ~WarpDut() = default;

  virtual const WarpShape& shape() const = 0;
  // Drives the inputs with the clock low, and returns the settled outputs: a payload only when its
  // valid bit is set.
  virtual void Settle(const WarpInputs& in, WarpOutputs* out) = 0;
  virtual void Clock() = 0;  // the rising edge
  virtual void Reset() = 0;

  // As of Dut. Cycles that were not clocked are told of by Skip.
  virtual void OpenTrace(const std::string& path, std::uint64_t cycle) = 0;
  virtual void Skip(std::uint64_t cycle) = 0;
  virtual void CloseTrace() = 0;
};

// Returns a Verilated warp scope for units of the configuration, out of reset; null if this program
// has none.
std::unique_ptr<WarpDut> MakeWarpDut(const Config& config);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_WARP_DUT_H_
