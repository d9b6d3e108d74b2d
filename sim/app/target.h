// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Where a kernel runs: on the unit, Verilated in this program or on a board, or on a GPU.
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

// How many kernels at a time a text has run on the GPU: "cuda", one, or "cuda:N". Nothing: it names
// something else. Throws ptx::InputError where N is no such number.
std::optional<std::size_t> GpuWorkers(const std::string& option, const std::string& text);

class Target {
 public:
  // "verilated", or "uart:DEVICE", which is asked what it is. Throws ptx::InputError.
  explicit Target(const std::string& text);

  bool verilated() const { return link_ == nullptr; }
  // A unit of that configuration; a board has one alone. Throws ptx::InputError.
  Config ConfigOf(const std::string& name) const;
  // The configuration's name where none is asked for.
  std::string ConfigOr(const std::string& name) const;
  void Prepare(lockstep::Options* options) const;
  std::string Summary() const;  // of what went through the line

 private:
  std::string device_;
  std::shared_ptr<board::Link> link_;  // null: Verilated
  board::Identity identity_;
};

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_TARGET_H_
