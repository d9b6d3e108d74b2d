// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Special registers, and the functions that a device program finds: assertions, printf, malloc.
// Knows what they return and print; does not know who calls them.
#ifndef MUSTER_SIM_PTX_SIMT_DEVICE_RUNTIME_H_
#define MUSTER_SIM_PTX_SIMT_DEVICE_RUNTIME_H_

#include <cstdint>
#include <string>

#include "sim/ptx/simt/execution.h"
#include "sim/ptx/simt/printf.h"

namespace muster::ptx {

// What the system keeps of shared memory, where a program asks for it: the headers of cooperative
// groups have their barriers there.
inline constexpr std::uint32_t kReservedSharedBytes = 1024;

class DeviceRuntime {
 public:
  // What the kernel prints is added to *printed.
  DeviceRuntime(Execution* execution, Printed* printed) : x_(*execution), printed_(*printed) {}

  void ExecuteSpecial(Warp* warp, const Lanes& lanes) const;
  StepEvent ExecuteRuntime(Warp* warp, const Group& group, std::uint32_t active);

 private:
  // Returns a special register that is the same for all threads of the warp.
  std::uint64_t UniformSpecial(const Warp& warp, Special special) const;
  std::string TextAt(Warp* warp, unsigned lane, std::uint64_t address);
  std::uint32_t Print(Warp* warp, unsigned lane, std::uint64_t format, std::uint64_t arguments);

  Execution& x_;
  Printed& printed_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_DEVICE_RUNTIME_H_
