// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/register_limits.h"

#include <cstddef>

#include "sim/ptx/simt/warpgroup.h"

namespace muster::explore {

// "After executing a setmaxnreg instruction, all warps in the warpgroup must synchronize explicitly
// before executing subsequent setmaxnreg instructions."
void RegisterLimits::Set(const Side& now) {
  const Place& at = now.at;
  const EventNumber event = threads_.NewEvent();
  const Clock must = threads_.Gather(at, event)->must;
  std::vector<Arrived>& own = by_warp_[{at.cta, at.warp}];
  const std::size_t before = own.size();
  own.push_back({now, event});
  const unsigned first = at.warp / ptx::kWarpgroupWarps * ptx::kWarpgroupWarps;
  for (unsigned warp = first; warp < first + ptx::kWarpgroupWarps; ++warp) {
    const std::vector<Arrived>& its = by_warp_[{at.cta, warp}];
    if (warp == at.warp) {
      continue;
    }
    if (its.size() > before + 1) {  // it has not waited for this warp
      Suspect(its[before + 1].side, now);
    } else if (before != 0 && its.size() >= before) {
      const Arrived& one = its[before - 1];
      if (!must.Knows(ThreadOf(one.side.at, 0), one.event, one.side.at.lanes)) {
        Suspect(one.side, now);
      }
    }
  }
}

void RegisterLimits::Suspect(const Side& first, const Side& second) {
  Suspicion suspicion;
  suspicion.kind = Kind::kRegisterOrder;
  suspicion.first = first;
  suspicion.second = second;
  suspicion.why =
      "the warps of a warpgroup must synchronize between one setmaxnreg and the next, and nothing "
      "orders these two";
  suspicion.of_memory_model = true;
  suspicions_.Add(std::move(suspicion));
}

}  // namespace muster::explore
