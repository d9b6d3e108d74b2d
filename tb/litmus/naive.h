// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A second reading of PTX's memory model, to compare sim/litmus with: it tries every guess of what
// a program without branches does at runtime, and asks of each pair of operations what the text
// asks.
#ifndef MUSTER_TB_LITMUS_NAIVE_H_
#define MUSTER_TB_LITMUS_NAIVE_H_

#include <cstdint>
#include <set>
#include <vector>

#include "sim/litmus/test.h"

namespace muster::litmus {

struct Outcomes {
  // The final contents of all registers, thread by thread, and then of memory.
  std::set<std::vector<std::int64_t>> finals;
  bool race = false;  // in some execution
};

// Of threads without branches and compare-and-swaps, whose barriers are for all threads of the CTA
// and come equally often in each of these.
Outcomes TryAll(const Test& test);

}  // namespace muster::litmus

#endif  // MUSTER_TB_LITMUS_NAIVE_H_
