// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the instruction descriptor of a tcgen05.mma says. PTX, "Instruction descriptor".
#ifndef MUSTER_SIM_PTX_SIMT_PRODUCT_FORM_H_
#define MUSTER_SIM_PTX_SIMT_PRODUCT_FORM_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/ptx/program/tensor_instruction.h"

namespace muster::ptx {

// K of some products of 4 bits.
inline constexpr unsigned kDepthOf96 = 96;

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
  bool packed = false;        // two elements of 4 bits in a byte
  Type scale = Type::kUE8M0;  // or kE4M3, without its sign
  std::array<unsigned, 2>
      scale_ids{};  // of A and B: the first byte of a word that has their scales

  // The bits that an element has, and that it takes in tensor memory and, on the average, in shared
  // memory: what is narrower than a byte is padded unless it is packed.
  static unsigned BitsOf(Type type);
  unsigned PitchOf(Type type) const;
  // The elements of 16 bytes of shared memory.
  unsigned InUnit(Type type) const;
  // In a byte of tensor memory e2m1 is in the middle, and 6 bits are the lower ones.
  unsigned FirstBitOf(Type type) const { return type == Type::kE2M1 && !packed ? 2 : 0; }
};

// How the product is made, apart from its descriptor.
struct ProductVariant {
  ProductKind kind = ProductKind::kF16;
  bool pair = false;
  bool spread = false;  // .ws
  unsigned scales = 0;  // of a row of A and a column of B
};

// Nothing, and in *why what is wrong with it.
std::optional<ProductForm> ReadInstructionDescriptor(const ProductVariant& variant,
                                                     std::uint32_t bits, std::string* why);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_PRODUCT_FORM_H_
