// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// tcgen05.mma: D = A x B, or D = A x B + D.
#ifndef MUSTER_SIM_PTX_SIMT_TENSOR_PRODUCT_H_
#define MUSTER_SIM_PTX_SIMT_TENSOR_PRODUCT_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/ptx/program/tensor_instruction.h"
#include "sim/ptx/simt/tensor_operation.h"

namespace muster::ptx {

// What an instruction descriptor says. PTX, "Instruction descriptor".
struct ProductForm {
  Type a = Type::kF16;
  Type b = Type::kF16;
  Type d = Type::kF32;
  unsigned m = 0;
  unsigned n = 0;
  unsigned k = 0;
  bool negate_a = false;
  bool negate_b = false;
  bool a_k_major = true;
  bool b_k_major = true;
  bool saturate = false;
};
// Nothing, and in *why what is wrong with it.
std::optional<ProductForm> ReadInstructionDescriptor(ProductKind kind, bool pair,
                                                     std::uint32_t bits, std::string* why);

// The operands of one tcgen05.mma, as its thread has them.
struct ProductCall {
  ProductKind kind = ProductKind::kF16;
  std::vector<Cta*> ctas;  // the one, or the pair
  bool a_in_tensor = false;
  bool accumulates = false;
  unsigned scale = 0;
  std::uint32_t d = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint32_t descriptor = 0;
  std::array<std::uint32_t, 8> disabled{};
};

// Why an operation is refused: the name of the fault, and a sentence about the thread.
struct TensorRefusal {
  const char* cause = nullptr;
  std::string why;
};

// Null, and the refusal.
std::shared_ptr<TensorOperation> MakeProduct(const ProductCall& call, TensorRefusal* refusal);

// The same of a product that is not computed: D becomes unknown. What it reads is not followed.
// `spread`: D of 32 or 64 rows has its columns side by side, in all lanes.
std::shared_ptr<TensorOperation> MakeOpaqueProduct(const std::vector<Cta*>& ctas, bool spread,
                                                   std::uint32_t d, std::uint32_t descriptor,
                                                   Origin origin, TensorRefusal* refusal);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TENSOR_PRODUCT_H_
