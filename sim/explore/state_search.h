// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Looks for an order of a launch's events after which its threads stand in given places for ever,
// as those of a hung grid do. Knows nothing of where these places come from.
#ifndef MUSTER_SIM_EXPLORE_STATE_SEARCH_H_
#define MUSTER_SIM_EXPLORE_STATE_SEARCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/explore/explorer.h"
#include "sim/explore/world.h"

namespace muster::explore {

struct HungState {
  // Where each lane stands: by CTA, warp and lane, the instructions at which it may be. Lanes that
  // are not here have exited or have not begun.
  std::map<std::tuple<std::uint64_t, unsigned, unsigned>, std::vector<std::uint32_t>> lanes;
  struct Word {
    std::uint64_t cta = 0;
    std::uint32_t address = 0;
    std::uint64_t bits = 0;
  };
  std::vector<Word> words;
  struct Barrier {
    std::uint64_t cta = 0;
    unsigned id = 0;
    unsigned arrived = 0;
  };
  std::vector<Barrier> barriers;

  // Whether all these lanes may stand there.
  bool Has(const Place& place) const;
  bool HoldsThreadsOf(const World& world) const;
  bool HoldsBarriersOf(const World& world) const;
};

struct StateSearch {
  std::optional<Finding> found;  // a witness that ends there
  std::uint64_t orders = 0;      // that were taken
  // Of these, how many ended with the threads there, and others in the words and barriers.
  std::uint64_t near = 0;
};

// Takes random orders, in most of which lanes that stand where they are to stand go on last.
StateSearch SearchState(World* world, const HungState& state, std::uint64_t seed,
                        std::uint64_t orders, const std::function<bool()>& stop);

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_STATE_SEARCH_H_
