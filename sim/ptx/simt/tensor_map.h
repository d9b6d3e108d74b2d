// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A tensor map: the tensor in global memory that it describes, and the boxes in which copies access
// it. Has its 128 bytes, and the rules by which CUDA's driver makes one. Knows nothing of a copy.
#ifndef MUSTER_SIM_PTX_SIMT_TENSOR_MAP_H_
#define MUSTER_SIM_PTX_SIMT_TENSOR_MAP_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/ptx/program/types.h"

namespace muster::ptx {

// The numbers of these enumerations are those of tensormap.replace (PTX, "Tensormap new_val
// validity").
enum class TensorElement : std::uint8_t {
  kU8,
  kU16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF32Ftz,
  kF64,
  kBF16,
  kTF32,
  kTF32Ftz,
  kB4,        // b4x16
  kB4Padded,  // b4x16_p64
  kB6Padded,  // b6x16_p32
};
enum class TensorInterleave : std::uint8_t { kNone, k16, k32 };
enum class TensorSwizzle : std::uint8_t { kNone, k32, k64, k128 };
enum class TensorAtom : std::uint8_t { k16, k32, k32Flip8, k64 };
// How copies access it. Of kIm2colW128 a column has 128 pixels.
enum class TensorLayout : std::uint8_t { kTile, kIm2col, kIm2colW, kIm2colW128 };

constexpr unsigned kMaxTensorRank = 5;
constexpr unsigned kTensorMapBytes = 128;
constexpr unsigned kTensorMapAlign = 64;

// Arrays have an entry for each dimension, the innermost first.
struct TensorMap {
  TensorLayout layout = TensorLayout::kTile;
  TensorElement element = TensorElement::kU8;
  TensorInterleave interleave = TensorInterleave::kNone;
  TensorSwizzle swizzle = TensorSwizzle::kNone;
  TensorAtom atom = TensorAtom::k16;
  std::uint8_t promotion = 0;  // of L2: 0, or the power of two of 64, 128 or 256 bytes less 5
  bool fills_nan = false;      // elements outside of the tensor are NaN, not 0
  std::uint8_t rank = 0;
  std::uint64_t address = 0;
  std::array<std::uint64_t, kMaxTensorRank> dims{};         // elements
  std::array<std::uint64_t, kMaxTensorRank - 1> strides{};  // bytes, from dimension 1 on
  std::array<std::uint32_t, kMaxTensorRank> steps{};        // from one element to the next
  std::array<std::uint32_t, kMaxTensorRank> box{};          // of kTile
  // Of the others: the box of pixels in W, H and D, by the distances of its corners from those of
  // the tensor; channels of a pixel; pixels of a column.
  std::array<std::int32_t, kMaxTensorRank - 2> lower{};
  std::array<std::int32_t, kMaxTensorRank - 2> upper{};
  std::uint32_t channels = 0;
  std::uint32_t pixels = 0;

  bool IsInterleaved() const { return interleave != TensorInterleave::kNone; }
};

using TensorMapImage = std::array<std::uint8_t, kTensorMapBytes>;
TensorMapImage Encode(const TensorMap& map);
// Returns nothing if the bytes are none that Encode makes.
std::optional<TensorMap> DecodeTensorMap(const std::uint8_t* bytes);

// Returns the rule of CUDA's driver that the map breaks, as a sentence without its end, or "".
std::string BrokenRule(const TensorMap& map);

// Returns the type as which an element is added or compared; kNone: it cannot be.
Type TypeOf(TensorElement element);
// Returns the bits of an element in global memory.
unsigned BitsOf(TensorElement element);
// Whether sixteen elements take 16 bytes of shared memory, not all of which are used.
constexpr bool IsPadded(TensorElement element) { return element >= TensorElement::kB4Padded; }
constexpr bool IsFloat(TensorElement element) {
  return element >= TensorElement::kF16 && element <= TensorElement::kTF32Ftz;
}
// Returns the bytes in which a swizzle moves data, 0 for none.
constexpr unsigned BytesOf(TensorSwizzle swizzle) {
  return swizzle == TensorSwizzle::kNone ? 0 : 16U << static_cast<unsigned>(swizzle);
}
// Returns the bytes of a slice of channels, 0 for none.
constexpr unsigned BytesOf(TensorInterleave interleave) {
  return interleave == TensorInterleave::kNone ? 0 : 8U << static_cast<unsigned>(interleave);
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TENSOR_MAP_H_
