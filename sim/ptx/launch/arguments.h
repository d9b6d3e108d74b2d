// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a launch hands to its kernel, wherever that runs: the bytes of its arguments, and dynamic
// shared memory.
#ifndef MUSTER_SIM_PTX_LAUNCH_ARGUMENTS_H_
#define MUSTER_SIM_PTX_LAUNCH_ARGUMENTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/program/program.h"

namespace muster::ptx {

inline constexpr std::uint32_t kSharedBytes = 48 * 1024;  // of a CTA, by default

// What arguments stand for where the launch runs.
struct ArgumentValues {
  std::function<std::uint64_t(const Argument& argument)> address_of;  // or its handle
  std::function<TensorMapImage(const std::string& map)> image_of;
};

// The bytes of each argument, structures laid out as in C. Throws InputError where number or sizes
// are not those of the kernel's parameters.
std::vector<std::vector<std::uint8_t>> ArgumentBytes(const KernelLaunch& launch,
                                                     const Function& kernel,
                                                     const ArgumentValues& values);

// The bytes of .extern .shared memory: those that the launch asks for; else, if the kernel uses
// any, what its own variables leave of kSharedBytes.
std::uint32_t DynamicShared(const KernelLaunch& launch, const Program& program);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_ARGUMENTS_H_
