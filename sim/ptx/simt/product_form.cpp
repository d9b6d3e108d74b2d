// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/product_form.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/ptx/simt/shared_matrix.h"

namespace muster::ptx {
namespace {

constexpr unsigned kByte = 8;

std::uint32_t Field(std::uint32_t bits, unsigned first, unsigned count) {
  return bits >> first & ((1U << count) - 1);
}

std::optional<Type> ElementOf(ProductKind kind, std::uint32_t code) {
  constexpr std::optional<Type> kSmall[] = {Type::kE4M3, Type::kE5M2, std::nullopt, Type::kE2M3,
                                            Type::kE3M2, Type::kE2M1, std::nullopt, std::nullopt};
  switch (kind) {
    case ProductKind::kF16:
      return code == 0   ? std::optional(Type::kF16)
             : code == 1 ? std::optional(Type::kBF16)
                         : std::nullopt;
    case ProductKind::kTF32:
      return code == 2 ? std::optional(Type::kTF32) : std::nullopt;
    case ProductKind::kI8:
      return code == 0   ? std::optional(Type::kU8)
             : code == 1 ? std::optional(Type::kS8)
                         : std::nullopt;
    case ProductKind::kF8F6F4:
    case ProductKind::kMxF8F6F4:
      return kSmall[code];
    case ProductKind::kMxF4:
    case ProductKind::kMxF4NvF4:
      return code == 1 ? std::optional(Type::kE2M1) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Type> ResultOf(ProductKind kind, std::uint32_t code) {
  const bool half = code == 0 && (kind == ProductKind::kF16 || kind == ProductKind::kF8F6F4);
  const bool integer = kind == ProductKind::kI8;
  return half                          ? std::optional(Type::kF16)
         : code == (integer ? 2U : 1U) ? std::optional(integer ? Type::kS32 : Type::kF32)
                                       : std::nullopt;
}

// PTX, "Various combinations of .kind and shapes".
bool IsShape(const ProductVariant& variant, const ProductForm& form) {
  const bool scaled = IsScaled(variant.kind);
  if (variant.spread) {
    return (form.m == 32 || form.m == 64 || form.m == 128) &&
           (form.n == 64 || form.n == 128 || form.n == 256);
  }
  const unsigned halves = variant.pair ? 2 : 1;
  const bool m = form.m == 128 * halves || (form.m == 64 * halves && (!scaled || variant.pair));
  const bool integer = variant.kind == ProductKind::kI8;
  const unsigned step = integer ? (variant.pair ? 32 : form.n > 32 ? 16 : 8) : 8 * halves;
  const bool transposes_bytes = !form.b_k_major && form.PitchOf(form.b) == kByte;
  return m && form.n != 0 && form.n <= 256 && form.n % step == 0 &&
         (!transposes_bytes || form.n % (16 * halves) == 0);
}

bool IsNarrow(Type type, bool k_major) { return !k_major && ProductForm::BitsOf(type) < kByte; }

// What both layouts of descriptors have.
void ReadCommon(std::uint32_t bits, ProductForm* form) {
  form->m = Field(bits, 24, 5) * 16;
  form->n = Field(bits, 17, 6) * 8;
  form->negate_a = Field(bits, 13, 1) != 0;
  form->negate_b = Field(bits, 14, 1) != 0;
  form->a_k_major = Field(bits, 15, 1) == 0;
  form->b_k_major = Field(bits, 16, 1) == 0;
}

std::string SaysTypes(std::uint32_t d, std::uint32_t a, std::uint32_t b) {
  return fmt::format("has the types {} of D, {} of A and {} of B, which the kind has not", d, a, b);
}

std::optional<ProductForm> ReadPlain(const ProductVariant& variant, std::uint32_t bits,
                                     std::string* why) {
  const std::optional<Type> d = ResultOf(variant.kind, Field(bits, 4, 2));
  const std::optional<Type> a = ElementOf(variant.kind, Field(bits, 7, 3));
  const std::optional<Type> b = ElementOf(variant.kind, Field(bits, 10, 3));
  const bool integer = variant.kind == ProductKind::kI8;
  ProductForm form;
  ReadCommon(bits, &form);
  form.saturate = Field(bits, 3, 1) != 0;
  if (!d || !a || !b) {
    *why = SaysTypes(Field(bits, 4, 2), Field(bits, 7, 3), Field(bits, 10, 3));
    return std::nullopt;
  }
  form.a = *a;
  form.b = *b;
  form.d = *d;
  form.k = kByte * 2 * kMatrixUnit / form.PitchOf(form.a);
  if (Field(bits, 2, 1) != 0) {
    *why = "asks for a sparse A, and tcgen05.mma without .sp has none";
  } else if (Field(bits, 6, 1) != 0 || Field(bits, 23, 1) != 0 || Field(bits, 29, 1) != 0) {
    *why = "does not have zeroes in bits 6, 23 and 29";
  } else if (integer ? form.negate_a || form.negate_b : form.saturate) {
    *why = integer ? "negates integers" : "saturates what is no integer";
  } else if (form.d == Type::kF16 && variant.kind == ProductKind::kF16 &&
             (form.a != Type::kF16 || form.b != Type::kF16)) {
    *why = "has sums of f16, and elements of bf16";
  } else if (!IsShape(variant, form)) {
    *why = fmt::format("has M {} and N {}, a shape that the kind has not", form.m, form.n);
  } else if (IsNarrow(form.a, form.a_k_major) || IsNarrow(form.b, form.b_k_major)) {
    *why = "transposes elements of less than a byte";
  } else {
    return form;
  }
  return std::nullopt;
}

std::optional<ProductForm> ReadScaled(const ProductVariant& variant, std::uint32_t bits,
                                      std::string* why) {
  const bool small = variant.kind != ProductKind::kMxF8F6F4;  // of 4 bits alone
  const std::optional<Type> a = ElementOf(variant.kind, Field(bits, 7, 3));
  const std::optional<Type> b = ElementOf(variant.kind, Field(bits, 10, small ? 2 : 3));
  ProductForm form;
  ReadCommon(bits, &form);
  if (!a || !b) {
    *why = SaysTypes(1, Field(bits, 7, 3), Field(bits, 10, small ? 2 : 3));
    return std::nullopt;
  }
  form.a = *a;
  form.b = *b;
  form.packed = small;
  form.k = kByte * 2 * kMatrixUnit / form.PitchOf(form.a);
  if (small && Field(bits, 31, 1) != 0) {
    form.k = kDepthOf96;
  }
  form.scale = Field(bits, 23, 1) != 0 ? Type::kUE8M0 : Type::kE4M3;
  form.scale_ids = {Field(bits, 29, 2), Field(bits, 4, 2)};
  const bool bytes_of_a_word = std::all_of(
      form.scale_ids.begin(), form.scale_ids.end(),
      [&](unsigned id) { return id % variant.scales == 0 && id + variant.scales <= 4; });
  if (Field(bits, 2, 1) != 0) {
    *why = "asks for a sparse A, and tcgen05.mma without .sp has none";
  } else if (Field(bits, 0, 2) != 0 || Field(bits, 3, 1) != 0 || Field(bits, 6, 1) != 0 ||
             Field(bits, 24, 3) != 0 || (small ? Field(bits, 12, 1) : Field(bits, 31, 1)) != 0) {
    *why = fmt::format("does not have zeroes in bits 0, 1, 3, 6, 24 to 26 and {}", small ? 12 : 31);
  } else if (form.scale != Type::kUE8M0 &&
             (variant.kind != ProductKind::kMxF4NvF4 || variant.scales != 4)) {
    *why = "has scales of ue4m3, which are of .kind::mxf4nvf4 with four scales alone";
  } else if (form.k != kDepthOf96 && !bytes_of_a_word) {
    *why = fmt::format(
        "has the scales of A from byte {} of a word on and those of B from {}, and "
        "{} together",
        form.scale_ids[0], form.scale_ids[1], variant.scales);
  } else if (!IsShape(variant, form)) {
    *why = fmt::format("has M {} and N {}, a shape that the kind has not", form.m, form.n);
  } else if (IsNarrow(form.a, form.a_k_major) || IsNarrow(form.b, form.b_k_major)) {
    *why = "transposes elements of less than a byte";
  } else {
    return form;
  }
  return std::nullopt;
}

}  // namespace

unsigned ProductForm::BitsOf(Type type) {
  switch (type) {
    case Type::kTF32:
      return 32;
    case Type::kF16:
    case Type::kBF16:
      return 16;
    case Type::kE2M3:
    case Type::kE3M2:
      return 6;
    case Type::kE2M1:
      return 4;
    default:
      return kByte;
  }
}

unsigned ProductForm::PitchOf(Type type) const {
  return packed ? BitsOf(type) : std::max(BitsOf(type), kByte);
}

unsigned ProductForm::InUnit(Type type) const { return kByte * kMatrixUnit / PitchOf(type); }

std::optional<ProductForm> ReadInstructionDescriptor(const ProductVariant& variant,
                                                     std::uint32_t bits, std::string* why) {
  return IsScaled(variant.kind) ? ReadScaled(variant, bits, why) : ReadPlain(variant, bits, why);
}

}  // namespace muster::ptx
