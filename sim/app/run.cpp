// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/run.h"

#include <fmt/format.h>

#include <fstream>

#include "sim/golden/config.h"
#include "sim/lockstep/lockstep.h"
#include "sim/ptx/error.h"
#include "sim/ptx/report.h"

namespace muster::app {
namespace {

const Config& ConfigOf(const std::string& name) {
  if (const Config* const config = FindConfig(name); config != nullptr) {
    return *config;
  }
  std::string names;
  for (const Config& config : Configs()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", config.name);
  }
  throw ptx::InputError(fmt::format("there is no configuration {}; there are {}", name, names));
}

// A file that cannot be written is better found before the run than after it.
void CheckWritable(const std::string& path) {
  if (path.empty()) {
    return;
  }
  if (!std::ofstream(path, std::ios::app)) {
    throw ptx::InputError(fmt::format("{}: the file cannot be written", path));
  }
}

}  // namespace

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) {
    throw ptx::InputError(fmt::format("{}: the file cannot be written", path));
  }
}

RunResult RunManifest(const std::string& path, const RunOptions& options) {
  ptx::Manifest manifest = ptx::ReadManifest(path);
  manifest.config = options.config.value_or(manifest.config);
  manifest.seed = options.seed.value_or(manifest.seed);
  manifest.max_cycles = options.max_cycles.value_or(manifest.max_cycles);
  for (const std::string& file : {options.wave, options.report, options.log}) {
    CheckWritable(file);
  }
  ptx::Session session(manifest, ConfigOf(manifest.config), manifest.seed);

  lockstep::Options how;
  how.seed = manifest.seed;
  how.max_cycles = manifest.max_cycles;
  how.wave = options.wave;
  how.wave_from = options.wave_from;
  how.wave_to = options.wave_to;
  how.log = options.log;
  how.rerun =
      fmt::format("muster run {} --config {} --seed {}", path, manifest.config, manifest.seed);
  const lockstep::Result run = lockstep::Run(session.config(), session.machine(), how);

  RunResult result;
  result.cycles = run.cycles;
  result.commits = run.commits;
  result.seconds = run.seconds;
  result.expected = manifest.outcome;
  result.kernel = session.program().Kernel().name;
  ptx::Verdict verdict = session.Judge();
  if (run.ending == lockstep::Ending::kMismatch) {
    verdict.code = ptx::ExitCode::kMismatch;
    verdict.outcome = "mismatch";
    verdict.differences = {"the RTL and the golden model disagree"};
  }
  result.code = verdict.code;
  result.outcome = verdict.outcome;
  const ptx::Timing timing{run.cycles, run.seconds};
  result.report = ptx::JsonReport(session, verdict, timing);
  result.text = run.report + ptx::TextReport(session, verdict, timing);
  if (!options.report.empty()) {
    WriteFile(options.report, result.report.dump(2) + "\n");
  }
  return result;
}

}  // namespace muster::app
