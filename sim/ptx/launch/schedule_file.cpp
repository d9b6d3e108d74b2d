// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/schedule_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "sim/isa/config.h"
#include "sim/ptx/launch/manifest_schema.h"

namespace muster::ptx {
namespace {

using Json = nlohmann::json;

constexpr const char* kWhats[] = {"executes", "reads", "performs", "starts"};

Turn::What WhatOf(const std::string& name) {
  const auto* const found = std::find(std::begin(kWhats), std::end(kWhats), name);
  return static_cast<Turn::What>(found - std::begin(kWhats));
}

// The instructions of each line that can have a turn, in their order.
using Lines = std::map<std::uint32_t, std::vector<std::uint32_t>>;
Lines LinesOf(const Program& program) {
  Lines lines;
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    if (HasTurn(program.code[pc], Turn::What::kExecutes)) {
      lines[program.code[pc].line].push_back(pc);
    }
  }
  return lines;
}

// The keys that say which instruction of which lanes.
constexpr const char* kOfLanes[] = {"warp", "lanes", "line", "part", "time", "to"};

}  // namespace

ScheduleFile::ScheduleFile(const std::string& path) : file_(path, "schedule") {
  file_.CheckKeys();
  if (const std::optional<SchemaBreach> breach = CheckSchema(kScheduleSchema, file_.root())) {
    file_.Fail(breach->at, breach->what);
  }
  if (file_.root().contains("seed") && !file_.root()["seed"].is_number_unsigned()) {
    file_.Fail("seed", "must be a whole number from 0 to 18446744073709551615");
  }
  if (file_.root().contains("input") &&
      (!file_.root()["input"].is_number_unsigned() || file_.root()["input"] == 0)) {
    file_.Fail("input", "must be a whole number from 1 to 18446744073709551615");
  }
  if (const auto name = config(); name && FindConfig(*name) == nullptr) {
    file_.Fail("config",
               fmt::format("names the configuration {}, but there are {}", *name, ConfigNames()));
  }
}

std::optional<std::string> ScheduleFile::config() const {
  return file_.root().contains("config") ? std::optional(file_.root()["config"].get<std::string>())
                                         : std::nullopt;
}

std::optional<std::uint64_t> ScheduleFile::input() const {
  return file_.root().contains("input") ? std::optional(file_.root()["input"].get<std::uint64_t>())
                                        : std::nullopt;
}

std::optional<std::uint64_t> ScheduleFile::seed() const {
  return file_.root().contains("seed") ? std::optional(file_.root()["seed"].get<std::uint64_t>())
                                       : std::nullopt;
}

Schedule ScheduleFile::Of(const Program& program) const {
  Schedule schedule;
  schedule.config = config().value_or("");
  schedule.seed = seed().value_or(schedule.seed);
  schedule.input = input();
  const Lines lines = LinesOf(program);
  // The lanes that have a turn already.
  std::map<std::tuple<std::uint64_t, unsigned, std::uint32_t, std::uint32_t, Turn::What,
                      std::optional<std::uint64_t>>,
           std::uint32_t>
      taken;
  for (const Json& value : file_.root()["turns"]) {
    const std::string at = fmt::format("turns[{}]", schedule.turns.size());
    if (WhatOf(value.value("what", "executes")) == Turn::What::kStarts) {
      schedule.turns.push_back(StartOf(value, at));
      continue;
    }
    for (const char* const key : {"warp", "lanes", "line"}) {
      if (!value.contains(key)) {
        file_.Fail(at, fmt::format("lacks \"{}\"", key));
      }
    }
    const auto line = value["line"].get<std::uint32_t>();
    const auto part = value.value("part", 0U);
    const auto there = lines.find(line);
    if (there == lines.end()) {
      file_.Fail(at + ".line", fmt::format("is {}, where {} has no instruction of the kernel {} "
                                           "that other threads can see happen",
                                           line, program.file, program.Kernel().name));
    }
    if (part >= there->second.size()) {
      file_.Fail(at + ".part",
                 fmt::format("is {}, but line {} has {} such instruction{}", part, line,
                             there->second.size(), there->second.size() == 1 ? "" : "s"));
    }
    Turn turn;
    turn.cta = value["cta"].get<std::uint64_t>();
    turn.warp = value["warp"].get<unsigned>();
    turn.lanes =
        static_cast<std::uint32_t>(std::stoul(value["lanes"].get<std::string>(), nullptr, 16));
    turn.pc = there->second[part];
    turn.time = value.value("time", 1U);
    turn.what = WhatOf(value.value("what", "executes"));
    if (turn.lanes == 0) {
      file_.Fail(at + ".lanes", "names no lane");
    }
    if (value.contains("to")) {
      turn.to = value["to"].get<std::uint64_t>();
    }
    if (!HasTurn(program.code[turn.pc], turn.what)) {
      file_.Fail(at, fmt::format("names the instruction of line {}, which {}", line,
                                 turn.what == Turn::What::kReads
                                     ? "reads no source after it has been executed"
                                     : "starts nothing that is done later"));
    }
    if (turn.to && turn.what != Turn::What::kPerforms) {
      file_.Fail(at + ".to", "is only of a turn that \"performs\"");
    }
    std::uint32_t& before = taken[{turn.cta, turn.warp, turn.pc, turn.time, turn.what, turn.to}];
    if ((before & turn.lanes) != 0) {
      file_.Fail(at, fmt::format("names lanes {:#010x}, which an earlier turn has already",
                                 before & turn.lanes));
    }
    before |= turn.lanes;
    schedule.turns.push_back(turn);
  }
  if (file_.root().contains("needed")) {
    schedule.needed = file_.root()["needed"].get<std::size_t>();
    if (*schedule.needed > schedule.turns.size()) {
      file_.Fail("needed", fmt::format("is {}, but there are {} turns", *schedule.needed,
                                       schedule.turns.size()));
    }
  }
  return schedule;
}

// A cluster, of which it names a CTA.
Turn ScheduleFile::StartOf(const Json& value, const std::string& at) const {
  for (const char* const key : kOfLanes) {
    if (value.contains(key)) {
      file_.Fail(at + "." + key, "is not of a turn that \"starts\": the CTA is enough");
    }
  }
  Turn turn;
  turn.cta = value["cta"].get<std::uint64_t>();
  turn.lanes = 1;
  turn.what = Turn::What::kStarts;
  return turn;
}

Schedule ReadSchedule(const std::string& path, const Program& program) {
  return ScheduleFile(path).Of(program);
}

std::string ScheduleText(const Schedule& schedule, const Program& program) {
  const Lines lines = LinesOf(program);
  nlohmann::ordered_json head = {{"muster", "schedule"}, {"version", 1}};
  if (!schedule.config.empty()) {
    head["config"] = schedule.config;
  }
  head["seed"] = schedule.seed;
  if (schedule.input) {
    head["input"] = *schedule.input;
  }
  if (schedule.needed && *schedule.needed != schedule.turns.size()) {
    head["needed"] = *schedule.needed;
  }
  std::string text = head.dump();
  text.back() = ',';
  text += "\n \"turns\": [";
  for (const Turn& turn : schedule.turns) {
    const char* const begin = &turn == schedule.turns.data() ? "\n  " : ",\n  ";
    if (turn.what == Turn::What::kStarts) {
      const nlohmann::ordered_json row = {{"cta", turn.cta}, {"what", "starts"}};
      text += begin + row.dump();
      continue;
    }
    const std::uint32_t line = program.code[turn.pc].line;
    const std::vector<std::uint32_t>& same = lines.at(line);
    nlohmann::ordered_json row = {{"cta", turn.cta},
                                  {"warp", turn.warp},
                                  {"lanes", fmt::format("{:#010x}", turn.lanes)},
                                  {"line", line}};
    if (const auto part = std::find(same.begin(), same.end(), turn.pc) - same.begin(); part != 0) {
      row["part"] = part;
    }
    row["time"] = turn.time;
    if (turn.what != Turn::What::kExecutes) {
      row["what"] = kWhats[static_cast<unsigned>(turn.what)];
    }
    if (turn.to) {
      row["to"] = *turn.to;
    }
    text += begin + row.dump();
  }
  return text + "\n]}\n";
}

}  // namespace muster::ptx
