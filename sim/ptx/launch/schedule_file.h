// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Schedules in files (schedule.schema.json), where instructions are known by their lines.
#ifndef MUSTER_SIM_PTX_LAUNCH_SCHEDULE_FILE_H_
#define MUSTER_SIM_PTX_LAUNCH_SCHEDULE_FILE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/ptx/launch/json_file.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/schedule.h"

namespace muster::ptx {

class ScheduleFile {
 public:
  // Throws InputError.
  explicit ScheduleFile(const std::string& path);

  // What the run was found with, if the file says so.
  std::optional<std::string> config() const;
  std::optional<std::uint64_t> seed() const;
  std::optional<std::uint64_t> input() const;
  // Of a kernel. Throws InputError where a turn is of no instruction of it, or of one that has no
  // place in an order of events.
  Schedule Of(const Program& program) const;

 private:
  Turn StartOf(const nlohmann::json& value, const std::string& at) const;

  JsonFile file_;
};

// Throws InputError.
Schedule ReadSchedule(const std::string& path, const Program& program);

// The text of a file that ReadSchedule reads, a line for each turn.
std::string ScheduleText(const Schedule& schedule, const Program& program);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_SCHEDULE_FILE_H_
