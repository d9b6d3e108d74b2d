// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a thread knows of others, in one clock for each conclusion that the knowledge allows.
#ifndef MUSTER_SIM_EXPLORE_KNOWN_H_
#define MUSTER_SIM_EXPLORE_KNOWN_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/explore/clock.h"
#include "sim/explore/shared.h"
#include "sim/ptx/program/order.h"

namespace muster::explore {

struct Known {
  Clock memory;        // generic-proxy accesses that are performed before the thread's own
  Clock async_global;  // likewise for the async proxy, to global memory
  Clock async_shared;  // likewise for the async proxy, to shared memory
  Clock released;      // generic-proxy accesses that are released to the tensormap proxy
  Clock maps;          // of these, those that are performed before the thread uses tensor maps
  Clock inits;         // mbarrier.init operations, by fence.mbarrier_init
  Clock must;          // events that must have happened, whether their stores are visible or not

  void Join(const Known& other) {
    const bool is_same = memory.Is(must) && other.memory.Is(other.must);
    memory.Join(other.memory);
    async_global.Join(other.async_global);
    async_shared.Join(other.async_shared);
    released.Join(other.released);
    maps.Join(other.maps);
    inits.Join(other.inits);
    if (is_same) {
      must = memory;
    } else {
      must.Join(other.must);
    }
  }
  void Note(const Thread& first, EventNumber event, std::uint32_t lanes = 1) {
    const bool is_same = memory.Is(must);
    memory.Note(first, event, lanes);
    if (is_same) {
      must = memory;
    } else {
      must.Note(first, event, lanes);
    }
  }
  bool Covers(const Known& other) const {
    const bool is_same = memory.Is(must) && other.memory.Is(other.must);
    return memory.Covers(other.memory) && async_global.Covers(other.async_global) &&
           async_shared.Covers(other.async_shared) && released.Covers(other.released) &&
           maps.Covers(other.maps) && inits.Covers(other.inits) &&
           (is_same || must.Covers(other.must));
  }
};

// Adds `news` to what a thread knows. If one of the two covers the other, both share it afterwards.
inline void Learn(Shared<Known>* known, const Shared<Known>& news) {
  if (known->Is(news) || (*known)->Covers(*news)) {
    return;
  }
  if (news->Covers(**known)) {
    *known = news;
  } else {
    known->Own().Join(*news);
  }
}

// What threads of a CTA published at some scope.
struct Published {
  ptx::Scope scope = ptx::Scope::kSystem;
  std::uint64_t cta = 0;
  Shared<Known> known;
  std::uint32_t by = 0;  // the thread of the CTA, plus 1; 0: several threads
};

// Adds an entry to a list that has one entry for each scope, CTA and thread.
inline void Publish(std::vector<Published>* list, const Published& fresh) {
  const auto same = std::find_if(list->begin(), list->end(), [&](const Published& one) {
    return one.scope == fresh.scope && one.cta == fresh.cta && one.by == fresh.by;
  });
  if (same == list->end()) {
    list->push_back(fresh);
  } else {
    Learn(&same->known, fresh.known);
  }
}

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_KNOWN_H_
