// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// tcgen05: what warps and threads do with tensor memory and tensor cores. Knows which
// threads may access which lanes and columns; the products themselves are TensorOperations.
#ifndef MUSTER_SIM_PTX_SIMT_TENSOR_CORE_H_
#define MUSTER_SIM_PTX_SIMT_TENSOR_CORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/ptx/simt/async_copies.h"
#include "sim/ptx/simt/execution.h"
#include "sim/ptx/simt/tensor_memory.h"
#include "sim/ptx/simt/tensor_operation.h"
#include "sim/ptx/simt/unknowns.h"

namespace muster::ptx {

class TensorCore {
 public:
  TensorCore(Execution* execution, Unknowns* unknowns, AsyncCopies* copies);

  // An instruction that the lanes of a warp execute together. Nothing: it has to wait.
  std::optional<StepEvent> ExecuteTensor(Warp* warp, const Group& group, const Lanes& lanes);
  // An instruction of single threads.
  StepEvent ExecuteTensorCore(Warp* warp, const Lanes& lanes);

 private:
  std::optional<StepEvent> ExecuteAllocation(Warp* warp, const Group& group, const Lanes& lanes);
  StepEvent AccessTensor(Warp* warp, const Group& group, const Lanes& lanes);
  static void SpreadCell(Warp* warp, std::uint32_t frame, Slot slot, unsigned thread,
                         const TensorRange& piece);
  static std::vector<Cta*> TensorGroup(const Warp& warp, bool pair);
  StepEvent StartTensor(Warp* warp, unsigned lane, const Instruction& instruction,
                        std::shared_ptr<TensorOperation> operation);
  StepEvent StartProduct(Warp* warp, const Lanes& lanes, unsigned lane);
  StepEvent StartMovement(Warp* warp, const Lanes& lanes, unsigned lane);
  StepEvent CommitTensor(Warp* warp, const Lanes& lanes, unsigned lane);

  Execution& x_;
  Unknowns& unknowns_;
  AsyncCopies& copies_;
  const bool awaits_reads_;  // the program has a commit that waits for reads of matrix A alone
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TENSOR_CORE_H_
