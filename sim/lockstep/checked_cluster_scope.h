// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The cluster scope of a run with its checker. It is clocked only while it has something to do.
// Knows nothing of the units.
#ifndef MUSTER_SIM_LOCKSTEP_CHECKED_CLUSTER_SCOPE_H_
#define MUSTER_SIM_LOCKSTEP_CHECKED_CLUSTER_SCOPE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sim/lockstep/cluster_checker.h"
#include "sim/lockstep/cluster_dut.h"
#include "sim/port/cluster_pins.h"

namespace muster::lockstep {

class CheckedClusterScope {
 public:
  // `pins`: the driver's. Without `checked`, nothing is compared.
  CheckedClusterScope(std::unique_ptr<ClusterDut> dut, ClusterPins* pins, bool checked)
      : dut_(std::move(dut)), checker_(dut_->shape()), pins_(*pins), checked_(checked) {}

  // At the end of the run, before reports are made.
  void Finish() {
    if (checked_) {
      pins_.model = std::make_shared<golden::ClusterScope>(checker_.model());
    }
  }

  // Instead of the driver, which has ended or was cut off: what was accepted is withdrawn, nothing
  // new is presented, and all that the scope sends is taken.
  void RunEmpty() {
    ClusterInputs& in = pins_.in;
    const ClusterOutputs& out = pins_.out;
    in.life_valid = in.life_valid && !out.life_ready;
    in.take_ready = out.take_valid && !in.take_ready;
    in.take = {};
    pins_.awake = in.life_valid || in.take_ready;
    for (unsigned u = 0; u < kMaxUnits; ++u) {
      ClusterInputs::Unit& unit = in.units[u];
      const ClusterOutputs::Unit& was = out.units[u];
      unit.request_valid = unit.request_valid && !was.request_ready;
      unit.send_valid = unit.send_valid && !was.send_ready;
      unit.cancel_valid = unit.cancel_valid && !was.cancel_ready;
      unit.remote_ready = unit.write_ready = unit.complete_ready = true;
      unit.fence_ack = ~std::uint64_t{0};
      pins_.awake = pins_.awake || unit.request_valid || unit.send_valid || unit.cancel_valid;
    }
  }
  // Runs the cycle, if there is anything to do in it. Returns false if it was wrong.
  bool Clock(std::uint64_t cycle) {
    if (!pins_.awake && !pins_.out.active) {
      return true;
    }
    dut_->Skip(cycle);
    dut_->Settle(pins_.in, &pins_.out);
    const bool good = !checked_ || checker_.Check(cycle, pins_.in, pins_.out);
    dut_->Clock();
    return good;
  }
  bool Idle() const { return !pins_.awake && !pins_.out.active; }

  const ClusterChecker& checker() const { return checker_; }
  void OpenTrace(const std::string& path, std::uint64_t cycle) { dut_->OpenTrace(path, cycle); }
  void CloseTrace() { dut_->CloseTrace(); }

 private:
  std::unique_ptr<ClusterDut> dut_;
  ClusterChecker checker_;
  ClusterPins& pins_;
  const bool checked_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_CHECKED_CLUSTER_SCOPE_H_
