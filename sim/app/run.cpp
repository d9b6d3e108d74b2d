// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/run.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "sim/app/target.h"
#include "sim/board/line.h"
#include "sim/lockstep/lockstep.h"
#include "sim/ptx/error.h"
#include "sim/ptx/report.h"

namespace muster::app {
namespace {

// Found before the run: every file can be written, and none of them is another or an input.
void CheckOutputs(const ptx::Manifest& manifest, const RunOptions& options) {
  namespace fs = std::filesystem;
  const std::array<std::string, 3> outputs{options.wave, options.report, options.log};
  // The waveform's writer removes what is there, devices too.
  if (fs::exists(options.wave) && !fs::is_regular_file(options.wave)) {
    throw ptx::InputError(fmt::format("{}: a waveform is written to a plain file", options.wave));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    CheckWritable(outputs[i]);
    std::error_code error;
    if (!fs::is_regular_file(outputs[i], error)) {
      continue;
    }
    for (const std::string& input : {manifest.path, manifest.ptx}) {
      if (fs::equivalent(outputs[i], input, error)) {
        throw ptx::InputError(fmt::format("{}: the file is an input of this run", outputs[i]));
      }
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (fs::equivalent(outputs[i], outputs[k], error)) {
        throw ptx::InputError(fmt::format("{}: the file is named twice", outputs[i]));
      }
    }
  }
  if (options.wave_to.value_or(~std::uint64_t{0}) < options.wave_from.value_or(0)) {
    throw ptx::InputError("--wave-to is before --wave-from");
  }
}

}  // namespace

void CheckWritable(const std::string& path) {
  if (!path.empty() && !std::ofstream(path, std::ios::app)) {
    throw ptx::InputError(fmt::format("{}: the file cannot be written", path));
  }
}

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) {
    throw ptx::InputError(fmt::format("{}: the file cannot be written", path));
  }
}

std::string JsonText(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

RunResult RunManifest(const std::string& path, const RunOptions& options) {
  ptx::Manifest manifest = ptx::ReadManifest(path);
  const Target target(options.target);
  manifest.config = options.config.value_or(target.ConfigOr(manifest.config));
  manifest.seed = options.seed.value_or(manifest.seed);
  manifest.max_cycles = options.max_cycles.value_or(manifest.max_cycles);
  ptx::Session session(manifest, target.ConfigOf(manifest.config), manifest.seed);
  CheckOutputs(manifest, options);
  if (!target.verilated() && !options.wave.empty()) {
    throw ptx::InputError("--wave: a board shows no waveform; the same run without --target does");
  }

  if (!target.verilated() && session.launch().ClusterCtas() > 1) {
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
  result.code = verdict.code;
  result.outcome = verdict.outcome;
  const ptx::Timing timing{run.cycles, run.seconds};
  result.report = ptx::JsonReport(session, verdict, timing);
  result.text =
      (mismatch ? run.report : "") + ptx::TextReport(session, verdict, timing) + target.Summary();
  if (!options.report.empty()) {
    WriteFile(options.report, JsonText(result.report));
  }
  return result;
}

}  // namespace muster::app
