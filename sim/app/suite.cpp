// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/suite.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "sim/app/files.h"
#include "sim/lockstep/xml.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/report.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;

struct Row {
  std::string name;
  RunResult result;
  bool passed = false;
  bool fits = true;  // false: the configuration asked for cannot run it
};

std::vector<std::string> Manifests(const std::vector<std::string>& paths) {
  std::vector<std::string> manifests;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (error) {
        throw ptx::InputError(fmt::format("{}: {}", path, error.message()));
      }
      manifests.push_back(path);
      continue;
    }
    fs::recursive_directory_iterator entry(path, error);
    for (; !error && entry != fs::end(entry); entry.increment(error)) {
      if (entry->path().extension() == ".json") {
        manifests.push_back(entry->path().string());
      }
    }
    if (error) {
      throw ptx::InputError(fmt::format("{}: {}", path, error.message()));
    }
  }
  std::sort(manifests.begin(), manifests.end());
  if (manifests.empty()) {
    throw ptx::InputError("there is no manifest (*.json) to run");
  }
  return manifests;
}

std::vector<std::string> Inputs(const std::vector<std::string>& manifests) {
  std::vector<std::string> inputs;
  for (const std::string& manifest : manifests) {
    const std::vector<std::string> own = ptx::InputsOf(manifest);
    inputs.insert(inputs.end(), own.begin(), own.end());
  }
  return inputs;
}

Row RunOne(const std::string& manifest, const RunOptions& options) {
  Row row;
  row.name = fs::path(manifest).stem().string();
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

void PrintRow(const Row& row) {
  const RunResult& result = row.result;
  if (!row.fits) {
    fmt::print("{:<28} does not fit: {}", row.name, result.text);
    std::fflush(stdout);
    return;
  }
  const double khz = ptx::Timing{result.cycles, result.seconds, result.skipped}.Khz();
  fmt::print("{:<28} {:<26} {:>8} cycles {:>7} operations {:>6.0f} kHz  {}\n", row.name,
             result.outcome, result.cycles, result.commits, khz, row.passed ? "ok" : "FAILED");
  if (!row.passed) {
    fmt::print("{}", result.text);
  }
  std::fflush(stdout);
}

std::string JUnit(const std::vector<Row>& rows, std::size_t failed, std::size_t skipped) {
  double seconds = 0;
  for (const Row& row : rows) {
    seconds += row.result.seconds;
  }
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"kernels\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
      rows.size(), failed, skipped, seconds);
  for (const Row& row : rows) {
    text += fmt::format(R"(  <testcase classname="kernels" name="{}" time="{:.3f}")",
                        lockstep::XmlText(row.name), row.result.seconds);
    text += !row.fits ? fmt::format(">\n    <skipped message=\"{}\"/>\n  </testcase>\n",
                                    lockstep::XmlText(row.result.text))
            : row.passed
                ? "/>\n"
                : fmt::format(">\n    <failure message=\"{}\">{}</failure>\n  </testcase>\n",
                              lockstep::XmlText(row.result.outcome),
                              lockstep::XmlText(row.result.text));
  }
  return text + "</testsuite>\n";
}

}  // namespace

int RunSuite(const std::vector<std::string>& paths, const SuiteOptions& options) {
  const std::vector<std::string> manifests = Manifests(paths);
  std::vector<std::string> outputs;
  for (const std::string& output : {options.json, options.junit}) {
    if (!output.empty()) {
      outputs.push_back(output);
    }
  }
  if (!outputs.empty()) {
    CheckOutputs(Inputs(manifests), outputs);
  }
  const bool terminal = isatty(fileno(stdout)) != 0;
  std::vector<Row> rows;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  ptx::Served served;
  for (const std::string& manifest : manifests) {
    if (terminal) {
      fmt::print("[{}/{}] {}\r", rows.size() + 1, manifests.size(), manifest);
      std::fflush(stdout);
    }
    rows.push_back(RunOne(manifest, options.run));
    if (terminal) {
      fmt::print("\033[2K");
    }
    PrintRow(rows.back());
    const Row& row = rows.back();
    served.Add(row.result.served);
    failed += row.fits && !row.passed ? 1 : 0;
    skipped += row.fits ? 0 : 1;
  }
  const std::size_t passed = rows.size() - failed - skipped;
  fmt::print("{} kernels: {} as their manifests say, {} not{}\n", rows.size(), passed, failed,
             skipped == 0 ? "" : fmt::format(", {} do not fit the configuration", skipped));
  fmt::print("operations that the hardware served: {}\n", served.Text());
  if (!options.json.empty()) {
    nlohmann::ordered_json report = nlohmann::ordered_json::array();
    for (const Row& row : rows) {
      report.push_back({{"kernel", row.name},
                        {"passed", row.passed},
                        {"fits", row.fits},
                        {"expected", row.result.expected},
                        {"exit_code", static_cast<int>(row.result.code)},
                        {"report", row.result.report}});
    }
    WriteFile(options.json, JsonText(report));
  }
  if (!options.junit.empty()) {
    WriteFile(options.junit, JUnit(rows, failed, skipped));
  }
  return failed == 0 && passed != 0 ? 0 : 1;
}

}  // namespace muster::app
