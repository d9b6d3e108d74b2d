// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which registers of an instruction are unknown. Knows frames and lanes; does not know what an
// instruction makes of them.
#ifndef MUSTER_SIM_PTX_SIMT_UNKNOWN_REGISTERS_H_
#define MUSTER_SIM_PTX_SIMT_UNKNOWN_REGISTERS_H_

#include <cstdint>
#include <vector>

#include "sim/ptx/program/instruction.h"
#include "sim/ptx/simt/unknown.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

// Returns the origin of the first of these registers that is unknown in one of the lanes, and sets
// *where, unless it is null, to that lane. Returns 0 if all of them are known.
Origin UnknownIn(const Warp& warp, std::uint32_t frame, const std::vector<Slot>& slots,
                 std::uint32_t lanes, unsigned* where);
// Marks registers as unknown in these lanes, or (0) as known.
void SetUnknown(Warp* warp, std::uint32_t frame, const std::vector<Slot>& slots,
                std::uint32_t lanes, Origin origin);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_UNKNOWN_REGISTERS_H_
