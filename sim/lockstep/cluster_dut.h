// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A cluster scope as a plain C++ class: pins in, pins out, nothing of Verilator.
#ifndef MUSTER_SIM_LOCKSTEP_CLUSTER_DUT_H_
#define MUSTER_SIM_LOCKSTEP_CLUSTER_DUT_H_

#include <memory>

#include "sim/isa/cluster_operation.h"
#include "sim/isa/config.h"
#include "sim/lockstep/scope_dut.h"
#include "sim/port/cluster_pins.h"

namespace muster::lockstep {

class ClusterDut : public ScopeDut<ClusterConfig, ClusterInputs, ClusterOutputs> {
 public:
  static constexpr const char* kName = "cluster";
};

// Returns a Verilated cluster scope for so many units of this configuration, or for more and larger
// ones, out of reset; null if this program has none of that size.
std::unique_ptr<ClusterDut> MakeClusterDut(const Config& config, unsigned units);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_CLUSTER_DUT_H_
