// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Carries out tasks on a GPU, in the process that may be ended for it.
#ifndef MUSTER_SIM_GPU_EXECUTOR_H_
#define MUSTER_SIM_GPU_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/gpu/driver.h"
#include "sim/gpu/ending.h"
#include "sim/gpu/task.h"

namespace muster::gpu {

// What the driver says of a GPU.
struct Gpu {
  std::string name;           // "NVIDIA H100 80GB HBM3"
  unsigned architecture = 0;  // 90 for sm_90
  std::string driver;         // the version of CUDA that it brings: "13.0"
};
void to_json(nlohmann::json& json, const Gpu& gpu);
void from_json(const nlohmann::json& json, Gpu& gpu);

class Executor {
 public:
  // On the first GPU that the driver shows. Throws NoGpu.
  Executor();

  const Gpu& gpu() const { return gpu_; }
  // Carries a task out in memory that has been filled. Calls `begins` before each launch. It does
  // not return while a kernel hangs. After a trap nothing else can run in this process.
  Ending Run(const Task& task, std::uint8_t* memory, const std::function<void()>& begins);

 private:
  class Modules;

  bool Fits(const Task::File& file) const;
  Ending Load(const Task& task, std::uint8_t* memory, Modules* modules) const;
  Ending CopySymbols(const Task& task, std::uint8_t* memory, const Modules& modules,
                     bool back) const;
  Ending Prepare(const Task::Launch& launch, const Modules& modules,
                 cuda::Function* function) const;
  cuda::Result Start(const Task::Launch& launch, cuda::Function function,
                     std::vector<std::vector<std::uint8_t>> arguments) const;

  Driver driver_;
  Gpu gpu_;
};

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_EXECUTOR_H_
