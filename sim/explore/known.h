// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a thread knows of others, by what it may conclude from it.
#ifndef MUSTER_SIM_EXPLORE_KNOWN_H_
#define MUSTER_SIM_EXPLORE_KNOWN_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/explore/clock.h"
#include "sim/ptx/program/order.h"

namespace muster::explore {

struct Known {
  Clock::Pointer memory;        // accesses in the generic proxy are performed before mine
  Clock::Pointer async_global;  // ... also as the async proxy sees it, to global memory, ...
  Clock::Pointer async_shared;  // ... and to shared memory
  Clock::Pointer inits;         // mbarrier.init is, by fence.mbarrier_init
  Clock::Pointer must;          // events must have happened, whether I see their stores or not

  void Join(const Known& other) {
    memory = Clock::Join(memory, other.memory);
    async_global = Clock::Join(async_global, other.async_global);
    async_shared = Clock::Join(async_shared, other.async_shared);
    inits = Clock::Join(inits, other.inits);
    must = Clock::Join(must, other.must);
  }
  void Note(Thread first, EventNumber event, std::uint32_t lanes = 1) {
    memory = Clock::With(memory, first, event, lanes);
    must = Clock::With(must, first, event, lanes);
  }
};

// What was published at some scope, by threads of a CTA.
struct Published {
  ptx::Scope scope = ptx::Scope::kSystem;
  std::uint64_t cta = 0;
  Known known;
  std::uint32_t by = 0;  // the thread of the CTA, and 1; 0: several
};

// Adds one to a list that has one entry for each scope, CTA and thread.
inline void Publish(std::vector<Published>* list, const Published& fresh) {
  const auto same = std::find_if(list->begin(), list->end(), [&](const Published& one) {
    return one.scope == fresh.scope && one.cta == fresh.cta && one.by == fresh.by;
  });
  if (same == list->end()) {
    list->push_back(fresh);
  } else {
    same->known.Join(fresh.known);
  }
}

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_KNOWN_H_
