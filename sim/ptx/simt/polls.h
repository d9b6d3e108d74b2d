// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What lanes that go round in a loop look at, for reports: the loads and atomics of the loop, and
// what memory holds there. Changes nothing.
#ifndef MUSTER_SIM_PTX_SIMT_POLLS_H_
#define MUSTER_SIM_PTX_SIMT_POLLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/ptx/simt/execution.h"

namespace muster::ptx {

struct Poll {
  std::uint32_t line = 0;
  std::string value;           // "0"; of a vector "0, 1"
  const Cta* owner = nullptr;  // whose shared memory it is; null: it is global
  std::uint64_t address = 0;   // there
  std::uint32_t lanes = 0;     // the lanes of the group that look there
};

// By instruction and address. Where the loop computes an address in several ways, what it looks at
// is not known, and left out.
std::vector<Poll> PollsOf(const Execution& x, const Warp& warp, const Group& group);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_POLLS_H_
