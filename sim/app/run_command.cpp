// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/app/cuda.h"
#include "sim/app/files.h"
#include "sim/app/gpu.h"
#include "sim/app/number_option.h"
#include "sim/app/target.h"
#include "sim/ptx/launch/direct.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

constexpr std::uint64_t kLongest = 1'000'000'000;  // seconds
constexpr double kShortest = 0.001;
constexpr std::uint64_t kMostSeeds = 1'000'000'000;  // at a time

struct RunCommand {
  std::string file;  // a manifest, a PTX file or a CUDA file
  ptx::DirectLaunch launch;
  RunOptions options;
  std::string seeds;
  std::string write_manifest;
  std::vector<CLI::Option*> of_launch;   // options of which a manifest has its own
  std::vector<CLI::Option*> of_one_run;  // options that exclude several seeds
};

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Adds the options that replace keys of a manifest.
void AddLaunchOptions(CLI::App* run, RunCommand* command) {
  ptx::DirectLaunch& launch = command->launch;
  const auto add = [&](const std::string& name, auto* value, const std::string& what,
                       const std::string& type) {
    CLI::Option* const option =
        run->add_option(name, *value, what)->type_name(type)->group("Without a manifest");
    command->of_launch.push_back(option);
    return option;
  };
  const auto add_each = [&](const std::string& name, std::vector<std::string>* values,
                            const std::string& what, const std::string& type) {
    add(name, values, what, type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  add("kernel", &launch.kernel, "A kernel of the file, if it has several; plain or mangled",
      "KERNEL");
  add("--grid", &launch.grid, "CTAs (default: 1)", "X,Y,Z");
  add("--block", &launch.block, "Threads of a CTA", "X,Y,Z");
  add("--cluster", &launch.cluster, "CTAs of a cluster (default: what the kernel says)", "X,Y,Z");
  add("--smem", &launch.smem, "Bytes of dynamic shared memory", "BYTES");
  command->of_launch.push_back(
      run->add_flag("--cooperative", launch.cooperative, "All CTAs are there at once")
          ->group("Without a manifest"));
  add_each(
      "--arg", &launch.args,
      "The next argument: NAME=TYPE[COUNT] (a buffer), NAME=TYPE[COUNT]:INIT (INIT: zero, iota, "
      "V, V,V,... or @FILE), NAME (a buffer again), V or TYPE:V (a number), {...} (JSON)",
      "ARGUMENT");
  add_each("--buffer", &launch.buffers,
           "A buffer that is no argument: NAME=TYPE[COUNT], or with :INIT as of --arg", "BUFFER");
  add_each("--tensor-map", &launch.tensor_maps,
           "A tensor map, as a manifest has it; --arg NAME passes it", "NAME={...}");
  add_each("--symbol", &launch.symbols,
           "What a variable of the file begins with: NAME=TYPE:INIT (INIT as of --arg); NAME=TYPE "
           "to expect or show it",
           "NAME=TYPE:INIT");
  add_each("--expect", &launch.expects,
           "What a buffer or symbol must hold in the end: NAME=V, V,V,... or @FILE", "NAME=VALUES");
  add_each("--tolerance", &launch.tolerances,
           "How far elements of f32 or f64 may be off: absolute:V, relative:V, ulps:N, or several "
           "of these with commas, of which one must hold",
           "NAME=LIMITS");
  add_each("--hazard", &launch.hazards, "How often a hazard must be met", "NAME=COUNT");
  add("--outcome", &launch.outcome, "How the run must end (default: completes)", "OUTCOME");
  add("--after-inval", &launch.after_inval,
      "What an operation on an invalidated mbarrier is: fault or hazard", "WHAT");
  add("--hint", &launch.hint, "What becomes of a try_wait's time hint: used or ignored", "WHAT");
  AddFile(run, "--write-manifest", &command->write_manifest,
          "Write a manifest that says the same, and run")
      ->group("Without a manifest");
}

// Before the run, writes the launch's manifest if asked for.
Job JobOf(RunCommand* command) {
  const bool cuda = EndsWith(command->file, ".cu");
  if (!cuda && !EndsWith(command->file, ".ptx")) {
    for (const CLI::Option* option : command->of_launch) {
      if (option->count() != 0) {
        throw ptx::InputError(
            fmt::format("{} goes with a PTX or CUDA file: the manifest {} says it by itself",
                        option->get_name(), ptx::Printable(command->file)));
      }
    }
    if (!command->write_manifest.empty()) {
      throw ptx::InputError("--write-manifest goes with a PTX or CUDA file");
    }
    return {ptx::ReadManifest(command->file), ptx::InputsOf(command->file)};
  }
  command->launch.ptx = cuda ? CompileCuda(command->file) : command->file;
  ptx::DirectManifest made = ptx::ManifestOf(command->launch);
  Job job{std::move(made.manifest), std::move(made.inputs)};
  if (!command->write_manifest.empty()) {
    CheckOutputs(job.inputs, {command->write_manifest});
    WriteFile(command->write_manifest,
              ptx::ManifestText(std::move(made.members), command->write_manifest));
    job.inputs.push_back(command->write_manifest);
  }
  return job;
}

// Parses --seeds N or --seeds A-B.
ptx::ExitCode RunAllSeeds(const RunCommand& command, const Job& job) {
  for (const CLI::Option* option : command.of_one_run) {
    if (option->count() != 0) {
      throw ptx::InputError(
          fmt::format("{} is of a single run: it does not go with --seeds", option->get_name()));
    }
  }
  const std::size_t dash = command.seeds.find('-');
  const bool range = dash != std::string::npos;
  const std::optional<std::uint64_t> first =
      range ? WholeNumber(command.seeds.substr(0, dash)) : std::optional<std::uint64_t>(1);
  const std::optional<std::uint64_t> last =
      WholeNumber(range ? command.seeds.substr(dash + 1) : command.seeds);
  if (!first || !last || *first > *last || *last - *first >= kMostSeeds) {
    throw ptx::InputError(
        fmt::format("--seeds {} is neither a number of seeds nor a range such as 3-8",
                    ptx::Printable(command.seeds)));
  }
  return RunSeeds(job, *first, *last, command.options);
}

}  // namespace

CLI::Option* AddFile(CLI::App* command, const std::string& name, std::string* file,
                     const std::string& what) {
  const auto check = [](const std::string& text) {
    return std::string(text.empty() ? "the name of the file is empty" : "");
  };
  return command->add_option(name, *file, what)
      ->check(CLI::Validator(check, ""))
      ->type_name("FILE");
}

void AddRunOptions(CLI::App* command, RunOptions* options) {
  command->add_option("--config", options->config, "The unit's configuration (default: default)");
  command->add_option(
      "--target", options->target,
      "verilated; uart:DEVICE, a board (rtl/fpga/README.md); or cuda, the machine's "
      "GPU (sim/README.md); of a suite cuda:N, N kernels at a time");
  AddNumber(command, "--seed", &options->seed, "Of the warps' order and the stalls (default: 1)");
  AddNumber(command, "--max-cycles", &options->max_cycles, "Then it is a timeout (a million)", 1);
  AddNumber(command, "--progress", &options->progress,
            "Seconds from one sign of life on stderr to the next (default: 10)", 1, kLongest);
  command
      ->add_option("--time-limit", options->time_limit,
                   "Seconds after which a launch on a GPU hangs (default: 2.5)")
      ->check(CLI::Range(kShortest, static_cast<double>(kLongest)))
      ->type_name("SECONDS");
}

void CheckTarget(const CLI::App& command, const RunOptions& options, const std::string& against) {
  const auto refuse = [&](std::initializer_list<const char*> names, const char* why) {
    for (const char* const name : names) {
      const CLI::Option* const option = command.get_option_no_throw(name);
      if (option != nullptr && option->count() != 0) {
        throw ptx::InputError(fmt::format("{} {}", name, why));
      }
    }
  };
  if (!against.empty()) {
    refuse({"--target"}, "does not go with --against, which compares the unit with a GPU");
  } else if (GpuWorkers("--target", options.target)) {
    refuse({"--config", "--seed", "--seeds", "--max-cycles", "--progress", "--schedule", "--wave",
            "--wave-from", "--wave-to", "--log", "--timeline", "--trace"},
           "is of the unit: it does not go with --target cuda");
  } else {
    refuse({"--time-limit"}, "is of a GPU: it goes with --target cuda");
  }
}

void AddRunCommand(CLI::App* app, int* code) {
  CLI::App* const run = app->add_subcommand("run", "Run a kernel on the RTL, under lockstep");
  const auto command = std::make_shared<RunCommand>();
  RunOptions& options = command->options;
  run->add_option("file", command->file,
                  "A launch manifest (JSON); or a PTX file, or a CUDA file, and its launch")
      ->required();
  AddRunOptions(run, &options);
  AddFile(run, "--schedule", &options.schedule, "Keep to the order of events in this JSON file");
  CLI::Option* const wave =
      AddFile(run, "--wave", &options.wave, "Write the waveform to this FST file");
  AddNumber(run, "--wave-from", &options.wave_from, "The first cycle that it shows")->needs(wave);
  AddNumber(run, "--wave-to", &options.wave_to, "The last")->needs(wave);
  command->of_one_run = {
      wave,
      AddFile(run, "--report", &options.report, "Write the report to this JSON file"),
      AddFile(run, "--log", &options.log, "Write all committed operations to this JSONL file"),
      AddFile(run, "--timeline", &options.timeline,
              "Write a page that shows who waited for whom to this HTML file"),
      AddFile(run, "--trace", &options.trace,
              "Write the same to this JSON file, for Perfetto or about:tracing"),
      run->add_option("--dump", options.dumps, "Write the bytes of a buffer to a file")
          ->type_name("BUFFER=FILE")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->allow_extra_args(false),
      run->add_option("--show", options.show, "Print a buffer as the kernel left it")
          ->type_name("BUFFER")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->allow_extra_args(false),
      run->get_option("--seed")};
  run->add_option("--seeds", command->seeds, "Run with each of these seeds: 100, or 3-8")
      ->type_name("SEEDS");
  AddLaunchOptions(run, command.get());
  run->callback([run, command, code] {
    CheckTarget(*run, command->options);
    const bool on_gpu = GpuWorkers("--target", command->options.target).has_value();
    if (on_gpu && command->options.target != "cuda") {
      throw ptx::InputError("--target cuda:N is for muster suite: a run has one kernel");
    }
    const Job job = JobOf(command.get());
    if (!command->seeds.empty()) {
      *code = static_cast<int>(RunAllSeeds(*command, job));
      return;
    }
    const RunResult result = on_gpu ? RunOnGpu(job, command->options) : Run(job, command->options);
    fmt::print("{}", result.text);
    *code = static_cast<int>(result.code);
  });
}

}  // namespace muster::app
