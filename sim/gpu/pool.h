// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A pool of workers that execute tasks. Knows nothing of manifests.
#ifndef MUSTER_SIM_GPU_POOL_H_
#define MUSTER_SIM_GPU_POOL_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/gpu/ending.h"
#include "sim/gpu/executor.h"
#include "sim/gpu/task.h"

namespace muster::gpu {

struct Settings {
  std::size_t workers = 1;
  std::chrono::duration<double> time_limit{2.5};  // the limit of a launch
  // The limit of the driver's start, and of assembling.
  std::chrono::duration<double> patience{60};
  // Asked before each task: whether no more are to begin.
  std::function<bool()> is_over;
};

// How a task ended, with the final contents of its memory.
struct Result {
  Ending ending;
  Gpu gpu;
  // The contents of each buffer and symbol. Empty if no kernel has run, or for a symbol after a
  // hang or a trap: it lies in the GPU's memory and cannot be read.
  std::vector<std::optional<std::vector<std::uint8_t>>> contents;
};

// Executes all tasks, or those that begin before it is over, and calls `done` with the number and
// the result of each when it ends. Throws NoGpu.
void RunAll(const std::vector<Task>& tasks, const Settings& settings,
            const std::function<void(std::size_t task, const Result& result)>& done);

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_POOL_H_
