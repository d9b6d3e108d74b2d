// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The CTAs and warps that are resident in a core, slot by slot, and the phase of each warp. Plain
// data: the machine and its ports change it.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_RESIDENTS_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_RESIDENTS_H_

#include <cstdint>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

enum class WarpPhase : std::uint8_t {
  kFree,       // the slot has no warp
  kBlocked,    // its launch or an exit has not committed
  kReady,      // runs
  kIssuing,    // at a barrier, on its way to a port
  kWaiting,    // accepted, and waits to be released
  kArriving,   // at barrier.cluster, on its way there
  kInCluster,  // waits there
  kAtGrid,     // waits at griddepcontrol
  kAsking,     // at an mbarrier instruction, on its way to the port
  kAsleep,     // no lane can go on before the unit answers, or its time has come
  kStuck,      // its lanes wait for each other
  kExited,
};
struct WarpSlot {
  Warp warp;
  WarpPhase phase = WarpPhase::kFree;
  unsigned cta = 0;            // slot
  std::uint64_t issue_at = 0;  // the first cycle in which it may be presented
  // Asleep: the first cycle in which lanes continue by themselves.
  std::uint64_t wakes_at = 0;
  std::uint64_t memory_until = 0;  // its accesses are performed by then
  // Accesses before the operation in flight are performed by then.
  std::uint64_t drain_until = 0;
  // Accesses before the mbarrier operation in flight are performed by then.
  std::uint64_t mb_drain_until = 0;
  std::uint32_t issued_line = 0;   // of the operation in flight
  bool issued_listed = false;      // the operation in flight is a turn of a schedule
  std::uint32_t cluster_line = 0;  // of its latest barrier.cluster.arrive
  std::uint32_t in_cluster = 0;    // lanes that wait for the cluster scope
  bool asked_cluster = false;      // its arrival or wait has been sent to the cluster scope
  std::uint32_t exit_line = 0;
  std::uint32_t excused = 0;  // lanes whose wait at an invalidated mbarrier is over
};
// Lanes of a warp that have exited together.
struct Leavers {
  unsigned warp = 0;  // of the CTA
  std::uint32_t lanes = 0;
  std::uint32_t line = 0;
  std::uint64_t cycle = 0;
};
struct CtaSlot {
  Cta cta;
  bool taken = false;
  bool ended = false;
  std::uint64_t warps = 0;   // slots
  std::uint64_t exited = 0;  // of those: exit committed
  std::vector<Leavers> leavers;
};

struct Residents {
  Residents(unsigned num_warps, unsigned num_ctas) : warps(num_warps), ctas(num_ctas) {
    for (unsigned warp = 0; warp < num_warps; ++warp) {
      warps[warp].warp.slot = warp;
    }
  }

  void SetPhase(unsigned warp, WarpPhase phase);
  unsigned IndexInCta(unsigned warp) const { return warps[warp].warp.first_thread / kWarpSize; }
  std::uint64_t LinearCta(unsigned warp) const { return ctas[warps[warp].cta].cta.linear_id; }
  std::vector<WarpSlot> warps;
  std::vector<CtaSlot> ctas;
  // Warps by phase.
  std::uint64_t ready = 0;
  std::uint64_t issuing = 0;
  std::uint64_t blocked = 0;  // blocked, or asking
  std::uint64_t asleep = 0;
  std::uint64_t stuck = 0;
  std::uint64_t arriving = 0;
  std::uint64_t in_cluster = 0;
  std::uint64_t outstanding = 0;                 // with accesses that are not performed
  std::uint64_t wakes_at = Interpreter::kNever;  // no sleeping warp wakes earlier
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_RESIDENTS_H_
