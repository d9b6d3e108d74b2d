// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/suite_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <map>
#include <system_error>

#include "sim/app/files.h"
#include "sim/lockstep/xml.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {

namespace fs = std::filesystem;

std::vector<std::string> ManifestsBelow(const std::vector<std::string>& paths) {
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

std::vector<std::string> NamesOf(const std::vector<std::string>& manifests) {
  std::vector<std::string> names;
  std::vector<fs::path> above;
  for (const std::string& manifest : manifests) {
    const fs::path path = fs::absolute(manifest).lexically_normal();
    names.push_back(path.stem().string());
    above.push_back(path.parent_path());
  }
  for (bool again = true; again;) {
    std::map<std::string, std::size_t> count;
    for (const std::string& name : names) {
      ++count[name];
    }
    again = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (count[names[i]] > 1 && above[i].has_relative_path()) {
        names[i] = (above[i].filename() / names[i]).string();
        above[i] = above[i].parent_path();
        again = true;
      }
    }
  }
  return names;
}

void CheckSuiteOutputs(const std::vector<std::string>& manifests,
                       const std::vector<std::string>& outputs) {
  std::vector<std::string> named;
  std::copy_if(outputs.begin(), outputs.end(), std::back_inserter(named),
               [](const std::string& output) { return !output.empty(); });
  if (named.empty()) {
    return;
  }
  std::vector<std::string> inputs;
  for (const std::string& manifest : manifests) {
    const std::vector<std::string> own = ptx::InputsOf(manifest);
    inputs.insert(inputs.end(), own.begin(), own.end());
  }
  CheckOutputs(inputs, named);
}

std::string JUnit(const std::vector<TestCase>& cases) {
  double seconds = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
  for (const TestCase& one : cases) {
    seconds += one.seconds;
    failed += one.result == TestCase::Result::kFailed ? 1 : 0;
    skipped += one.result == TestCase::Result::kSkipped ? 1 : 0;
  }
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"kernels\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
      cases.size(), failed, skipped, seconds);
  for (const TestCase& one : cases) {
    text += fmt::format(R"(  <testcase classname="kernels" name="{}" time="{:.3f}")",
                        lockstep::XmlText(one.name), one.seconds);
    switch (one.result) {
      case TestCase::Result::kPassed:
        text += "/>\n";
        break;
      case TestCase::Result::kSkipped:
        text += fmt::format(">\n    <skipped message=\"{}\"/>\n  </testcase>\n",
                            lockstep::XmlText(one.message));
        break;
      case TestCase::Result::kFailed:
        text += fmt::format(">\n    <failure message=\"{}\">{}</failure>\n  </testcase>\n",
                            lockstep::XmlText(one.message), lockstep::XmlText(one.text));
        break;
    }
  }
  return text + "</testsuite>\n";
}

}  // namespace muster::app
