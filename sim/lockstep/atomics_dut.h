// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The atomics on shared memory as a plain C++ class: pins in, pins out, nothing of Verilator.
#ifndef MUSTER_SIM_LOCKSTEP_ATOMICS_DUT_H_
#define MUSTER_SIM_LOCKSTEP_ATOMICS_DUT_H_

#include <cstdint>
#include <memory>

#include "sim/isa/config.h"
#include "sim/lockstep/scope_dut.h"
#include "sim/port/atomic_pins.h"

namespace muster::lockstep {

// The parameters of muster_atomics.
struct AtomicsShape {
  unsigned num_warps;
  std::uint32_t smem_bytes;
  bool faults;
  bool drain;
  unsigned floats;  // rtl/atomics/README.md
  bool has_128;
};

class AtomicsDut : public ScopeDut<AtomicsShape, AtomicInputs, AtomicOutputs> {
 public:
  static constexpr const char* kName = "atomics";
};

// Returns a Verilated block for units of the configuration, out of reset; null if this program has
// none.
std::unique_ptr<AtomicsDut> MakeAtomicsDut(const Config& config);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_ATOMICS_DUT_H_
