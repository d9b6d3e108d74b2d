// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/dut.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// Verilator's hook for a failing assertion (VL_USER_STOP). It has printed the assertion's text.
void vl_stop(const char* filename, int linenum, const char* hier);

namespace muster::lockstep {

// Written by CMake.
std::unique_ptr<Dut> MakeUnit(std::string_view name, std::uint64_t power_up);

namespace {

std::string& Failure() {
  static std::string failure;
  return failure;
}

}  // namespace

std::unique_ptr<Dut> MakeDut(const Config& config, std::uint64_t power_up) {
  Failure().clear();
  return MakeUnit(config.name, power_up);
}

const std::string& AssertionFailure() { return Failure(); }

}  // namespace muster::lockstep

void vl_stop(const char* filename, int linenum, const char* /*hier*/) {
  std::string& failure = muster::lockstep::Failure();
  if (failure.empty()) {
    failure = std::string(filename) + ":" + std::to_string(linenum);
  }
}
