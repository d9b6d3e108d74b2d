// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What has one cause is told once: copies of an unrolled loop, and what one missing barrier is
// under several names.
#ifndef MUSTER_SIM_EXPLORE_CAUSES_H_
#define MUSTER_SIM_EXPLORE_CAUSES_H_

#include <string>
#include <vector>

#include "sim/explore/explorer.h"
#include "sim/explore/suspicion.h"
#include "sim/explore/world.h"

namespace muster::explore {

// Two events of the same two lines and at the same variable as others have one cause. The lines are
// those of the source that the kernel's author would change; where the PTX file does not say what
// it was made of, its own.
template <typename T>
struct Cause {
  T told;               // the one of the most specific kind, or the first of these
  std::vector<T> more;  // with the same cause
  // Of a finding: suspicions with the same cause.
  std::vector<Unconfirmed> unconfirmed = {};
};

struct Causes {
  std::vector<Cause<Finding>> findings;
  std::vector<Cause<Unconfirmed>> suspicions;
  std::vector<Cause<Suspicion>> notes;
};

// The world knows the program and its memory. Causes come in the order of the first that has them.
Causes ByCause(const Explored& explored, const World& world);

// "sums::part", "buffer out", "barrier 2": all of the array or allocation; or nothing.
std::string VariableOf(const Suspicion& suspicion, const World& world);

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_CAUSES_H_
