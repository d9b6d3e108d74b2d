// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the front end itself refuses or reports.
#include <fmt/format.h>

#include <utility>

#include "sim/ptx/explain.h"
#include "sim/ptx/grid.h"
#include "sim/ptx/machine.h"

namespace muster::ptx {

// Operands that the hardware would cut; and, where it has no faults, those that it must not see.
const char* Machine::FrontEndFault(const Arrival& arrival, unsigned warp) const {
  if (arrival.bar >= kNumBars) {
    return "bad_barrier_id";
  }
  if (arrival.count > 4095) {
    return "bad_count";
  }
  if (config_.faults) {
    return nullptr;
  }
  const auto cause = [&] {
    const auto size = static_cast<unsigned>(__builtin_popcountll(ctas_[warps_[warp].cta].warps));
    if (arrival.kind == OpKind::kArrive && arrival.count == 0) {
      return FaultCause::kArvWithoutCount;
    }
    if (arrival.count % kWarpSize != 0) {
      return FaultCause::kCountNotMultiple;
    }
    if (arrival.count / kWarpSize > size) {
      return FaultCause::kCountAboveCta;
    }
    return FaultCause::kNone;
  }();
  return cause == FaultCause::kNone ? nullptr : Name(cause);
}

// A fault of the front end, at the warp's latest barrier.
void Machine::EndWithArrival(const char* cause, unsigned warp, std::uint64_t cycle) {
  const Arrival& arrival = warps_[warp].warp.arrival;
  grid_.EndWithFault(Outcome::kFault, {cause, arrival.line, cycle, LinearCta(warp),
                                       IndexInCta(warp), arrival.bar, arrival.lanes});
}

void Machine::AddHazard(Hazard hazard, unsigned warp, unsigned bar, std::uint32_t line,
                        std::uint64_t cycle) {
  grid_.AddHazard({Name(hazard), line, cycle, LinearCta(warp), IndexInCta(warp), bar,
                   warps_[warp].warp.arrival.lanes});
}

// Asynchronous stores of threads to their own CTA.
void Machine::NoteOwnCta(std::uint64_t cycle) {
  for (const Interpreter::OwnCta& found : interpreter_.TakeOwnCta()) {
    grid_.AddHazard({Name(Hazard::kAsyncToOwnCta), found.line, cycle, LinearCta(found.warp),
                     IndexInCta(found.warp), 0, found.lanes, 1,
                     MbarrierName(program_, found.mbarrier), Explain(Hazard::kAsyncToOwnCta)});
  }
}

}  // namespace muster::ptx
