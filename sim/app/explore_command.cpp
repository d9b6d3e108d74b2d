// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/explore_command.h"

#include <fmt/format.h>

#include <initializer_list>
#include <memory>
#include <string>

#include "sim/app/explore.h"
#include "sim/app/files.h"
#include "sim/app/inputs.h"
#include "sim/app/launch_command.h"
#include "sim/app/needless.h"
#include "sim/app/number_option.h"
#include "sim/ptx/launch/choice.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

constexpr std::uint64_t kLongestSearch = 1'000'000;  // seconds
constexpr std::uint64_t kMostJobs = 1024;
constexpr std::uint64_t kMostTimes = 10'000;
constexpr std::uint64_t kMostInputs = 1'000'000;
constexpr double kShortestLaunch = 0.01;  // seconds
constexpr double kLongestLaunch = 1'000'000;

// Options that are of others.
void CheckEmit(const CLI::App& explore, const ExploreOptions& options) {
  const auto needs = [&](std::initializer_list<const char*> names, const char* of, bool is_there) {
    for (const char* const name : names) {
      if (explore.get_option(name)->count() != 0 && !is_there) {
        throw ptx::InputError(fmt::format("{} goes with {}", name, of));
      }
    }
  };
  needs({"--schedule", "--target"}, "--emit-ptx", !options.emit.file.empty());
  needs({"--times", "--time-limit"}, "--target", !options.emit.target.empty());
  for (const char* const name : {"--needless", "--schedule"}) {
    if (explore.get_option(name)->count() != 0 && !options.page.empty()) {
      throw ptx::InputError(fmt::format("--page is of findings: it does not go with {}", name));
    }
  }
  for (const char* const name : {"--without", "--needless"}) {
    if (explore.get_option(name)->count() != 0 && !options.emit.file.empty()) {
      throw ptx::InputError(fmt::format(
          "{} does not go with --emit-ptx, which writes the kernel with all of its places", name));
    }
  }
}

struct ExploreCommand {
  LaunchCommand launch;
  ExploreOptions options;
  std::uint64_t inputs = 0;  // how many; 0: one
};

}  // namespace

void AddExploreCommand(CLI::App* app, const std::vector<std::string>& compiler_flags, int* code) {
  CLI::App* const explore =
      app->add_subcommand("explore", "What other orders of a kernel's events can come to");
  const auto command = std::make_shared<ExploreCommand>();
  ExploreOptions& options = command->options;
  AddLaunchOptions(explore, &command->launch);
  explore->add_option("--config", options.config, "The unit's configuration (default: default)");
  AddNumber(explore, "--seed", &options.seed, "Of the first order (default: 1)");
  AddNumber(explore, "--bound", &options.bound, "Classes of orders that are seen at most", 1);
  AddNumber(explore, "--time", &options.seconds, "Seconds that it takes at most (default: 60)", 1,
            kLongestSearch);
  explore->add_option("--jobs", options.jobs, "Orders at a time (default: one for each processor)")
      ->check(CLI::Range(std::uint64_t{1}, kMostJobs));
  AddFile(
      explore, "--report,--json", &options.report,
      "Write the report to this JSON file; -: to standard output, and the text to standard error");
  AddFile(explore, "--page", &options.page,
          "Write the report to this HTML file: each finding with its timeline, and the source");
  AddFile(explore, "--witness", &options.witness,
          "Write the schedule of the first finding to this file, of others to numbered ones");
  explore->add_flag("--needless", options.needless,
                    "Try the kernel without each barrier, fence and wait: which does it need?");
  AddFile(explore, "--emit-ptx", &options.emit.file,
          "Write the kernel so that it keeps to the first finding's order by itself; of others, to "
          "numbered files");
  AddFile(explore, "--schedule", &options.schedule,
          "With --emit-ptx: the order to keep to; no other is looked for");
  explore->add_option(
      "--target", options.emit.target,
      "With --emit-ptx: cuda, or cuda:N, a GPU that runs both kernels, N at a time");
  explore->add_option("--times", options.emit.times, "Runs of each on the GPU (default: 20)")
      ->check(CLI::Range(std::uint64_t{1}, kMostTimes));
  explore
      ->add_option("--time-limit", options.emit.time_limit,
                   "Seconds after which a launch on a GPU hangs (default: 2.5)")
      ->check(CLI::Range(kShortestLaunch, kLongestLaunch))
      ->type_name("SECONDS");
  explore->footer(
      "Exit codes: 0 nothing found, 2 bad input, 3 a deadlock can happen, 4 RTL and golden model\n"
      "disagree, 6 no order was searched, 7 a race or another finding, 8 suspicions only; of\n"
      "--needless 0 each place is needed, 1 one is not shown to be, and the others as without it.");
  AddNumber(explore, "--inputs", &command->inputs,
            "Look at so many inputs, of a manifest that leaves them open, until there is a finding",
            1, kMostInputs)
      ->excludes("--input")
      ->excludes("--needless")
      ->excludes("--schedule");
  explore->callback([command, compiler_flags, explore, code] {
    command->launch.cuda.flags = compiler_flags;
    const Job job = JobOf(&command->launch);
    CheckEmit(*explore, command->options);
    if (HasChoices(job.manifest) && !command->options.emit.file.empty()) {
      throw ptx::InputError(fmt::format(
          "{}: --emit-ptx goes with a manifest that leaves no input open: write the values into it",
          job.manifest.path));
    }
    command->options.emit.seconds = command->options.seconds;
    if (command->inputs != 0) {
      *code = static_cast<int>(ExploreInputs(job, command->inputs, command->options));
      return;
    }
    if (command->options.needless) {
      *code = static_cast<int>(FindNeedless(job, command->options));
      return;
    }
    const Exploration explored = Explore(job, command->options);
    fmt::print(TextBeside(command->options.report), "{}", explored.text);
    *code = static_cast<int>(explored.code);
  });
}

}  // namespace muster::app
