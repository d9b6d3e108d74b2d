// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The stand-in's devices, and the names of errors.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "tb/gpu/standin.h"

using standin::Enter;
using standin::kInvalidValue;
using standin::kSuccess;
using standin::Setting;

namespace {

enum : int { kNoDevice = 100, kInvalidDevice = 101 };

}  // namespace

extern "C" {

int cuInit(unsigned flags) {
  const int result = Enter("cuInit", std::to_string(flags));
  return result != kSuccess                                ? result
         : std::atoi(Setting("STANDIN_DEVICES", "1")) == 0 ? kNoDevice
                                                           : kSuccess;
}

int cuDriverGetVersion(int* version) {
  *version = 12040;
  return Enter("cuDriverGetVersion");
}

int cuGetErrorName(int result, const char** name) {
  static const std::map<int, const char*> kNames = {
      {1, "CUDA_ERROR_INVALID_VALUE"},         {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},           {101, "CUDA_ERROR_INVALID_DEVICE"},
      {218, "CUDA_ERROR_INVALID_PTX"},         {500, "CUDA_ERROR_NOT_FOUND"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},     {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},      {710, "CUDA_ERROR_ASSERT"},
      {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"}, {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},       {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
      {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE"}};
  const auto found = kNames.find(result);
  *name = found == kNames.end() ? nullptr : found->second;
  return found == kNames.end() ? kInvalidValue : kSuccess;
}

int cuDeviceGetCount(int* count) {
  *count = std::atoi(Setting("STANDIN_DEVICES", "1"));
  return Enter("cuDeviceGetCount");
}

int cuDeviceGet(int* device, int ordinal) {
  *device = 40 + ordinal;
  const int result = Enter("cuDeviceGet", std::to_string(ordinal));
  return ordinal < std::atoi(Setting("STANDIN_DEVICES", "1")) ? result : kInvalidDevice;
}

int cuDeviceGetName(char* name, int bytes, int device) {
  std::snprintf(name, static_cast<std::size_t>(bytes), "Stand-in %d", device - 40);
  return Enter("cuDeviceGetName");
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const int capability = std::atoi(Setting("STANDIN_CAPABILITY", "90"));
  *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : -1;
  return device < 40 ? kInvalidDevice : Enter("cuDeviceGetAttribute", std::to_string(attribute));
}

}  // extern "C"
