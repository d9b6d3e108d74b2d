// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The oracle of sim/explore: every interleaving of a small program, one after the other, by a
// semantics of its own, which is written from the PTX text. It shares no code with sim/ and leaves
// out no order.
#ifndef MUSTER_TB_EXPLORE_NAIVE_H_
#define MUSTER_TB_EXPLORE_NAIVE_H_

#include <cstdint>
#include <vector>

#include "tb/explore/outcomes.h"
#include "tb/explore/small_program.h"

namespace muster::explore {

// Stops after `most` interleavings.
Outcomes EnumerateAll(const SmallProgram& program, std::uint64_t most);

// Runs a single interleaving, given as a list of warps. It need not reach the end.
Outcomes RunOne(const SmallProgram& program, const std::vector<unsigned>& turns);

}  // namespace muster::explore

#endif  // MUSTER_TB_EXPLORE_NAIVE_H_
