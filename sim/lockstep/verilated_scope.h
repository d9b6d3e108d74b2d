// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The only place that knows the classes that Verilator makes of muster_warp, muster_atomics,
// muster_cluster and muster_fence_tracker.
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_SCOPE_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_SCOPE_H_

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sim/lockstep/atomics_dut.h"
#include "sim/lockstep/cluster_dut.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/fence_dut.h"
#include "sim/lockstep/power_up.h"
#include "sim/lockstep/verilated_context.h"
#include "sim/lockstep/verilated_pins.h"
#include "sim/lockstep/warp_dut.h"

namespace muster::lockstep {

// Whether it needs a clock. What a tracker needs, its driver knows.
template <typename Unit, typename Outputs>
void SampleActive(const Unit& unit, Outputs* out) {
  out->active = unit.active_o != 0;
}
template <typename Unit>
void SampleActive(const Unit& /*unit*/, FenceOutputs* /*out*/) {}

template <typename Of, typename Unit, bool kTraced>
class VerilatedScope final : public Of {
 public:
  using typename Of::Inputs;
  using typename Of::Outputs;
  using typename Of::Shape;

  explicit VerilatedScope(const Shape& shape, const PowerUp& power_up = {})
      : shape_(shape), unit_(PoweredUp(&context_, power_up.seed), Of::kName) {
    DriveScope(shape_, Inputs(), &unit_);
    unit_.clk_i = 0;
    unit_.rst_ni = static_cast<std::uint8_t>(!power_up.low);
    unit_.eval();
    Reset();
  }
  ~VerilatedScope() override {
    CloseTrace();
    unit_.final();
    Verilated::threadContextp(&context_);  // which the scopes' destructors use
  }

  const Shape& shape() const override { return shape_; }

  void Settle(const Inputs& in, Outputs* out) override {
    DriveScope(shape_, in, &unit_);
    unit_.clk_i = 0;
    unit_.eval();
    Dump(0);
    SampleScope(shape_, unit_, out);
    SampleActive(unit_, out);
  }

  void Clock() override {
    unit_.clk_i = 1;
    unit_.eval();
    Dump(kCycleNs / 2);
    ++cycle_;
  }

  void Reset() override {
    DriveScope(shape_, Inputs(), &unit_);
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

  const Shape shape_;
  VerilatedContext context_;
  Unit unit_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t cycle_ = 0;
};

template <typename Unit, bool kTraced = false>
using VerilatedWarp = VerilatedScope<WarpDut, Unit, kTraced>;
template <typename Unit, bool kTraced = false>
using VerilatedAtomics = VerilatedScope<AtomicsDut, Unit, kTraced>;
template <typename Unit, bool kTraced = false>
using VerilatedCluster = VerilatedScope<ClusterDut, Unit, kTraced>;
template <typename Unit, bool kTraced = false>
using VerilatedFences = VerilatedScope<FenceDut, Unit, kTraced>;

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_SCOPE_H_
