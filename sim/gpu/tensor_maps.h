// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The tensor maps of a manifest as the GPU's driver makes them. Knows nothing of what copies do
// with them.
#ifndef MUSTER_SIM_GPU_TENSOR_MAPS_H_
#define MUSTER_SIM_GPU_TENSOR_MAPS_H_

#include <cstdint>

#include "sim/gpu/driver.h"
#include "sim/gpu/ending.h"
#include "sim/gpu/task.h"

namespace muster::gpu {

// Makes all tensor maps of a task whose memory the GPU sees at that address. Where the driver
// refuses one, the ending says so.
Ending MakeTensorMaps(const Driver& driver, const Task& task, cuda::Pointer memory,
                      Task::Objects* objects);

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_TENSOR_MAPS_H_
