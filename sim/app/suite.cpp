// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/suite.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "sim/app/files.h"
#include "sim/app/gpu.h"
#include "sim/app/suite_files.h"
#include "sim/app/target.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/report.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

struct Row {
  std::string name;
  RunResult result;
  bool passed = false;
  bool fits = true;  // false: the configuration asked for cannot run it
};

Row RunOne(const std::string& manifest, const RunOptions& options) {
  Row row;
  try {
    row.result = RunManifest(manifest, options);
  } catch (const ptx::InputError& error) {
    row.fits = !options.config || dynamic_cast<const ptx::DoesNotFit*>(&error) == nullptr;
    row.result.code = ptx::ExitCode::kBadInput;
    row.result.outcome = "bad input";
    row.result.text = std::string(error.what()) + "\n";
  }
  row.passed = row.result.code == ptx::ExitCode::kAsExpected;
  return row;
}

// Describes the speed of the run.
std::string Speed(const RunResult& result, bool on_gpu) {
  if (on_gpu) {
    return fmt::format("{:>9.6f} s", result.seconds);
  }
  const double khz = ptx::Timing{result.cycles, result.seconds, result.skipped}.Khz();
  return fmt::format("{:>8} cycles {:>7} operations {:>6.0f} kHz", result.cycles, result.commits,
                     khz);
}

void PrintRow(const Row& row, bool on_gpu) {
  const RunResult& result = row.result;
  if (!row.fits) {
    fmt::print("{:<34} does not fit: {}", row.name, result.text);
  } else {
    fmt::print("{:<34} {:<26} {}  {}\n", row.name, result.outcome, Speed(result, on_gpu),
               row.passed ? "ok" : "FAILED");
    fmt::print("{}", row.passed ? "" : result.text);
  }
  std::fflush(stdout);
}

TestCase CaseOf(const Row& row) {
  using Result = TestCase::Result;
  const Result result = !row.fits    ? Result::kSkipped
                        : row.passed ? Result::kPassed
                                     : Result::kFailed;
  return {row.name, row.result.seconds, result, row.fits ? row.result.outcome : row.result.text,
          row.result.text};
}

nlohmann::ordered_json Json(const std::vector<Row>& rows) {
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    report.push_back({{"kernel", row.name},
                      {"passed", row.passed},
                      {"fits", row.fits},
                      {"expected", row.result.expected},
                      {"exit_code", static_cast<int>(row.result.code)},
                      {"report", row.result.report}});
  }
  return report;
}

// Runs the manifests and calls `done` with the index and the row of each when it ends.
void RunRows(const std::vector<std::string>& manifests, const RunOptions& options,
             const std::function<void(std::size_t manifest, Row row)>& done) {
  if (const std::optional<std::size_t> workers = GpuWorkers("--target", options.target)) {
    RunAllOnGpu(manifests, *workers, options, [&](const GpuRun& run) {
      Row row;
      row.result = run.run;
      row.fits = run.fits;
      row.passed = row.result.code == ptx::ExitCode::kAsExpected;
      done(run.manifest, std::move(row));
    });
    return;
  }
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    done(i, RunOne(manifests[i], options));
  }
}

}  // namespace

int RunSuite(const std::vector<std::string>& paths, const SuiteOptions& options) {
  const std::vector<std::string> manifests = ManifestsBelow(paths);
  CheckSuiteOutputs(manifests, {options.json, options.junit});
  const bool terminal = isatty(fileno(stdout)) != 0;
  const bool on_gpu = GpuWorkers("--target", options.run.target).has_value();
  const std::vector<std::string> names = NamesOf(manifests);
  std::vector<Row> rows(manifests.size());
  std::size_t ended = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  ptx::Served served;
  const auto progress = [&] {
    if (terminal && ended < rows.size()) {
      fmt::print("[{}/{}] {}\r", ended + 1, rows.size(), on_gpu ? "" : manifests[ended]);
      std::fflush(stdout);
    }
  };
  progress();
  RunRows(manifests, options.run, [&](std::size_t manifest, Row row) {
    if (terminal) {
      fmt::print("\033[2K");
    }
    row.name = names[manifest];
    PrintRow(row, on_gpu);
    served.Add(row.result.served);
    failed += row.fits && !row.passed ? 1 : 0;
    skipped += row.fits ? 0 : 1;
    rows[manifest] = std::move(row);
    ++ended;
    progress();
  });
  const std::size_t passed = rows.size() - failed - skipped;
  fmt::print("{} kernels: {} as their manifests say, {} not{}\n", rows.size(), passed, failed,
             skipped == 0 ? ""
                          : fmt::format(", {} do not fit the {}", skipped,
                                        on_gpu ? "GPU" : "configuration"));
  if (!on_gpu) {
    fmt::print("operations that the hardware served: {}\n", served.Text());
  }
  if (!options.json.empty()) {
    WriteFile(options.json, JsonText(Json(rows)));
  }
  if (!options.junit.empty()) {
    std::vector<TestCase> cases;
    std::transform(rows.begin(), rows.end(), std::back_inserter(cases), CaseOf);
    WriteFile(options.junit, JUnit(cases));
  }
  return failed == 0 && passed != 0 ? 0 : 1;
}

}  // namespace muster::app
