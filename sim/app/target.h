// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The target on which a kernel runs: the unit, Verilated in this program or on a board, or a GPU.
#ifndef MUSTER_SIM_APP_TARGET_H_
#define MUSTER_SIM_APP_TARGET_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "sim/board/link.h"
#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/lockstep.h"

namespace muster::app {

// Parses "cuda" or "cuda:N", and returns how many kernels run on the GPU at a time. Empty: the text
// names another target. Throws ptx::InputError if N is no such number.
std::optional<std::size_t> GpuWorkers(const std::string& option, const std::string& text);

class Target {
 public:
  // Opens "verilated" or "uart:DEVICE". A board reports its configuration. Throws ptx::InputError.
  explicit Target(const std::string& text);

  bool verilated() const { return link_ == nullptr; }
  // Makes a unit of that configuration; a board has only one. Throws ptx::InputError.
  Config ConfigOf(const std::string& name) const;
  // Returns the name of the configuration to use by default.
  std::string ConfigOr(const std::string& name) const;
  void Prepare(lockstep::Options* options) const;
  std::string Summary() const;  // describes the traffic on the serial line

 private:
  std::string device_;
  std::shared_ptr<board::Link> link_;  // null: Verilated
  board::Identity identity_;
};

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_TARGET_H_
