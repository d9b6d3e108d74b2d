// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <map>

#include "sim/lockstep/files.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

// Returns an identity that all names of a file share; empty for devices, which many outputs may
// share.
std::string Identity(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) {
    return lockstep::Resolved(path);
  }
  return S_ISREG(file.st_mode) ? fmt::format("{}:{}", file.st_dev, file.st_ino) : "";
}

}  // namespace

void CheckOutputs(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  std::map<std::string, std::string> taken;  // by identity: the role of the file
  for (const std::string& input : inputs) {
    taken.emplace(Identity(input), fmt::format("{}, which is read", input));
  }
  for (const std::string& output : outputs) {
    const std::string identity = Identity(output);
    if (identity.empty()) {
      continue;
    }
    const auto [other, is_new] =
        taken.emplace(identity, fmt::format("{}, which is written, too", output));
    if (!is_new) {
      throw ptx::InputError(fmt::format("{}: this output would replace {}: name another file",
                                        output, other->second));
    }
  }
  for (const std::string& output : outputs) {
    if (!lockstep::Writable(output)) {
      throw ptx::InputError(fmt::format("{}: the file cannot be written", output));
    }
  }
}

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) {
    throw ptx::InputError(fmt::format("{}: the file cannot be written", path));
  }
}

void WriteReport(const std::string& path, const nlohmann::ordered_json& json) {
  if (IsStandardOutput(path)) {
    fmt::print("{}", JsonText(json));
  } else {
    WriteFile(path, JsonText(json));
  }
}

std::FILE* TextBeside(const std::string& report) {
  return IsStandardOutput(report) ? stderr : stdout;
}

std::string JsonText(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace muster::app
