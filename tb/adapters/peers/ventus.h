// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The adapter for Ventus: its warp scheduler has a barrier of all warps of a workgroup.
#ifndef MUSTER_TB_ADAPTERS_PEERS_VENTUS_H_
#define MUSTER_TB_ADAPTERS_PEERS_VENTUS_H_

#include <array>
#include <cstdint>
#include <map>

#include "sim/isa/bits.h"
#include "sim/isa/operation.h"
#include "tb/adapters/adapter.h"

namespace muster::adapters {

// `Dut` has the pins of ventus_flat.sv.
template <typename Dut>
class Ventus : public Adapter {
 public:
  Ventus() : Adapter({}) {
    dut_.eval();
    Features& features = *mutable_features();
    features.name = "ventus";
    features.warps = dut_.warps_o;
    features.ctas = dut_.ctas_o;
    features.barriers = 1;
    features.all_warps = features.exits = features.joins = features.late_joins = true;
    features.release_from = 1;
    features.release_within = 4;  // it promises no latency
    features.accept_within = 4;
  }

  void Reset() override {
    dut_.join_valid_i = dut_.control_valid_i = 0;
    dut_.rst_ni = 0;
    Clock();
    dut_.rst_ni = 1;
    dut_.eval();
    waiting_ = 0;
  }

  void Cycle(const std::array<const Step*, kPorts>& presented, Seen* seen) override {
    const auto [warps, transactions, lifecycle] = presented;
    static_cast<void>(transactions);
    dut_.control_valid_i = warps != nullptr ? 1 : 0;
    if (warps != nullptr) {
      dut_.control_end_i = warps->named.kind == OpKind::kExit ? 1 : 0;
      dut_.control_warp_i = static_cast<unsigned char>(warps->warp());
      dut_.control_cta_i = static_cast<unsigned char>(warps->cta());
    }
    // The size of a workgroup is not told, so that an open needs no cycle.
    const bool joins = lifecycle != nullptr && lifecycle->named.kind == OpKind::kJoin;
    dut_.join_valid_i = joins ? 1 : 0;
    if (joins) {
      dut_.join_warp_i = static_cast<unsigned char>(lifecycle->warp());
      dut_.join_cta_i = static_cast<unsigned char>(lifecycle->cta());
    }
    dut_.eval();
    // A warp that comes to the barrier may issue again in a later cycle: that is its release.
    ForEachBit(waiting_ & dut_.ready_o, [&](unsigned warp) {
      seen->releases.push_back({warp, 0});
    });
    waiting_ &= ~std::uint64_t{dut_.ready_o};
    if (lifecycle != nullptr) {
      seen->accepted[static_cast<unsigned>(Port::kLifecycle)] = true;
      seen->effective.push_back(lifecycle->id);
    }
    if (warps != nullptr && dut_.control_ready_o != 0) {
      seen->accepted[static_cast<unsigned>(Port::kWarps)] = true;
      seen->effective.push_back(warps->id);
      waiting_ |= warps->named.kind == OpKind::kExit ? 0 : Bit(warps->warp());
    }
    Clock();
  }

 private:
  void Clock() {
    for (const unsigned char level : {1, 0}) {
      dut_.clk_i = level;
      dut_.eval();
    }
  }

  Dut dut_;
  std::uint64_t waiting_ = 0;
};

}  // namespace muster::adapters

#endif  // MUSTER_TB_ADAPTERS_PEERS_VENTUS_H_
