// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The ways that a thread can take through its instructions, whatever it reads.
#ifndef MUSTER_SIM_LITMUS_PATHS_H_
#define MUSTER_SIM_LITMUS_PATHS_H_

#include <vector>

#include "sim/litmus/test.h"

namespace muster::litmus {

struct Step {
  unsigned instruction = 0;
  // Of a branch, whether it is taken; of a compare-and-swap, whether it swaps.
  bool taken = false;
};

struct Path {
  enum class End {
    kEnds,
    kSpins,    // the steps from `spin` on change nothing, and come back to where they began
    kBlocked,  // at its last step, a barrier
  };
  std::vector<Step> steps;
  End end = End::kEnds;
  std::size_t spin = 0;
};

struct Paths {
  std::vector<Path> paths;
  bool cut = false;  // a longer path was left out
};

// Finds the paths that come to each instruction at most `rounds` times. A round of a loop that
// changes nothing a later step depends on is left out: the same path without it has the same ends.
Paths FindPaths(const Thread& thread, const std::vector<unsigned>& registers_in_question,
                unsigned rounds);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_PATHS_H_
