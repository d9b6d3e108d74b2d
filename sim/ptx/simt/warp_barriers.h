// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Barriers of CTA and cluster, and griddepcontrol, as a warp comes to them (PTX ISA 9.7.13.1,
// 9.7.13.3, 9.7.13.13). Knows how the arrivals of lanes become one of their warp; does not know who
// else arrives.
#ifndef MUSTER_SIM_PTX_SIMT_WARP_BARRIERS_H_
#define MUSTER_SIM_PTX_SIMT_WARP_BARRIERS_H_

#include <cstdint>
#include <optional>

#include "sim/ptx/simt/execution.h"

namespace muster::ptx {

class WarpBarriers {
 public:
  explicit WarpBarriers(Execution* execution) : x_(*execution) {}

  // The group, which has all lanes of its warp, arrives.
  StepEvent Arrive(Warp* warp, std::size_t index);
  // Lanes come to a barrier that is not aligned.
  StepEvent Gather(Warp* warp, std::size_t index);
  // The warp arrives with these lanes, at the barrier that they wait for: warp->arrival.
  void TakeArrival(Warp* warp, const WarpArrival& given);
  StepEvent ReachGridControl(Warp* warp, std::size_t index, std::uint32_t active);
  // Writes the result of the warp's latest barrier, a reduction.
  static void WriteResult(Warp* warp, std::uint32_t value);

 private:
  std::optional<unsigned> Differing(Warp* warp, const Group& group) const;
  StepEvent RefuseDiffering(Warp* warp, const Group& group, unsigned lane);
  Arrival ArrivalOf(Warp* warp, const Group& group) const;

  Execution& x_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_WARP_BARRIERS_H_
