// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Counts what a program allocates. Linked in, it replaces the operators new and delete.
#ifndef MUSTER_TB_BENCH_ALLOCATIONS_H_
#define MUSTER_TB_BENCH_ALLOCATIONS_H_

#include <cstdint>

namespace muster::bench {

std::uint64_t Allocations();  // since the program started

}  // namespace muster::bench

#endif  // MUSTER_TB_BENCH_ALLOCATIONS_H_
