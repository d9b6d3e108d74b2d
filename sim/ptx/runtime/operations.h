// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Translates instructions into operations of the scopes and into transfers. Has no state, and does
// not know what executes the operations.
#ifndef MUSTER_SIM_PTX_RUNTIME_OPERATIONS_H_
#define MUSTER_SIM_PTX_RUNTIME_OPERATIONS_H_

#include <cstdint>
#include <string>

#include "sim/isa/cluster_operation.h"
#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/transfer.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

// Returns the launch of a CTA with these warps in the slot.
Operation LaunchOf(const Launch& launch, unsigned slot, std::uint64_t warps);
Operation OperationOf(const Warp& warp, const Arrival& arrival);
// The name of a refusal, null if there is none, and its reason with numbers.
struct RefusedArrival {
  const char* name = nullptr;
  std::string why{};
};
// Returns why the front end refuses the arrival, by a CTA of that many threads. It refuses operands
// that the hardware would truncate and, if the hardware has no faults, operands that the hardware
// must not see.
RefusedArrival Refused(const Config& config, const Arrival& arrival, std::uint64_t threads);
// Returns what is wrong with a thread count: causes that need no look at the barrier.
std::string WrongCount(FaultCause cause, unsigned count, std::uint64_t threads);
// Returns the exit of lanes of the warp.
Operation ExitOf(const Config& config, const Warp& warp);
ClusterRequest RequestOf(const Warp& warp, muster::ClusterOp op, std::uint32_t lanes);
ClusterRequest RequestOf(const Warp& warp, ClusterForm form, std::uint32_t lanes);
muster::CancelRequest RequestOf(const Warp& warp, const CancelCall& call);

// Returns the arrive-on, at that address, of the copies that the lane has started so far.
Transfer ArriveOn(Warp* warp, unsigned lane, std::uint32_t address, std::uint32_t line);
// Returns the warp's operation on an mbarrier of the CTA with that rank.
Transfer RemoteOf(const Warp& warp, unsigned rank, const MbOperation& operation);
// Returns the update of a lane whose value is in the memory of another CTA, by the warp's latest
// atomic.
Transfer UpdateOf(const Warp& warp, unsigned lane);
// Returns what st.async or red.async sends: the update, and the complete_tx that follows it.
Transfer MessageOf(const Transfer& transfer);
// Returns what the network carries of it.
RemoteSend SendOf(const Transfer& sent);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_OPERATIONS_H_
