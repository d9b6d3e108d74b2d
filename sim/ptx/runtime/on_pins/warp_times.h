// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// When warps of a core issue, wake and have performed their accesses: what has a time at the pins
// alone. Plain data: the machine and its ports change it. Knows no instructions.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_WARP_TIMES_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_WARP_TIMES_H_

#include <array>
#include <cstdint>

#include "sim/isa/operation.h"
#include "sim/ptx/simt/interpreter.h"

namespace muster::ptx {

struct WarpTimes {
  std::uint64_t issue_at = 0;  // the first cycle in which it may be presented
  // Asleep: the first cycle in which lanes continue by themselves.
  std::uint64_t wakes_at = 0;
  std::uint64_t memory_until = 0;  // its accesses are performed by then
  // Accesses before the operation in flight are performed by then.
  std::uint64_t drain_until = 0;
  // Accesses before the mbarrier operation in flight are performed by then.
  std::uint64_t mb_drain_until = 0;
  std::uint32_t issued_line = 0;  // of the operation in flight
  bool issued_listed = false;     // the operation in flight is a turn of a schedule
  bool asked_cluster = false;     // its arrival or wait has been sent to the cluster scope
};

struct CoreTimes {
  std::array<WarpTimes, kMaxWarps> warps;
  std::uint64_t outstanding = 0;           // warps with accesses that are not performed
  std::uint64_t wakes_at = Waits::kNever;  // no sleeping warp wakes earlier
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_WARP_TIMES_H_
