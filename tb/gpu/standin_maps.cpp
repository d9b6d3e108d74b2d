// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The stand-in's tensor maps. An older driver is without this file.
#include <algorithm>
#include <cstdint>
#include <string>

#include "tb/gpu/standin.h"

namespace {

// A tensor map of the stand-in: its first bytes are type, rank, swizzle and fill.
int Make(const std::string& name, const std::string& given, const void* address, int type,
         unsigned rank, int swizzle, int fill, std::uint8_t* map) {
  const int result = standin::Enter(name, given);
  if (standin::Words(reinterpret_cast<std::uint64_t>(address), 4) == nullptr ||
      reinterpret_cast<std::uintptr_t>(map) % 64 != 0) {
    return standin::kInvalidValue;
  }
  const int first[] = {type, static_cast<int>(rank), swizzle, fill};
  std::copy(first, first + 4, map);
  return result;
}

template <typename T>
std::string List(const T* values, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(values[i]);
  }
  return text;
}

}  // namespace

extern "C" {

int cuTensorMapEncodeTiled(std::uint8_t* map, int type, unsigned rank, void* address,
                           const std::uint64_t* dims, const std::uint64_t* strides,
                           const unsigned* box, const unsigned* steps, int interleave, int swizzle,
                           int promotion, int fill) {
  const std::string given = "dims " + List(dims, rank) + " strides " + List(strides, rank - 1) +
                            " box " + List(box, rank) + " steps " + List(steps, rank) + " " +
                            std::to_string(interleave) + " " + std::to_string(promotion);
  return Make("cuTensorMapEncodeTiled", given, address, type, rank, swizzle, fill, map);
}

int cuTensorMapEncodeIm2col(std::uint8_t* map, int type, unsigned rank, void* address,
                            const std::uint64_t* dims, const std::uint64_t* /*strides*/,
                            const int* lower, const int* upper, unsigned channels, unsigned pixels,
                            const unsigned* /*steps*/, int /*interleave*/, int swizzle,
                            int /*promotion*/, int fill) {
  const std::string given = "dims " + List(dims, rank) + " lower " + List(lower, rank - 2) +
                            " upper " + List(upper, rank - 2) + " " + std::to_string(channels) +
                            " " + std::to_string(pixels);
  return Make("cuTensorMapEncodeIm2col", given, address, type, rank, swizzle, fill, map);
}

}  // extern "C"
