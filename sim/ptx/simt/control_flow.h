// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Branches, calls, returns, exits and the stack. Knows where lanes go on; does not know what makes
// them wait.
#ifndef MUSTER_SIM_PTX_SIMT_CONTROL_FLOW_H_
#define MUSTER_SIM_PTX_SIMT_CONTROL_FLOW_H_

#include <cstdint>

#include "sim/ptx/simt/execution.h"
#include "sim/ptx/simt/unknowns.h"
#include "sim/ptx/simt/warpgroup_unit.h"

namespace muster::ptx {

class ControlFlow {
 public:
  ControlFlow(Execution* execution, Unknowns* unknowns, WarpgroupUnit* warpgroup_unit)
      : x_(*execution), unknowns_(*unknowns), warpgroup_unit_(*warpgroup_unit) {}

  void ExecuteBranch(Warp* warp, std::size_t index, std::uint32_t active);
  StepEvent ExecuteBranchIndexed(Warp* warp, std::size_t index, std::uint32_t active);
  StepEvent ExecuteCall(Warp* warp, std::size_t index, std::uint32_t active);
  void ExecuteReturn(Warp* warp, std::size_t index, std::uint32_t active);
  StepEvent ExecuteExit(Warp* warp, std::size_t index, std::uint32_t active);
  StepEvent ExecuteStack(Warp* warp, const Group& group, std::uint32_t active);

 private:
  void GoBack(const Warp& warp, const Group& group);
  StepEvent Enter(Warp* warp, std::size_t index, std::uint32_t active, std::uint32_t entering,
                  std::uint32_t function);

  Execution& x_;
  Unknowns& unknowns_;
  WarpgroupUnit& warpgroup_unit_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_CONTROL_FLOW_H_
