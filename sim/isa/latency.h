// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The constant latencies of a unit that nothing else keeps busy, as rtl/README.md and
// rtl/mbarrier/README.md publish them (in both, "Latency"). The lockstep harness checks the
// Verilated unit against them, and the TLM model (sim/tlm) annotates them.
#ifndef MUSTER_SIM_ISA_LATENCY_H_
#define MUSTER_SIM_ISA_LATENCY_H_

#include <algorithm>

#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster {

// All members are in cycles of the unit's clock.
struct Latency {
  // Named barriers. An operation is accepted in the cycle in which valid and ready are both high.
  unsigned issue = 0;     // acceptance to commit: arrivals and B2R
  unsigned r2b = 0;       // acceptance to commit: R2B
  unsigned launch = 0;    // valid to commit of a launch
  unsigned open = 0;      // valid to commit of an open of a clean slot, and of a join
  unsigned leave = 0;     // valid to commit of a suspend or an end
  unsigned exit = 0;      // valid to commit of an exit
  unsigned effect = 0;    // commit to release, fault and entry written: always
  unsigned response = 0;  // commit to response, queue empty

  // Mbarriers.
  unsigned mb_issue = 0;     // acceptance to commit: from a warp
  unsigned mb_other = 0;     // acceptance to commit: from a copy engine or another CTA
  unsigned mb_wake = 0;      // commit to the wake-up of parked warps: always
  unsigned mb_fault = 0;     // commit to fault: always
  unsigned mb_response = 0;  // commit to response, queue empty
  unsigned mb_leave = 0;     // a CTA leaves its slot: to the answer false of its parked warps
  unsigned mb_expiry = 0;    // a time limit passes: to the answer false, at most
};

constexpr Latency LatencyOf(const Config& config) {
  const bool longer = config.reduce || config.state || config.num_issue > 1;
  const unsigned steps = std::max(kNumBars, config.num_warps);  // of a launch
  Latency latency;
  latency.issue = config.num_issue > 1 ? 3 : 2;
  latency.r2b = latency.issue + 3;
  latency.launch = 2 * steps + (config.num_issue > 1 ? 9 : 8);
  latency.open = 5;
  latency.leave = longer ? 6 : 5;
  latency.exit = longer ? 5 : 4;
  latency.effect = longer ? 2 : 1;
  latency.response = longer ? 2 : 1;
  latency.mb_issue = config.drain ? 6 : 5;
  latency.mb_other = 5;
  latency.mb_wake = 2;
  latency.mb_fault = 1;
  latency.mb_response = 2;
  latency.mb_leave = 1;
  latency.mb_expiry = config.num_warps + 4;
  return latency;
}

// Acceptance to commit, of a lifecycle operation valid to commit.
constexpr unsigned ToCommit(const Latency& latency, OpKind kind) {
  if (kind == OpKind::kLaunch) {
    return latency.launch;
  }
  if (kind == OpKind::kExit) {
    return latency.exit;
  }
  if (kind == OpKind::kOpen || kind == OpKind::kJoin) {
    return latency.open;
  }
  if (IsLifecycle(kind)) {
    return latency.leave;
  }
  return kind == OpKind::kR2bBar || kind == OpKind::kR2bWarp ? latency.r2b : latency.issue;
}

constexpr unsigned ToCommit(const Latency& latency, MbSource source) {
  return source == MbSource::kWarp || source == MbSource::kOutbound ? latency.mb_issue
                                                                    : latency.mb_other;
}

}  // namespace muster

#endif  // MUSTER_SIM_ISA_LATENCY_H_
