// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Tells the order of a finding in a few sentences.
#ifndef MUSTER_SIM_EXPLORE_STORY_H_
#define MUSTER_SIM_EXPLORE_STORY_H_

#include <string>
#include <vector>

#include "sim/explore/explorer.h"
#include "sim/ptx/program/program.h"

namespace muster::explore {

// Returns one to ten sentences: the turns of the finding's schedule, in their order. Of many
// turns, those of one warp that come one after the other are told as one, and those in the middle
// are counted.
std::vector<std::string> StoryOf(const Finding& finding, const ptx::Program& program);

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_STORY_H_
