// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The times that rtl/README.md and rtl/WAITS.md publish, by configuration.
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

// Registers of a unit count on while it is idle: the drain looks at its warps in turn. After so
// many idle cycles, all that the pins depend on is again as it was.
std::uint64_t IdlePeriod(const Config& config);
// The same of the mbarriers, where what ends waits at their time limits looks at the warps, too.
std::uint64_t MbIdlePeriod(const Config& config);

// How many cycles after this one the clock may stand still, if nothing can happen before the cycle
// `until` (Driver::kNever: the cycle is not known): a whole number of nanoseconds, and no more than
// the unit can catch up with (rtl/mbarrier/README.md). 0: it is not worth it.
std::uint64_t StandsStill(std::uint64_t cycle, std::uint64_t until, std::uint64_t clock_period_ps);

// The smallest 2^n - 1 that is no less than any warp number. Warps with the same lower bits share
// a busy flag and a parking slot.
unsigned WarpMask(unsigned num_warps);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_BOUNDS_H_
