// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/run.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <vector>

#include "sim/app/files.h"
#include "sim/app/target.h"
#include "sim/board/line.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/files.h"
#include "sim/lockstep/lockstep.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;

// The waveforms of a run: of each unit, of the warp scope beside it, and of the cluster scope.
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

// The files that a run writes. Each of several units writes a log of its own, and the waveform's
// writer another file beside each waveform.
std::vector<std::string> Outputs(const RunOptions& options, unsigned units) {
  std::vector<std::string> outputs;
  if (!options.report.empty()) {
    outputs.push_back(options.report);
  }
  for (const std::string& wave : Waves(options, units)) {
    outputs.push_back(wave);
    outputs.push_back(wave + ".hier");
  }
  for (int unit = 0; unit < static_cast<int>(units) && !options.log.empty(); ++unit) {
    outputs.push_back(lockstep::Numbered(options.log, unit));
  }
  return outputs;
}

void CheckWave(const RunOptions& options, unsigned units) {
  if (options.wave.empty()) {
    return;
  }
  for (const std::string& wave : Waves(options, units)) {
    // The waveform's writer removes what is there, devices too.
    if (fs::exists(wave) && !fs::is_regular_file(wave)) {
      throw ptx::InputError(fmt::format("{}: a waveform is written to a plain file", wave));
    }
  }
  if (options.wave_to.value_or(~std::uint64_t{0}) < options.wave_from.value_or(0)) {
    throw ptx::InputError("--wave-to is before --wave-from");
  }
}

}  // namespace

RunResult RunManifest(const std::string& path, const RunOptions& options) {
  ptx::Manifest manifest = ptx::ReadManifest(path);
  const Target target(options.target);
  manifest.config = options.config.value_or(target.ConfigOr(manifest.config));
  manifest.seed = options.seed.value_or(manifest.seed);
  manifest.max_cycles = options.max_cycles.value_or(manifest.max_cycles);
  ptx::Session session(manifest, target.ConfigOf(manifest.config), manifest.seed);
  const unsigned units = session.launch().ClusterCtas();
  CheckWave(options, units);
  CheckOutputs(ptx::InputsOf(path), Outputs(options, units));
  if (!lockstep::WritesWaveforms() && !options.wave.empty()) {
    throw ptx::InputError(
        "--wave: this build writes no waveforms; configure it with -DMUSTER_TRACE=ON");
  }
  if (!target.verilated() && !options.wave.empty()) {
    throw ptx::InputError("--wave: a board shows no waveform; the same run without --target does");
  }

  if (!target.verilated() && units > 1) {
    throw ptx::InputError("--target: a board has one unit, but a cluster takes one for each CTA");
  }

  lockstep::Options how;
  how.seed = manifest.seed;
  how.max_cycles = manifest.max_cycles;
  how.wave = options.wave;
  how.wave_from = options.wave_from.value_or(how.wave_from);
  how.wave_to = options.wave_to.value_or(how.wave_to);
  how.log = options.log;
  how.rerun =
      fmt::format("muster run {} --config {} --seed {}", path, manifest.config, manifest.seed);
  if (!target.verilated()) {
    how.rerun += " --target " + options.target;
  }
  how.progress_every = std::chrono::seconds(options.progress.value_or(how.progress_every.count()));
  how.progress = [&manifest](std::uint64_t cycle, std::uint64_t commits) {
    fmt::print(stderr, "{}: cycle {} of at most {}, {} operations committed\n", manifest.path,
               cycle, manifest.max_cycles, commits);
  };
  target.Prepare(&how);
  lockstep::Result run;
  try {
    run = lockstep::Run(session.config(), session.grid().Drivers(), how);
  } catch (const board::BoardError& error) {
    throw ptx::InputError(error.what());
  }

  if (run.ending == lockstep::Ending::kError) {
    throw ptx::InputError(run.report);
  }

  RunResult result;
  result.cycles = run.cycles;
  result.skipped = run.skipped;
  result.commits = run.commits + run.mb_commits;
  result.seconds = run.seconds;
  result.expected = manifest.outcome;
  result.kernel = session.program().Kernel().name;
  ptx::Verdict verdict = session.Judge();
  // Where the unit has no faults, what it does after misuse is undefined, and no mismatch.
  const bool misused = !session.config().faults && !session.grid().faults().empty();
  const bool mismatch = run.ending == lockstep::Ending::kMismatch && !misused;
  if (mismatch) {
    verdict.code = ptx::ExitCode::kMismatch;
    verdict.outcome = "mismatch";
    verdict.differences = {"the RTL and the golden model disagree"};
  }
  // Each lane that meets others does so in the warp scope, and the checker has seen it there.
  if (const std::uint64_t met = session.grid().RendezvousLanes();
      !mismatch && session.grid().outcome() == ptx::Outcome::kCompletes && met != run.warp_lanes) {
    verdict.code = ptx::ExitCode::kMismatch;
    verdict.differences.push_back(
        fmt::format("{} times a lane met others of its warp, but {} times in the warp scope", met,
                    run.warp_lanes));
  }
  result.served = {run.warp_requests, run.commits, run.mb_commits, run.cluster_operations};
  result.code = verdict.code;
  result.outcome = verdict.outcome;
  const ptx::Timing timing{run.cycles, run.seconds, run.skipped};
  result.report = ptx::JsonReport(session, verdict, timing, result.served);
  result.text = (mismatch ? run.report : "") +
                ptx::TextReport(session, verdict, timing, result.served) + target.Summary();
  for (const std::string& wave : run.untraced) {
    result.text += fmt::format("{} is not written: --wave-from {} is beyond the run's end\n", wave,
                               how.wave_from);
  }
  if (!options.report.empty()) {
    WriteFile(options.report, JsonText(result.report));
  }
  return result;
}

}  // namespace muster::app
