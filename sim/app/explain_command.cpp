// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/explain_command.h"

#include <fmt/format.h>

#include <memory>

#include "sim/app/explain.h"
#include "sim/app/files.h"
#include "sim/app/launch_command.h"
#include "sim/app/number_option.h"
#include "sim/ptx/launch/hang_file.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

struct ExplainCommand {
  std::string dump;
  std::string json;  // a file, or empty
  LaunchCommand launch;
  ExploreOptions options;
};

}  // namespace

void AddExplainCommand(CLI::App* app, const std::vector<std::string>& compiler_flags, int* code) {
  constexpr std::uint64_t kLongestSearch = 1'000'000;  // seconds
  constexpr std::uint64_t kMostJobs = 1024;
  CLI::App* const explain =
      app->add_subcommand("explain", "Who waits for what in a hung grid, and how it came to that");
  const auto command = std::make_shared<ExplainCommand>();
  ExploreOptions& options = command->options;
  AddFile(explain, "dump", &command->dump,
          "What is known of the hung grid: where its threads stand, and the words of its mbarriers")
      ->required();
  AddLaunchOptions(explain, &command->launch);
  explain->get_option("file")->required(false);
  explain->add_option("--config", options.config, "The unit's configuration (default: default)");
  AddNumber(explain, "--seed", &options.seed, "Of the first order (default: 1)");
  AddNumber(explain, "--bound", &options.bound, "Classes of orders that are seen at most", 1);
  AddNumber(explain, "--time", &options.seconds, "Seconds that it takes at most (default: 60)", 1,
            kLongestSearch);
  explain->add_option("--jobs", options.jobs, "Orders at a time (default: one for each processor)")
      ->check(CLI::Range(std::uint64_t{1}, kMostJobs));
  AddFile(explain, "--witness", &options.witness,
          "Write the schedule of an order that leads there to this file");
  AddFile(explain, "--json", &command->json, "Write whether an order was found to this JSON file");
  explain->footer(
      "Exit codes: 0 an order was found that leads there, 1 none was, 2 bad input, 4 RTL and\n"
      "golden model disagree.");
  explain->callback([command, compiler_flags, code] {
    for (const char* const end : {".json", ".ptx", ".cu"}) {
      if (EndsWith(command->dump, end)) {
        throw ptx::InputError(
            fmt::format("{0} is no dump of a hung grid: that comes first, as in muster explain "
                        "hang.txt {0}",
                        ptx::Printable(command->dump)));
      }
    }
    const ptx::HangFile file(command->dump);
    if (command->launch.file.empty()) {
      command->launch.file = file.launch();
    }
    if (command->launch.file.empty()) {
      throw ptx::InputError(fmt::format(
          "{}: it does not say of which launch it is: name the manifest, or the kernel's file and "
          "its launch, after the dump",
          ptx::Printable(command->dump)));
    }
    command->launch.cuda.flags = compiler_flags;
    CheckOutputs({command->dump, command->launch.file},
                 command->json.empty() ? std::vector<std::string>{} : std::vector{command->json});
    const ExplainCode found =
        Explain(file, command->dump, JobOf(&command->launch), command->options);
    *code = static_cast<int>(found);
    if (!command->json.empty()) {
      WriteFile(command->json, JsonText({{"dump", command->dump},
                                         {"found", found == ExplainCode::kFound},
                                         {"exit_code", *code}}));
    }
  });
}

}  // namespace muster::app
