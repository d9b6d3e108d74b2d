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
  Clock::Pointer memory;  // accesses in the generic proxy are performed before mine
  Clock::Pointer async;   // ... also as the async proxy sees it
  Clock::Pointer inits;   // mbarrier.init is, by fence.mbarrier_init
  Clock::Pointer must;    // events must have happened, whether I see their stores or not

  void Join(const Known& other) {
    memory = Clock::Join(memory, other.memory);
    async = Clock::Join(async, other.async);
    inits = Clock::Join(inits, other.inits);
    must = Clock::Join(must, other.must);
  }
  void Note(Thread first, EventNumber event, std::uint32_t lanes = 1) {
    memory = Clock::With(memory, first, event, lanes);
    must = Clock::With(must, first, event, lanes);
  }
};

// What was published at some scope, by a thread of a CTA.
struct Published {
  ptx::Scope scope = ptx::Scope::kSystem;
  std::uint64_t cta = 0;
  Known known;
};

// Adds one to a list that has one entry for each scope and CTA.
inline void Publish(std::vector<Published>* list, const Published& fresh) {
  const auto same = std::find_if(list->begin(), list->end(), [&](const Published& one) {
    return one.scope == fresh.scope && one.cta == fresh.cta;
  });
  if (same == list->end()) {
    list->push_back(fresh);
  } else {
    same->known.Join(fresh.known);
  }
}

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_KNOWN_H_
