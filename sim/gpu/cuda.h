// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The part of CUDA's driver API that is used here, after its reference manual: NVIDIA's header is
// not needed.
#ifndef MUSTER_SIM_GPU_CUDA_H_
#define MUSTER_SIM_GPU_CUDA_H_

#include <cstddef>
#include <cstdint>

namespace muster::gpu::cuda {

using Result = int;  // CUresult
using Device = int;
using Context = struct ContextObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Stream = struct StreamObject*;
using Array = struct ArrayObject*;
using Handle = std::uint64_t;   // of a texture or surface
using Pointer = std::uint64_t;  // in the GPU's memory, or in host memory that the GPU can access

inline constexpr Result kSuccess = 0;
inline constexpr Result kNoDevice = 100;
inline constexpr Result kNotFound = 500;
inline constexpr Result kLaunchTimeout = 702;  // a watchdog ended the kernel

// Attributes of a device.
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;
// Attributes of a function.
inline constexpr int kMaxDynamicShared = 8;
inline constexpr int kNonPortableCluster = 14;
// Options of the assembler.
inline constexpr int kErrorLog = 5;
inline constexpr int kErrorLogBytes = 6;
// Flags of memory registration.
inline constexpr unsigned kDeviceMap = 2;
// Flags of a stream: its launches wait for what the default stream has begun, such as copies.
inline constexpr unsigned kBlocking = 0;

// CUlaunchAttribute.
inline constexpr int kCooperative = 2;
inline constexpr int kClusterDimension = 4;
inline constexpr int kProgrammatic = 6;  // the launch may begin before the one before has ended
struct LaunchAttribute {
  int id = 0;
  std::uint32_t padding = 0;
  union {
    std::uint32_t extent[3];
    int on;
    char bytes[64] = {};
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

// CUlaunchConfig.
struct LaunchConfig {
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t dynamic_shared = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  std::uint32_t num_attributes = 0;
};
static_assert(sizeof(LaunchConfig) == 56 && offsetof(LaunchConfig, stream) == 32);

// CUtensorMap.
struct alignas(64) TensorMap {
  std::uint8_t bytes[128] = {};
};

// CUDA_ARRAY3D_DESCRIPTOR.
inline constexpr unsigned kLayered = 1;
inline constexpr unsigned kSurface = 2;
struct ArrayDescriptor {
  std::size_t width = 0;
  std::size_t height = 0;  // 0: one dimension
  std::size_t depth = 0;   // 0: no third dimension, and no layers
  int format = 0;
  unsigned components = 1;
  unsigned flags = 0;
};

// CUDA_MEMCPY3D: one side of a copy, then all of it.
inline constexpr int kHostMemory = 1;
inline constexpr int kArrayMemory = 3;
struct CopySide {
  std::size_t x_bytes = 0;
  std::size_t y = 0;
  std::size_t z = 0;
  std::size_t level = 0;
  int kind = kHostMemory;
  void* host = nullptr;
  Pointer pointer = 0;
  Array array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch = 0;
  std::size_t height = 0;
};
struct Copy {
  CopySide from;
  CopySide to;
  std::size_t width_bytes = 0;
  std::size_t height = 1;
  std::size_t depth = 1;
};
static_assert(sizeof(Copy) == 200);

// CUDA_RESOURCE_DESC of an array.
struct Resource {
  int type = 0;  // an array
  Array array = nullptr;
  char others[120] = {};  // what other types have
  unsigned flags = 0;
};
static_assert(sizeof(Resource) == 144 && offsetof(Resource, flags) == 136);

// CUDA_TEXTURE_DESC.
inline constexpr unsigned kReadAsInteger = 1;
inline constexpr unsigned kNormalizedCoordinates = 2;
struct TextureDescriptor {
  int addressing[3] = {};
  int filter = 0;
  unsigned flags = 0;
  unsigned anisotropy = 0;
  int levels[4] = {};  // the filter between levels, their bias, the least and the greatest
  float border[4] = {};
  int reserved[12] = {};
};
static_assert(sizeof(TextureDescriptor) == 104);

}  // namespace muster::gpu::cuda

#endif  // MUSTER_SIM_GPU_CUDA_H_
