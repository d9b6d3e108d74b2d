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

#include "sim/app/gpu.h"
#include "sim/app/inputs.h"
#include "sim/app/launch_command.h"
#include "sim/app/number_option.h"
#include "sim/app/target.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

constexpr std::uint64_t kLongest = 1'000'000'000;  // seconds
constexpr double kShortest = 0.001;
constexpr std::uint64_t kMostSeeds = 1'000'000'000;  // at a time

struct RunCommand {
  LaunchCommand launch;
  RunOptions options;
  std::string seeds;
  std::uint64_t inputs = 0;              // how many; 0: one
  std::vector<CLI::Option*> of_one_run;  // options that exclude several seeds
};

void CheckOneRun(const RunCommand& command, const char* several) {
  for (const CLI::Option* option : command.of_one_run) {
    if (option->count() != 0 &&
        !(option->get_name() == "--seed" && several != std::string("--seeds"))) {
      throw ptx::InputError(fmt::format("{} is of a single run: it does not go with {}",
                                        option->get_name(), several));
    }
  }
}

// Parses --seeds N or --seeds A-B.
ptx::ExitCode RunAllSeeds(const RunCommand& command, const Job& job) {
  CheckOneRun(command, "--seeds");
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

void AddRunOptions(CLI::App* command, RunOptions* options) {
  command->add_option("--config", options->config, "The unit's configuration (default: default)");
  command->add_option(
      "--target", options->target,
      "verilated; uart:DEVICE, a board (rtl/fpga/README.md); or cuda, the machine's "
      "GPU (sim/GPU.md); of a suite cuda:N, N kernels at a time");
  AddNumber(command, "--seed", &options->seed, "Of the warps' order and the stalls (default: 1)");
  command->add_flag("--late", options->late,
                    "Perform accesses as late as the memory model lets them be, by the seed");
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
    refuse({"--config", "--seed", "--seeds", "--max-cycles", "--late", "--progress", "--schedule",
            "--wave", "--wave-from", "--wave-to", "--log", "--timeline", "--trace", "--page",
            "--hang", "--without", "--inputs"},
           "is of the unit: it does not go with --target cuda");
  } else {
    refuse({"--time-limit"}, "is of a GPU: it goes with --target cuda");
  }
}

void AddRunCommand(CLI::App* app, const std::vector<std::string>& compiler_flags, int* code) {
  CLI::App* const run = app->add_subcommand("run", "Run a kernel on the RTL, under lockstep");
  const auto command = std::make_shared<RunCommand>();
  RunOptions& options = command->options;
  AddLaunchOptions(run, &command->launch);
  AddRunOptions(run, &options);
  AddFile(run, "--schedule", &options.schedule, "Keep to the order of events in this JSON file");
  CLI::Option* const wave =
      AddFile(run, "--wave", &options.wave, "Write the waveform to this FST file");
  AddNumber(run, "--wave-from", &options.wave_from, "The first cycle that it shows")->needs(wave);
  AddNumber(run, "--wave-to", &options.wave_to, "The last")->needs(wave);
  command->of_one_run = {
      wave,
      AddFile(run, "--report,--json", &options.report, "Write the report to this JSON file"),
      AddFile(run, "--log", &options.log, "Write all committed operations to this JSONL file"),
      AddFile(run, "--timeline", &options.timeline,
              "Write a page that shows who waited for whom to this HTML file"),
      AddFile(run, "--page", &options.page,
              "Write the report to this HTML file: the timeline, what is missing, the source"),
      AddFile(run, "--trace", &options.trace,
              "Write the same to this JSON file, for Perfetto or about:tracing"),
      AddFile(run, "--hang", &options.hang,
              "Write where the threads stand to this file, at a deadlock or a timeout"),
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
  AddNumber(run, "--inputs", &command->inputs,
            "Run with so many inputs, of a manifest that leaves them open", 1, kMostSeeds)
      ->excludes("--input")
      ->excludes("--seeds")
      ->excludes("--schedule");
  run->callback([run, command, compiler_flags, code] {
    CheckTarget(*run, command->options);
    const bool on_gpu = GpuWorkers("--target", command->options.target).has_value();
    if (on_gpu && command->options.target != "cuda") {
      throw ptx::InputError("--target cuda:N is for muster suite: a run has one kernel");
    }
    command->launch.cuda.flags = compiler_flags;
    const Job job = JobOf(&command->launch);
    if (!command->seeds.empty()) {
      *code = static_cast<int>(RunAllSeeds(*command, job));
      return;
    }
    if (command->inputs != 0) {
      CheckOneRun(*command, "--inputs");
      *code = static_cast<int>(RunInputs(job, command->inputs, command->options));
      return;
    }
    const RunResult result = on_gpu ? RunOnGpu(job, command->options) : Run(job, command->options);
    fmt::print("{}", result.text);
    *code = static_cast<int>(result.code);
  });
}

}  // namespace muster::app
