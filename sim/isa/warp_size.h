// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warps of PTX programs, whatever those of the unit are.
#ifndef MUSTER_SIM_ISA_WARP_SIZE_H_
#define MUSTER_SIM_ISA_WARP_SIZE_H_

namespace muster::ptx {

inline constexpr unsigned kWarpSize = 32;  // lanes of a warp: WARP_SZ

}  // namespace muster::ptx

#endif  // MUSTER_SIM_ISA_WARP_SIZE_H_
