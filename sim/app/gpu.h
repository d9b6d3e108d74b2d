// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Kernels on the machine's GPU.
#ifndef MUSTER_SIM_APP_GPU_H_
#define MUSTER_SIM_APP_GPU_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sim/app/run.h"
#include "sim/gpu/pool.h"
#include "sim/gpu/task.h"

namespace muster::app {

// Runs a job on the GPU, and writes the files that they name. Throws
// ptx::InputError; gpu::NoGpu.
RunResult RunOnGpu(Job job, const RunOptions& options);

// What came of a manifest on a GPU.
struct GpuRun {
  std::size_t manifest = 0;         // its number
  RunResult run;                    // what a run of it alone gives
  bool fits = true;                 // false: the kernel is for other GPUs
  const gpu::Task* task = nullptr;  // null: the manifest is bad input, of which the run tells
  const gpu::Result* result = nullptr;
};

// Runs manifests on the GPU, so many at a time, and calls `done` as each ends. Throws gpu::NoGpu.
void RunAllOnGpu(const std::vector<std::string>& manifests, std::size_t workers,
                 const RunOptions& options, const std::function<void(const GpuRun& run)>& done);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_GPU_H_
