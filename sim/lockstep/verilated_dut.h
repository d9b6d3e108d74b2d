// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The only place that knows the class that Verilator makes of muster. Included once for each
// configuration, by a source that CMake writes.
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_DUT_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_DUT_H_

#include <verilated.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "sim/lockstep/dut.h"
#include "sim/lockstep/verilated_context.h"
#include "sim/lockstep/verilated_pins.h"

namespace muster::lockstep {

template <typename Unit, typename Shape, bool kTraced>
class VerilatedDut final : public Dut {
 public:
  explicit VerilatedDut(const PowerUp& power_up)
      : unit_(PoweredUp(&context_, power_up.seed), "muster") {
    if (!power_up.low) {
      Settle();
    }
    // In reset every pin is driven once, so that payloads whose valid is low are not random either.
    in.reset = true;
    in.issue_valid = (1U << Shape::kNumIssue) - 1;
    in.lifecycle_valid = in.exit_valid = true;
    in.mb.issue_valid = in.mb.async_valid = in.mb.remote_valid = in.mb.rdata_valid = true;
    Settle();
    in = Inputs();
    in.reset = true;
    Settle();
    Clock();
    Settle();
    in.reset = false;
  }

  ~VerilatedDut() override {
    CloseTrace();
    unit_.final();
    Verilated::threadContextp(&context_);  // which the scopes' destructors use
  }

  void Settle() override {
    unit_.rst_ni = static_cast<std::uint8_t>(!in.reset);
    DriveUnit<Shape>(0, in, &unit_);
    unit_.clk_i = 0;
    unit_.mb_clk_i = 0;
    unit_.eval();
    if (trace_) {
      trace_->dump(time_);
    }
    SampleUnit<Shape>(0, unit_, &out);
  }

  void Clock() override {
    unit_.clk_i = static_cast<std::uint8_t>(!in.gated);
    unit_.mb_clk_i = static_cast<std::uint8_t>(!in.gated && !in.mb.gated);
    unit_.eval();
    if (trace_) {
      trace_->dump(time_ + kCycleNs / 2);
      time_ += kCycleNs * (1 + in.stopped);
    }
  }

  bool CanCatchUp() const override { return !trace_; }
  void CatchUp(std::uint64_t cycles, std::uint64_t mb_cycles) override {
    for (std::uint64_t i = 0; i < std::max(cycles, mb_cycles); ++i) {
      unit_.clk_i = unit_.mb_clk_i = 0;
      unit_.eval();
      unit_.clk_i = static_cast<std::uint8_t>(i < cycles);
      unit_.mb_clk_i = static_cast<std::uint8_t>(i < mb_cycles);
      unit_.eval();
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
  VerilatedContext context_;
  Unit unit_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t time_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_DUT_H_
