// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The adapter for Vortex's barrier unit: barriers with a count of warps, a phase and a number of
// events. Half of the barriers of a CTA are driven as named barriers; the others, whose count does
// not change, as mbarriers, of which an event is a byte.
#ifndef MUSTER_TB_ADAPTERS_PEERS_VORTEX_BAR_H_
#define MUSTER_TB_ADAPTERS_PEERS_VORTEX_BAR_H_

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "tb/adapters/adapter.h"

namespace muster::adapters {

// `Dut` has the pins of vortex_bar_flat.sv.
template <typename Dut>
class VortexBar : public Adapter {
 public:
  VortexBar() : Adapter({}) {
    dut_.eval();
    Features& features = *mutable_features();
    features.name = "vortex_bar";
    features.warps = dut_.warps_o;
    features.ctas = features.warps / 2;
    features.barriers = features.words = dut_.bars_o / 2U;
    features.counts = features.arrivals = features.phases = true;
    features.most_arrivals = features.warps;
    features.transactions = true;
    // An expect_tx is as wide as a number of warps.
    features.most_bytes = std::min<unsigned>(dut_.events_o, features.warps);
    features.bytes_at_once = 1;
    features.release_from = features.release_within = 1;
    features.accept_within = 4;
  }

  void Reset() override {
    dut_.req_valid_i = 0;
    dut_.rst_i = 1;
    Clock();
    dut_.rst_i = 0;
    dut_.eval();
    ahead_.reset();
    answer_.reset();
    answer_next_.reset();
    sizes_.clear();
  }

  // The address of a barrier goes ahead of its request by one cycle; what takes effect is the
  // request.
  void Cycle(const std::array<const Step*, kPorts>& presented, Seen* seen) override {
    DriveRequest();
    const Step* const chosen = Choose(presented, seen);
    if (chosen != nullptr) {
      dut_.read_cta_i = static_cast<unsigned char>(chosen->cta());
      dut_.read_bar_i = static_cast<unsigned char>(BarOf(*chosen));
    }
    dut_.eval();
    if (dut_.unlock_valid_o != 0) {
      ForEachBit(dut_.unlock_mask_o, [&](unsigned warp) { seen->releases.push_back({warp, 0}); });
    }
    // The phase is read with the address. It is passed on in the cycle of a release.
    if (answer_) {
      seen->answers.push_back(*answer_);
    }
    answer_ = std::exchange(answer_next_, std::nullopt);
    if (ahead_) {
      seen->effective.push_back(ahead_->id);
    }
    ahead_.reset();
    if (chosen != nullptr) {
      ahead_ = *chosen;
      if (Asks(*chosen)) {
        answer_next_ = Seen::Answer{chosen->warp(), dut_.read_phase_o != 0};
      }
    }
    Clock();
  }

 private:
  unsigned BarOf(const Step& step) const {
    return step.at_word ? features().barriers + step.index() : step.named.bar;
  }
  static bool Asks(const Step& step) {
    return step.at_word ? step.word.has_token : step.named.kind == OpKind::kArrivePhase;
  }

  static bool IsInit(const Step& step) { return step.at_word && step.word.op == MbOp::kInit; }

  // What goes to the unit next: the two ports take turns. An init does not, since each arrival
  // tells how many a phase has.
  const Step* Choose(const std::array<const Step*, kPorts>& presented, Seen* seen) {
    const Step* warps = presented[static_cast<unsigned>(Port::kWarps)];
    const Step* const transactions = presented[static_cast<unsigned>(Port::kTransactions)];
    if (warps != nullptr && IsInit(*warps)) {
      sizes_[{warps->cta(), warps->index()}] = warps->word.operand;
      seen->accepted[static_cast<unsigned>(Port::kWarps)] = true;
      seen->effective.push_back(warps->id);
      warps = nullptr;
    }
    const bool turn = transactions != nullptr && (warps == nullptr || turn_);
    turn_ = !turn;
    const Step* const chosen = turn ? transactions : warps;
    if (chosen != nullptr) {
      seen->accepted[static_cast<unsigned>(chosen->port)] = true;
    }
    return chosen;
  }

  void DriveRequest() {
    dut_.req_valid_i = ahead_ ? 1 : 0;
    if (!ahead_) {
      return;
    }
    const Step& step = *ahead_;
    const bool event = step.at_word && ChangesTx(step.word.op);
    const bool waits =
        step.at_word ? step.word.op == MbOp::kTryWaitParity : step.named.kind == OpKind::kWait;
    dut_.req_warp_i = static_cast<unsigned char>(step.warp());
    dut_.req_bar_i = static_cast<unsigned char>(BarOf(step));
    dut_.req_event_i = event ? 1 : 0;
    dut_.req_arrive_i = !event && !waits ? 1 : 0;
    dut_.req_sync_i = !step.at_word && step.named.kind == OpKind::kSync ? 1 : 0;
    const bool phase = step.at_word ? step.word.phase : (step.named.operand & 1) != 0;
    dut_.req_phase_i = (event ? step.word.op == MbOp::kExpectTx : waits && phase) ? 1 : 0;
    const unsigned size = !step.at_word ? step.named.count / features().lanes
                          : event       ? step.word.operand
                                        : sizes_[{step.cta(), step.index()}];
    dut_.req_size_m1_i = static_cast<unsigned char>(waits ? 0 : size - 1);
  }

  void Clock() {
    for (const unsigned char level : {1, 0}) {
      dut_.clk_i = level;
      dut_.eval();
    }
  }

  Dut dut_;
  std::optional<Step> ahead_;  // whose address was presented in the last cycle
  std::optional<Seen::Answer> answer_, answer_next_;
  std::map<std::pair<unsigned, unsigned>, unsigned> sizes_;  // of the barriers that are mbarriers
  bool turn_ = false;
};

}  // namespace muster::adapters

#endif  // MUSTER_TB_ADAPTERS_PEERS_VORTEX_BAR_H_
