// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A task on a GPU in words and in JSON, and whether it went as its manifest says.
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

// How the result differs from what the unit has come to, a sentence each: the outcome, and where
// both complete the buffers that the manifest expects something of, or all if there are none.
using Contents = std::vector<std::vector<std::uint8_t>>;
std::vector<std::string> Differences(const Task& task, const Result& result,
                                     const std::string& outcome, const Contents& contents);

// What ran, and what came of it; then the verdict, and where to look next.
std::string TextReport(const Task& task, const Result& result, const ptx::Verdict& verdict);
// By gpu.schema.json.
nlohmann::ordered_json JsonReport(const Task& task, const Result& result,
                                  const ptx::Verdict& verdict);

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_REPORT_H_
