// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random programs without branches, as litmus tests, and the ends that sim/litmus allows them.
#ifndef MUSTER_TB_LITMUS_RANDOM_PROGRAM_H_
#define MUSTER_TB_LITMUS_RANDOM_PROGRAM_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sim/litmus/test.h"

namespace muster::litmus {

// The text of a test; its question is no matter. Without `proxies` all accesses are generic.
std::string RandomProgram(unsigned seed, bool proxies = true);

// The registers of all threads, and then memory, as they may be in the end.
std::set<std::vector<std::int64_t>> Allowed(const litmus::Test& test);

}  // namespace muster::litmus

#endif  // MUSTER_TB_LITMUS_RANDOM_PROGRAM_H_
