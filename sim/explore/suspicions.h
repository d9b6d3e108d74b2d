// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The suspicions of one run: the first of each kind and pair of instructions, up to a limit, in the
// order in which they came. Does not know how a suspicion arises, nor whether it is a finding.
#ifndef MUSTER_SIM_EXPLORE_SUSPICIONS_H_
#define MUSTER_SIM_EXPLORE_SUSPICIONS_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/explore/observer.h"
#include "sim/explore/suspicion.h"

namespace muster::explore {

class Suspicions {
 public:
  const std::vector<Suspicion>& all() const { return all_; }
  // Whether a suspicion of this kind and pair of instructions would be added.
  bool IsNews(Kind kind, const Place& first, const Place& second) const;
  void Add(Suspicion suspicion);
  // Adds the note of a barrier for which no thread has waited. `bar`: of a named barrier, or -1.
  // A wait for it would order races of which one event `comes_before` the arrivals.
  using ComesBefore = std::function<bool(const Side& side, std::uint32_t event)>;
  void AddUnawaited(const Side& arrival, const Range& object, int bar,
                    const ComesBefore& comes_before);
  // Says what may be wrong where arrivals at that place of that mbarrier could fall into other
  // phases.
  void AddHint(const Range& object, std::uint32_t pc, const std::string& hint);

 private:
  std::vector<Suspicion> all_;
  std::set<std::tuple<Kind, std::uint32_t, std::uint32_t>> told_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_SUSPICIONS_H_
