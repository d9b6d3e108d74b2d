// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The adapter for Vortex's mbarrier unit, with the completions of its copy engines.
#ifndef MUSTER_TB_ADAPTERS_PEERS_VORTEX_MBARRIER_H_
#define MUSTER_TB_ADAPTERS_PEERS_VORTEX_MBARRIER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_operation.h"
#include "tb/adapters/adapter.h"

namespace muster::adapters {

// `Dut` has the pins of vortex_mbarrier_flat.sv.
template <typename Dut>
class VortexMbarrier : public Adapter {
 public:
  VortexMbarrier() : Adapter({}) {
    dut_.eval();
    Features& features = *mutable_features();
    features.name = "vortex_mbarrier";
    features.warps = dut_.warps_o;
    features.ctas = 2;
    features.words = 4;  // more, of both CTAs, than the unit keeps at hand
    features.most_arrivals = features.arrivals_at_once = features.warps;
    features.transactions = true;
    features.most_bytes = dut_.events_o;
    features.bytes_at_once = 1;
    features.shown = true;
    features.shown_after = 4;
    features.release_from = features.release_within = 1;
    features.accept_within = 24;
  }

  void Reset() override {
    dut_.req_valid_i = dut_.tx_valid_i = 0;
    dut_.rst_i = 1;
    Clock();
    dut_.rst_i = 0;
    dut_.eval();
    answer_.reset();
  }

  void Cycle(const std::array<const Step*, kPorts>& presented, Seen* seen) override {
    const auto [warps, transactions, lifecycle] = presented;
    static_cast<void>(lifecycle);
    dut_.req_valid_i = warps != nullptr ? 1 : 0;
    if (warps != nullptr) {
      const bool waits = warps->word.op == MbOp::kTryWaitParity;
      dut_.req_op_i = static_cast<unsigned char>(CodeOf(warps->word.op));
      dut_.req_word_i = static_cast<std::uint16_t>(WordOf(warps->cta(), warps->index()));
      dut_.req_warp_i = static_cast<unsigned char>(warps->warp());
      dut_.req_value_i = waits ? (warps->word.phase ? 1 : 0) : warps->word.operand;
    }
    dut_.tx_valid_i = transactions != nullptr ? 1 : 0;
    if (transactions != nullptr) {
      dut_.tx_word_i =
          static_cast<std::uint16_t>(WordOf(transactions->cta(), transactions->index()));
    }
    dut_.eval();
    if (dut_.unlock_valid_o != 0) {
      ForEachBit(dut_.unlock_mask_o, [&](unsigned warp) { seen->releases.push_back({warp, 0}); });
    }
    if (answer_) {
      seen->answers.push_back(*answer_);
    }
    answer_.reset();
    const std::array<bool, kPorts> ready = {dut_.req_ready_o != 0, dut_.tx_ready_o != 0, false};
    for (unsigned port = 0; port < kPorts; ++port) {
      if (presented[port] != nullptr && ready[port]) {
        seen->accepted[port] = true;
        seen->effective.push_back(presented[port]->id);
      }
    }
    if (warps != nullptr && ready[0] && warps->word.has_token) {
      answer_ = Seen::Answer{warps->warp(), dut_.req_phase_o != 0};
    }
    Clock();
  }

  WordState State(unsigned cta, unsigned index) override {
    dut_.show_word_i = static_cast<std::uint16_t>(WordOf(cta, index));
    dut_.eval();
    return {dut_.show_phase_o != 0, dut_.show_pending_o, dut_.show_bytes_o};
  }

 private:
  unsigned WordOf(unsigned cta, unsigned index) const {
    return cta * (dut_.words_o / features().ctas) + 3 * index;
  }
  static unsigned CodeOf(MbOp op) {
    return op == MbOp::kInit ? 0 : op == MbOp::kArrive ? 1 : op == MbOp::kExpectTx ? 2 : 3;
  }

  void Clock() {
    for (const unsigned char level : {1, 0}) {
      dut_.clk_i = level;
      dut_.eval();
    }
  }

  Dut dut_;
  std::optional<Seen::Answer> answer_;  // of the arrival that was accepted in the last cycle
};

}  // namespace muster::adapters

#endif  // MUSTER_TB_ADAPTERS_PEERS_VORTEX_MBARRIER_H_
