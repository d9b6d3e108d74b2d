// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The CTAs and warps that are resident in a core, slot by slot, and the phase of each warp. Plain
// data: the core changes it, and what answers the core. Knows no cycles.
#ifndef MUSTER_SIM_PTX_RUNTIME_RESIDENTS_H_
#define MUSTER_SIM_PTX_RUNTIME_RESIDENTS_H_

#include <cstdint>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_size.h"
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
  kAsking,     // at an mbarrier instruction, on its way to the port; at an atomic
  kAsleep,     // no lane can go on before the unit answers, or its time has come
  kStuck,      // its lanes wait for each other
  kExited,
};
struct WarpSlot {
  Warp warp;
  WarpPhase phase = WarpPhase::kFree;
  unsigned cta = 0;                // slot
  std::uint32_t cluster_line = 0;  // of its latest barrier.cluster.arrive
  std::uint32_t in_cluster = 0;    // lanes that wait for the cluster scope
  std::uint32_t exit_line = 0;
  std::uint32_t excused = 0;  // lanes whose wait at an invalidated mbarrier is over
};
struct CtaSlot {
  Cta cta;
  bool taken = false;
  bool ended = false;
  std::uint64_t warps = 0;   // slots
  std::uint64_t exited = 0;  // of those: exit committed
};

struct Residents {
  Residents(unsigned num_warps, unsigned num_ctas) : warps(num_warps), ctas(num_ctas) {
    for (unsigned warp = 0; warp < num_warps; ++warp) {
      warps[warp].warp.slot = warp;
      SetPhase(warp, WarpPhase::kFree);
    }
  }
  // No CTA is resident.
  void Reset();

  void SetPhase(unsigned warp, WarpPhase phase);
  unsigned IndexInCta(unsigned warp) const { return warps[warp].warp.first_thread / kWarpSize; }
  std::uint64_t LinearCta(unsigned warp) const { return ctas[warps[warp].cta].cta.linear_id; }
  std::vector<WarpSlot> warps;
  std::vector<CtaSlot> ctas;
  // Warps by phase.
  std::uint64_t free = 0;
  std::uint64_t ready = 0;
  std::uint64_t issuing = 0;
  std::uint64_t blocked = 0;  // blocked, or asking
  std::uint64_t asleep = 0;
  std::uint64_t stuck = 0;
  std::uint64_t arriving = 0;
  std::uint64_t in_cluster = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_RESIDENTS_H_
