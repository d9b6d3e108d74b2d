// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Shrinks the schedule of a finding until each of its turns is needed (delta debugging). Knows
// nothing of how findings come about.
#ifndef MUSTER_SIM_EXPLORE_SHRINK_H_
#define MUSTER_SIM_EXPLORE_SHRINK_H_

#include <cstddef>
#include <functional>

#include "sim/explore/explorer.h"
#include "sim/explore/world.h"

namespace muster::explore {

// Returns the finding with as few turns as suffice: 256 orders that keep to these, and are random
// otherwise, show it, and without any one of them some do not; its two events are left in. Returns
// the finding as it is if its own schedule does not suffice for that, and once `stop` is true what
// it has come to, which fewer orders have shown. Calls `left` with the number of turns whenever
// there are less.
Finding Shrink(Finding finding, World* world, const Explorer::Judge& judge,
               const std::function<bool()>& stop,
               const std::function<void(std::size_t)>& left = {});

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_SHRINK_H_
