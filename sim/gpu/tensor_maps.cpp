// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/tensor_maps.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::gpu {
namespace {

// CUtensorMapDataType, which has another order than tensormap.replace has.
int NumberOf(ptx::TensorElement element) {
  using E = ptx::TensorElement;
  constexpr E kOrder[] = {E::kU8,      E::kU16, E::kU32,      E::kS32,     E::kU64,    E::kS64,
                          E::kF16,     E::kF32, E::kF64,      E::kBF16,    E::kF32Ftz, E::kTF32,
                          E::kTF32Ftz, E::kB4,  E::kB4Padded, E::kB6Padded};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), element) - kOrder);
}

// CUtensorMapSwizzle: the atoms other than 16 bytes follow the widths.
int NumberOf(ptx::TensorSwizzle swizzle, ptx::TensorAtom atom) {
  return static_cast<int>(swizzle) + static_cast<int>(atom);
}

// Returns the driver's result, or nothing if the driver has no such function.
std::optional<cuda::Result> Make(const Driver& driver, const ptx::TensorMap& map, void* address,
                                 cuda::TensorMap* to) {
  const int type = NumberOf(map.element);
  const int interleave = static_cast<int>(map.interleave);
  const int swizzle = NumberOf(map.swizzle, map.atom);
  const int fill = map.fills_nan ? 1 : 0;
  const auto wide = static_cast<int>(map.layout) - static_cast<int>(ptx::TensorLayout::kIm2colW);
  switch (map.layout) {
    case ptx::TensorLayout::kTile:
      if (driver.TensorMapEncodeTiled != nullptr) {
        return driver.TensorMapEncodeTiled(to, type, map.rank, address, map.dims.data(),
                                           map.strides.data(), map.box.data(), map.steps.data(),
                                           interleave, swizzle, map.promotion, fill);
      }
      break;
    case ptx::TensorLayout::kIm2col:
      if (driver.TensorMapEncodeIm2col != nullptr) {
        return driver.TensorMapEncodeIm2col(to, type, map.rank, address, map.dims.data(),
                                            map.strides.data(), map.lower.data(), map.upper.data(),
                                            map.channels, map.pixels, map.steps.data(), interleave,
                                            swizzle, map.promotion, fill);
      }
      break;
    default:
      if (driver.TensorMapEncodeIm2colWide != nullptr) {
        return driver.TensorMapEncodeIm2colWide(to, type, map.rank, address, map.dims.data(),
                                                map.strides.data(), map.lower[0], map.upper[0],
                                                map.channels, map.pixels, map.steps.data(),
                                                interleave, wide, swizzle, map.promotion, fill);
      }
  }
  return std::nullopt;
}

Ending Refused(const ptx::NamedMap& map, std::string name, const char* why) {
  return Failed(EndKind::kDoesNotLaunch, std::move(name),
                fmt::format("the driver does not make the tensor map {}{}", map.name, why));
}

}  // namespace

Ending MakeTensorMaps(const Driver& driver, const Task& task, cuda::Pointer memory,
                      Task::Objects* objects) {
  for (const ptx::NamedMap& own : task.manifest().maps) {
    const cuda::Pointer begin = memory + task.PlaceOf(own.buffer) + own.map.address;
    cuda::TensorMap made;
    // The driver's interface takes this address as a pointer.
    auto* const address = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
    const std::optional<cuda::Result> result = Make(driver, own.map, address, &made);
    if (!result) {
      return Refused(own, "no_tensor_maps", ": tensor maps came with CUDA 12.0");
    }
    if (*result != cuda::kSuccess) {
      return Refused(own, driver.NameOf(*result), "");
    }
    std::copy(std::begin(made.bytes), std::end(made.bytes), objects->maps[own.name].begin());
  }
  return {};
}

}  // namespace muster::gpu
