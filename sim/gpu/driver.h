// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The functions of NVIDIA's driver that a launch needs, from a library that is opened at run time.
// Knows nothing of tasks.
#ifndef MUSTER_SIM_GPU_DRIVER_H_
#define MUSTER_SIM_GPU_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/gpu/cuda.h"
#include "sim/ptx/syntax/error.h"

namespace muster::gpu {

// Thrown if there is no GPU to run on.
class NoGpu : public ptx::InputError {
 public:
  using InputError::InputError;
};

class Driver {
 public:
  // Opens libcuda.so.1, or the library that the environment variable MUSTER_LIBCUDA names. Throws
  // NoGpu.
  Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Returns the name of a result without its prefix, in lower case: "illegal_instruction".
  std::string NameOf(cuda::Result result) const;

  // The functions have the names of the API without "cu".
  cuda::Result (*Init)(unsigned flags) = nullptr;
  cuda::Result (*DriverGetVersion)(int* version) = nullptr;
  cuda::Result (*GetErrorName)(cuda::Result result, const char** name) = nullptr;
  cuda::Result (*DeviceGetCount)(int* count) = nullptr;
  cuda::Result (*DeviceGet)(cuda::Device* device, int ordinal) = nullptr;
  cuda::Result (*DeviceGetName)(char* name, int bytes, cuda::Device device) = nullptr;
  cuda::Result (*DeviceGetAttribute)(int* value, int attribute, cuda::Device device) = nullptr;
  cuda::Result (*DevicePrimaryCtxRetain)(cuda::Context* context, cuda::Device device) = nullptr;
  cuda::Result (*DevicePrimaryCtxRelease)(cuda::Device device) = nullptr;
  cuda::Result (*CtxSetCurrent)(cuda::Context context) = nullptr;
  cuda::Result (*CtxSynchronize)() = nullptr;
  cuda::Result (*StreamCreate)(cuda::Stream* stream, unsigned flags) = nullptr;
  cuda::Result (*StreamDestroy)(cuda::Stream stream) = nullptr;
  cuda::Result (*MemHostRegister)(void* memory, std::size_t bytes, unsigned flags) = nullptr;
  cuda::Result (*MemHostGetDevicePointer)(cuda::Pointer* pointer, void* memory,
                                          unsigned flags) = nullptr;
  cuda::Result (*MemHostUnregister)(void* memory) = nullptr;
  cuda::Result (*MemcpyHtoD)(cuda::Pointer to, const void* from, std::size_t bytes) = nullptr;
  cuda::Result (*MemcpyDtoH)(void* to, cuda::Pointer from, std::size_t bytes) = nullptr;
  cuda::Result (*Array3DCreate)(cuda::Array* array,
                                const cuda::ArrayDescriptor* descriptor) = nullptr;
  cuda::Result (*ArrayDestroy)(cuda::Array array) = nullptr;
  cuda::Result (*Memcpy3D)(const cuda::Copy* copy) = nullptr;
  // The view, by which a texture may differ from its array, is never there.
  cuda::Result (*TexObjectCreate)(cuda::Handle* handle, const cuda::Resource* resource,
                                  const cuda::TextureDescriptor* descriptor,
                                  const void* view) = nullptr;
  cuda::Result (*TexObjectDestroy)(cuda::Handle handle) = nullptr;
  cuda::Result (*SurfObjectCreate)(cuda::Handle* handle, const cuda::Resource* resource) = nullptr;
  cuda::Result (*SurfObjectDestroy)(cuda::Handle handle) = nullptr;
  cuda::Result (*ModuleLoadDataEx)(cuda::Module* module, const void* image, unsigned num_options,
                                   int* options, void** values) = nullptr;
  cuda::Result (*ModuleUnload)(cuda::Module module) = nullptr;
  cuda::Result (*ModuleGetFunction)(cuda::Function* function, cuda::Module module,
                                    const char* name) = nullptr;
  cuda::Result (*ModuleGetGlobal)(cuda::Pointer* pointer, std::size_t* bytes, cuda::Module module,
                                  const char* name) = nullptr;
  cuda::Result (*FuncSetAttribute)(cuda::Function function, int attribute, int value) = nullptr;
  cuda::Result (*LaunchKernel)(cuda::Function function, unsigned grid_x, unsigned grid_y,
                               unsigned grid_z, unsigned block_x, unsigned block_y,
                               unsigned block_z, unsigned dynamic_shared, cuda::Stream stream,
                               void** arguments, void** extra) = nullptr;
  cuda::Result (*LaunchCooperativeKernel)(cuda::Function function, unsigned grid_x, unsigned grid_y,
                                          unsigned grid_z, unsigned block_x, unsigned block_y,
                                          unsigned block_z, unsigned dynamic_shared,
                                          cuda::Stream stream, void** arguments) = nullptr;
  // Null if the driver is older than CUDA 11.8, which introduced clusters and programmatic
  // launches.
  cuda::Result (*LaunchKernelEx)(const cuda::LaunchConfig* config, cuda::Function function,
                                 void** arguments, void** extra) = nullptr;
  // Null if the driver is older than CUDA 12.0, which introduced tensor maps, or 12.8 of the last.
  cuda::Result (*TensorMapEncodeTiled)(cuda::TensorMap* map, int type, std::uint32_t rank,
                                       void* address, const std::uint64_t* dims,
                                       const std::uint64_t* strides, const std::uint32_t* box,
                                       const std::uint32_t* element_strides, int interleave,
                                       int swizzle, int promotion, int fill) = nullptr;
  cuda::Result (*TensorMapEncodeIm2col)(cuda::TensorMap* map, int type, std::uint32_t rank,
                                        void* address, const std::uint64_t* dims,
                                        const std::uint64_t* strides, const int* lower,
                                        const int* upper, std::uint32_t channels,
                                        std::uint32_t pixels, const std::uint32_t* element_strides,
                                        int interleave, int swizzle, int promotion,
                                        int fill) = nullptr;
  cuda::Result (*TensorMapEncodeIm2colWide)(cuda::TensorMap* map, int type, std::uint32_t rank,
                                            void* address, const std::uint64_t* dims,
                                            const std::uint64_t* strides, int lower, int upper,
                                            std::uint32_t channels, std::uint32_t pixels,
                                            const std::uint32_t* element_strides, int interleave,
                                            int mode, int swizzle, int promotion,
                                            int fill) = nullptr;

 private:
  template <typename Function>
  void Find(const char* name, Function* function, bool required = true);

  std::string path_;
  void* library_ = nullptr;  // is never closed: the driver has threads of its own
};

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_DRIVER_H_
