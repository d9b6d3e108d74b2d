// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/lifetimes.h"

#include <utility>

namespace muster::explore {

void CtaMemory::End(std::uint64_t cta, const Side& exit) {
  const Clock known = threads_.MustOf(cta);
  const auto suspect = [&](const Side& first) {
    Suspicion suspicion;
    suspicion.kind = Kind::kLifetime;
    suspicion.first = first;
    suspicion.second = exit;
    suspicion.object.owner = cta;
    suspicion.why = "no thread of that CTA waits for it before the CTA has exited";
    suspicions_.Add(std::move(suspicion));
  };
  for (const auto& [thread, index] : visits_[cta]) {
    const Access& access = memory_.At(index);
    if (!known.Knows({thread.first, thread.second}, access.event)) {
      Side side{access.at, access.step, access.transfer, {"accesses shared memory of another CTA"}};
      side.at.lanes = 1U << thread.second % kWarpSize;
      suspect(side);
    }
  }
  for (const std::uint64_t number : sent_[cta]) {
    if (!transfers_.HasWaited(number, known, Part::kAll)) {
      const Transfer& transfer = transfers_.Of(number);
      suspect({transfer.at, transfer.step, number, {"is done to shared memory of another CTA"}});
    }
  }
}

// Whoever knows the end of a thread's launch knows the end of the transfers that it has started.
void LaunchEnds::End(std::size_t launch) {
  const EventNumber event = threads_.NewEvent();
  ends_[launch] = event;
  transfers_.NoteLaunchEnd(launch, event);
}

// All that the launches have done is visible, whichever proxy has done it or is to use it.
void LaunchEnds::Wait(const Place& at, std::size_t launch) {
  threads_.NewEvent();
  Clock all;
  for (const auto& [ended, event] : ends_) {
    const ptx::Launch& of = launch_.At(ended);
    for (std::uint64_t cta = of.first_cta; ended < launch && cta < of.first_cta + of.Ctas();
         ++cta) {
      for (std::uint32_t warp = 0; warp < of.Warps(); ++warp) {
        all.Note({cta, warp * kWarpSize}, event, kAllLanes);
      }
    }
  }
  threads_.LearnAll(at, all);
}

}  // namespace muster::explore
