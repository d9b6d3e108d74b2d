// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/against.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <utility>

#include "sim/app/files.h"
#include "sim/app/gpu.h"
#include "sim/app/suite_files.h"
#include "sim/app/target.h"
#include "sim/gpu/report.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

// A kernel's runs on the unit and on a GPU.
struct Pair {
  enum class Verdict { kSame, kDiffers, kNotCompared };

  std::string name;
  RunResult unit;
  RunResult gpu;
  Verdict verdict = Verdict::kNotCompared;
  std::vector<std::string> differences;  // or the reason why it is not compared
};

const char* WordsOf(Pair::Verdict verdict) {
  switch (verdict) {
    case Pair::Verdict::kSame:
      return "same";
    case Pair::Verdict::kDiffers:
      return "NOT THE SAME";
    default:
      return "not compared";
  }
}

RunResult OnUnit(const std::string& manifest, RunOptions options) {
  options.keeps_contents = true;
  try {
    return RunManifest(manifest, options);
  } catch (const ptx::InputError& error) {
    RunResult result;
    result.code = ptx::ExitCode::kBadInput;
    result.outcome = "bad input";
    result.text = error.what();
    return result;
  }
}

void Compare(const GpuRun& run, Pair* pair) {
  if (run.task == nullptr) {  // a manifest that cannot be read counts as different
    pair->verdict = Pair::Verdict::kDiffers;
    pair->differences = {run.run.text.substr(0, run.run.text.size() - 1)};
  } else if (pair->unit.code == ptx::ExitCode::kBadInput) {
    pair->differences = {"the unit: " + pair->unit.text};
  } else if (!run.fits) {
    pair->differences = {"the GPU: " + run.result->ending.text};
  } else {
    pair->differences =
        gpu::Differences(*run.task, *run.result, pair->unit.outcome, pair->unit.contents);
    pair->verdict = pair->differences.empty() ? Pair::Verdict::kSame : Pair::Verdict::kDiffers;
  }
}

void Print(const Pair& pair) {
  fmt::print("{:<34} {:<26} {:<34} {}\n", pair.name, pair.unit.outcome, pair.gpu.outcome,
             WordsOf(pair.verdict));
  for (const std::string& difference : pair.differences) {
    fmt::print("  {}\n", difference);
  }
  std::fflush(stdout);
}

TestCase CaseOf(const Pair& pair) {
  using Result = TestCase::Result;
  const Result result = pair.verdict == Pair::Verdict::kSame      ? Result::kPassed
                        : pair.verdict == Pair::Verdict::kDiffers ? Result::kFailed
                                                                  : Result::kSkipped;
  return {pair.name, pair.unit.seconds + pair.gpu.seconds, result,
          fmt::format("the unit: {}; the GPU: {}", pair.unit.outcome, pair.gpu.outcome),
          fmt::format("{}\n", fmt::join(pair.differences, "\n"))};
}

nlohmann::ordered_json Json(const std::vector<Pair>& pairs) {
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (const Pair& pair : pairs) {
    report.push_back({{"kernel", pair.name},
                      {"unit", pair.unit.outcome},
                      {"gpu", pair.gpu.outcome},
                      {"compared", pair.verdict != Pair::Verdict::kNotCompared},
                      {"same", pair.verdict == Pair::Verdict::kSame},
                      {"differences", pair.differences},
                      {"unit_report", pair.unit.report},
                      {"gpu_report", pair.gpu.report}});
  }
  return report;
}

}  // namespace

int RunAgainst(const std::vector<std::string>& paths, const SuiteOptions& options) {
  const std::optional<std::size_t> workers = GpuWorkers("--against", options.against);
  if (!workers) {
    throw ptx::InputError(
        fmt::format("--against {}: there are cuda and cuda:N", ptx::Printable(options.against)));
  }
  const std::vector<std::string> manifests = ManifestsBelow(paths);
  CheckSuiteOutputs(manifests, {options.json, options.junit});
  const std::vector<std::string> names = NamesOf(manifests);
  std::vector<Pair> pairs(manifests.size());
  fmt::print("{:<34} {:<26} the GPU\n", "kernel", "the unit");
  RunAllOnGpu(manifests, *workers, options.run, [&](const GpuRun& run) {
    Pair& pair = pairs[run.manifest];
    pair.name = names[run.manifest];
    pair.gpu = run.run;
    pair.unit = OnUnit(manifests[run.manifest], options.run);
    Compare(run, &pair);
    pair.unit.contents.clear();
    Print(pair);
  });
  const auto count = [&](Pair::Verdict verdict) {
    return std::count_if(pairs.begin(), pairs.end(),
                         [&](const Pair& pair) { return pair.verdict == verdict; });
  };
  const auto same = count(Pair::Verdict::kSame);
  const auto differ = count(Pair::Verdict::kDiffers);
  fmt::print("{} kernels: {} the same, {} not, {} not compared\n", pairs.size(), same, differ,
             count(Pair::Verdict::kNotCompared));
  if (!options.json.empty()) {
    WriteFile(options.json, JsonText(Json(pairs)));
  }
  if (!options.junit.empty()) {
    std::vector<TestCase> cases;
    std::transform(pairs.begin(), pairs.end(), std::back_inserter(cases), CaseOf);
    WriteFile(options.junit, JUnit(cases));
  }
  return differ == 0 && same != 0 ? 0 : 1;
}

}  // namespace muster::app
