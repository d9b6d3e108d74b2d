// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <string_view>

namespace muster::gpu {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

}  // namespace

template <typename Function>
void Driver::Find(const char* name, Function* function, bool required) {
  *function = reinterpret_cast<Function>(dlsym(library_, name));
  if (*function == nullptr && required) {
    throw NoGpu(fmt::format("cuda: {} has no function {}: it is no driver of NVIDIA's, or too old",
                            path_, name));
  }
}

Driver::Driver() {
  const char* const other = std::getenv("MUSTER_LIBCUDA");
  path_ = other != nullptr ? other : kLibrary;
  library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    throw NoGpu(fmt::format("cuda: NVIDIA's driver is not installed here, for {} cannot be opened",
                            ptx::Printable(path_)));
  }
  // The names of functions with several versions include the version.
  Find("cuInit", &Init);
  Find("cuDriverGetVersion", &DriverGetVersion);
  Find("cuGetErrorName", &GetErrorName);
  Find("cuDeviceGetCount", &DeviceGetCount);
  Find("cuDeviceGet", &DeviceGet);
  Find("cuDeviceGetName", &DeviceGetName);
  Find("cuDeviceGetAttribute", &DeviceGetAttribute);
  Find("cuDevicePrimaryCtxRetain", &DevicePrimaryCtxRetain);
  Find("cuDevicePrimaryCtxRelease_v2", &DevicePrimaryCtxRelease);
  Find("cuCtxSetCurrent", &CtxSetCurrent);
  Find("cuCtxSynchronize", &CtxSynchronize);
  Find("cuStreamCreate", &StreamCreate);
  Find("cuStreamDestroy_v2", &StreamDestroy);
  Find("cuMemHostRegister_v2", &MemHostRegister);
  Find("cuMemHostGetDevicePointer_v2", &MemHostGetDevicePointer);
  Find("cuMemHostUnregister", &MemHostUnregister);
  Find("cuMemcpyHtoD_v2", &MemcpyHtoD);
  Find("cuMemcpyDtoH_v2", &MemcpyDtoH);
  Find("cuArray3DCreate_v2", &Array3DCreate);
  Find("cuArrayDestroy", &ArrayDestroy);
  Find("cuMemcpy3D_v2", &Memcpy3D);
  Find("cuTexObjectCreate", &TexObjectCreate);
  Find("cuTexObjectDestroy", &TexObjectDestroy);
  Find("cuSurfObjectCreate", &SurfObjectCreate);
  Find("cuSurfObjectDestroy", &SurfObjectDestroy);
  Find("cuModuleLoadDataEx", &ModuleLoadDataEx);
  Find("cuModuleUnload", &ModuleUnload);
  Find("cuModuleGetFunction", &ModuleGetFunction);
  Find("cuModuleGetGlobal_v2", &ModuleGetGlobal);
  Find("cuFuncSetAttribute", &FuncSetAttribute);
  Find("cuLaunchKernel", &LaunchKernel);
  Find("cuLaunchCooperativeKernel", &LaunchCooperativeKernel);
  Find("cuLaunchKernelEx", &LaunchKernelEx, false);
  Find("cuTensorMapEncodeTiled", &TensorMapEncodeTiled, false);
  Find("cuTensorMapEncodeIm2col", &TensorMapEncodeIm2col, false);
  Find("cuTensorMapEncodeIm2colWide", &TensorMapEncodeIm2colWide, false);
}

std::string Driver::NameOf(cuda::Result result) const {
  constexpr std::string_view kPrefix = "CUDA_ERROR_";
  const char* text = nullptr;
  if (GetErrorName(result, &text) != cuda::kSuccess || text == nullptr) {
    return fmt::format("error_{}", result);
  }
  std::string name(text);
  if (name.rfind(kPrefix, 0) == 0) {
    name.erase(0, kPrefix.size());
  }
  for (char& c : name) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

}  // namespace muster::gpu
