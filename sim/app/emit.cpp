// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "sim/app/files.h"
#include "sim/app/target.h"
#include "sim/app/verify.h"
#include "sim/emit/turn_emitter.h"
#include "sim/explore/follower.h"
#include "sim/gpu/pool.h"
#include "sim/gpu/report.h"
#include "sim/gpu/task.h"
#include "sim/ptx/launch/compare.h"
#include "sim/ptx/launch/manifest_text.h"
#include "sim/ptx/program/types.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"

namespace muster::app {
namespace {

// Runs of one kernel on a GPU.
struct Rate {
  std::size_t runs = 0;
  std::size_t wrong = 0;  // hangs, traps and wrong results
  std::size_t kept = 0;   // runs that completed in the order
  std::map<std::string, std::size_t> outcomes;

  void Add(const gpu::Task& task, const gpu::Result& result) {
    ++runs;
    std::string outcome = result.ending.Outcome();
    bool is_wrong = result.ending.kind != gpu::EndKind::kCompletes;
    const std::vector<ptx::Buffer>& buffers = task.manifest().buffers;
    for (std::size_t i = 0; i < buffers.size() && !is_wrong; ++i) {
      is_wrong = !ptx::Difference(buffers[i], *result.contents[i]).empty();
    }
    if (result.ending.kind == gpu::EndKind::kCompletes) {
      outcome = is_wrong ? "wrong result" : outcome;
      const std::vector<std::uint8_t>& last = *result.contents.back();
      kept += buffers.back().name == emit::kMissed &&
                      std::all_of(last.begin(), last.end(), [](auto byte) { return byte == 0; })
                  ? 1
                  : 0;
    }
    wrong += is_wrong ? 1 : 0;
    ++outcomes[outcome];
  }
  nlohmann::ordered_json Json() const {
    return {{"runs", runs}, {"wrong", wrong}, {"outcomes", outcomes}};
  }
};

// The manifest of the written kernel, of whose variables the last buffer tells which turn it
// missed.
ptx::Manifest WithPtx(ptx::Manifest manifest, const std::string& ptx) {
  ptx::KernelLaunch& launch = manifest.launches.empty() ? manifest : manifest.launches.front();
  const auto before = ptx::Parse(launch.ptx, ptx::ReadFile(launch.ptx, "PTX file"));
  const auto after = ptx::Parse(ptx, ptx::ReadFile(ptx, "PTX file"));
  std::vector<ptx::FileVariable> variables = ptx::VariablesOf(*after);
  for (ptx::Buffer& buffer : manifest.buffers) {  // the others have kept their order
    if (buffer.symbol && buffer.symbol->ptx == launch.ptx) {
      const std::vector<ptx::FileVariable> old = ptx::VariablesOf(*before);
      const auto found = std::find_if(old.begin(), old.end(), [&](const ptx::FileVariable& one) {
        return one.at.line == buffer.symbol->variable.at.line &&
               one.at.column == buffer.symbol->variable.at.column;
      });
      const auto last = variables.end() - (old.end() - found);
      buffer.symbol = ptx::FileSymbol{ptx, *last};
    }
  }
  launch.ptx = ptx;
  ptx::Buffer missed;
  missed.name = emit::kMissed;
  missed.count = 1;
  missed.symbol = ptx::FileSymbol{
      ptx, *std::find_if(variables.begin(), variables.end(),
                         [](const auto& one) { return one.name == emit::kMissed; })};
  manifest.buffers.push_back(std::move(missed));
  return manifest;
}

}  // namespace

KernelWriter::KernelWriter(const Job& job, const Config& config, EmitOptions options)
    : job_(job), config_(config), options_(std::move(options)) {
  if (!options_.file.empty() && job_.manifest.LaunchCount() != 1) {
    throw ptx::InputError(
        "--emit-ptx: a written kernel keeps to an order of one launch, and the "
        "manifest has several that overlap");
  }
  if (!options_.target.empty()) {
    const std::optional<std::size_t> workers = GpuWorkers("--target", options_.target);
    if (!workers) {
      throw ptx::InputError(fmt::format("--target {}: explore runs kernels on cuda or cuda:N",
                                        ptx::Printable(options_.target)));
    }
    workers_ = *workers;
  }
}

bool KernelWriter::HasManifest() const {
  return job_.manifest.path != job_.manifest.LaunchAt(0).ptx;
}

std::vector<std::string> KernelWriter::FilesOf(std::size_t number) const {
  const std::size_t dot = options_.file.rfind(".ptx");
  const std::string stem = options_.file.substr(0, dot);
  const std::string count = number == 1 ? "" : fmt::format(".{}", number);
  std::vector<std::string> files = {stem + count + ".ptx"};
  if (HasManifest()) {
    files.push_back(stem + count + ".json");
  }
  return files;
}

EmitReport KernelWriter::Write(explore::World* world, const ptx::Schedule& schedule,
                               std::size_t number) const {
  const ptx::Program& program = world->program();
  const ptx::Launch& launch = world->launch();
  const bool apart = explore::TakesLanesApart(world, schedule.turns);
  const std::string& source = job_.manifest.LaunchAt(0).ptx;
  const auto module = ptx::Parse(source, ptx::ReadFile(source, "PTX file"));
  const std::vector<std::string> files = FilesOf(number);
  emit::Emitted emitted;
  OnUnit on_unit;
  for (const bool holds_transfers : {true, false}) {
    const emit::EmitStyle style{holds_transfers, apart};
    emitted = emit::TurnEmitter(*module, program, launch, style).Emit(schedule);
    WriteFile(files.front(), emitted.text);
    on_unit = RunOnUnit(files.front());
    if (on_unit.is_kept) {
      break;
    }
  }
  EmitReport report;
  report.json = {
      {"ptx", files.front()},
      {"turns", emitted.turns},
      {"unforced", emitted.unforced},
      {"unit",
       {{"outcome", on_unit.outcome}, {"wrong", on_unit.is_wrong}, {"kept", on_unit.is_kept}}}};
  report.text = fmt::format(
      "     written  {}: keeps to {} turn{} by itself; on the unit it {} and {}\n", files.front(),
      emitted.turns, emitted.turns == 1 ? "" : "s", on_unit.is_kept ? "does," : "gives up,",
      on_unit.outcome != "completes" ? "ends in " + on_unit.outcome
      : on_unit.is_wrong             ? "leaves a wrong result"
                                     : "goes well");
  if (HasManifest()) {
    WriteFile(files.back(), ptx::ManifestTextFor(job_.manifest.path, files.front(), files.back()));
    report.json["manifest"] = files.back();
    report.text += fmt::format("     run it   muster run {}\n", files.back());
  }
  for (const std::string& sentence : emitted.unforced) {
    report.text += fmt::format("     beyond   {}\n", sentence);
  }
  if (workers_ != 0) {
    EmitReport gpu = Compare(files.front());
    report.text += gpu.text;
    report.json["gpu"] = std::move(gpu.json);
  }
  return report;
}

KernelWriter::OnUnit KernelWriter::RunOnUnit(const std::string& ptx) const {
  const ptx::Manifest manifest = WithPtx(job_.manifest, ptx);
  OnUnit on_unit;
  const Replay run = ReplayOnUnit(
      manifest, config_, std::nullopt, [&](const ptx::Session& session, std::uint64_t) {
        const std::vector<std::uint8_t> missed = session.Contents(manifest.buffers.size() - 1);
        on_unit.is_kept =
            std::all_of(missed.begin(), missed.end(), [](auto byte) { return byte == 0; });
      });
  on_unit.outcome = run.outcome;
  on_unit.is_wrong = run.is_bad;
  return on_unit;
}

// Runs both kernels in turn, as long as there is time.
EmitReport KernelWriter::Compare(const std::string& ptx) const {
  gpu::Settings settings;
  settings.workers = workers_;
  settings.time_limit =
      std::chrono::duration<double>(options_.time_limit.value_or(settings.time_limit.count()));
  Rate as_is;
  Rate ordered;
  gpu::Gpu gpu;
  std::string not_run;
  const auto begun = std::chrono::steady_clock::now();
  settings.is_over = [&] {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    return !not_run.empty() || took.count() > options_.seconds;
  };
  std::vector<gpu::Task> tasks;
  for (std::size_t i = 0; i < options_.times; ++i) {
    tasks.emplace_back(job_.manifest);
    tasks.emplace_back(WithPtx(job_.manifest, ptx));
  }
  gpu::RunAll(tasks, settings, [&](std::size_t task, const gpu::Result& result) {
    gpu = result.gpu;
    if (result.ending.HasRun()) {
      (task % 2 == 0 ? as_is : ordered).Add(tasks[task], result);
    } else {
      not_run = fmt::format("{}{}{}", result.ending.Outcome(),
                            result.ending.text.empty() ? "" : ": ", result.ending.text);
    }
  });
  EmitReport report;
  report.json = {{"name", gpu.name},
                 {"architecture", fmt::format("sm_{}", gpu.architecture)},
                 {"driver", gpu.driver},
                 {"as_is", as_is.Json()},
                 {"in_order", ordered.Json()}};
  report.json["in_order"]["kept"] = ordered.kept;
  if (!not_run.empty()) {
    report.json["not_run"] = not_run;
    report.text = fmt::format("     GPU      {}: {}\n", gpu.name, not_run);
  } else {
    report.text = fmt::format(
        "     GPU      {}: goes wrong in {} of {} runs as it is, and in {} of {} in this order\n",
        gpu.name, as_is.wrong, as_is.runs, ordered.wrong, ordered.runs);
  }
  return report;
}

}  // namespace muster::app
