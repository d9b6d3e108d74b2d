// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What strong accesses to a location of memory publish there and acquire from it, by the PTX memory
// model. Does not check whether accesses race.
#ifndef MUSTER_SIM_EXPLORE_LOCATIONS_H_
#define MUSTER_SIM_EXPLORE_LOCATIONS_H_

#include <cstdint>
#include <unordered_map>

#include "sim/explore/observer.h"
#include "sim/explore/threads.h"

namespace muster::explore {

class Locations {
 public:
  explicit Locations(Threads* threads) : threads_(*threads) {}

  bool empty() const { return releases_.empty(); }
  // One lane accesses the location.
  void Access(const Place& at, const Range& range, ptx::Op op, const ptx::Ordering& ordering,
              EventNumber event);

 private:
  Threads& threads_;
  std::unordered_map<std::uint64_t, Release> releases_;  // by location, of strong writes
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_LOCATIONS_H_
