// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The only place that knows the class that Verilator makes of tb/lockstep/gpc_flat.sv. Included
// once for each GPC, by a source that CMake writes.
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_GPC_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_GPC_H_

#include <verilated.h>
#include <verilated_fst_c.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sim/lockstep/dut.h"
#include "sim/lockstep/gpc_dut.h"
#include "sim/lockstep/power_up.h"
#include "sim/lockstep/verilated_context.h"
#include "sim/lockstep/verilated_pins.h"

namespace muster::lockstep {

// `Places` finds the instances that have the blocks' pins: Units(root), Warps(root), Cluster(root).
template <typename Gpc, typename Places, unsigned kNumIssue, bool kTraced>
class VerilatedGpc final : public GpcDut {
 public:
  VerilatedGpc(GpcShape shape, const PowerUp& power_up)
      : shape_(std::move(shape)),
        gpc_(PoweredUp(&context_, power_up.seed), "gpc"),
        units_(Places::Units(gpc_.rootp)),
        warps_(Places::Warps(gpc_.rootp)),
        cluster_(Places::Cluster(gpc_.rootp)) {
    pins.units.resize(units_.size());
    for (GpcUnitPins& unit : pins.units) {
      ports.push_back(std::make_unique<GpcPort>());
      unit.port = ports.back().get();
    }
    if (!power_up.low) {
      Settle();
    }
    // In reset every pin is driven once, so that payloads whose valid is low are not random either.
    pins.reset = true;
    SetAll(true);
    Settle();
    SetAll(false);
    Settle();
    Clock();
    Settle();
    pins.reset = false;
  }

  ~VerilatedGpc() override {
    CloseTrace();
    gpc_.final();
    Verilated::threadContextp(&context_);  // which the scopes' destructors use
  }

  const GpcShape& shape() const override { return shape_; }

  void Settle() override {
    gpc_.rst_ni = static_cast<std::uint8_t>(!pins.reset);
    for (std::size_t u = 0; u < units_.size(); ++u) {
      DriveUnit<kNumIssue, true>(pins.units[u].port->in, units_[u]);
      DriveScope(shape_.warps, pins.units[u].warp_in, warps_[u]);
    }
    DriveScope(shape_.cluster, pins.cluster_in, cluster_);
    gpc_.clk_i = 0;
    gpc_.eval();
    for (std::size_t u = 0; u < units_.size(); ++u) {
      SampleUnit<kNumIssue, true>(*units_[u], &pins.units[u].port->out);
      SampleScope(shape_.warps, *warps_[u], &pins.units[u].warp_out);
      SampleCrossing(u, &pins.units[u].crossing);
    }
    SampleScope(shape_.cluster, *cluster_, &pins.cluster_out);
  }

  void Clock() override {
    Dump(0);
    gpc_.clk_i = static_cast<std::uint8_t>(!pins.gated);
    gpc_.eval();
    Dump(kCycleNs / 2);
    ++cycle_;
  }

  void OpenTrace(const std::string& path, std::uint64_t cycle) override {
    if constexpr (kTraced) {
      trace_ = std::make_unique<VerilatedFstC>();
      gpc_.trace(trace_.get(), kTraceLevels);
      trace_->open(path.c_str());
      cycle_ = cycle;
    }
  }
  void CloseTrace() override {
    if (trace_) {
      trace_->close();
      trace_.reset();
    }
  }

 private:
  void SetAll(bool valid) {
    ClusterInputs& cluster = pins.cluster_in;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      Inputs& in = pins.units[u].port->in;
      in.issue_valid = valid ? (1U << kNumIssue) - 1 : 0;
      in.lifecycle_valid = in.exit_valid = valid;
      in.mb.issue_valid = in.mb.async_valid = in.mb.remote_valid = in.mb.rdata_valid = valid;
      pins.units[u].warp_in.valid = valid;
      cluster.units[u].request_valid = cluster.units[u].send_valid = valid;
      cluster.units[u].cancel_valid = valid;
    }
    cluster.life_valid = cluster.take_ready = valid;
  }

  void Dump(std::uint64_t ns) {
    if (trace_) {
      trace_->dump(cycle_ * kCycleNs + ns);
    }
  }

  void SampleCrossing(std::size_t u, GpcCrossing* crossing) const {
    crossing->async_valid = gpc_.async_valid_o[u] != 0;
    crossing->async_ready = gpc_.async_ready_o[u] != 0;
    if (crossing->async_valid) {
      crossing->async.source = MbSource::kAsync;
      crossing->async.lanes = 1;
      crossing->async.op = static_cast<MbOp>(gpc_.async_op_o[u]);
      crossing->async.cta = gpc_.async_cta_o[u];
      crossing->async.addr = gpc_.async_addr_o[u];
      crossing->async.operand = gpc_.async_operand_o[u];
    }
    crossing->remote_valid = gpc_.remote_valid_o[u] != 0;
    crossing->remote_ready = gpc_.remote_ready_o[u] != 0;
    if (crossing->remote_valid) {
      crossing->remote.source = MbSource::kRemote;
      crossing->remote.lanes = gpc_.remote_lanes_o[u];
      crossing->remote.op = static_cast<MbOp>(gpc_.remote_op_o[u]);
      crossing->remote.cta = gpc_.remote_cta_o[u];
      crossing->remote.addr = gpc_.remote_addr_o[u];
      crossing->remote.operand = gpc_.remote_operand_o[u];
      crossing->remote.has_token = gpc_.remote_has_token_o[u] != 0;
    }
    crossing->network_ready = gpc_.network_ready_o[u] != 0;
    crossing->complete_ready = gpc_.complete_ready_o[u] != 0;
  }

  const GpcShape shape_;
  VerilatedContext context_;
  Gpc gpc_;
  const decltype(Places::Units(gpc_.rootp)) units_;
  const decltype(Places::Warps(gpc_.rootp)) warps_;
  const decltype(Places::Cluster(gpc_.rootp)) cluster_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t cycle_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_GPC_H_
