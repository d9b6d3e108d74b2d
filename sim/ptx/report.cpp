// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace muster::ptx {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxRows = 16;  // of a table in the text

constexpr OpKind kKinds[] = {OpKind::kSync,    OpKind::kArrive, OpKind::kRedAnd, OpKind::kRedOr,
                             OpKind::kRedPopc, OpKind::kLaunch, OpKind::kExit,   OpKind::kEnd};

Json Rows(const std::vector<Incident>& incidents, const char* key) {
  Json rows = Json::array();
  for (const Incident& incident : incidents) {
    rows.push_back({{key, incident.name},
                    {"line", incident.line},
                    {"cycle", incident.cycle},
                    {"cta", incident.cta},
                    {"warp", incident.warp},
                    {"barrier", incident.barrier},
                    {"lanes", fmt::format("{:#010x}", incident.lanes)},
                    {"count", incident.count}});
    if (!incident.mbarrier.empty()) {
      rows.back().erase("barrier");
      rows.back()["mbarrier"] = incident.mbarrier;
      rows.back()["message"] = incident.explanation;
    }
  }
  return rows;
}

// Text of the kernel's, in which there may be anything: what is no UTF-8 is replaced.
Json Text(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json Rows(const std::vector<Whereabouts>& warps) {
  Json rows = Json::array();
  for (const Whereabouts& where : warps) {
    rows.push_back({{"warp", where.warp}, {"state", where.what}, {"line", where.line}});
  }
  return rows;
}

std::string Describe(const Whereabouts& where) {
  return fmt::format("warp {}, which {} (line {})", where.warp, where.what, where.line);
}

// The bytes that a phase still lacks, if any.
std::string BytesText(std::int64_t tx) {
  return tx == 0 ? ""
                 : fmt::format(", {} byte{} {}", tx < 0 ? -tx : tx, tx == 1 ? "" : "s",
                               tx > 0 ? "to come" : "more than expected");
}

std::string MbarrierText(const Machine& machine, const StuckMbarrier& mbarrier) {
  std::string text =
      fmt::format("  CTA {}, mbarrier {}: phase {}, {} of {} arrivals pending, tx-count {}{}\n",
                  machine.CtaName(mbarrier.cta), mbarrier.name, mbarrier.phase, mbarrier.pending,
                  mbarrier.expected, mbarrier.tx, BytesText(mbarrier.tx));
  for (const Whereabouts& where : mbarrier.came) {
    text +=
        fmt::format("    came     warp {} at line {}: {}\n", where.warp, where.line, where.what);
  }
  for (const Whereabouts& where : mbarrier.waits) {
    text +=
        fmt::format("    waits    warp {} at line {}: {}\n", where.warp, where.line, where.what);
  }
  for (const Whereabouts& where : mbarrier.missing) {
    text += fmt::format("    missing  {}\n", Describe(where));
  }
  return text;
}

std::string WaitingText(const Machine& machine) {
  std::string text;
  for (const StuckBarrier& barrier : machine.StuckBarriers()) {
    text += fmt::format("  CTA {}, barrier {} ({}): {} of {} warps have arrived{}\n",
                        machine.CtaName(barrier.cta), barrier.id, barrier.kind, barrier.arrived,
                        barrier.expected, barrier.all_warps ? " (no count: all live warps)" : "");
    for (const Whereabouts& where : barrier.came) {
      text +=
          fmt::format("    came     warp {} at line {}: {}\n", where.warp, where.line, where.what);
    }
    for (const Whereabouts& where : barrier.missing) {
      text += fmt::format("    missing  {}\n", Describe(where));
    }
  }
  for (const StuckMbarrier& mbarrier : machine.StuckMbarriers()) {
    text += MbarrierText(machine, mbarrier);
  }
  for (const StuckWarp& warp : machine.StuckWarps()) {
    text += fmt::format("  CTA {}, warp {}: lanes wait for others of their own warp: {}\n",
                        machine.CtaName(warp.cta), warp.where.warp, warp.where.what);
  }
  return text;
}

// Who waits for whom in a deadlock; where everyone is when the cycles are used up.
std::string EndText(const Machine& machine) {
  if (machine.outcome() == Outcome::kDeadlock) {
    return "Every live warp waits, and none can let another go on:\n" + WaitingText(machine);
  }
  if (machine.outcome() != Outcome::kTimeout) {
    return "";
  }
  std::string text = "When the cycles were used up:\n" + WaitingText(machine);
  const std::vector<StuckWarp> running = machine.RunningWarps();
  for (std::size_t i = 0; i < std::min(running.size(), kMaxRows); ++i) {
    text += fmt::format("  CTA {}, warp {} {}\n", machine.CtaName(running[i].cta),
                        running[i].where.warp, running[i].where.what);
  }
  if (running.size() > kMaxRows) {
    text += fmt::format("  ... and {} more warps\n", running.size() - kMaxRows);
  }
  return text;
}

std::string BarrierTable(const Machine& machine) {
  const std::vector<BarrierRow> rows = machine.Barriers();
  if (rows.empty()) {
    return "";
  }
  std::string text = fmt::format("  {:<14}{:>8}{:>13}{:>13}{:>14}{:>15}\n", "CTA", "barrier",
                                 "generations", "wait cycles", "longest wait", "last arriver");
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i) {
    const BarrierRow& row = rows[i];
    text += fmt::format("  {:<14}{:>8}{:>13}{:>13}{:>14}{:>15}\n", machine.CtaName(row.cta), row.id,
                        row.generations, row.wait_cycles, row.longest_wait,
                        fmt::format("warp {}", row.last_arriver));
  }
  if (rows.size() > kMaxRows) {
    text += fmt::format("  ... and {} more (--report has them all)\n", rows.size() - kMaxRows);
  }
  return text;
}

std::string MbarrierTable(const Machine& machine) {
  const std::vector<MbarrierRow> rows = machine.mbarriers().Rows();
  if (rows.empty()) {
    return "";
  }
  std::string operations;
  for (unsigned i = 0; i < kNumMbOps; ++i) {
    const std::uint64_t count = machine.mbarriers().Operations(static_cast<MbOp>(i));
    if (count != 0) {
      operations +=
          fmt::format("{}{} {}", operations.empty() ? "" : ", ", count, Name(static_cast<MbOp>(i)));
    }
  }
  std::string text = fmt::format("mbarrier operations of threads: {}\n", operations);
  text += fmt::format("  {:<14}{:>24}{:>8}{:>10}{:>13}{:>13}\n", "CTA", "mbarrier", "phases",
                      "arrivals", "waits parked", "time limits");
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i) {
    const MbarrierRow& row = rows[i];
    text += fmt::format("  {:<14}{:>24}{:>8}{:>10}{:>13}{:>13}\n", machine.CtaName(row.cta),
                        machine.MbarrierAt(row.address), row.phases, row.arrivals, row.waits,
                        row.limits);
  }
  if (rows.size() > kMaxRows) {
    text += fmt::format("  ... and {} more (--report has them all)\n", rows.size() - kMaxRows);
  }
  return text;
}

std::string FaultText(const Session& session) {
  const Machine& machine = session.machine();
  std::string text;
  for (const Incident& fault : machine.faults()) {
    text += fmt::format("{}:{}: {}: ", session.program().file, fault.line, fault.name);
    if (!fault.mbarrier.empty()) {
      text += fmt::format("warp {} of CTA {}, mbarrier {}, lanes {:#010x}, cycle {}: {}\n",
                          fault.warp, machine.CtaName(fault.cta), fault.mbarrier, fault.lanes,
                          fault.cycle, fault.explanation);
    } else if (machine.problem().empty()) {
      text += fmt::format("warp {} of CTA {}, barrier {}, lanes {:#010x}, cycle {}\n", fault.warp,
                          machine.CtaName(fault.cta), fault.barrier, fault.lanes, fault.cycle);
    } else {
      text += machine.problem() + "\n";
    }
  }
  return text;
}

std::string HazardText(const Session& session) {
  std::string text;
  const std::vector<Incident>& hazards = session.machine().hazards();
  for (std::size_t i = 0; i < std::min(hazards.size(), kMaxRows); ++i) {
    const Incident& hazard = hazards[i];
    text += fmt::format("{}:{}: hazard {}, {} time{}, first by warp {} of CTA {} at {}\n",
                        session.program().file, hazard.line, hazard.name, hazard.count,
                        hazard.count == 1 ? "" : "s", hazard.warp,
                        session.machine().CtaName(hazard.cta),
                        hazard.mbarrier.empty()
                            ? fmt::format("barrier {}", hazard.barrier)
                            : fmt::format("mbarrier {}: {}", hazard.mbarrier, hazard.explanation));
  }
  return text;
}

std::string NextStep(const Session& session, const Verdict& verdict) {
  const std::string again =
      fmt::format("muster run {} --config {} --seed {}", session.manifest().path,
                  session.config().name, session.seed());
  switch (verdict.code) {
    case ExitCode::kAsExpected:
    case ExitCode::kMismatch:  // the harness has said how to repeat it
      return "";
    case ExitCode::kTimeout:
      return fmt::format("Next: {} --max-cycles N, with more cycles than {}\n", again,
                         session.manifest().max_cycles);
    default:
      return fmt::format("Next: {} --wave run.fst shows the unit's signals\n", again);
  }
}

}  // namespace

Json JsonReport(const Session& session, const Verdict& verdict, const Timing& timing) {
  const Machine& machine = session.machine();
  Json operations = Json::object();
  for (const OpKind kind : kKinds) {
    operations[Name(kind)] = machine.Operations(kind);
  }
  Json barriers = Json::array();
  for (const BarrierRow& row : machine.Barriers()) {
    barriers.push_back({{"cta", row.cta},
                        {"id", row.id},
                        {"generations", row.generations},
                        {"wait_cycles", row.wait_cycles},
                        {"longest_wait", row.longest_wait},
                        {"last_arriver", row.last_arriver}});
  }
  Json mb_operations = Json::object();
  for (unsigned i = 0; i < kNumMbOps; ++i) {
    const auto op = static_cast<MbOp>(i);
    if (machine.mbarriers().Operations(op) != 0) {
      mb_operations[Name(op)] = machine.mbarriers().Operations(op);
    }
  }
  Json mbarriers = Json::array();
  for (const MbarrierRow& row : machine.mbarriers().Rows()) {
    mbarriers.push_back({{"cta", row.cta},
                         {"address", row.address},
                         {"name", machine.MbarrierAt(row.address)},
                         {"phases", row.phases},
                         {"arrivals", row.arrivals},
                         {"waits_parked", row.waits},
                         {"time_limits", row.limits}});
  }
  Json report = {{"outcome", verdict.outcome},
                 {"cycles", timing.cycles},
                 {"warp_instructions", machine.interpreter().warp_instructions()},
                 {"thread_instructions", machine.interpreter().thread_instructions()},
                 {"thread_instructions_per_second",
                  timing.PerSecond(machine.interpreter().thread_instructions())},
                 {"operations", operations},
                 {"releases", machine.releases()},
                 {"barriers", barriers},
                 {"mbarrier_operations", mb_operations},
                 {"mbarriers", mbarriers},
                 {"faults", Rows(machine.faults(), "cause")},
                 {"hazards", Rows(machine.hazards(), "hazard")},
                 {"simulated_khz", timing.Khz()},
                 {"config", session.config().name},
                 {"seed", session.seed()},
                 {"differences", verdict.differences}};
  if (!machine.interpreter().printed().empty()) {
    report["printed"] = Text(machine.interpreter().printed());
  }
  if (!machine.problem().empty()) {
    report["faults"].back()["message"] = Text(machine.problem());
  }
  if (machine.outcome() == Outcome::kDeadlock) {
    Json deadlock = Json::array();
    for (const StuckBarrier& barrier : machine.StuckBarriers()) {
      deadlock.push_back({{"cta", barrier.cta},
                          {"barrier", barrier.id},
                          {"kind", barrier.kind},
                          {"arrived", barrier.arrived},
                          {"expected", barrier.expected},
                          {"came", Rows(barrier.came)},
                          {"missing", Rows(barrier.missing)}});
    }
    for (const StuckMbarrier& mbarrier : machine.StuckMbarriers()) {
      deadlock.push_back({{"cta", mbarrier.cta},
                          {"mbarrier", mbarrier.name},
                          {"phase", mbarrier.phase},
                          {"pending", mbarrier.pending},
                          {"expected", mbarrier.expected},
                          {"tx_count", mbarrier.tx},
                          {"came", Rows(mbarrier.came)},
                          {"waits", Rows(mbarrier.waits)},
                          {"missing", Rows(mbarrier.missing)}});
    }
    for (const StuckWarp& warp : machine.StuckWarps()) {
      deadlock.push_back({{"cta", warp.cta},
                          {"warp", warp.where.warp},
                          {"state", warp.where.what},
                          {"line", warp.where.line}});
    }
    report["deadlock"] = deadlock;
  }
  return report;
}

std::string TextReport(const Session& session, const Verdict& verdict, const Timing& timing) {
  const Machine& machine = session.machine();
  const Launch& launch = session.launch();
  std::string text = machine.interpreter().printed();
  if (!text.empty() && text.back() != '\n') {
    text.push_back('\n');
  }
  text += fmt::format("{}: grid {}x{}x{}, block {}x{}x{}, configuration {}, seed {}\n",
                      session.program().Kernel().name, launch.grid[0], launch.grid[1],
                      launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
                      session.config().name, session.seed());
  text += fmt::format("{} after {} cycles ({:.0f} kHz): {} thread instructions\n", verdict.outcome,
                      timing.cycles, timing.Khz(), machine.interpreter().thread_instructions());
  std::string operations;
  for (const OpKind kind : kKinds) {
    if (machine.Operations(kind) == 0) {
      continue;
    }
    operations += fmt::format("{}{} {}", operations.empty() ? "" : ", ", machine.Operations(kind),
                              Name(kind));
  }
  text += fmt::format("operations: {}; {} releases\n", operations, machine.releases());
  text += BarrierTable(machine);
  text += MbarrierTable(machine);
  text += FaultText(session);
  text += EndText(machine);
  text += HazardText(session);
  for (const std::string& difference : verdict.differences) {
    text += fmt::format("NOT AS EXPECTED: {}\n", difference);
  }
  if (verdict.differences.empty()) {
    text += "as expected\n";
  }
  return text + NextStep(session, verdict);
}

}  // namespace muster::ptx
