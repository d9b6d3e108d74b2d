// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs kernels on the machine's GPU.
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

// Runs a job on the GPU, and writes the files that the options name. Throws ptx::InputError and
// gpu::NoGpu.
RunResult RunOnGpu(Job job, const RunOptions& options);

// The result of a manifest on a GPU.
struct GpuRun {
  std::size_t manifest = 0;         // the index of the manifest
  RunResult run;                    // the same result as a run of the manifest alone
  bool fits = true;                 // false: the kernel is for other GPUs
  const gpu::Task* task = nullptr;  // null: the manifest is bad input, which `run` describes
  const gpu::Result* result = nullptr;
};

// Runs manifests on the GPU, several at a time, and calls `done` when each ends. Throws gpu::NoGpu.
void RunAllOnGpu(const std::vector<std::string>& manifests, std::size_t workers,
                 const RunOptions& options, const std::function<void(const GpuRun& run)>& done);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_GPU_H_
