// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What comes of a task on a GPU.
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
  std::string name;        // the driver's for what was wrong: "illegal_instruction"
  std::string text;        // a sentence on it, or the assembler's log
  std::size_t launch = 0;  // the last one whose turn came, from 0
  double seconds = 0;      // that the launches took, as the host sees it
  std::string printed;     // by the kernels

  // A kernel has run, for better or worse.
  bool HasRun() const {
    return kind == EndKind::kCompletes || kind == EndKind::kHangs || kind == EndKind::kTrap;
  }
  // "completes", "hangs", "trap: illegal_instruction", "does not load: invalid_ptx"
  std::string Outcome() const;
  // Whether that is what an outcome of a manifest, or of the unit, means on a GPU.
  bool Is(const std::string& outcome) const;
};

// From one process to another.
void to_json(nlohmann::json& json, const Ending& ending);
void from_json(const nlohmann::json& json, Ending& ending);

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_ENDING_H_
