// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions that all lanes of a warp execute together, on matrices that they hold in parts: mma,
// wmma, ldmatrix and the like, wgmma, tcgen05. Knows that a warp must be whole; the parts that it
// calls know the rest.
#ifndef MUSTER_SIM_PTX_SIMT_MATRICES_H_
#define MUSTER_SIM_PTX_SIMT_MATRICES_H_

#include <cstdint>
#include <optional>

#include "sim/ptx/simt/execution.h"
#include "sim/ptx/simt/tensor_core.h"
#include "sim/ptx/simt/unknowns.h"
#include "sim/ptx/simt/warpgroup_unit.h"

namespace muster::ptx {

class Matrices {
 public:
  Matrices(Execution* execution, Unknowns* unknowns, TensorCore* tensor_core,
           WarpgroupUnit* warpgroup_unit)
      : x_(*execution),
        unknowns_(*unknowns),
        tensor_core_(*tensor_core),
        warpgroup_unit_(*warpgroup_unit) {}

  // All lanes that the warp has stand at the group's instruction.
  StepEvent ExecuteMatrix(Warp* warp, std::size_t index);

 private:
  std::optional<StepEvent> CheckMetadata(const Warp& warp, const Lanes& lanes, std::uint32_t frame);

  Execution& x_;
  Unknowns& unknowns_;
  TensorCore& tensor_core_;
  WarpgroupUnit& warpgroup_unit_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_MATRICES_H_
