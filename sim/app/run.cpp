// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/app/contents.h"
#include "sim/app/files.h"
#include "sim/app/inputs.h"
#include "sim/app/target.h"
#include "sim/board/line.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/files.h"
#include "sim/lockstep/lockstep.h"
#include "sim/ptx/launch/hang_file.h"
#include "sim/ptx/launch/incidents.h"
#include "sim/ptx/launch/page_output.h"
#include "sim/ptx/launch/schedule_file.h"
#include "sim/ptx/launch/timeline_output.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;

// Returns the waveform files of a run: of each unit, of its warp scope, and of the cluster scope.
std::vector<std::string> Waves(const RunOptions& options, unsigned units) {
  std::vector<std::string> waves;
  for (int unit = 0; unit < static_cast<int>(units) && !options.wave.empty(); ++unit) {
    waves.push_back(lockstep::Numbered(options.wave, unit));
    waves.push_back(lockstep::OfWarpScope(waves.back()));
  }
  if (!options.wave.empty()) {
    waves.push_back(lockstep::OfClusterScope(options.wave));
  }
  return waves;
}

// Prepares the launches of a manifest, which must outlive them, to run one after the other; those
// that may overlap are one session.
using Sessions = std::vector<std::unique_ptr<ptx::Session>>;
Sessions SessionsOf(const ptx::Manifest& manifest, const Config& config) {
  const auto device = std::make_shared<ptx::Device>(manifest);
  Sessions sessions;
  for (std::size_t i = 0; i < manifest.LaunchCount(); i += manifest.OverlapFrom(i)) {
    sessions.push_back(std::make_unique<ptx::Session>(manifest, i, device, config, manifest.seed));
  }
  return sessions;
}

// Reads the schedule that the options name. It is an input, and takes precedence over the
// manifest's.
std::optional<ptx::ScheduleFile> ScheduleOf(const RunOptions& options, Job* job) {
  if (options.schedule.empty()) {
    return std::nullopt;
  }
  ptx::Manifest& manifest = job->manifest;
  if (manifest.OverlapFrom(0) != manifest.LaunchCount()) {
    throw ptx::InputError(
        "--schedule: the manifest has several launches that do not overlap, and a schedule is of "
        "one");
  }
  ptx::ScheduleFile schedule(options.schedule);
  job->inputs.push_back(options.schedule);
  manifest.config = schedule.config().value_or(manifest.config);
  manifest.seed = schedule.seed().value_or(manifest.seed);
  if (const auto input = schedule.input(); input && !job->has_input) {
    *job = WithInput(std::move(*job), *input);
  }
  manifest.command += " --schedule " + options.schedule;
  return schedule;
}

// Returns the options for one launch of a manifest. Each of several launches has a waveform and a
// log of its own.
RunOptions OfLaunch(RunOptions options, const ptx::Manifest& manifest, std::size_t index) {
  if (!manifest.launches.empty()) {
    options.wave = lockstep::OfLaunch(options.wave, index + 1);
    options.log = lockstep::OfLaunch(options.log, index + 1);
    options.timeline = lockstep::OfLaunch(options.timeline, index + 1);
    options.trace = lockstep::OfLaunch(options.trace, index + 1);
  }
  return options;
}

// Returns the files that a launch writes. Each of several units writes a log of its own, and each
// waveform has a second file beside it.
std::vector<std::string> LaunchOutputs(const RunOptions& options, unsigned units) {
  std::vector<std::string> outputs;
  for (const std::string& wave : Waves(options, units)) {
    outputs.push_back(wave);
    outputs.push_back(wave + ".hier");
  }
  for (int unit = 0; unit < static_cast<int>(units) && !options.log.empty(); ++unit) {
    outputs.push_back(lockstep::Numbered(options.log, unit));
  }
  for (const std::string& drawn : {options.timeline, options.trace, options.hang}) {
    if (!drawn.empty()) {
      outputs.push_back(drawn);
    }
  }
  return outputs;
}

void CheckWave(const RunOptions& options, unsigned units) {
  if (options.wave.empty()) {
    return;
  }
  for (const std::string& wave : Waves(options, units)) {
    // The waveform's writer removes an existing file, even a device.
    if (fs::exists(wave) && !fs::is_regular_file(wave)) {
      throw ptx::InputError(fmt::format("{}: a waveform is written to a plain file", wave));
    }
  }
  if (options.wave_to.value_or(~std::uint64_t{0}) < options.wave_from.value_or(0)) {
    throw ptx::InputError("--wave-to is before --wave-from");
  }
}

// Checks everything that can be checked before the run.
void CheckOptions(const Job& job, const RunOptions& options, const Target& target,
                  const Sessions& sessions) {
  CheckContents(job.manifest, options);
  if (!options.hang.empty() && job.manifest.LaunchCount() != 1) {
    throw ptx::InputError(fmt::format("--hang goes with one launch, and the manifest has {}",
                                      job.manifest.LaunchCount()));
  }
  std::vector<std::string> outputs = FinalOutputs(options);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const unsigned units = sessions[i]->units();
    const RunOptions own = OfLaunch(options, job.manifest, sessions[i]->index());
    CheckWave(own, units);
    const std::vector<std::string> more = LaunchOutputs(own, units);
    outputs.insert(outputs.end(), more.begin(), more.end());
    if (!target.verilated() && units > 1) {
      throw ptx::InputError("--target: a board has one unit, but a cluster takes one for each CTA");
    }
  }
  CheckOutputs(job.inputs, outputs);
  if (!lockstep::WritesWaveforms() && !options.wave.empty()) {
    throw ptx::InputError(
        "--wave: this build writes no waveforms; configure it with -DMUSTER_TRACE=ON");
  }
  if (!target.verilated() && !options.wave.empty()) {
    throw ptx::InputError("--wave: a board shows no waveform; the same run without --target does");
  }
}

// Returns the options of the lockstep. `manifest` must outlive them.
lockstep::Options LockstepOptions(const ptx::Manifest& manifest, const RunOptions& options,
                                  const Target& target) {
  lockstep::Options how;
  how.seed = manifest.seed;
  how.lazy = true;
  how.max_cycles = manifest.max_cycles;
  how.wave = options.wave;
  how.wave_from = options.wave_from.value_or(how.wave_from);
  how.wave_to = options.wave_to.value_or(how.wave_to);
  how.log = options.log;
  how.rerun = manifest.Again(manifest.config, manifest.seed);
  if (!target.verilated()) {
    how.rerun += " --target " + options.target;
  }
  how.progress_every = std::chrono::seconds(options.progress.value_or(how.progress_every.count()));
  how.progress = [&manifest](std::uint64_t cycle, std::uint64_t commits) {
    fmt::print(stderr, "{}: cycle {} of at most {}, {} operations committed\n", manifest.path,
               cycle, manifest.max_cycles, commits);
  };
  target.Prepare(&how);
  return how;
}

// The result of one launch.
struct LaunchEnd {
  lockstep::Result run;
  bool mismatch = false;       // the unit and its model disagree
  bool met_there = false;      // every rendezvous of lanes took place in the warp scope
  bool drained_there = false;  // and every drain of a fence in a tracker

  // Whether the outcome is that of the hardware.
  bool Agrees() const { return !mismatch && met_there && drained_there; }
  ptx::Timing Time() const { return {run.cycles, run.seconds, run.skipped}; }
  ptx::Served Served() const {
    return {run.warp_requests, run.commits, run.mb_commits + run.atomic_updates,
            run.cluster_operations};
  }
};

LaunchEnd RunLaunch(ptx::Session* session, lockstep::Options how) {
  session->Enter();
  std::map<std::uint32_t, std::string> places;  // known source places, by line
  how.place = [session, &places](std::uint32_t line) {
    std::string& place = places[line];
    return place.empty() ? place = ptx::PlaceText(session->program(), line) : place;
  };
  LaunchEnd end;
  try {
    end.run = lockstep::Run(session->config(), session->grid().Drivers(), how);
  } catch (const board::BoardError& error) {
    throw ptx::InputError(error.what());
  }
  if (end.run.ending == lockstep::Ending::kError) {
    throw ptx::InputError(end.run.report);
  }
  // If the unit has no faults, its behaviour after misuse is undefined: a difference is no
  // mismatch.
  const bool misused = !session->config().faults && !session->grid().faults().empty();
  end.mismatch = end.run.ending == lockstep::Ending::kMismatch && !misused;
  const bool completes = session->grid().outcome() == ptx::Outcome::kCompletes;
  end.met_there = !completes || session->grid().RendezvousLanes() == end.run.warp_lanes;
  end.drained_there = !completes || session->grid().Drains() == end.run.fence_drains;
  return end;
}

// Returns the result of the run, whose last launch this is.
ptx::Verdict VerdictOf(const ptx::Session& session, const LaunchEnd& end,
                       const ptx::HazardCounts& before) {
  ptx::Verdict verdict = session.Judge(before);
  const std::string which = session.Which().empty() ? "" : session.Which() + ": ";
  if (end.mismatch) {
    verdict.code = ptx::ExitCode::kMismatch;
    verdict.outcome = "mismatch";
    verdict.differences = {which + "the RTL and the golden model disagree"};
  } else if (!end.met_there) {
    verdict.code = ptx::ExitCode::kMismatch;
    verdict.differences.push_back(
        fmt::format("{}{} times a lane met others of its warp, but {} times in the warp scope",
                    which, session.grid().RendezvousLanes(), end.run.warp_lanes));
  } else if (!end.drained_there) {
    verdict.code = ptx::ExitCode::kMismatch;
    verdict.differences.push_back(
        fmt::format("{}fences asked for {} drains, but trackers acknowledged {}", which,
                    session.grid().Drains(), end.run.fence_drains));
  }
  return verdict;
}

// Writes the timelines of a launch.
void Draw(const ptx::Session& session, const RunOptions& options, std::uint64_t cycles) {
  if (!options.timeline.empty()) {
    WriteFile(options.timeline, ptx::TimelinePage(session, cycles));
  }
  if (!options.trace.empty()) {
    WriteFile(options.trace, ptx::TimelineTrace(session, cycles));
  }
}

// Writes the page of a run whose last launch this is.
void WritePage(const ptx::ReportPage& page, const ptx::Session& session,
               const ptx::Verdict& verdict, const RunOptions& options, const std::string& text) {
  if (options.page.empty()) {
    return;
  }
  const bool good = verdict.code == ptx::ExitCode::kAsExpected;
  const std::string said = good ? verdict.outcome + ", as expected"
                                : fmt::format("{}", fmt::join(verdict.differences, "; "));
  WriteFile(options.page,
            page.Html(fmt::format("{}: {}", ptx::TitleOf(session), verdict.outcome), said, good,
                      session.manifest().Again(session.config().name, session.seed()), text));
}

// Writes where the threads stand, if the launch has not come to an end.
void WriteHang(const ptx::Session& session, const std::string& file, std::string* text) {
  const ptx::Outcome outcome = session.grid().outcome();
  if (outcome == ptx::Outcome::kDeadlock || outcome == ptx::Outcome::kTimeout) {
    WriteFile(file, ptx::HangText(session));
  } else {
    *text += fmt::format("{} is not written: the grid does not hang\n", file);
  }
}

// Returns the text report of a launch.
std::string LaunchText(const ptx::Session& session, const std::string& outcome,
                       const LaunchEnd& end, const RunOptions& options) {
  std::string text = end.mismatch ? end.run.report : "";
  text += ptx::LaunchText(session, outcome, end.Time(), end.Served());
  for (const std::string& wave : end.run.untraced) {
    text += fmt::format("{} is not written: --wave-from {} is beyond the run's end\n", wave,
                        options.wave_from.value_or(0));
  }
  return text;
}

}  // namespace

RunResult RunManifest(const std::string& path, const RunOptions& options) {
  return Run({ptx::ReadManifest(path), ptx::InputsOf(path)}, options);
}

RunResult Run(Job job, const RunOptions& options) {
  ptx::Manifest& manifest = job.manifest;
  const Target target(options.target);
  const std::optional<ptx::ScheduleFile> schedule = ScheduleOf(options, &job);
  if (schedule && options.late) {
    throw ptx::InputError("--late: a schedule has the order of what is performed at once");
  }
  manifest.config = options.config.value_or(target.ConfigOr(manifest.config));
  manifest.seed = options.seed.value_or(manifest.seed);
  manifest.max_cycles = options.max_cycles.value_or(manifest.max_cycles);
  manifest.late = options.late;
  const Sessions sessions = SessionsOf(manifest, target.ConfigOf(manifest.config));
  if (schedule) {
    sessions.front()->Follow(schedule->Of(sessions.front()->program()));
  }
  CheckOptions(job, options, target, sessions);

  RunResult result;
  ptx::Timing timing;
  ptx::HazardCounts hazards;
  std::vector<nlohmann::ordered_json> reports;
  ptx::ReportPage page;
  for (std::size_t i = 0;; ++i) {
    ptx::Session& session = *sessions[i];
    const RunOptions own = OfLaunch(options, manifest, session.index());
    if (!own.timeline.empty() || !own.trace.empty() || !options.page.empty()) {
      session.Record();
    }
    const LaunchEnd end = RunLaunch(&session, LockstepOptions(manifest, own, target));
    const bool last = i + 1 == sessions.size() || !end.Agrees() ||
                      session.grid().outcome() != ptx::Outcome::kCompletes;
    ptx::Verdict verdict;
    verdict.outcome = OutcomeName(session.grid());
    if (last) {
      verdict = VerdictOf(session, end, hazards);
    }
    Draw(session, own, end.run.cycles);
    if (!own.hang.empty()) {
      WriteHang(session, own.hang, &result.text);
    }
    session.Count(&hazards);
    for (const ptx::Incident& hazard : session.grid().hazards()) {
      result.hazards.push_back({ptx::HazardAt(session, hazard), ptx::FirstToMeet(session, hazard)});
    }
    timing.Add(end.Time());
    result.served.Add(end.Served());
    result.text += LaunchText(session, verdict.outcome, end, own);
    reports.push_back(ptx::JsonReport(session, verdict, end.Time(), end.Served()));
    if (!options.page.empty()) {
      page.Add(ptx::TitleOf(session), ptx::FaultText(session),
               ptx::HazardText(session) + ptx::NoteText(session), session, end.run.cycles);
    }
    if (last) {
      result.code = verdict.code;
      result.outcome = verdict.outcome;
      result.text = ptx::DifferencesText(verdict) + result.text +
                    ptx::VerdictText(session, verdict) + target.Summary();
      WritePage(page, session, verdict, options, result.text);
      result.report =
          manifest.launches.empty()
              ? std::move(reports.front())
              : ptx::JsonReport(session, verdict, timing, result.served, std::move(reports));
      GiveContents(
          manifest, options,
          [&](std::size_t buffer) {
            return session.UnknownIn(session.memory(), buffer).empty()
                       ? std::optional(session.Contents(buffer))
                       : std::nullopt;
          },
          &result);
      break;
    }
  }
  result.expected = manifest.outcome;
  result.cycles = timing.cycles;
  result.skipped = timing.skipped;
  result.seconds = timing.seconds;
  result.commits = result.served.cta + result.served.shared_memory;
  return result;
}

namespace {

// Collects the hazards of runs with several seeds.
class HazardsOfSeeds {
 public:
  void Add(std::uint64_t seed, const std::vector<HazardMet>& hazards) {
    for (const HazardMet& hazard : hazards) {
      Met& met = met_.try_emplace(hazard.what, Met{0, 0, seed, hazard.first}).first->second;
      // Several launches may meet the hazard at one line.
      met.seeds += met.latest == seed && met.seeds != 0 ? 0 : 1;
      met.latest = seed;
    }
  }

  std::string Text(std::uint64_t seeds) const {
    std::string text;
    for (const auto& [what, met] : met_) {
      text += fmt::format("{}, with {} of {} seeds, first with seed {} by {}\n", what, met.seeds,
                          seeds, met.first_seed, met.first);
    }
    return text;
  }

 private:
  struct Met {
    std::uint64_t seeds = 0;
    std::uint64_t latest = 0;
    std::uint64_t first_seed = 0;
    std::string first;
  };
  std::map<std::string, Met> met_;
};

// What to do next when all seeds are as expected: each has shown one order of the events.
std::string NextText(const Job& job, const RunOptions& options) {
  const ptx::Manifest& manifest = job.manifest;
  return manifest.command.empty() || !options.schedule.empty() ||
                 manifest.OverlapFrom(0) != manifest.LaunchCount()
             ? ""
             : fmt::format("Next: muster explore {} looks for a bad order that no seed has shown\n",
                           manifest.command);
}

}  // namespace

ptx::ExitCode RunSeeds(const Job& job, std::uint64_t first, std::uint64_t last,
                       const RunOptions& options) {
  const bool terminal = isatty(fileno(stderr)) != 0;
  std::vector<std::uint64_t> bad;
  HazardsOfSeeds hazards;
  std::string report;  // the report of the first bad seed
  ptx::ExitCode code = ptx::ExitCode::kAsExpected;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    RunOptions one = options;
    one.seed = seed;
    const RunResult result = Run(job, one);
    hazards.Add(seed, result.hazards);
    if (result.code != ptx::ExitCode::kAsExpected) {
      bad.push_back(seed);
      report = bad.size() == 1 ? result.text : report;
      code = bad.size() == 1 ? result.code : code;
    }
    if (terminal) {
      fmt::print(stderr, "\r{} of {} seeds, {} bad", seed - first + 1, last - first + 1,
                 bad.size());
    }
  }
  if (terminal) {
    fmt::print(stderr, "\r{:60}\r", "");
  }
  fmt::print("{}{}", report, hazards.Text(last - first + 1));
  if (bad.empty()) {
    fmt::print("seeds {} to {}: all as expected\n{}", first, last, NextText(job, options));
  } else {
    constexpr std::size_t kMost = 10;
    const std::size_t named = std::min(bad.size(), kMost);
    fmt::print("seeds {} to {}: {} of {} not as expected: {}{}; the report is of the first\n",
               first, last, bad.size(), last - first + 1,
               fmt::join(bad.begin(), bad.begin() + static_cast<std::ptrdiff_t>(named), ", "),
               bad.size() > named ? ", ..." : "");
  }
  return code;
}

}  // namespace muster::app
