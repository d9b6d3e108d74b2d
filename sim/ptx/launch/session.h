// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One run of a kernel: from a manifest to a grid that is ready to drive its units, and afterwards
// from what happened to a verdict. Who runs them, and against what, is the caller's affair.
#ifndef MUSTER_SIM_PTX_LAUNCH_SESSION_H_
#define MUSTER_SIM_PTX_LAUNCH_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/sm/grid.h"

namespace muster::ptx {

// The exit codes of `muster run`.
enum class ExitCode : int {
  kAsExpected = 0,
  kDiffers = 1,  // a buffer, a number of hazards, or an outcome that the manifest names
  kBadInput = 2,
  kDeadlock = 3,  // where "completes" was expected, here and below
  kMismatch = 4,  // RTL and golden model disagree
  kFault = 5,
  kTimeout = 6,
};

struct Verdict {
  ExitCode code = ExitCode::kAsExpected;
  std::string outcome;                   // as a manifest spells it
  std::vector<std::string> differences;  // from the manifest, a sentence each
};

class Session {
 public:
  // Throws InputError.
  Session(const Manifest& manifest, const Config& config, std::uint64_t seed);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Grid& grid() const { return *grid_; }
  const Manifest& manifest() const { return manifest_; }
  const Program& program() const { return program_; }
  const Launch& launch() const { return launch_; }
  const Config& config() const { return config_; }
  std::uint64_t seed() const { return seed_; }

  // What came of the run, once it has ended.
  Verdict Judge() const;
  // What the kernel begins with, and then what it has left.
  const Memory& memory() const { return memory_; }
  // A buffer as the kernel left it.
  const std::vector<std::uint8_t>& Contents(std::size_t buffer) const;

 private:
  void SetCluster();
  void SetCooperative();
  void LayOut();
  void PassArguments();
  std::vector<std::uint8_t> BytesOf(const Argument& argument) const;
  void CompareBuffers(std::vector<std::string>* differences) const;

  const Manifest& manifest_;
  const Config config_;
  std::uint64_t seed_;
  Program program_;
  Launch launch_;
  Memory memory_;
  std::vector<std::uint64_t> addresses_;  // of the buffers
  std::unique_ptr<Grid> grid_;
};

std::string OutcomeName(const Grid& grid);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_SESSION_H_
