// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// tcgen05.cp, from shared to tensor memory, and tcgen05.shift. PTX, "Tensor Memory Data Movement
// Instructions".
#ifndef MUSTER_SIM_PTX_SIMT_TENSOR_MOVEMENT_H_
#define MUSTER_SIM_PTX_SIMT_TENSOR_MOVEMENT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/ptx/program/tensor_instruction.h"
#include "sim/ptx/simt/tensor_operation.h"

namespace muster::ptx {

// For each CTA, from its own shared memory. Null, and the refusal.
std::shared_ptr<TensorOperation> MakeMovement(const TensorMovement& movement,
                                              const std::vector<Cta*>& ctas, std::uint32_t address,
                                              std::uint64_t descriptor, TensorRefusal* refusal);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TENSOR_MOVEMENT_H_
