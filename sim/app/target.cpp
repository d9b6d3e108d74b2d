// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/target.h"

#include <fmt/format.h>

#include <string_view>

#include "sim/app/number_option.h"
#include "sim/board/line.h"
#include "sim/board/uart_dut.h"
#include "sim/isa/config.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

constexpr std::string_view kUart = "uart:";
constexpr std::string_view kCuda = "cuda";
constexpr const char* kBoardConfig = "small";

const Config& Named(const std::string& name) {
  if (const Config* const config = FindConfig(name); config != nullptr) {
    return *config;
  }
  throw ptx::InputError(fmt::format("there is no configuration {}; there are {}",
                                    ptx::Printable(name), ConfigNames()));
}

}  // namespace

std::optional<std::size_t> GpuWorkers(const std::string& option, const std::string& text) {
  constexpr std::uint64_t kMost = 64;
  if (text == kCuda) {
    return 1;
  }
  if (text.rfind(std::string(kCuda) + ":", 0) != 0) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> number = WholeNumber(text.substr(kCuda.size() + 1));
  if (!number || *number == 0 || *number > kMost) {
    throw ptx::InputError(
        fmt::format("{} {}: after the colon comes how many kernels run at a time, from 1 to {}",
                    option, ptx::Printable(text), kMost));
  }
  return *number;
}

Target::Target(const std::string& text) {
  if (text == "verilated") {
    return;
  }
  if (text.rfind(kUart, 0) != 0 || text.size() == kUart.size()) {
    throw ptx::InputError(fmt::format(
        "--target {}: there are verilated, uart:DEVICE, cuda and cuda:N", ptx::Printable(text)));
  }
  device_ = text.substr(kUart.size());
  try {
    link_ = std::make_shared<board::Link>(board::OpenSerial(device_));
    identity_ = link_->Identify();
  } catch (const board::BoardError& error) {
    throw ptx::InputError(fmt::format("--target {}: {}", text, error.what()));
  }
  const Config& config = Named(kBoardConfig);
  if (identity_.num_warps != config.num_warps || identity_.num_ctas != config.num_ctas ||
      identity_.num_issue != config.num_issue) {
    throw ptx::InputError(fmt::format("--target {}: the board's unit is not of configuration {}",
                                      text, kBoardConfig));
  }
}

std::string Target::ConfigOr(const std::string& name) const {
  return verilated() ? name : kBoardConfig;
}

Config Target::ConfigOf(const std::string& name) const {
  Config config = Named(name);
  if (!verilated()) {
    if (name != kBoardConfig) {
      throw ptx::InputError(
          fmt::format("--config {}: the board's unit is of configuration {}", name, kBoardConfig));
    }
    config.mbarrier = identity_.mbarrier;
    config.smem_bytes = std::uint32_t{1} << identity_.smem_log2;
  }
  return config;
}

void Target::Prepare(lockstep::Options* options) const {
  if (!verilated()) {
    options->skips = false;  // the board's clock cannot be stopped
    options->make_dut = [link = link_] { return std::make_unique<board::UartDut>(link); };
  }
}

std::string Target::Summary() const {
  return verilated() ? ""
                     : fmt::format("on the board at {}: {} frames answered, {} sent again\n",
                                   device_, link_->exchanges(), link_->repeats());
}

}  // namespace muster::app
