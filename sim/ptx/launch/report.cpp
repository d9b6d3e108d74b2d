// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/ptx/launch/followed.h"
#include "sim/ptx/launch/incidents.h"
#include "sim/ptx/launch/wait_text.h"
#include "sim/ptx/program/demangle.h"

namespace muster::ptx {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kMaxRows = 16;  // of a table in the text

constexpr OpKind kKinds[] = {OpKind::kSync,    OpKind::kArrive, OpKind::kRedAnd, OpKind::kRedOr,
                             OpKind::kRedPopc, OpKind::kLaunch, OpKind::kExit,   OpKind::kEnd};

// The line of the PTX file and, where it is known, its place in the source and what is inlined
// there.
void AddPlace(const Program& program, std::uint32_t line, OrderedJson* row) {
  (*row)["line"] = line;
  for (const SourcePlace& place : program.sources.At(line)) {
    (*row)["source"].push_back(
        {{"file", place.file}, {"line", place.line}, {"function", place.function}});
  }
}

OrderedJson Rows(const Program& program, const std::vector<Incident>& incidents, const char* key) {
  OrderedJson rows = OrderedJson::array();
  for (const Incident& incident : incidents) {
    OrderedJson row = {{key, incident.name}};
    AddPlace(program, incident.line, &row);
    row.update({{"cycle", incident.cycle},
                {"cta", incident.cta},
                {"warp", incident.warp},
                {"barrier", incident.barrier},
                {"lanes", fmt::format("{:#010x}", incident.lanes)},
                {"count", incident.count}});
    rows.push_back(std::move(row));
    if (!incident.mbarrier.empty()) {
      rows.back().erase("barrier");
      rows.back()["mbarrier"] = incident.mbarrier;
    }
    if (!incident.explanation.empty()) {
      rows.back()["message"] = incident.explanation;
    }
  }
  return rows;
}

// Text of the kernel's, in which there may be anything: what is no UTF-8 is replaced.
OrderedJson Text(const std::string& text) {
  return OrderedJson::parse(
      OrderedJson(text).dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

OrderedJson Row(const Program& program, const WarpLocation& where) {
  OrderedJson row = {{"warp", where.warp}, {"state", where.what}};
  AddPlace(program, where.line, &row);
  return row;
}

OrderedJson Rows(const Program& program, const std::vector<WarpLocation>& warps) {
  OrderedJson rows = OrderedJson::array();
  for (const WarpLocation& where : warps) {
    rows.push_back(Row(program, where));
  }
  return rows;
}

OrderedJson Rows(const Program& program,
                 const std::vector<std::pair<std::uint64_t, WarpLocation>>& warps) {
  OrderedJson rows = OrderedJson::array();
  for (const auto& [cta, where] : warps) {
    OrderedJson row = {{"cta", cta}};
    row.update(Row(program, where));
    rows.push_back(std::move(row));
  }
  return rows;
}

// What came of performing accesses late.
OrderedJson Late(const Program& program, const LateAccesses& late) {
  OrderedJson rows = OrderedJson::array();
  for (const LateAccesses::Missed& missed : late.missed()) {
    OrderedJson stored = OrderedJson::object();
    AddPlace(program, missed.store_line, &stored);
    rows.push_back({{"count", missed.count}, {"cycle", missed.cycle}, {"cta", missed.cta}});
    AddPlace(program, missed.line, &rows.back());
    rows.back()["stored"] = std::move(stored);
  }
  return {{"loads", late.late_loads()}, {"missed", std::move(rows)}};
}

// How to get the names of mbarriers in a struct, if one at which warps wait has none.
std::string NamesHint(const Session& session) {
  for (const StuckMbarrier& mbarrier : session.grid().StuckMbarriers()) {
    if (mbarrier.name.find("+0x") != std::string::npos) {
      return fmt::format(
          "For the names of members, as in smem.full[2] for {}: compile with nvcc -G "
          "(muster run FILE.cu ... -- -G), or clang -g --cuda-noopt-device-debug\n",
          mbarrier.name.substr(0, mbarrier.name.find(' ')));
    }
  }
  return "";
}

// Which warps wait for which others in a deadlock; where all are when a run is stopped. `outcome`:
// the run's, which a mismatch stops.
std::string EndText(const Session& session, const std::string& outcome) {
  const ClockedGrid& grid = session.grid();
  if (grid.outcome() == Outcome::kDeadlock) {
    return "Every live warp waits, and none can let another go on:\n" + WaitingText(session) +
           NamesHint(session);
  }
  if (grid.outcome() != Outcome::kTimeout) {
    return "";
  }
  std::string text = outcome == "mismatch" ? "When the RTL and the golden model came to disagree:\n"
                                           : "When the cycles were used up:\n";
  text += WaitText(session.program(), session.launch(), WaitingIn(grid)).Details();
  const std::vector<StuckWarp> running = grid.RunningWarps();
  for (std::size_t i = 0; i < std::min(running.size(), kMaxRows); ++i) {
    text += fmt::format("  CTA {}, warp {} {}\n", grid.CtaName(running[i].cta),
                        running[i].where.warp, running[i].where.what);
  }
  if (running.size() > kMaxRows) {
    text += fmt::format("  ... and {} more warps\n", running.size() - kMaxRows);
  }
  return text;
}

std::string BarrierTable(const ClockedGrid& grid) {
  const std::vector<BarrierRow> rows = grid.Barriers();
  if (rows.empty()) {
    return "";
  }
  std::string text = fmt::format("  {:<14}{:>8}{:>13}{:>13}{:>14}{:>15}\n", "CTA", "barrier",
                                 "generations", "wait cycles", "longest wait", "last arriver");
  for (std::size_t i = 0; i < std::min(rows.size(), kMaxRows); ++i) {
    const BarrierRow& row = rows[i];
    text += fmt::format("  {:<14}{:>8}{:>13}{:>13}{:>14}{:>15}\n", grid.CtaName(row.cta), row.id,
                        row.generations, row.wait_cycles, row.longest_wait,
                        fmt::format("warp {}", row.last_arriver));
  }
  if (rows.size() > kMaxRows) {
    text += fmt::format("  ... and {} more (--report has them all)\n", rows.size() - kMaxRows);
  }
  return text;
}

std::string MbarrierTable(const ClockedGrid& grid) {
  const std::vector<MbarrierRow> rows = grid.Mbarriers();
  if (rows.empty()) {
    return "";
  }
  std::string operations;
  for (unsigned i = 0; i < kNumMbOps; ++i) {
    const std::uint64_t count = grid.Operations(static_cast<MbOp>(i));
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
    text +=
        fmt::format("  {:<14}{:>24}{:>8}{:>10}{:>13}{:>13}\n", grid.CtaName(row.cta),
                    grid.MbarrierAt(row.address), row.phases, row.arrivals, row.waits, row.limits);
  }
  if (rows.size() > kMaxRows) {
    text += fmt::format("  ... and {} more (--report has them all)\n", rows.size() - kMaxRows);
  }
  return text;
}

// Whether the kernel looks for the place at which all CTAs of a grid meet.
bool MeetsAsAGrid(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    return i.op == Op::kSpecial && (i.As<SpecialRead>().special == Special::kWorkspaceHigh ||
                                    i.As<SpecialRead>().special == Special::kWorkspaceLow);
  });
}

std::string NextStep(const Session& session, const Verdict& verdict) {
  if (session.manifest().command.empty()) {
    return "";
  }
  const std::string again = session.manifest().Again(session.config().name, session.seed());
  if (session.grid().outcome() == Outcome::kAssert && session.launch().workspace == 0 &&
      MeetsAsAGrid(session.program())) {
    return fmt::format(
        "The kernel asks whether its grid is cooperative, as grid.sync() does, and it is not.\n"
        "Next: muster run {} --cooperative (in a manifest: \"cooperative\": true)\n",
        session.manifest().command);
  }
  switch (verdict.code) {
    case ExitCode::kAsExpected:
    case ExitCode::kMismatch:  // the harness has said how to repeat it
      return "";
    case ExitCode::kTimeout:
      return fmt::format("Next: {} --max-cycles N, with more cycles than {}\n", again,
                         session.manifest().max_cycles);
    default:
      break;
  }
  std::string text = fmt::format(
      "Next: {} --page run.html shows which warps waited where, beside the source\n", again);
  const Manifest& manifest = session.manifest();
  if (session.replay() == nullptr && manifest.OverlapFrom(0) == manifest.LaunchCount()) {
    text += fmt::format("      muster explore {} tries other orders of the same events\n",
                        manifest.command);
  }
  return text;
}

OrderedJson Barriers(const ClockedGrid& grid) {
  OrderedJson barriers = OrderedJson::array();
  for (const BarrierRow& row : grid.Barriers()) {
    barriers.push_back({{"cta", row.cta},
                        {"id", row.id},
                        {"generations", row.generations},
                        {"wait_cycles", row.wait_cycles},
                        {"longest_wait", row.longest_wait},
                        {"last_arriver", row.last_arriver}});
  }
  return barriers;
}

OrderedJson Mbarriers(const ClockedGrid& grid) {
  OrderedJson mbarriers = OrderedJson::array();
  for (const MbarrierRow& row : grid.Mbarriers()) {
    mbarriers.push_back({{"cta", row.cta},
                         {"address", row.address},
                         {"name", grid.MbarrierAt(row.address)},
                         {"phases", row.phases},
                         {"arrivals", row.arrivals},
                         {"waits_parked", row.waits},
                         {"time_limits", row.limits}});
  }
  return mbarriers;
}

// Who waits for whom.
OrderedJson Deadlock(const Program& program, const ClockedGrid& grid) {
  OrderedJson deadlock = OrderedJson::array();
  for (const StuckBarrier& barrier : grid.StuckBarriers()) {
    deadlock.push_back({{"cta", barrier.cta},
                        {"barrier", barrier.id},
                        {"kind", barrier.kind},
                        {"arrived", barrier.arrived},
                        {"expected", barrier.expected},
                        {"came", Rows(program, barrier.came)},
                        {"missing", Rows(program, barrier.missing)},
                        {"others", Rows(program, barrier.others)}});
  }
  for (const StuckMbarrier& mbarrier : grid.StuckMbarriers()) {
    deadlock.push_back({{"cta", mbarrier.cta},
                        {"mbarrier", mbarrier.name},
                        {"phase", mbarrier.phase.value_or(0)},
                        {"parity", mbarrier.parity ? 1 : 0},
                        {"pending", mbarrier.pending},
                        {"expected", mbarrier.expected},
                        {"tx_count", mbarrier.tx},
                        {"came", Rows(program, mbarrier.came)},
                        {"waits", Rows(program, mbarrier.waits)},
                        {"missing", Rows(program, mbarrier.missing)},
                        {"others", Rows(program, mbarrier.others)}});
  }
  for (const StuckCluster& cluster : grid.StuckClusters()) {
    deadlock.push_back({{"cluster", cluster.cluster},
                        {"kind", "barrier.cluster"},
                        {"arrived", cluster.arrived},
                        {"expected", cluster.expected},
                        {"came", Rows(program, cluster.came)},
                        {"missing", Rows(program, cluster.missing)}});
  }
  for (const StuckWarp& warp : grid.StuckWarps()) {
    OrderedJson row = {{"cta", warp.cta}};
    row.update(Row(program, warp.where));
    deadlock.push_back(std::move(row));
  }
  return deadlock;
}

}  // namespace

std::string WaitingText(const Program& program, const Launch& launch, const Waiting& waiting) {
  const WaitText text(program, launch, waiting);
  const std::string summary = text.Summary();
  return summary + (summary.empty() ? "" : "In detail:\n") + text.Details();
}

std::vector<std::string> CausesIn(const Session& session) {
  const WaitText text(session.program(), session.launch(), WaitingIn(session.grid()));
  std::vector<std::string> causes = text.Causes();
  if (const std::string hint = text.Hint(); !hint.empty()) {
    causes.push_back("hint: " + hint);
  }
  return causes;
}

std::string WaitingText(const Session& session) {
  return WaitingText(session.program(), session.launch(), WaitingIn(session.grid()));
}

std::string PlaceText(const Program& program, std::uint32_t line) {
  constexpr std::size_t kLongest = std::size_t{1} << 15;  // that fits a line of a log
  OrderedJson place;
  AddPlace(program, line, &place);
  std::string text = place.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  return text.size() <= kLongest ? text : OrderedJson{{"line", line}}.dump();
}

void to_json(OrderedJson& json, const Served& served) {
  json = {{"warp", served.warp},
          {"cta", served.cta},
          {"shared_memory", served.shared_memory},
          {"cluster", served.cluster}};
}

std::string Served::Text() const {
  return fmt::format("warp scope {}, CTA scope {}, shared memory {}, cluster scope {}", warp, cta,
                     shared_memory, cluster);
}

OrderedJson JsonReport(const Session& session, const Verdict& verdict, const Timing& timing,
                       const Served& served) {
  const ClockedGrid& grid = session.grid();
  OrderedJson operations = OrderedJson::object();
  for (const OpKind kind : kKinds) {
    operations[Name(kind)] = grid.Operations(kind);
  }
  OrderedJson mb_operations = OrderedJson::object();
  for (unsigned i = 0; i < kNumMbOps; ++i) {
    const auto op = static_cast<MbOp>(i);
    if (grid.Operations(op) != 0) {
      mb_operations[Name(op)] = grid.Operations(op);
    }
  }
  OrderedJson report = {
      {"outcome", verdict.outcome},
      {"cycles", timing.cycles},
      {"skipped_cycles", timing.skipped},
      {"warp_instructions", grid.WarpInstructions()},
      {"thread_instructions", grid.ThreadInstructions()},
      {"thread_instructions_per_second", timing.PerSecond(grid.ThreadInstructions())},
      {"operations", operations},
      {"served", served},
      {"rendezvous_lanes", grid.RendezvousLanes()},
      {"releases", grid.Releases()},
      {"barriers", Barriers(grid)},
      {"mbarrier_operations", mb_operations},
      {"mbarriers", Mbarriers(grid)},
      {"faults", Rows(session.program(), grid.faults(), "cause")},
      {"hazards", Rows(session.program(), grid.hazards(), "hazard")},
      {"notes", Rows(session.program(), grid.notes(), "note")},
      {"simulated_khz", timing.Khz()},
      {"config", session.config().name},
      {"seed", session.seed()},
      {"differences", verdict.differences}};
  if (HasChoices(session.manifest())) {
    report["input"] = session.manifest().input;
  }
  if (!session.Which().empty()) {
    report["kernel"] = session.program().Kernel().name;
  }
  for (std::size_t i = 0; i < session.launch().programmatic.size(); ++i) {
    report["programmatic"].push_back(session.program().Kernel(i + 1).name);
  }
  if (session.launch().explicit_cluster) {
    report["cluster"] = session.launch().cluster;
  }
  if (const ScheduleReplay* const replay = session.replay(); replay != nullptr) {
    report["schedule"] = {{"turns", replay->size()}, {"followed", replay->followed()}};
  }
  if (grid.late() != nullptr) {
    report["late"] = Late(session.program(), *grid.late());
    report["late"].update({{"drains", grid.Drains()}, {"held_back", grid.HeldBack()}});
  }
  if (const Printed& printed = grid.printed(); !printed.text().empty()) {
    report["printed"] = Text(printed.text());
    report["printed_bytes_lost"] = printed.lost();
  }
  if (!grid.problem().empty()) {
    report["faults"].back()["message"] = Text(grid.problem());
  }
  if (grid.outcome() == Outcome::kDeadlock) {
    report["deadlock"] = Deadlock(session.program(), grid);
    report["causes"] = WaitText(session.program(), session.launch(), WaitingIn(grid)).Causes();
  }
  return report;
}

OrderedJson JsonReport(const Session& last, const Verdict& verdict, const Timing& timing,
                       const Served& served, std::vector<OrderedJson> launches) {
  for (OrderedJson& launch : launches) {
    for (const char* const of_all : {"config", "seed", "differences"}) {
      launch.erase(of_all);
    }
  }
  return {{"outcome", verdict.outcome},
          {"cycles", timing.cycles},
          {"skipped_cycles", timing.skipped},
          {"served", served},
          {"launches_in_manifest", last.manifest().launches.size()},
          {"launches", std::move(launches)},
          {"simulated_khz", timing.Khz()},
          {"config", last.config().name},
          {"seed", last.seed()},
          {"differences", verdict.differences}};
}

std::string LaunchText(const Session& session, const std::string& outcome, const Timing& timing,
                       const Served& served) {
  const ClockedGrid& grid = session.grid();
  const Launch& launch = session.launch();
  std::string text = grid.printed().text();
  if (!text.empty() && text.back() != '\n') {
    text.push_back('\n');
  }
  if (grid.printed().lost() != 0) {
    text += fmt::format("The kernel has printed {} bytes more, which are not kept.\n",
                        grid.printed().lost());
  }
  for (std::size_t i = 0; i < launch.Launches(); ++i) {
    const Launch& one = launch.At(i);
    const std::string cluster =
        one.explicit_cluster ? fmt::format(", cluster {}", fmt::join(one.cluster, "x")) : "";
    const std::string which = session.Which(i);
    text += fmt::format("{}{}: grid {}{}, block {}, configuration {}, seed {}\n",
                        which.empty() ? Demangled(session.program().Kernel().name) : which,
                        i == 0 ? "" : ", which may begin before that has ended",
                        fmt::join(one.grid, "x"), cluster, fmt::join(one.block, "x"),
                        session.config().name, session.seed());
  }
  for (const std::string& warning : session.program().warnings) {
    text += fmt::format("warning: {}\n", warning);
  }
  if (const std::string input = InputText(session.manifest()); !input.empty()) {
    text += input + "\n";
  }
  const std::string skipped =
      timing.skipped == 0 ? ""
                          : fmt::format(", {} of them skipped while all warps slept or were parked",
                                        timing.skipped);
  text += fmt::format("{} after {} cycles{} ({:.0f} kHz): {} thread instructions\n", outcome,
                      timing.cycles, skipped, timing.Khz(), grid.ThreadInstructions());
  text += FollowedText(session);
  text += FaultText(session);
  text += EndText(session, outcome);
  text += HazardText(session) + NoteText(session) + LateText(session);
  std::string operations;
  for (const OpKind kind : kKinds) {
    if (grid.Operations(kind) == 0) {
      continue;
    }
    operations +=
        fmt::format("{}{} {}", operations.empty() ? "" : ", ", grid.Operations(kind), Name(kind));
  }
  text += fmt::format("operations: {}; {} releases\n", operations, grid.Releases());
  text += fmt::format("served by the hardware: {}\n", served.Text());
  return text + BarrierTable(grid) + MbarrierTable(grid);
}

std::string VerdictText(const Session& last, const Verdict& verdict) {
  std::string text;
  if (verdict.differences.empty()) {
    const auto& buffers = last.manifest().buffers;
    const bool compares = std::any_of(buffers.begin(), buffers.end(), [](const auto& buffer) {
      return buffer.expected.has_value();
    });
    text += compares || buffers.empty() || verdict.code != ExitCode::kAsExpected ||
                    verdict.outcome != "completes"
                ? "as expected\n"
                : "it completes, as expected; no buffer was compared, as none has an expected "
                  "content\n";
  }
  return text + NextStep(last, verdict);
}

std::string TextReport(const Session& session, const Verdict& verdict, const Timing& timing,
                       const Served& served) {
  return DifferencesText(verdict) + LaunchText(session, verdict.outcome, timing, served) +
         VerdictText(session, verdict);
}

}  // namespace muster::ptx
