// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Collectives: what lanes present to the warp unit, and what its answers mean to them: shfl.sync,
// and bar.warp.sync, vote.sync, match.sync, redux.sync, elect.sync (PTX ISA 9.7.13). Knows members
// and values; does not know when a collective is complete.
#ifndef MUSTER_SIM_PTX_SIMT_COLLECTIVES_H_
#define MUSTER_SIM_PTX_SIMT_COLLECTIVES_H_

#include <cstdint>

#include "sim/isa/warp_operation.h"
#include "sim/ptx/simt/execution.h"

namespace muster::ptx {

// Returns a request of the warp without lanes, key and values.
WarpRequest RequestOf(const Warp& warp, WarpOp op);

class Collectives {
 public:
  explicit Collectives(Execution* execution) : x_(*execution) {}

  StepEvent ReachExchange(Warp* warp, std::size_t index, std::uint32_t active);
  // Lets lanes go on that wait for others of their warp.
  void Answer(Warp* warp, const WarpAnswer& answer);
  // Returns the members that the lane of a group names.
  std::uint32_t MembersOf(const Warp& warp, const Group& group, unsigned lane) const;
  // Returns the lanes that wait at the same collective with the same members, wherever in the
  // program.
  std::uint32_t CameTo(const Warp& warp, const Group& group, std::uint32_t members) const;

 private:
  Origin GivenUnknown(const Warp& warp, std::uint32_t lanes) const;

  Execution& x_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_COLLECTIVES_H_
