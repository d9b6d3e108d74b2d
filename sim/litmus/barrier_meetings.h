// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The ways in which the barriers of an execution can meet: which arrivals complete which barrier.
#ifndef MUSTER_SIM_LITMUS_BARRIER_MEETINGS_H_
#define MUSTER_SIM_LITMUS_BARRIER_MEETINGS_H_

#include <cstdint>
#include <vector>

#include "sim/litmus/candidate.h"
#include "sim/litmus/relation.h"

namespace muster::litmus {

struct Meetings {
  Relation synchronizes;
  // The writes that are there because other threads have exited, and need not arrive: by event, the
  // reads on which it depends that these came to their ends.
  std::vector<Set> dependencies;
};

// Returns each way in which exactly the threads whose paths say so stay
// blocked. `values` has that of each expression. A thread of a litmus test counts as a warp.
std::vector<Meetings> FindMeetings(const Candidate& candidate,
                                   const std::vector<std::int64_t>& values);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_BARRIER_MEETINGS_H_
