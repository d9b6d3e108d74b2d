// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The only place that knows the class that Verilator makes of tb/lockstep/warp_flat.sv.
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_WARP_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_WARP_H_

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sim/isa/fault.h"
#include "sim/isa/warp_operation.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/warp_dut.h"

namespace muster::lockstep {

template <typename Unit, bool kTraced = false>
class VerilatedWarp final : public WarpDut {
 public:
  // What reset leaves alone holds zeroes, or, with another number, anything.
  explicit VerilatedWarp(const WarpShape& shape, std::uint64_t power_up = 0)
      : shape_(shape), unit_(PoweredUp(&context_, power_up), "warp") {
    Reset();
  }
  ~VerilatedWarp() override {
    CloseTrace();
    unit_.final();
    Verilated::threadContextp(&context_);  // which the scopes' destructors use
  }

  const WarpShape& shape() const override { return shape_; }

  void Settle(const WarpInputs& in, WarpOutputs* out) override {
    Drive(in);
    unit_.clk_i = 0;
    unit_.eval();
    Dump(0);
    Sample(out);
  }

  void Clock() override {
    unit_.clk_i = 1;
    unit_.eval();
    Dump(kCycleNs / 2);
    ++cycle_;
  }

  void Reset() override {
    Drive(WarpInputs());
    unit_.rst_ni = 0;
    for (const unsigned char level : {0, 1, 0}) {
      unit_.clk_i = level;
      unit_.eval();
    }
    unit_.rst_ni = 1;
    unit_.eval();
  }

  void OpenTrace(const std::string& path, std::uint64_t cycle) override {
    if constexpr (kTraced) {
      trace_ = std::make_unique<VerilatedFstC>();
      unit_.trace(trace_.get(), kTraceLevels);
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

  // The initial contents of Verilator's registers and memories.
  static constexpr int kZeros = 0;
  static constexpr int kAny = 2;

  static VerilatedContext* PoweredUp(VerilatedContext* context, std::uint64_t power_up) {
    context->randReset(power_up == 0 ? kZeros : kAny);
    context->randSeed(static_cast<int>(power_up));
    context->traceEverOn(true);
    return context;
  }

  void Dump(std::uint64_t ns) {
    if (trace_) {
      trace_->dump(cycle_ * kCycleNs + ns);
    }
  }

  void Drive(const WarpInputs& in) {
    unit_.clear_i = in.clear;
    unit_.busy_i = in.busy;
    unit_.arrival_ready_i = static_cast<std::uint8_t>(in.arrival_ready);
    unit_.valid_i = static_cast<std::uint8_t>(in.valid);
    const WarpRequest& request = in.request;
    unit_.op_i = static_cast<std::uint8_t>(request.op);
    unit_.warp_i = request.warp;
    if (!in.valid) {
      return;
    }
    unit_.mode_i = request.mode;
    unit_.abs_i = static_cast<std::uint8_t>(request.abs);
    unit_.nan_i = static_cast<std::uint8_t>(request.nan);
    unit_.cta_i = request.cta;
    unit_.lanes_i = request.lanes;
    unit_.live_i = request.live;
    unit_.key_i = request.key;
    unit_.preds_i = request.preds;
    unit_.beat_i = static_cast<std::uint8_t>(in.beat);
    unit_.last_i = static_cast<std::uint8_t>(in.last);
    for (unsigned l = 0; l < shape_.lanes_per_beat; ++l) {
      unit_.values_i[l] = request.values[in.beat * shape_.lanes_per_beat + l];
    }
  }

  void Sample(WarpOutputs* out) {
    out->ready = unit_.ready_o != 0;
    out->active = unit_.active_o != 0;
    out->open = unit_.open_o;
    out->answer_valid = unit_.answer_valid_o != 0;
    if (out->answer_valid) {
      out->answer.op = static_cast<WarpOp>(unit_.answer_op_o);
      out->answer.warp = unit_.answer_warp_o;
      out->answer.lanes = unit_.answer_lanes_o;
      out->answer.data = unit_.answer_data_o;
      out->answer.pred = unit_.answer_pred_o != 0;
      if (out->answer.op == WarpOp::kRead) {
        SampleGroup(out);
      }
    }
    out->arrival_valid = unit_.arrival_valid_o != 0;
    if (out->arrival_valid) {
      out->arrival = {unit_.arrival_warp_o, unit_.arrival_cta_o, unit_.arrival_lanes_o,
                      unit_.arrival_key_o, unit_.arrival_preds_o};
    }
    out->fault_valid = unit_.fault_valid_o != 0;
    if (out->fault_valid) {
      out->fault = {static_cast<FaultCause>(unit_.fault_cause_o), unit_.fault_warp_o,
                    unit_.fault_lanes_o};
    }
  }

  void SampleGroup(WarpOutputs* out) {
    out->group_open = unit_.group_open_o != 0;
    out->group_cta = unit_.group_cta_o;
    out->group = DecodeInstruction(unit_.group_code_o);
    out->group.key = unit_.group_key_o;
    out->group.lanes = unit_.group_lanes_o;
    out->group.preds = unit_.group_preds_o;
    out->value = unit_.value_o;
  }

  const WarpShape shape_;
  VerilatedContext context_;
  Unit unit_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t cycle_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_WARP_H_
