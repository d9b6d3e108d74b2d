// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/litmus_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/app/files.h"
#include "sim/app/launch_command.h"
#include "sim/app/number_option.h"
#include "sim/litmus/answer.h"
#include "sim/litmus/kernel.h"
#include "sim/litmus/parser.h"
#include "sim/litmus/report.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostRounds = 30;
constexpr std::uint64_t kLongestTest = 100'000;  // seconds

struct LitmusCommand {
  std::vector<std::string> files;
  litmus::Options options;
  std::string json;
  std::string emit;
};

// What the answer to one test is worth as an exit code.
int CodeOf(const litmus::Test& test, const litmus::Answer& answer) {
  if (!answer.outcome && !answer.complete()) {
    return static_cast<int>(ptx::ExitCode::kTimeout);
  }
  const bool as_stated = test.verdict.empty()
                             ? litmus::Holds(test, answer)
                             : test.verdict == fmt::format("{}", fmt::join(Verdict(answer), ", "));
  return as_stated ? 0 : static_cast<int>(ptx::ExitCode::kDiffers);
}

void Emit(const LitmusCommand& command, const litmus::Test& test, const litmus::Answer& answer) {
  const std::string ptx = command.emit + ".ptx";
  const std::string manifest = command.emit + ".json";
  WriteFile(ptx, litmus::KernelOf(test));
  const std::string name = std::filesystem::path(ptx).filename().string();
  WriteFile(manifest, litmus::ManifestOf(test, answer, name).dump(2) + "\n");
}

int Run(const LitmusCommand& command) {
  if (!command.emit.empty() && command.files.size() != 1) {
    throw ptx::InputError("--emit writes the kernel of one test: give one file");
  }
  std::vector<std::string> outputs;
  if (!command.json.empty()) {
    outputs.push_back(command.json);
  }
  if (!command.emit.empty()) {
    outputs.push_back(command.emit + ".ptx");
    outputs.push_back(command.emit + ".json");
  }
  CheckOutputs(command.files, outputs);
  int code = 0;
  nlohmann::ordered_json reports = nlohmann::ordered_json::array();
  for (const std::string& file : command.files) {
    const litmus::Test test = litmus::Parse(file, ptx::ReadFile(file, "litmus test"));
    const auto begun = Clock::now();
    const litmus::Answer answer = litmus::Solve(test, command.options);
    const std::chrono::duration<double> took = Clock::now() - begun;
    const litmus::Report report(test, answer);
    fmt::print("{}", report.Text());
    if (!test.verdict.empty() && CodeOf(test, answer) == 1) {
      fmt::print("  the file says: {}\n", test.verdict);
    }
    code = std::max(code, CodeOf(test, answer));
    reports.push_back(report.Json());
    reports.back()["seconds"] = took.count();
    if (!command.emit.empty()) {
      Emit(command, test, answer);
    }
  }
  if (!command.json.empty()) {
    WriteFile(command.json, JsonText(reports));
  }
  return code;
}

}  // namespace

void AddLitmusCommand(CLI::App* app, int* code) {
  CLI::App* const litmus =
      app->add_subcommand("litmus", "What PTX's memory model says of litmus tests");
  const auto command = std::make_shared<LitmusCommand>();
  litmus->add_option("files", command->files, "Litmus tests of PTX (.litmus)")->required();
  AddNumber(litmus, "--rounds", &command->options.rounds,
            "Rounds of a loop that are tried after the first (default: 2)", 0, kMostRounds);
  AddNumber(litmus, "--time", &command->options.seconds,
            "Seconds that a test takes at most (default: 10)", 1, kLongestTest);
  AddFile(litmus, "--json", &command->json, "Write the answers to this JSON file");
  litmus
      ->add_option("--emit", command->emit,
                   "Write the test as a kernel and a manifest for run and explore: PREFIX.ptx and "
                   "PREFIX.json")
      ->type_name("PREFIX");
  litmus->footer(
      "Exit codes: 0 each test is as its quantifier asks or, if it has a line \"Verdict:\", as "
      "that\n"
      "says; 1 one is not, 2 bad input, 6 not decided in the time and the rounds given.");
  litmus->callback([command, code] { *code = Run(*command); });
}

}  // namespace muster::app
