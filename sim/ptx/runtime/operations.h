// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a thread's instruction is to the scopes, whoever answers: operations of barriers, and
// transfers that set out. No state.
#ifndef MUSTER_SIM_PTX_RUNTIME_OPERATIONS_H_
#define MUSTER_SIM_PTX_RUNTIME_OPERATIONS_H_

#include <cstdint>

#include "sim/isa/cluster_operation.h"
#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/transfer.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

// A CTA of the launch, with these warps, takes the slot.
Operation LaunchOf(const Launch& launch, unsigned slot, std::uint64_t warps);
Operation OperationOf(const Warp& warp, const Arrival& arrival);
// Why the front end refuses the arrival, of a CTA of so many warps; null: it does not. Operands
// that the hardware would cut are refused; and, where it has no faults, those that it must not see.
const char* RefusedArrival(const Config& config, const Arrival& arrival, unsigned cta_warps);
// Lanes of the warp have exited.
Operation ExitOf(const Config& config, const Warp& warp);
ClusterRequest RequestOf(const Warp& warp, muster::ClusterOp op, std::uint32_t lanes);
ClusterRequest RequestOf(const Warp& warp, ClusterForm form, std::uint32_t lanes);

// The arrive-on, at that address, of the copies that the lane has started by now.
Transfer ArriveOn(Warp* warp, unsigned lane, std::uint32_t address, std::uint32_t line);
// The warp's operation on an mbarrier of the CTA with that rank.
Transfer RemoteOf(const Warp& warp, unsigned rank, const MbOperation& operation);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_OPERATIONS_H_
