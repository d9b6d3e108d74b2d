// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/dut.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/verilated_text.h"

// Verilator's hook for a failing assertion (VL_USER_STOP). It has printed the assertion's text.
void vl_stop(const char* filename, int linenum, const char* hier);

namespace muster::lockstep {

// Written by CMake.
std::unique_ptr<Dut> MakeUnit(std::string_view name, const PowerUp& power_up);

namespace {

constexpr std::string_view kFails = ": Assertion failed in ";
constexpr std::array<std::string_view, 2> kTops = {"muster.muster.", "gpc.muster_gpc."};

Assertion& Failure() {
  static Assertion failure;
  return failure;
}

// "[0] %Error: file:line: Assertion failed in SCOPE: SENTENCE".
void Note(const std::string& text) {
  const std::size_t begin = text.find(kFails);
  const std::size_t scope = begin + kFails.size();
  const std::size_t end = text.find(": ", scope);
  Assertion& failure = Failure();
  if (begin == std::string::npos || end == std::string::npos || !failure.says.empty()) {
    return;
  }
  failure.scope = text.substr(scope, end - scope);
  for (const std::string_view top : kTops) {
    if (failure.scope.rfind(top, 0) == 0) {
      failure.scope.erase(0, top.size());
    }
  }
  failure.says = text.substr(end + 2, text.find_last_not_of('\n') - end - 1);
  if (failure.says == "'assert' failed.") {
    failure.says = "the property " + failure.scope.substr(failure.scope.rfind('.') + 1) + " fails";
  }
}

}  // namespace

std::unique_ptr<Dut> MakeDut(const Config& config, const PowerUp& power_up) {
  ForgetAssertion();
  return MakeUnit(config.name, power_up);
}

bool HasUnit(const Config& config) {
  const std::vector<std::string_view> names = UnitNames();
  return std::find(names.begin(), names.end(), config.name) != names.end();
}

const Assertion& FailedAssertion() { return Failure(); }
void ForgetAssertion() { Failure() = {}; }

}  // namespace muster::lockstep

void vl_stop(const char* filename, int linenum, const char* /*hier*/) {
  std::string& at = muster::lockstep::Failure().at;
  if (at.empty()) {
    // Verilator names the file from the build folder, by way of the file list.
    std::string file = std::filesystem::path(filename).lexically_normal().string();
    while (file.rfind("../", 0) == 0) {
      file.erase(0, 3);
    }
    at = file + ":" + std::to_string(linenum);
  }
}

int PrintVerilated(const char* format, ...) {
  std::array<char, 4096> text{};
  std::va_list arguments;
  va_start(arguments, format);
  const int size = std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  const std::string_view shown(text.data());
  if (shown.find(muster::lockstep::kFails) == std::string_view::npos) {
    std::fputs(text.data(), stdout);
  } else {
    muster::lockstep::Note(std::string(shown));
  }
  return size;
}
