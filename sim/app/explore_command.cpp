// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/explore_command.h"

#include <memory>
#include <string>

#include "sim/app/explore.h"
#include "sim/app/launch_command.h"
#include "sim/app/needless.h"
#include "sim/app/number_option.h"

namespace muster::app {
namespace {

constexpr std::uint64_t kLongestSearch = 1'000'000;  // seconds
constexpr std::uint64_t kMostJobs = 1024;

struct ExploreCommand {
  LaunchCommand launch;
  ExploreOptions options;
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
  AddFile(explore, "--report", &options.report, "Write the report to this JSON file");
  AddFile(explore, "--witness", &options.witness,
          "Write the schedule of the first finding to this file, of others to numbered ones");
  explore->add_flag("--needless", options.needless,
                    "Try the kernel without each barrier, fence and wait: which does it need?");
  explore->footer(
      "Exit codes: 0 nothing found, 2 bad input, 3 a deadlock can happen, 4 RTL and golden model\n"
      "disagree, 7 a race or another finding, 8 suspicions only; of --needless 0 each place is\n"
      "needed, 1 one is not shown to be, and the others as without it.");
  explore->callback([command, compiler_flags, code] {
    command->launch.cuda.flags = compiler_flags;
    const Job job = JobOf(&command->launch);
    *code = static_cast<int>(command->options.needless ? FindNeedless(job, command->options)
                                                       : Explore(job, command->options));
  });
}

}  // namespace muster::app
