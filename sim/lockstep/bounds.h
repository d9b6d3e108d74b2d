// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The times that rtl/README.md publishes, by configuration.
#ifndef MUSTER_SIM_LOCKSTEP_BOUNDS_H_
#define MUSTER_SIM_LOCKSTEP_BOUNDS_H_

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/lockstep.h"

namespace muster::lockstep {

struct Bounds {
  unsigned latency;  // cycles from commit to release, fault and entry written: always this many
  unsigned accept;   // acceptance to release, nothing else in the way
  unsigned start;    // cycles after reset in which no wait is counted
  Waits longest;
  MbWaits mb_longest;
};

Bounds BoundsOf(const Config& config);

// The smallest 2^n - 1 that is no less than any warp number. Warps with the same lower bits share
// a busy flag and a parking slot.
unsigned WarpMask(unsigned num_warps);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_BOUNDS_H_
