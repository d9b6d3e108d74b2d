// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Whether threads can go round in a circle for ever although each goes on: in sequentially
// consistent interleavings, which the memory model allows.
#ifndef MUSTER_SIM_LITMUS_INTERLEAVINGS_H_
#define MUSTER_SIM_LITMUS_INTERLEAVINGS_H_

#include <optional>
#include <vector>

#include "sim/litmus/test.h"

namespace muster::litmus {

// The instructions of the circle, by thread.
struct Lasso {
  std::vector<std::vector<const Instruction*>> circle;
};

struct Interleavings {
  std::optional<Lasso> lasso;
  bool complete = true;  // all states were seen
};

// Sees at most that many states.
Interleavings Interleave(const Test& test, std::size_t most_states);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_INTERLEAVINGS_H_
