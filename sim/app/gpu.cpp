// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/gpu.h"

#include <utility>

#include "sim/app/contents.h"
#include "sim/app/files.h"
#include "sim/app/target.h"
#include "sim/gpu/report.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

gpu::Settings SettingsOf(std::size_t workers, const RunOptions& options) {
  gpu::Settings settings;
  settings.workers = workers;
  settings.time_limit =
      std::chrono::duration<double>(options.time_limit.value_or(settings.time_limit.count()));
  return settings;
}

RunResult ResultOf(const gpu::Task& task, const gpu::Result& result) {
  const ptx::Verdict verdict = gpu::Judge(task, result);
  RunResult run;
  run.code = verdict.code;
  run.outcome = verdict.outcome;
  run.expected = task.manifest().outcome;
  run.seconds = result.ending.seconds;
  run.text = gpu::TextReport(task, result, verdict);
  run.report = gpu::JsonReport(task, result, verdict);
  return run;
}

}  // namespace

RunResult RunOnGpu(Job job, const RunOptions& options) {
  CheckContents(job.manifest, options);
  CheckOutputs(job.inputs, FinalOutputs(options));
  std::vector<gpu::Task> tasks;
  tasks.emplace_back(std::move(job.manifest));
  RunResult run;
  gpu::RunAll(tasks, SettingsOf(1, options), [&](std::size_t /*task*/, const gpu::Result& result) {
    run = ResultOf(tasks.front(), result);
    GiveContents(
        tasks.front().manifest(), options,
        [&](std::size_t buffer) { return result.contents[buffer]; }, &run);
  });
  return run;
}

void RunAllOnGpu(const std::vector<std::string>& manifests, std::size_t workers,
                 const RunOptions& options, const std::function<void(const GpuRun& run)>& done) {
  std::vector<gpu::Task> tasks;
  std::vector<std::size_t> numbers;  // of the tasks' manifests
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    try {
      tasks.emplace_back(ptx::ReadManifest(manifests[i]));
      numbers.push_back(i);
    } catch (const ptx::InputError& error) {
      GpuRun bad;
      bad.manifest = i;
      bad.run.code = ptx::ExitCode::kBadInput;
      bad.run.outcome = "bad input";
      bad.run.text = std::string(error.what()) + "\n";
      done(bad);
    }
  }
  gpu::RunAll(tasks, SettingsOf(workers, options),
              [&](std::size_t task, const gpu::Result& result) {
                GpuRun run;
                run.manifest = numbers[task];
                run.run = ResultOf(tasks[task], result);
                run.fits = result.ending.kind != gpu::EndKind::kDoesNotFit;
                run.run.text = run.fits ? run.run.text : result.ending.text + "\n";
                run.task = &tasks[task];
                run.result = &result;
                done(run);
              });
}

}  // namespace muster::app
