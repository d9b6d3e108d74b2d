// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// How a Verilated module begins. There is one rising clock edge in reset.
#ifndef MUSTER_SIM_LOCKSTEP_POWER_UP_H_
#define MUSTER_SIM_LOCKSTEP_POWER_UP_H_

#include <cstdint>

namespace muster::lockstep {

struct PowerUp {
  std::uint64_t seed = 0;  // of what registers and memories hold before the reset; 0: zeros
  bool low = false;        // rst_ni is low from the beginning, and does not fall
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_POWER_UP_H_
