// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The results of the collectives of a warp, as PTX ISA 9.7.13.9, .10, .12 and .14 define them.
#ifndef MUSTER_SIM_GOLDEN_WARP_RESULT_H_
#define MUSTER_SIM_GOLDEN_WARP_RESULT_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"

namespace muster::golden {

using LaneValues = std::array<std::uint64_t, kMaxLanes>;

// What a collective answers when all have come: these are group.lanes, of which there is at least
// one. The answers name no warp yet.
std::vector<WarpAnswer> WarpResults(const WarpGroup& group, const LaneValues& values);

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_WARP_RESULT_H_
