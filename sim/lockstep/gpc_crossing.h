// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Compares what passes between a unit and the cluster scope inside a GPC at either end: operations
// of the network, and completions of clusterlaunchcontrol, which share a port of the unit with the
// copy engine. The rule of that port: what it has shown stays until it is accepted; otherwise a
// completion goes first.
#ifndef MUSTER_SIM_LOCKSTEP_GPC_CROSSING_H_
#define MUSTER_SIM_LOCKSTEP_GPC_CROSSING_H_

#include <optional>

#include "sim/lockstep/gpc_dut.h"
#include "sim/lockstep/mismatch.h"
#include "sim/port/cluster_pins.h"

namespace muster::lockstep {

class GpcCrossingChecker {
 public:
  enum class Source { kNone, kEngine, kCompletion };

  void Reset() { *this = GpcCrossingChecker(); }
  // The settled pins of a cycle that ends with a clock edge. False: see mismatch().
  bool Check(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope,
             const CancelStep& complete);
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }

  // Returns what the port for completions shows in the cycle that was checked last.
  Source shown() const { return shown_; }

 private:
  bool CheckRemote(const GpcCrossing& crossing, const ClusterOutputs::Unit& scope);
  bool CheckAsync(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope,
                  const CancelStep& complete);
  bool Wrong(const char* field, std::string unit, std::string golden);

  Source shown_ = Source::kNone;
  Source held_ = Source::kNone;  // was shown in the cycle before, and not accepted
  std::optional<Mismatch> mismatch_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_GPC_CROSSING_H_
