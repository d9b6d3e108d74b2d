// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The only place that knows the class that Verilator makes of tb/lockstep/muster_flat.sv. Included
// once for each configuration, by a source that CMake writes.
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_DUT_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_DUT_H_

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sim/isa/fault.h"
#include "sim/lockstep/dut.h"

namespace muster::lockstep {

template <typename Unit, unsigned kNumIssue, bool kMbarrier, bool kTraced>
class VerilatedDut final : public Dut {
 public:
  explicit VerilatedDut(std::uint64_t power_up) : unit_(PoweredUp(&context_, power_up), "muster") {
    Settle();
    // In reset every pin is driven once, so that payloads whose valid is low are not random either.
    in.reset = true;
    in.issue_valid = (1U << kNumIssue) - 1;
    in.lifecycle_valid = in.exit_valid = true;
    in.mb.issue_valid = in.mb.async_valid = in.mb.remote_valid = in.mb.rdata_valid = true;
    Settle();
    in = Inputs();
    in.reset = true;
    Settle();
    Clock();
    in.reset = false;
  }

  ~VerilatedDut() override {
    CloseTrace();
    unit_.final();
    Verilated::threadContextp(&context_);  // which the scopes' destructors use
  }

  void Settle() override {
    Drive();
    unit_.clk_i = 0;
    unit_.eval();
    if (trace_) {
      trace_->dump(time_);
    }
    Sample();
  }

  void Clock() override {
    unit_.clk_i = static_cast<std::uint8_t>(!in.gated);
    unit_.eval();
    if (trace_) {
      trace_->dump(time_ + kCycleNs / 2);
      time_ += kCycleNs * (1 + in.stopped);
    }
  }

  void OpenTrace(const std::string& path, std::uint64_t cycle) override {
    if constexpr (kTraced) {
      trace_ = std::make_unique<VerilatedFstC>();
      unit_.trace(trace_.get(), kTraceLevels);
      trace_->open(path.c_str());
      time_ = cycle * kCycleNs;
    }
  }

  void CloseTrace() override {
    if (trace_) {
      trace_->close();
      trace_.reset();
    }
  }

 private:
  static constexpr int kTraceLevels = 99;  // all
  // The initial contents of Verilator's registers and memories.
  static constexpr int kZeros = 0;
  static constexpr int kAny = 2;

  static VerilatedContext* PoweredUp(VerilatedContext* context, std::uint64_t power_up) {
    context->randReset(power_up == 0 ? kZeros : kAny);
    context->randSeed(static_cast<int>(power_up));
    context->traceEverOn(true);
    return context;
  }

  void Drive() {
    unit_.rst_ni = static_cast<std::uint8_t>(!in.reset);
    unit_.issue_valid_i = in.issue_valid;
    for (unsigned port = 0; port < kNumIssue; ++port) {
      if ((in.issue_valid >> port & 1) != 0) {
        const Operation& operation = in.issue[port];
        unit_.issue_op_i[port] = static_cast<std::uint8_t>(operation.kind);
        unit_.issue_cta_i[port] = operation.cta;
        unit_.issue_warp_i[port] = operation.warp;
        unit_.issue_bar_i[port] = operation.bar;
        unit_.issue_count_i[port] = operation.count;
        unit_.issue_lanes_i[port] = operation.lanes;
        unit_.issue_operand_i[port] = operation.operand;
      }
    }
    unit_.lc_valid_i = static_cast<std::uint8_t>(in.lifecycle_valid);
    if (in.lifecycle_valid) {
      const Operation& operation = in.lifecycle;
      unit_.lc_op_i =
          static_cast<std::uint8_t>(operation.kind) - static_cast<std::uint8_t>(OpKind::kLaunch);
      unit_.lc_cta_i = operation.cta;
      unit_.lc_size_i = operation.size;
      unit_.lc_warps_i = operation.warps;
      unit_.lc_warp_i = operation.warp;
      unit_.lc_lanes_i = operation.lanes;
    }
    unit_.exit_valid_i = static_cast<std::uint8_t>(in.exit_valid);
    if (in.exit_valid) {
      unit_.exit_cta_i = in.exit.cta;
      unit_.exit_warp_i = in.exit.warp;
      unit_.exit_lanes_i = in.exit.lanes;
    }
    unit_.fence_ack_i = in.fence_ack;
    unit_.response_ready_i = static_cast<std::uint8_t>(in.response_ready);
    unit_.debug_cta_i = in.debug_cta;
    unit_.debug_bar_i = in.debug_bar;
    unit_.debug_warp_i = in.debug_warp;
    if constexpr (kMbarrier) {
      DriveMbarrier();
    }
  }

  void DriveMbarrier() {
    const MbInputs& mb = in.mb;
    unit_.mb_issue_valid_i = static_cast<std::uint8_t>(mb.issue_valid);
    if (mb.issue_valid) {
      unit_.mb_issue_op_i = static_cast<std::uint8_t>(mb.issue.op);
      unit_.mb_issue_cta_i = mb.issue.cta;
      unit_.mb_issue_addr_i = mb.issue.addr;
      unit_.mb_issue_warp_i = mb.issue.warp;
      unit_.mb_issue_lanes_i = mb.issue.lanes;
      unit_.mb_issue_operand_i = mb.issue.operand;
      unit_.mb_issue_phase_i = static_cast<std::uint8_t>(mb.issue.phase);
      unit_.mb_issue_has_token_i = static_cast<std::uint8_t>(mb.issue.has_token);
      unit_.mb_issue_has_hint_i = static_cast<std::uint8_t>(mb.issue.has_hint);
      unit_.mb_issue_whole_i = static_cast<std::uint8_t>(mb.issue.whole);
      unit_.mb_issue_releasing_i = static_cast<std::uint8_t>(mb.issue.releasing);
    }
    unit_.mb_async_valid_i = static_cast<std::uint8_t>(mb.async_valid);
    if (mb.async_valid) {
      unit_.mb_async_op_i = static_cast<std::uint8_t>(mb.async.op);
      unit_.mb_async_cta_i = mb.async.cta;
      unit_.mb_async_addr_i = mb.async.addr;
      unit_.mb_async_operand_i = mb.async.operand;
    }
    unit_.mb_remote_valid_i = static_cast<std::uint8_t>(mb.remote_valid);
    if (mb.remote_valid) {
      unit_.mb_remote_op_i = static_cast<std::uint8_t>(mb.remote.op);
      unit_.mb_remote_cta_i = mb.remote.cta;
      unit_.mb_remote_addr_i = mb.remote.addr;
      unit_.mb_remote_lanes_i = mb.remote.lanes;
      unit_.mb_remote_operand_i = mb.remote.operand;
      unit_.mb_remote_has_token_i = static_cast<std::uint8_t>(mb.remote.has_token);
    }
    unit_.mb_fence_ack_i = mb.fence_ack;
    unit_.read_ready_i = static_cast<std::uint8_t>(mb.read_ready);
    unit_.rdata_valid_i = static_cast<std::uint8_t>(mb.rdata_valid);
    if (mb.rdata_valid) {
      unit_.rdata_i = mb.rdata;
    }
    unit_.write_ready_i = static_cast<std::uint8_t>(mb.write_ready);
    unit_.yield_i = static_cast<std::uint8_t>(mb.yield);
    unit_.stopped_ns_i = mb.stopped_ns;
    unit_.mb_response_ready_i = static_cast<std::uint8_t>(mb.response_ready);
  }

  void Sample() {
    out.issue_ready = unit_.issue_ready_o;
    out.lifecycle_ready = unit_.lc_ready_o != 0;
    out.exit_ready = unit_.exit_ready_o != 0;
    out.commit_valid = unit_.commit_valid_o;
    out.commit_lifecycle = unit_.commit_lc_o != 0;
    out.commit_exit = unit_.commit_exit_o != 0;
    if (out.commit_valid != 0) {
      for (unsigned port = 0; port < kNumIssue; ++port) {
        out.commit_warp[port] = unit_.commit_warp_o[port];
      }
    }
    out.idle = unit_.idle_o != 0;
    out.busy = unit_.busy_o;
    out.fence_req = unit_.fence_req_o;
    out.released = unit_.release_warps_o;
    if (out.released != 0) {
      out.release_cta = unit_.release_cta_o;
      out.release_bar = unit_.release_bar_o;
      out.release_kind = static_cast<BarKind>(unit_.release_kind_o);
      out.release_value = unit_.release_value_o;
    }
    out.response_valid = unit_.response_valid_o != 0;
    if (out.response_valid) {
      out.response_warp = unit_.response_warp_o;
      out.response_data = unit_.response_data_o;
      out.response_pred = unit_.response_pred_o != 0;
    }
    out.fault_valid = unit_.fault_valid_o;
    if (out.fault_valid != 0) {
      for (unsigned port = 0; port < kNumIssue + 2; ++port) {
        Outputs::Fault& fault = out.fault[port];
        fault.cause = static_cast<FaultCause>(unit_.fault_cause_o[port]);
        fault.cta = unit_.fault_cta_o[port];
        fault.warp = unit_.fault_warp_o[port];
        fault.bar = unit_.fault_bar_o[port];
        fault.lanes = unit_.fault_lanes_o[port];
      }
    }
    out.entry_valid = unit_.entry_valid_o != 0;
    if (out.entry_valid) {
      out.entry_cta = unit_.entry_cta_o;
      out.entry_bar = unit_.entry_bar_o;
      out.entry_word = unit_.entry_word_o;
    }
    out.debug_word = unit_.debug_word_o;
    out.debug_live = unit_.debug_live_o != 0;
    out.debug_waiting = unit_.debug_waiting_o != 0;
    out.debug_warp_cta = unit_.debug_warp_cta_o;
    if constexpr (kMbarrier) {
      SampleMbarrier();
    }
  }

  void SampleMbarrier() {
    MbOutputs& mb = out.mb;
    mb.issue_ready = unit_.mb_issue_ready_o != 0;
    mb.async_ready = unit_.mb_async_ready_o != 0;
    mb.remote_ready = unit_.mb_remote_ready_o != 0;
    mb.busy = unit_.mb_busy_o;
    mb.fence_req = unit_.mb_fence_req_o;
    mb.read_valid = unit_.read_valid_o != 0;
    if (mb.read_valid) {
      mb.read_place = {unit_.read_cta_o, unit_.read_addr_o};
    }
    mb.write_valid = unit_.write_valid_o != 0;
    if (mb.write_valid) {
      mb.write_place = {unit_.write_cta_o, unit_.write_addr_o};
      mb.write_data = unit_.write_data_o;
    }
    mb.held_valid = unit_.held_valid_o;
    for (unsigned i = 0; mb.held_valid >> i != 0; ++i) {
      mb.held[i] = {unit_.held_cta_o[i], unit_.held_addr_o[i]};
    }
    mb.commit_valid = unit_.mb_commit_valid_o != 0;
    if (mb.commit_valid) {
      mb.commit.source = static_cast<MbSource>(unit_.mb_commit_source_o);
      mb.commit.warp = unit_.mb_commit_warp_o;
      mb.commit.written = unit_.mb_commit_written_o != 0;
      mb.commit.completed = unit_.mb_commit_completed_o != 0;
      mb.commit.parked = unit_.mb_commit_parked_o != 0;
      mb.commit.lanes = unit_.mb_commit_lanes_o;
      mb.commit.place = {unit_.mb_commit_cta_o, unit_.mb_commit_addr_o};
      mb.commit.word = unit_.mb_commit_word_o;
    }
    mb.wake = unit_.mb_wake_o;
    mb.expire = unit_.mb_expire_o;
    mb.response_valid = unit_.mb_response_valid_o != 0;
    if (mb.response_valid) {
      mb.response.warp = unit_.mb_response_warp_o;
      mb.response.op = static_cast<MbOp>(unit_.mb_response_op_o);
      mb.response.complete = unit_.mb_response_complete_o != 0;
      mb.response.lanes = unit_.mb_response_lanes_o;
      mb.response.operand = unit_.mb_response_operand_o;
      mb.response.token = unit_.mb_response_token_o;
    }
    mb.fault_valid = unit_.mb_fault_valid_o != 0;
    if (mb.fault_valid) {
      mb.fault.cause = static_cast<FaultCause>(unit_.mb_fault_cause_o);
      mb.fault.source = static_cast<MbSource>(unit_.mb_fault_source_o);
      mb.fault.warp = unit_.mb_fault_warp_o;
      mb.fault.lanes = unit_.mb_fault_lanes_o;
      mb.fault.place = {unit_.mb_fault_cta_o, unit_.mb_fault_addr_o};
    }
  }

  VerilatedContext context_;
  Unit unit_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t time_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_DUT_H_
