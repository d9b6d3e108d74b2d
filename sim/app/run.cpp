// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>
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
  for (const std::string& dump : options.dumps) {
    outputs.push_back(dump.substr(dump.find('=') + 1));
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

// The buffer of that name, which an option asks for.
std::size_t BufferOf(const ptx::Manifest& manifest, const char* option, const std::string& name) {
  const auto found = std::find_if(manifest.buffers.begin(), manifest.buffers.end(),
                                  [&](const ptx::Buffer& buffer) { return buffer.name == name; });
  if (found == manifest.buffers.end()) {
    throw ptx::InputError(
        fmt::format("{} {}: there is no such buffer", option, ptx::Printable(name)));
  }
  return static_cast<std::size_t>(found - manifest.buffers.begin());
}

// The name and the file of a --dump.
std::pair<std::string, std::string> Dump(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw ptx::InputError(fmt::format("--dump {} is not BUFFER=FILE", ptx::Printable(text)));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// What can be found wrong before anything runs.
void CheckOptions(const Job& job, const RunOptions& options, const Target& target, unsigned units) {
  for (const std::string& name : options.show) {
    BufferOf(job.manifest, "--show", name);
  }
  for (const std::string& dump : options.dumps) {
    BufferOf(job.manifest, "--dump", Dump(dump).first);
  }
  CheckWave(options, units);
  CheckOutputs(job.inputs, Outputs(options, units));
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
}

// How the lockstep runs it. `manifest` must outlive the result.
lockstep::Options LockstepOptions(const ptx::Manifest& manifest, const RunOptions& options,
                                  const Target& target) {
  lockstep::Options how;
  how.seed = manifest.seed;
  how.max_cycles = manifest.max_cycles;
  how.wave = options.wave;
  how.wave_from = options.wave_from.value_or(how.wave_from);
  how.wave_to = options.wave_to.value_or(how.wave_to);
  how.log = options.log;
  how.rerun = fmt::format("muster run {} --config {} --seed {}", manifest.command, manifest.config,
                          manifest.seed);
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

// What came of the run. `mismatch`: the unit and its model disagree.
ptx::Verdict VerdictOf(const ptx::Session& session, const lockstep::Result& run, bool mismatch) {
  ptx::Verdict verdict = session.Judge();
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
  return verdict;
}

// The elements of a buffer, a line for every eight.
std::string Shown(const ptx::Session& session, const std::string& name) {
  constexpr std::uint64_t kInLine = 8;
  constexpr std::uint64_t kMost = 256;
  const std::size_t number = BufferOf(session.manifest(), "--show", name);
  const ptx::Buffer& buffer = session.manifest().buffers[number];
  const std::vector<std::uint8_t>& bytes = session.Contents(number);
  std::string text = fmt::format("buffer {}, {} elements\n", name, buffer.count);
  for (std::uint64_t i = 0; i < std::min(buffer.count, kMost); ++i) {
    text += i % kInLine == 0 ? fmt::format("  [{}]", i) : "";
    text += " " + ptx::FormatElement(buffer.type, &bytes[i * Bytes(buffer.type)]);
    text += i % kInLine == kInLine - 1 || i + 1 == buffer.count ? "\n" : "";
  }
  if (buffer.count > kMost) {
    text += fmt::format("  ... and {} more; --dump {}=FILE writes them all\n", buffer.count - kMost,
                        name);
  }
  return text;
}

void WriteBuffers(const ptx::Session& session, const RunOptions& options) {
  for (const std::string& dump : options.dumps) {
    const auto [name, file] = Dump(dump);
    const std::vector<std::uint8_t>& bytes =
        session.Contents(BufferOf(session.manifest(), "--dump", name));
    WriteFile(file, std::string(bytes.begin(), bytes.end()));
  }
}

}  // namespace

RunResult RunManifest(const std::string& path, const RunOptions& options) {
  return Run({ptx::ReadManifest(path), ptx::InputsOf(path)}, options);
}

RunResult Run(Job job, const RunOptions& options) {
  ptx::Manifest& manifest = job.manifest;
  const Target target(options.target);
  manifest.config = options.config.value_or(target.ConfigOr(manifest.config));
  manifest.seed = options.seed.value_or(manifest.seed);
  manifest.max_cycles = options.max_cycles.value_or(manifest.max_cycles);
  ptx::Session session(manifest, target.ConfigOf(manifest.config), manifest.seed);
  CheckOptions(job, options, target, session.launch().ClusterCtas());
  const lockstep::Options how = LockstepOptions(manifest, options, target);
  lockstep::Result run;
  try {
    run = lockstep::Run(session.config(), session.grid().Drivers(), how);
  } catch (const board::BoardError& error) {
    throw ptx::InputError(error.what());
  }
  if (run.ending == lockstep::Ending::kError) {
    throw ptx::InputError(run.report);
  }

  // Where the unit has no faults, what it does after misuse is undefined, and no mismatch.
  const bool misused = !session.config().faults && !session.grid().faults().empty();
  const bool mismatch = run.ending == lockstep::Ending::kMismatch && !misused;
  const ptx::Verdict verdict = VerdictOf(session, run, mismatch);
  RunResult result;
  result.code = verdict.code;
  result.outcome = verdict.outcome;
  result.expected = manifest.outcome;
  result.kernel = session.program().Kernel().name;
  result.cycles = run.cycles;
  result.skipped = run.skipped;
  result.commits = run.commits + run.mb_commits;
  result.served = {run.warp_requests, run.commits, run.mb_commits, run.cluster_operations};
  result.seconds = run.seconds;
  const ptx::Timing timing{run.cycles, run.seconds, run.skipped};
  result.report = ptx::JsonReport(session, verdict, timing, result.served);
  result.text = (mismatch ? run.report : "") +
                ptx::TextReport(session, verdict, timing, result.served) + target.Summary();
  for (const std::string& wave : run.untraced) {
    result.text += fmt::format("{} is not written: --wave-from {} is beyond the run's end\n", wave,
                               how.wave_from);
  }
  for (const std::string& name : options.show) {
    result.text += Shown(session, name);
  }
  WriteBuffers(session, options);
  if (!options.report.empty()) {
    WriteFile(options.report, JsonText(result.report));
  }
  return result;
}

ptx::ExitCode RunSeeds(const Job& job, std::uint64_t first, std::uint64_t last,
                       const RunOptions& options) {
  const bool terminal = isatty(fileno(stderr)) != 0;
  std::vector<std::uint64_t> bad;
  std::string report;  // of the first bad seed
  ptx::ExitCode code = ptx::ExitCode::kAsExpected;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    RunOptions one = options;
    one.seed = seed;
    const RunResult result = Run(job, one);
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
  fmt::print("{}", report);
  if (bad.empty()) {
    fmt::print("seeds {} to {}: all as expected\n", first, last);
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
