// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Plays the cluster scope at its pins with the golden model alone: what is presented is accepted at
// once (an arrival that releases, when its fence allows), and what comes of it is shown in the next
// cycle.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_CLUSTER_AT_PINS_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_CLUSTER_AT_PINS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/bits.h"
#include "sim/isa/cluster_operation.h"
#include "sim/port/cluster_pins.h"

namespace muster::ptx {

class GoldenCluster {
 public:
  explicit GoldenCluster(ClusterPins* pins) : pins_(pins) {}

  // At the end of a run.
  void Finish() {
    if (pins_ != nullptr) {
      pins_->model = std::make_shared<golden::ClusterScope>(model_);
    }
  }

  void Clock() {
    if (pins_ == nullptr) {
      return;
    }
    const ClusterInputs& in = pins_->in;
    ClusterOutputs& out = pins_->out;
    out = std::exchange(next_, ClusterOutputs());
    out.life_ready = true;
    out.launch = model_.Launches();
    out.flush = model_.Flushes();
    ForEachBit(out.flush & in.flushed, [&](unsigned grid) {
      shows_ = true;
      Show(model_.Flushed(grid));
    });
    if (in.life_valid) {
      const ClusterEffects effects = model_.Step(in.life);
      out.life_fault = effects.fault;
      Show(effects);
    }
    for (unsigned u = 0; u < kMaxUnits; ++u) {
      if (IsShown(u)) {
        out.units[u].remote_valid = true;
        out.units[u].remote = arriving_[u].front().operation;
        out.units[u].from = arriving_[u].front().from;
      }
    }
    for (unsigned u = 0; u < kMaxUnits; ++u) {
      out.units[u].lost_valid = !leaving_[u].empty() && leaving_[u].front().lost.has_value();
      if (out.units[u].lost_valid) {
        out.units[u].lost = *leaving_[u].front().lost;
        leaving_[u].pop_front();
        shows_ = true;
      }
    }
    for (unsigned u = 0; u < kMaxUnits; ++u) {
      out.units[u].reply_valid = !replies_[u].empty();
      if (out.units[u].reply_valid) {
        out.units[u].reply = replies_[u].front();
        replies_[u].pop_front();
        shows_ = true;
      }
    }
    for (unsigned u = 0; u < kMaxUnits; ++u) {
      if (in.units[u].answer_valid) {
        out.units[u].answer_ready = true;
        replies_[in.units[u].answer.from.unit].push_back(in.units[u].answer);
      }
      AcceptRequest(u, in.units[u], &out.units[u]);
      AcceptSend(u, in.units[u], &out.units[u]);
      if (in.units[u].cancel_valid && !cancel_) {
        out.units[u].cancel_ready = true;
        AcceptCancel(u, in.units[u].cancel);
      }
    }
    ShowCancel(&out);
    out.active = pins_->awake || cancel_.has_value() || std::exchange(shows_, false);
    for (const auto& arriving : arriving_) {
      out.active = out.active || !arriving.empty();
    }
    for (const auto& replies : replies_) {
      out.active = out.active || !replies.empty();
    }
    TakeHandshakes(in, out);
  }

 private:
  struct Arriving {
    RemoteOperation operation;
    ClusterLanes from;
    bool shown = false;
  };
  struct Leaving {
    unsigned target = 0;
    std::optional<RemoteLost> lost;  // instead
  };
  struct Cancel {
    CancelPlan plan;
    bool taken = false;
    std::deque<CancelStep> steps;
  };

  // Operations leave their sender in order: one is shown at its target when those that were sent
  // before have been, too.
  bool IsShown(unsigned target) {
    if (arriving_[target].empty()) {
      return false;
    }
    Arriving& next = arriving_[target].front();
    std::deque<Leaving>& leaving = leaving_[next.from.unit];
    if (!next.shown && !leaving.front().lost && leaving.front().target == target) {
      next.shown = true;
      leaving.pop_front();
    }
    return next.shown;
  }

  // What is shown and taken in this cycle.
  void TakeHandshakes(const ClusterInputs& in, const ClusterOutputs& out) {
    for (unsigned u = 0; u < kMaxUnits; ++u) {
      if (out.units[u].remote_valid && in.units[u].remote_ready) {
        arriving_[u].pop_front();
      }
      if ((out.units[u].write_valid && in.units[u].write_ready) ||
          (out.units[u].complete_valid && in.units[u].complete_ready)) {
        cancel_->steps.pop_front();
      }
    }
    if (out.take_valid && in.take_ready) {
      cancel_->taken = true;
      for (const CancelStep& step : golden::CancelSteps(cancel_->plan, in.take)) {
        cancel_->steps.push_back(step);
      }
    }
    if (cancel_ && cancel_->taken && cancel_->steps.empty()) {
      cancel_.reset();
    }
  }

  void AcceptRequest(unsigned u, const ClusterInputs::Unit& in, ClusterOutputs::Unit* out) {
    const ClusterRequest& request = in.request;
    if (!in.request_valid ||
        (request.op == ClusterOp::kArrive && (in.fence_ack & Bit(request.warp)) == 0)) {
      return;
    }
    out->request_ready = true;
    const ClusterEffects effects = model_.Step(u, request);
    ClusterOutputs::Unit& next = next_.units[u];
    next.fault_valid = effects.fault != FaultCause::kNone;
    next.fault = {effects.fault, request.warp, request.cta, effects.at_fault};
    next.go_valid = effects.go != 0;
    next.go = {static_cast<std::uint8_t>(u), request.warp, effects.go};
    shows_ = true;
    Show(effects);
  }

  void Show(const ClusterEffects& effects) {
    for (const ClusterLanes& lanes : effects.releases) {
      next_.units[lanes.unit].release |= Bit(lanes.warp);
    }
    for (const ClusterLanes& lanes : effects.grid_releases) {
      next_.units[lanes.unit].grid_release |= Bit(lanes.warp);
    }
  }

  void AcceptSend(unsigned u, const ClusterInputs::Unit& in, ClusterOutputs::Unit* out) {
    if (!in.send_valid) {
      return;
    }
    out->send_ready = true;
    const SendEffects effects = model_.Send(u, in.send);
    leaving_[u].push_back({effects.target, effects.lost});
    if (effects.lost) {
      shows_ = true;
      return;
    }
    arriving_[effects.target].push_back(
        {*model_.Deliver(u, effects.target).delivered,
         {static_cast<std::uint8_t>(u), in.send.warp, in.send.lanes}});
  }

  void AcceptCancel(unsigned u, const muster::CancelRequest& request) {
    const CancelPlan plan = model_.Cancel(u, request);
    if (plan.lost) {
      shows_ = true;
      next_.cancel_lost_valid = true;
      next_.cancel_lost = *plan.lost;
      return;
    }
    cancel_ = Cancel{plan, false, {}};
  }

  void ShowCancel(ClusterOutputs* out) const {
    out->take_valid = cancel_ && !cancel_->taken;
    if (cancel_ && !cancel_->steps.empty()) {
      const CancelStep& step = cancel_->steps.front();
      (step.writes ? out->write : out->complete) = step;
      ClusterOutputs::Unit& unit = out->units[step.place.unit];
      (step.writes ? unit.write_valid : unit.complete_valid) = true;
    }
  }

  golden::ClusterScope model_;
  ClusterPins* const pins_;
  ClusterOutputs next_;
  bool shows_ = false;  // it shows something
  std::array<std::deque<Arriving>, kMaxUnits> arriving_;
  std::array<std::deque<Leaving>, kMaxUnits> leaving_;         // by sender, what is not shown yet
  std::array<std::deque<AtomicResponse>, kMaxUnits> replies_;  // to be shown
  std::optional<Cancel> cancel_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_CLUSTER_AT_PINS_H_
