// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Executes tasks on a GPU, in a process of its own, which is killed if a kernel hangs. Knows
// nothing of other processes.
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

// A GPU as the driver describes it.
struct Gpu {
  std::string name;           // "NVIDIA H100 80GB HBM3"
  unsigned architecture = 0;  // 90 for sm_90
  std::string driver;         // the CUDA version of the driver: "13.0"
};
void to_json(nlohmann::json& json, const Gpu& gpu);
void from_json(const nlohmann::json& json, Gpu& gpu);

class Executor {
 public:
  // Opens the first GPU that the driver shows. Throws NoGpu.
  Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();

  const Gpu& gpu() const { return gpu_; }
  // Executes a task on memory that has been filled. Calls `begins` before each launch. Does not
  // return while a kernel hangs. After a trap, no other task can run in this process.
  Ending Run(const Task& task, std::uint8_t* memory, const std::function<void()>& begins);
  // Returns the name of the trap that has ended all work of this process, or "".
  std::string Trap() const;

 private:
  class Modules;

  Ending Launch(const Task& task, std::uint8_t* memory, const std::function<void()>& begins) const;
  bool Fits(const Task::File& file) const;
  Ending Load(const Task& task, std::uint8_t* memory, Modules* modules) const;
  Ending CopySymbols(const Task& task, std::uint8_t* memory, const Modules& modules,
                     bool back) const;
  Ending Prepare(const Task::Launch& launch, const Modules& modules,
                 cuda::Function* function) const;
  cuda::Result Start(const Task::Launch& launch, cuda::Function function,
                     std::vector<std::vector<std::uint8_t>> arguments) const;

  Driver driver_;
  cuda::Device device_ = 0;
  Gpu gpu_;
};

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_EXECUTOR_H_
