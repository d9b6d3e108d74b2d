// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The oracle of sim/explore: every interleaving of a small program, one after the other, by a
// semantics of its own, which is written from the PTX text. It shares no code with sim/ and leaves
// out no order.
#ifndef MUSTER_TB_EXPLORE_NAIVE_H_
#define MUSTER_TB_EXPLORE_NAIVE_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/explore/small_program.h"

namespace muster::explore {

using Race = std::pair<Site, Site>;  // the lesser one first

struct Outcomes {
  bool complete = true;  // there were not more than allowed
  std::uint64_t interleavings = 0;
  bool deadlock = false;         // of at least one
  std::set<std::string> faults;  // likewise: "count_mismatch"
  std::set<Words> completed;     // what those leave that complete, ...
  std::set<Words> deadlocked;    // ... and those that end in a deadlock
  std::set<Race> races;          // of all
};

// Stops after so many interleavings.
Outcomes EnumerateAll(const SmallProgram& program, std::uint64_t most);

// A single one: whose turn it is, by warp. It need not go to the end.
Outcomes RunOne(const SmallProgram& program, const std::vector<unsigned>& turns);

}  // namespace muster::explore

#endif  // MUSTER_TB_EXPLORE_NAIVE_H_
