// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// How a task on a GPU ends.
#ifndef MUSTER_SIM_GPU_ENDING_H_
#define MUSTER_SIM_GPU_ENDING_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace muster::gpu {

enum class EndKind {
  kCompletes,
  kHangs,
  kTrap,
  kDoesNotFit,     // the kernel is for other GPUs
  kDoesNotLoad,    // the driver's assembler refuses the PTX, or a name is not there
  kDoesNotLaunch,  // the driver refuses the launch
  kLost,           // the process that ran it has ended
};

struct Ending {
  EndKind kind = EndKind::kCompletes;
  std::string name;  // the driver's name of the error: "illegal_instruction"
  std::string text;  // a sentence on the error, or the assembler's log
  // The index of the last launch that began; of launches that overlap, of the first one.
  std::size_t launch = 0;
  double seconds = 0;   // the time of the launches, measured by the host
  std::string printed;  // the output of the kernels

  // Whether a kernel has run.
  bool HasRun() const {
    return kind == EndKind::kCompletes || kind == EndKind::kHangs || kind == EndKind::kTrap;
  }
  // Returns "completes", "hangs", "trap: illegal_instruction" or "does not load: invalid_ptx".
  std::string Outcome() const;
  // Whether this ending corresponds to an outcome of a manifest or of the unit.
  bool Is(const std::string& outcome) const;
};

Ending Failed(EndKind kind, std::string name, std::string text = "");

// Conversions for messages between processes.
void to_json(nlohmann::json& json, const Ending& ending);
void from_json(const nlohmann::json& json, Ending& ending);

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_ENDING_H_
