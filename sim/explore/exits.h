// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The exits of threads, and notes of barriers that others pass without them. Knows neither what a
// barrier orders nor when a CTA ends.
#ifndef MUSTER_SIM_EXPLORE_EXITS_H_
#define MUSTER_SIM_EXPLORE_EXITS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "sim/explore/suspicions.h"
#include "sim/explore/transfers.h"

namespace muster::explore {

class Exits {
 public:
  explicit Exits(Suspicions* suspicions) : suspicions_(*suspicions) {}

  void Note(const Arrived& exit) { by_cta_[exit.side.at.cta].push_back(exit); }
  const std::vector<Arrived>& Of(std::uint64_t cta) { return by_cta_[cta]; }
  // Returns the exits of the CTAs for which the predicate holds.
  template <typename F>
  std::vector<Arrived> OfEach(F is_wanted) const;
  // Notes threads that exited before others pass a barrier of all warps, or of the warps that have
  // arrived. `bar`: of a named barrier, or -1.
  void NotePassed(const std::vector<Arrived>& leavers, const std::vector<Arrived>& arrivals,
                  bool of_all, int bar);

 private:
  Suspicions& suspicions_;
  std::map<std::uint64_t, std::vector<Arrived>> by_cta_;
};

template <typename F>
std::vector<Arrived> Exits::OfEach(F is_wanted) const {
  std::vector<Arrived> exits;
  for (const auto& [cta, left] : by_cta_) {
    if (is_wanted(cta)) {
      exits.insert(exits.end(), left.begin(), left.end());
    }
  }
  return exits;
}

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_EXITS_H_
