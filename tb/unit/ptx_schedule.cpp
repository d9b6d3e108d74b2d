// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/ptx_schedule.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>

#include "sim/isa/config.h"
#include "sim/ptx/launch/schedule_file.h"
#include "sim/ptx/runtime/on_golden/unit_at_pins.h"

namespace muster::ptx {
namespace {

// Hands everything on, and notes what commits.
class Recorder : public lockstep::Driver {
 public:
  Recorder(lockstep::Driver* driver, unsigned unit, std::vector<Committed>* commits,
           std::vector<std::pair<unsigned, unsigned>>* cluster_arrivals, std::uint64_t* updates)
      : driver_(*driver),
        unit_(unit),
        commits_(*commits),
        cluster_arrivals_(*cluster_arrivals),
        updates_(*updates) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
    if (const ClusterPins* const pins = cluster_pins(); pins != nullptr) {
      NoteCluster(*pins);
    }
    for (const AtomicPins* const bank : atomic_pins()) {
      updates_ += bank->out.commit_valid ? 1 : 0;
    }
    return driver_.Drive(cycle, seen, inputs);
  }
  WarpPins* warp_pins() override { return driver_.warp_pins(); }
  std::vector<AtomicPins*> atomic_pins() override { return driver_.atomic_pins(); }
  ClusterPins* cluster_pins() override { return driver_.cluster_pins(); }
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override {
    if (IsArrival(operation.kind) || operation.kind == OpKind::kExit) {
      commits_.push_back({unit_, false, operation.kind, MbOp::kInit, MbSource::kWarp, operation.cta,
                          operation.warp, operation.lanes, operation.bar});
    }
    driver_.OnCommit(cycle, operation, effects);
  }
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override {
    const MbOperation& operation = event.operation;
    if (event.kind == MbEvent::Kind::kStep && operation.op != MbOp::kCopyArriveNoInc) {
      commits_.push_back({unit_, true, OpKind::kSync, operation.op, operation.source, operation.cta,
                          operation.warp, operation.lanes, operation.addr, operation.operand,
                          operation.tag});
    }
    driver_.OnMbEvent(cycle, event, effects);
  }

 private:
  // What was accepted in the cycle before.
  void NoteCluster(const ClusterPins& pins) {
    for (unsigned u = 0; u < pins.in.units.size(); ++u) {
      const ClusterInputs::Unit& in = pins.in.units[u];
      if (in.request_valid && pins.out.units[u].request_ready &&
          in.request.op == muster::ClusterOp::kArrive) {
        cluster_arrivals_.emplace_back(u, in.request.warp);
      }
    }
  }

  lockstep::Driver& driver_;
  const unsigned unit_;
  std::vector<Committed>& commits_;
  std::vector<std::pair<unsigned, unsigned>>& cluster_arrivals_;
  std::uint64_t& updates_;
};

std::uint32_t LineOf(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find("// " + mark + "\n");
  EXPECT_NE(at, std::string::npos) << mark;
  return 1 + static_cast<std::uint32_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace

std::string ScheduleJson(const std::string& ptx, const std::vector<Listed>& rows) {
  const std::string source = ReadFile(ptx, "PTX file");
  std::string text = R"({"muster": "schedule", "version": 1, "turns": [)";
  for (const Listed& row : rows) {
    text += &row == rows.data() ? "\n" : ",\n";
    if (row.what == "starts") {
      text += fmt::format(R"({{"cta": {}, "what": "starts"}})", row.cta);
      continue;
    }
    text += fmt::format(
        R"({{"cta": {}, "warp": {}, "lanes": "{:#x}", "line": {}, "time": {}, "what": "{}"{}}})",
        row.cta, row.warp, row.lanes, LineOf(source, row.mark), row.time, row.what,
        row.to ? fmt::format(R"(, "to": {})", *row.to) : "");
  }
  return WriteTestFile("schedule.json", text + "]}\n");
}

Followed::Followed(const Kernel& kernel, const std::vector<Listed>& rows, std::uint64_t seed,
                   const std::string& config) {
  Begin(kernel, seed, config);
  Run(ReadSchedule(ScheduleJson(kernel.manifest.ptx, rows), session_->program()));
}

Followed::Followed(const Kernel& kernel, const Schedule& schedule, std::uint64_t seed,
                   const std::string& config) {
  Begin(kernel, seed, config);
  Run(schedule);
}

void Followed::Begin(const Kernel& kernel, std::uint64_t seed, const std::string& config) {
  kernel_ = std::make_unique<Kernel>(kernel);
  Manifest& manifest = kernel_->manifest;
  for (const Buffer& buffer : manifest.buffers) {
    manifest.arguments.push_back({buffer.name, Type::kU64, 0});
  }
  session_ = std::make_unique<Session>(manifest, *FindConfig(config), seed);
}

void Followed::Run(const Schedule& schedule) {
  session_->Follow(schedule);
  std::deque<Recorder> recorders;
  std::vector<lockstep::Driver*> drivers;
  for (lockstep::Driver* const driver : session_->grid().Drivers()) {
    recorders.emplace_back(driver, static_cast<unsigned>(recorders.size()), &commits_,
                           &cluster_arrivals_, &updates_);
    drivers.push_back(&recorders.back());
  }
  RunGolden(session_->config(), drivers, kernel_->manifest.max_cycles);
}

std::vector<std::uint32_t> Followed::Words(std::size_t buffer) const {
  const std::vector<std::uint8_t> bytes = session_->Contents(buffer);
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

std::vector<unsigned> Followed::WarpsAt(unsigned bar) const {
  std::vector<unsigned> warps;
  for (const Committed& commit : commits_) {
    if (!commit.of_mbarrier && IsArrival(commit.kind) && commit.bar == bar) {
      warps.push_back(commit.warp);
    }
  }
  return warps;
}

std::vector<std::uint32_t> Followed::RemoteOperands() const {
  std::vector<std::uint32_t> operands;
  for (const Committed& commit : commits_) {
    if (commit.of_mbarrier && commit.source == MbSource::kRemote) {
      operands.push_back(commit.operand);
    }
  }
  return operands;
}

}  // namespace muster::ptx
