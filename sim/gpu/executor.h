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
  // Called before launches that may overlap, with the first of them.
  using Begins = std::function<void(std::size_t launch)>;
  // Executes a task on memory that has been filled. Does not return while a kernel hangs. After a
  // trap, no other task can run in this process.
  Ending Run(const Task& task, std::uint8_t* memory, const Begins& begins);
  // Returns the name of the trap that has ended all work of this process, or "".
  std::string Trap() const;

 private:
  class Modules;

  struct Ready;

  Ending Launch(const Task& task, std::uint8_t* memory, const Begins& begins) const;
  bool Fits(const Task::File& file) const;
  Ending Load(const Task& task, std::uint8_t* memory, Modules* modules) const;
  Ending CopySymbols(const Task& task, std::uint8_t* memory, const Modules& modules,
                     bool back) const;
  Ending Prepare(const Task::Launch& launch, const Modules& modules, Ready* ready) const;
  cuda::Result Start(Ready* ready) const;
  Ending Complete(std::vector<Ready> launches, std::size_t first) const;

  Driver driver_;
  cuda::Device device_ = 0;
  cuda::Stream stream_ = nullptr;
  Gpu gpu_;
};

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_EXECUTOR_H_
