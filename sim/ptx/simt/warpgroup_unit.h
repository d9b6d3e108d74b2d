// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions of four warps: wgmma and setmaxnreg. Knows which
// registers are in flight and what the warps of a warpgroup owe each other.
#ifndef MUSTER_SIM_PTX_SIMT_WARPGROUP_UNIT_H_
#define MUSTER_SIM_PTX_SIMT_WARPGROUP_UNIT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/ptx/simt/async_copies.h"
#include "sim/ptx/simt/execution.h"
#include "sim/ptx/simt/unknowns.h"

namespace muster::ptx {

class WarpgroupUnit {
 public:
  WarpgroupUnit(Execution* execution, AsyncCopies* copies) : x_(*execution), copies_(*copies) {}

  // All lanes of a warp have come to an instruction of wgmma.
  StepEvent ExecuteWarpgroup(Warp* warp, std::size_t index);
  // Nothing: the warp has to wait.
  std::optional<StepEvent> SetRegisters(Warp* warp, const Group& group);
  std::string DescribeRegisters(const Warp& warp) const;
  // The warp exits.
  std::optional<StepEvent> LeaveWarpgroup(Warp* warp, std::uint32_t line);
  // Lanes come to an instruction that may name registers of a product in flight.
  std::optional<StepEvent> TouchFragments(Warp* warp, const Group& group, std::uint32_t active);

 private:
  std::optional<StepEvent> RefusePartial(const Warp& warp, std::uint32_t line);
  std::optional<StepEvent> JoinWarpgroup(Warp* warp, const Warpgroup::Step& step);
  std::optional<StepEvent> Prepare(Warp* warp, const Lanes& lanes, std::uint32_t frame,
                                   StartedProduct* product);
  std::optional<StepEvent> TakeFragments(Warp* warp, const Lanes& lanes, std::uint32_t frame);
  void Start(Warp* warp, const Instruction& instruction, const StartedProduct& product);

  Execution& x_;
  AsyncCopies& copies_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_WARPGROUP_UNIT_H_
