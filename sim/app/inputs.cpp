// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "sim/app/files.h"
#include "sim/ptx/launch/choice.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {

Job WithInput(Job job, std::uint64_t input) {
  if (!HasChoices(job.manifest)) {
    throw ptx::InputError(fmt::format(
        "{}: it leaves no input open: write \"any\" for what a buffer or an argument may be",
        job.manifest.path));
  }
  Draw(input, &job.manifest);
  job.manifest.command += fmt::format(" --input {}", input);
  job.has_input = true;
  return job;
}

ptx::ExitCode RunInputs(const Job& job, std::uint64_t count, const RunOptions& options) {
  std::vector<std::uint64_t> bad;
  std::string report;  // of the first bad one
  ptx::ExitCode code = ptx::ExitCode::kAsExpected;
  for (std::uint64_t input = 1; input <= count; ++input) {
    const RunResult result = Run(WithInput(job, input), options);
    if (result.code != ptx::ExitCode::kAsExpected) {
      report = bad.empty() ? result.text : report;
      code = bad.empty() ? result.code : code;
      bad.push_back(input);
    }
  }
  fmt::print("{}", report);
  if (bad.empty()) {
    fmt::print("inputs 1 to {}: all as expected\n", count);
    return code;
  }
  constexpr std::size_t kMost = 16;
  const auto shown = bad.begin() + static_cast<std::ptrdiff_t>(std::min(bad.size(), kMost));
  fmt::print("inputs 1 to {}: {} not as expected: {}{}\n", count, bad.size(),
             fmt::join(bad.begin(), shown, ", "), bad.size() > kMost ? ", ..." : "");
  fmt::print("The first again: muster run {} --input {}\n", job.manifest.command, bad.front());
  return code;
}

ExploreCode ExploreInputs(const Job& job, std::uint64_t count, const ExploreOptions& options) {
  const auto begun = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  std::FILE* const text = TextBeside(options.report);
  nlohmann::ordered_json last;
  const auto write = [&] {
    if (IsStandardOutput(options.report)) {
      WriteReport(options.report, last);
    }
  };
  ExploreCode code = ExploreCode::kNothing;
  for (std::uint64_t input = 1; input <= count; ++input) {
    constexpr double kLeast = 0.1;  // seconds
    ExploreOptions one = options;
    one.seconds =
        std::max(kLeast, (options.seconds - passed()) / static_cast<double>(count - input + 1));
    if (IsStandardOutput(options.report)) {
      one.report.clear();
    }
    const Job own = WithInput(job, input);
    const Exploration explored = Explore(own, one);
    fmt::print(text, "{}", explored.text);
    last = explored.json;
    const ExploreCode own_code = explored.code;
    if (own_code != ExploreCode::kNothing && own_code != ExploreCode::kSuspicions &&
        own_code != ExploreCode::kUnsearched) {
      fmt::print(text, "inputs 1 to {}: a finding with input {}\n", count, input);
      write();
      return own_code;
    }
    if (code == ExploreCode::kNothing || own_code == ExploreCode::kSuspicions) {
      code = own_code;
    }
  }
  fmt::print(text, "inputs 1 to {}: no finding\n", count);
  write();
  return code;
}

}  // namespace muster::app
