// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Findings with the same cause are reported once: those of the copies of an unrolled loop, and the
// several kinds of finding that one missing barrier leads to.
#ifndef MUSTER_SIM_EXPLORE_CAUSES_H_
#define MUSTER_SIM_EXPLORE_CAUSES_H_

#include <string>
#include <vector>

#include "sim/explore/explorer.h"
#include "sim/explore/suspicion.h"
#include "sim/explore/world.h"

namespace muster::explore {

// Findings have the same cause if their two events are at the same two lines and at the same
// variable; or if they are at the same variable after the same wait that was over at once. The
// lines are those of the source, or of the PTX file if that has no line information.
template <typename T>
struct Cause {
  T told;               // the first of the most specific kind
  std::vector<T> more;  // the others with the same cause
  // For a finding, the suspicions with the same cause.
  std::vector<Unconfirmed> unconfirmed = {};
  std::vector<Suspicion> notes = {};  // for a finding, those that explain it
};

struct Causes {
  std::vector<Cause<Finding>> findings;
  std::vector<Cause<Unconfirmed>> suspicions;
  std::vector<Cause<Suspicion>> notes;
};

// Groups findings and suspicions by cause. A deadlock comes first, then findings that say what to
// mend, and otherwise they are in the order of the first one of each cause.
Causes ByCause(const Explored& explored, const World& world);

// Returns "sums::part", "buffer out" or "barrier 2": the whole array or allocation. Empty if there
// is no name.
std::string VariableOf(const Suspicion& suspicion, const World& world);

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_CAUSES_H_
