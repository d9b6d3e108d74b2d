// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The only place that knows the class that Verilator makes of tb/lockstep/cluster_flat.sv.
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_CLUSTER_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_CLUSTER_H_

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/lockstep/cluster_dut.h"
#include "sim/lockstep/dut.h"

namespace muster::lockstep {

template <typename Unit, bool kTraced = false>
class VerilatedCluster final : public ClusterDut {
 public:
  explicit VerilatedCluster(const ClusterConfig& config)
      : config_(config), dut_(Traceable(&context_), "cluster") {
    Reset();
  }
  ~VerilatedCluster() override {
    CloseTrace();
    dut_.final();
  }

  const ClusterConfig& config() const override { return config_; }

  void Settle(const ClusterInputs& in, ClusterOutputs* out) override {
    Drive(in);
    dut_.clk_i = 0;
    dut_.eval();
    Dump(0);
    Sample(out);
  }

  void Clock() override {
    dut_.clk_i = 1;
    dut_.eval();
    Dump(kCycleNs / 2);
    ++cycle_;
  }

  void Reset() override {
    Drive(ClusterInputs());
    dut_.rst_ni = 0;
    for (const unsigned char level : {0, 1, 0}) {
      dut_.clk_i = level;
      dut_.eval();
    }
    dut_.rst_ni = 1;
    dut_.eval();
  }

  void OpenTrace(const std::string& path, std::uint64_t cycle) override {
    if constexpr (kTraced) {
      trace_ = std::make_unique<VerilatedFstC>();
      dut_.trace(trace_.get(), kTraceLevels);
      trace_->open(path.c_str());
      cycle_ = cycle;
    }
  }
  void Skip(std::uint64_t cycle) override { cycle_ = cycle; }
  void CloseTrace() override {
    if (trace_) {
      trace_->close();
      trace_.reset();
    }
  }

 private:
  static constexpr int kTraceLevels = 99;  // all

  static VerilatedContext* Traceable(VerilatedContext* context) {
    context->traceEverOn(true);
    return context;
  }

  void Dump(std::uint64_t ns) {
    if (trace_) {
      trace_->dump(cycle_ * kCycleNs + ns);
    }
  }

  static void SetBit(unsigned u, bool value, std::uint16_t* bits) {
    *bits = static_cast<std::uint16_t>((*bits & ~(1U << u)) | static_cast<unsigned>(value) << u);
  }
  static bool IsSet(unsigned u, std::uint16_t bits) { return (bits >> u & 1) != 0; }

  void Drive(const ClusterInputs& in) {
    dut_.life_valid_i = static_cast<std::uint8_t>(in.life_valid);
    if (in.life_valid) {
      dut_.life_op_i = static_cast<std::uint8_t>(in.life.op);
      dut_.life_grid_i = in.life.grid;
      dut_.life_awaits_i = in.life.awaits;
      dut_.life_size_i = in.life.size;
      dut_.life_cluster_i = in.life.cluster;
      dut_.life_rank_i = in.life.rank;
      dut_.life_unit_i = in.life.unit;
      dut_.life_cta_i = in.life.cta;
    }
    for (unsigned u = 0; u < config_.num_units; ++u) {
      DriveUnit(u, in.units[u]);
    }
    dut_.flushed_i = in.flushed;
    dut_.take_ready_i = static_cast<std::uint8_t>(in.take_ready);
    for (unsigned word = 0; in.take_ready && word < in.take.size(); ++word) {
      dut_.take_i[word] = in.take[word];
    }
  }

  void DriveUnit(unsigned u, const ClusterInputs::Unit& in) {
    SetBit(u, in.request_valid, &dut_.request_valid_i);
    if (in.request_valid) {
      dut_.request_op_i[u] = static_cast<std::uint8_t>(in.request.op);
      dut_.request_warp_i[u] = in.request.warp;
      dut_.request_cta_i[u] = in.request.cta;
      dut_.request_lanes_i[u] = in.request.lanes;
      dut_.request_live_i[u] = in.request.live;
    }
    dut_.fence_ack_i[u] = in.fence_ack;
    SetBit(u, in.send_valid, &dut_.send_valid_i);
    if (in.send_valid) {
      dut_.send_cluster_i[u] = in.send.cluster;
      dut_.send_rank_i[u] = in.send.rank;
      dut_.send_warp_i[u] = in.send.warp;
      dut_.send_op_i[u] = static_cast<std::uint8_t>(in.send.op);
      dut_.send_addr_i[u] = in.send.addr;
      dut_.send_lanes_i[u] = in.send.lanes;
      dut_.send_operand_i[u] = in.send.operand;
      SetBit(u, in.send.has_token, &dut_.send_has_token_i);
    }
    SetBit(u, in.remote_ready, &dut_.remote_ready_i);
    SetBit(u, in.cancel_valid, &dut_.cancel_valid_i);
    if (in.cancel_valid) {
      dut_.cancel_cluster_i[u] = in.cancel.cluster;
      dut_.cancel_rank_i[u] = in.cancel.rank;
      dut_.cancel_warp_i[u] = in.cancel.warp;
      SetBit(u, in.cancel.multicast, &dut_.cancel_multicast_i);
      dut_.cancel_addr_i[u] = in.cancel.addr;
      dut_.cancel_mbar_i[u] = in.cancel.mbar;
    }
    SetBit(u, in.write_ready, &dut_.write_ready_i);
    SetBit(u, in.complete_ready, &dut_.complete_ready_i);
  }

  void Sample(ClusterOutputs* out) {
    out->life_ready = dut_.life_ready_o != 0;
    out->life_fault = static_cast<FaultCause>(dut_.life_fault_o);
    for (unsigned u = 0; u < config_.num_units; ++u) {
      SampleUnit(u, &out->units[u]);
      SampleNetwork(u, &out->units[u]);
    }
    out->launch = dut_.launch_o;
    out->flush = dut_.flush_o;
    out->take_valid = dut_.take_valid_o != 0;
    if (dut_.write_valid_o != 0) {
      out->write = CancelStep();
      out->write.writes = true;
      out->write.place = {First(dut_.write_valid_o), dut_.write_cta_o};
      out->write.addr = dut_.write_addr_o;
      for (unsigned word = 0; word < out->write.data.size(); ++word) {
        out->write.data[word] = dut_.write_data_o[word];
      }
    }
    if (dut_.complete_valid_o != 0) {
      out->complete = CancelStep();
      out->complete.place = {First(dut_.complete_valid_o), dut_.complete_cta_o};
      out->complete.addr = dut_.complete_addr_o;
      const bool completes_tx = static_cast<MbOp>(dut_.complete_op_o) == MbOp::kCompleteTx;
      out->complete.bytes = completes_tx ? dut_.complete_operand_o : 0;
    }
    out->cancel_lost_valid = dut_.cancel_lost_valid_o != 0;
    if (out->cancel_lost_valid) {
      out->cancel_lost = {
          dut_.cancel_lost_unit_o,    dut_.cancel_lost_warp_o, 0,
          dut_.cancel_lost_cluster_o, dut_.cancel_lost_rank_o, dut_.cancel_lost_addr_o};
    }
    out->active = dut_.active_o != 0;
  }

  static std::uint8_t First(std::uint16_t bits) {
    return static_cast<std::uint8_t>(__builtin_ctz(bits));
  }

  void SampleUnit(unsigned u, ClusterOutputs::Unit* out) {
    out->request_ready = IsSet(u, dut_.request_ready_o);
    out->busy = dut_.busy_o[u];
    out->fence_req = dut_.fence_req_o[u];
    out->release = dut_.release_o[u];
    out->grid_release = dut_.grid_release_o[u];
    out->go_valid = IsSet(u, dut_.go_valid_o);
    if (out->go_valid) {
      out->go = {static_cast<std::uint8_t>(u), dut_.go_warp_o[u], dut_.go_lanes_o[u]};
    }
    out->fault_valid = IsSet(u, dut_.fault_valid_o);
    if (out->fault_valid) {
      out->fault = {static_cast<FaultCause>(dut_.fault_cause_o[u]), dut_.fault_warp_o[u],
                    dut_.fault_cta_o[u], dut_.fault_lanes_o[u]};
    }
    out->cancel_ready = IsSet(u, dut_.cancel_ready_o);
    out->write_valid = IsSet(u, dut_.write_valid_o);
    out->complete_valid = IsSet(u, dut_.complete_valid_o);
  }

  void SampleNetwork(unsigned u, ClusterOutputs::Unit* out) {
    out->send_ready = IsSet(u, dut_.send_ready_o);
    out->remote_valid = IsSet(u, dut_.remote_valid_o);
    if (out->remote_valid) {
      out->remote = {static_cast<MbOp>(dut_.remote_op_o[u]),
                     {static_cast<std::uint8_t>(u), dut_.remote_cta_o[u]},
                     dut_.remote_addr_o[u],
                     dut_.remote_lanes_o[u],
                     dut_.remote_operand_o[u],
                     IsSet(u, dut_.remote_has_token_o)};
      out->from = {dut_.remote_unit_o[u], dut_.remote_warp_o[u], dut_.remote_lanes_o[u]};
    }
    out->lost_valid = IsSet(u, dut_.lost_valid_o);
    if (out->lost_valid) {
      out->lost = {static_cast<std::uint8_t>(u), dut_.lost_warp_o[u], dut_.lost_lanes_o[u],
                   dut_.lost_cluster_o[u],       dut_.lost_rank_o[u], dut_.lost_addr_o[u]};
    }
  }

  const ClusterConfig config_;
  VerilatedContext context_;
  Unit dut_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t cycle_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_CLUSTER_H_
