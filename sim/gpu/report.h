// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Reports of a task on a GPU, as text and as JSON, with its verdict by the manifest.
#ifndef MUSTER_SIM_GPU_REPORT_H_
#define MUSTER_SIM_GPU_REPORT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/gpu/pool.h"
#include "sim/gpu/task.h"
#include "sim/ptx/launch/session.h"

namespace muster::gpu {

ptx::Verdict Judge(const Task& task, const Result& result);

// Returns the differences from the unit's result, a sentence each: the outcome and, if both
// complete, the buffers for which the manifest expects contents, or all buffers if it expects none.
using Contents = std::vector<std::vector<std::uint8_t>>;
std::vector<std::string> Differences(const Task& task, const Result& result,
                                     const std::string& outcome, const Contents& contents);

// What ran and how it ended, the verdict, and where to look next.
std::string TextReport(const Task& task, const Result& result, const ptx::Verdict& verdict);
// The report's schema is gpu.schema.json.
nlohmann::ordered_json JsonReport(const Task& task, const Result& result,
                                  const ptx::Verdict& verdict);

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_REPORT_H_
