// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Compares what passes between a unit and the cluster scope inside a GPC at either end: operations
// of the network, answers of the unit's atomics, and completions of clusterlaunchcontrol, which
// share a port of the unit with the copy engine. The rule of that port: what it has shown stays
// until it is accepted; otherwise a completion goes first. That of an operation that follows an
// update: the mbarriers are shown it when the update has committed, and no other before it.
#ifndef MUSTER_SIM_LOCKSTEP_GPC_CROSSING_H_
#define MUSTER_SIM_LOCKSTEP_GPC_CROSSING_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "sim/lockstep/gpc_dut.h"
#include "sim/lockstep/mismatch.h"
#include "sim/port/cluster_pins.h"

namespace muster::lockstep {

class GpcCrossingChecker {
 public:
  enum class Source { kNone, kEngine, kCompletion };

  // `smem_bytes`: of a CTA.
  explicit GpcCrossingChecker(std::uint32_t smem_bytes) : smem_bytes_(smem_bytes) {}

  void Reset() { *this = GpcCrossingChecker(smem_bytes_); }
  // The settled pins of a cycle that ends with a clock edge. False: see mismatch().
  bool Check(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope,
             const CancelStep& complete);
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }

  // Returns what the port for completions shows in the cycle that was checked last.
  Source shown() const { return shown_; }

 private:
  bool CheckRemote(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope);
  bool CheckUpdate(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope);
  bool CheckAnswer(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope);
  bool CheckAsync(const GpcUnitPins& unit, const ClusterOutputs::Unit& scope,
                  const CancelStep& complete);
  bool Wrong(const char* field, std::string unit, std::string golden);

  static constexpr std::size_t kMostWaiting = 4;  // operations that follow updates

  std::deque<MbOperation> waiting_;  // operations whose updates have been accepted
  bool upper_ = false;               // the upper half of the value that is shown is to follow
  std::size_t due_ = 0;              // of these, those whose updates have committed
  std::uint32_t smem_bytes_;
  Source shown_ = Source::kNone;
  Source held_ = Source::kNone;  // was shown in the cycle before, and not accepted
  std::optional<Mismatch> mismatch_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_GPC_CROSSING_H_
