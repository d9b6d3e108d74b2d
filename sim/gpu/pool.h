// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Several workers for many tasks.
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
  std::chrono::duration<double> time_limit{2.5};  // of a launch
  std::chrono::duration<double> patience{60};     // until the driver has started, or has assembled
};

// How a task has ended, and what it has left.
struct Result {
  Ending ending;
  Gpu gpu;
  // Of each buffer and symbol. Nothing: no kernel has run, or it is a symbol, which lies in the
  // GPU's memory and cannot be read after a hang or a trap.
  std::vector<std::optional<std::vector<std::uint8_t>>> contents;
};

// Carries all tasks out, and calls `done` with the number and the result of each as it ends. Throws
// NoGpu.
void RunAll(const std::vector<Task>& tasks, const Settings& settings,
            const std::function<void(std::size_t task, const Result& result)>& done);

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_POOL_H_
