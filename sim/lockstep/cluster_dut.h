// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A cluster scope as a plain C++ class: pins in, pins out, nothing of Verilator.
#ifndef MUSTER_SIM_LOCKSTEP_CLUSTER_DUT_H_
#define MUSTER_SIM_LOCKSTEP_CLUSTER_DUT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "sim/isa/cluster_operation.h"
#include "sim/port/cluster_pins.h"

namespace muster::lockstep {

// A cycle is: Settle; Clock.
class ClusterDut {
 public:
  ClusterDut() = default;
  ClusterDut(const ClusterDut&) = delete;
  ClusterDut& operator=(const ClusterDut&) = delete;
  virtual ~ClusterDut() = default;

  virtual const ClusterConfig& config() const = 0;
  // Drives the inputs with the clock low, and returns the settled outputs.
  virtual void Settle(const ClusterInputs& in, ClusterOutputs* out) = 0;
  virtual void Clock() = 0;  // the rising edge
  virtual void Reset() = 0;

  // As of Dut. Cycles that were not clocked are told of by Skip.
  virtual void OpenTrace(const std::string& path, std::uint64_t cycle) = 0;
  virtual void Skip(std::uint64_t cycle) = 0;
  virtual void CloseTrace() = 0;
};

// Returns a Verilated cluster scope for so many units, of any configuration, or for more, out of
// reset; null if this program has none of that size.
std::unique_ptr<ClusterDut> MakeClusterDut(unsigned units);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_CLUSTER_DUT_H_
