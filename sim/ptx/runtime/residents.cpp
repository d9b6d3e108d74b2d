// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/residents.h"

namespace muster::ptx {

void Residents::SetPhase(unsigned warp, WarpPhase phase) {
  warps[warp].phase = phase;
  const auto put = [&](std::uint64_t* set, bool member) {
    *set = member ? *set | Bit(warp) : *set & ~Bit(warp);
  };
  put(&free, phase == WarpPhase::kFree);
  put(&ready, phase == WarpPhase::kReady);
  put(&issuing, phase == WarpPhase::kIssuing);
  put(&blocked, phase == WarpPhase::kBlocked || phase == WarpPhase::kAsking);
  put(&asleep, phase == WarpPhase::kAsleep);
  put(&stuck, phase == WarpPhase::kStuck);
  put(&arriving, phase == WarpPhase::kArriving);
  put(&in_cluster, phase == WarpPhase::kInCluster);
}

void Residents::Reset() {
  for (unsigned warp = 0; warp < warps.size(); ++warp) {
    SetPhase(warp, WarpPhase::kFree);
  }
  for (CtaSlot& cta : ctas) {
    cta.taken = false;
  }
}

}  // namespace muster::ptx
