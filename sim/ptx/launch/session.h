// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One launch of a kernel, or several of which each may overlap with the one before: from a manifest
// to a grid that is ready to drive its units, and afterwards from what happened to a verdict. Who
// runs them, and against what, is the caller's affair.
#ifndef MUSTER_SIM_PTX_LAUNCH_SESSION_H_
#define MUSTER_SIM_PTX_LAUNCH_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/ptx/launch/device.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"
#include "sim/ptx/simt/schedule.h"
#include "sim/ptx/simt/schedule_replay.h"

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
  kNoGpu = 9,  // 7 and 8 are those of muster explore
};

struct Verdict {
  ExitCode code = ExitCode::kAsExpected;
  std::string outcome;                   // as a manifest spells it
  std::vector<std::string> differences;  // from the manifest, a sentence each
};

// What a report begins with: the differences, a line each.
std::string DifferencesText(const Verdict& verdict);

// How often each hazard was met, by name.
using HazardCounts = std::map<std::string, std::uint64_t>;

class Session {
 public:
  // The single launch of a manifest, ready to run. Throws InputError.
  Session(const Manifest& manifest, const Config& config, std::uint64_t seed);
  // One of several launches, which share the device, and those after it that may overlap. It is
  // ready to run once it is entered.
  Session(const Manifest& manifest, std::size_t index, std::shared_ptr<Device> device,
          const Config& config, std::uint64_t seed);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The launches before it have ended, and it begins.
  void Enter();
  // The run is to keep to the schedule. Throws InputError where that names threads that are not
  // there.
  void Follow(Schedule schedule);
  // Null: to none.
  const ScheduleReplay* replay() const { return replay_.get(); }

  const ClockedGrid& grid() const { return *grid_; }
  const Manifest& manifest() const { return manifest_; }
  std::size_t index() const { return index_; }  // of the launch, or of the first of several
  const Program& program() const { return *program_; }
  const Launch& launch() const { return launch_; }
  unsigned units() const;  // that its launches take
  const Config& config() const { return config_; }
  std::uint64_t seed() const { return seed_; }

  // What the kernel begins with, and then what it has left.
  const Memory& memory() const { return *device_->memory(); }
  // From now on, what happens is recorded.
  void Record();
  const Timeline* timeline() const { return timeline_.get(); }  // null: nothing is

  // "launch 2 of 3, kernel sum"; empty: it is the only one. Of launches that may overlap:
  // "launches 2 to 3 of 3, kernels sum and scale".
  std::string Which() const;
  // Of one of those that may overlap.
  std::string Which(std::size_t launch) const;

  // What came of the run, once it has ended. The launches before it have met these hazards.
  Verdict Judge(const HazardCounts& before = {}) const;
  // How buffers differ from what they must hold in the end, in this memory or a copy of it in which
  // the launch has run otherwise: a sentence each.
  std::vector<std::string> Differences(const Memory& memory) const;
  // Adds the hazards of this launch.
  void Count(HazardCounts* hazards) const;
  // A buffer as the kernel left it, or as that memory has it.
  std::vector<std::uint8_t> ContentsIn(const Memory& memory, std::size_t buffer) const {
    return device_->ContentsIn(memory, buffer);
  }
  std::vector<std::uint8_t> Contents(std::size_t buffer) const { return device_->Contents(buffer); }
  // Which bytes of it are unknown.
  UnknownBytes UnknownIn(const Memory& memory, std::size_t buffer) const {
    return device_->UnknownIn(memory, buffer);
  }

 private:
  void Prepare(std::size_t index, Launch* launch);
  void SetCluster(std::size_t index, Launch* launch) const;
  void SetCooperative(std::size_t index, Launch* launch);
  void LayOut(std::size_t index, Launch* launch) const;
  void PassArguments(std::size_t index, Launch* launch);
  const KernelLaunch& OwnAt(std::size_t index) const { return manifest_.LaunchAt(index_ + index); }

  const Manifest& manifest_;
  const std::size_t index_;
  const Config config_;
  std::uint64_t seed_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<const Program> program_;
  Launch launch_;
  std::vector<std::uint8_t> parameters_;  // of the first launch
  std::unique_ptr<ScheduleReplay> replay_;
  std::unique_ptr<Timeline> timeline_;
  std::unique_ptr<ClockedGrid> grid_;
};

std::string OutcomeName(const Grid& grid);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_SESSION_H_
