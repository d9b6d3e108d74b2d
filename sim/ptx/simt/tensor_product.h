// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// tcgen05.mma: D = A x B, or D = A x B + D.
#ifndef MUSTER_SIM_PTX_SIMT_TENSOR_PRODUCT_H_
#define MUSTER_SIM_PTX_SIMT_TENSOR_PRODUCT_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/ptx/program/tensor_instruction.h"
#include "sim/ptx/simt/tensor_operation.h"

namespace muster::ptx {

// The operands of one tcgen05.mma, as its thread has them.
struct ProductCall {
  ProductKind kind = ProductKind::kF16;
  std::vector<Cta*> ctas;  // the one, or the pair
  bool is_opaque = false;  // by its instruction: sparse, or with .ashift, or a mask of columns
  Origin origin = 0;       // of what an opaque one writes
  bool spread = false;     // .ws
  bool a_in_tensor = false;
  bool accumulates = false;
  unsigned scale = 0;
  std::uint32_t d = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint32_t descriptor = 0;
  unsigned scale_count = 0;               // of a row of A and a column of B, if they are scaled
  std::array<std::uint32_t, 2> scales{};  // of A and B: addresses
  std::array<std::uint32_t, 8> disabled{};
};

// Null, and the refusal. What is not computed is opaque: D becomes unknown, and what it reads is
// not followed.
std::shared_ptr<TensorOperation> MakeProduct(const ProductCall& call, TensorRefusal* refusal);
std::shared_ptr<TensorOperation> MakeOpaqueProduct(const ProductCall& call, TensorRefusal* refusal);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TENSOR_PRODUCT_H_
