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

#include "sim/lockstep/dut.h"
#include "sim/lockstep/power_up.h"
#include "sim/lockstep/verilated_context.h"
#include "sim/lockstep/verilated_pins.h"
#include "sim/lockstep/warp_dut.h"

namespace muster::lockstep {

template <typename Unit, bool kTraced = false>
class VerilatedWarp final : public WarpDut {
 public:
  explicit VerilatedWarp(const WarpShape& shape, const PowerUp& power_up = {})
      : shape_(shape), unit_(PoweredUp(&context_, power_up.seed), "warp") {
    DriveWarps(shape_, WarpInputs(), &unit_);
    unit_.clk_i = 0;
    unit_.rst_ni = static_cast<std::uint8_t>(!power_up.low);
    unit_.eval();
    Reset();
  }
  ~VerilatedWarp() override {
    CloseTrace();
    unit_.final();
    Verilated::threadContextp(&context_);  // which the scopes' destructors use
  }

  const WarpShape& shape() const override { return shape_; }

  void Settle(const WarpInputs& in, WarpOutputs* out) override {
    DriveWarps(shape_, in, &unit_);
    unit_.clk_i = 0;
    unit_.eval();
    Dump(0);
    SampleWarps(unit_, out);
  }

  void Clock() override {
    unit_.clk_i = 1;
    unit_.eval();
    Dump(kCycleNs / 2);
    ++cycle_;
  }

  void Reset() override {
    DriveWarps(shape_, WarpInputs(), &unit_);
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
  void Dump(std::uint64_t ns) {
    if (trace_) {
      trace_->dump(cycle_ * kCycleNs + ns);
    }
  }

  const WarpShape shape_;
  VerilatedContext context_;
  Unit unit_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t cycle_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_WARP_H_
