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

#include "sim/lockstep/cluster_dut.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/power_up.h"
#include "sim/lockstep/verilated_context.h"
#include "sim/lockstep/verilated_pins.h"

namespace muster::lockstep {

template <typename Unit, bool kTraced = false>
class VerilatedCluster final : public ClusterDut {
 public:
  explicit VerilatedCluster(const ClusterConfig& config, const PowerUp& power_up = {})
      : config_(config), dut_(PoweredUp(&context_, power_up.seed), "cluster") {
    DriveCluster(config_, ClusterInputs(), &dut_);
    dut_.clk_i = 0;
    dut_.rst_ni = static_cast<std::uint8_t>(!power_up.low);
    dut_.eval();
    Reset();
  }
  ~VerilatedCluster() override {
    CloseTrace();
    dut_.final();
  }

  const ClusterConfig& config() const override { return config_; }

  void Settle(const ClusterInputs& in, ClusterOutputs* out) override {
    DriveCluster(config_, in, &dut_);
    dut_.clk_i = 0;
    dut_.eval();
    Dump(0);
    SampleCluster(config_, dut_, out);
  }

  void Clock() override {
    dut_.clk_i = 1;
    dut_.eval();
    Dump(kCycleNs / 2);
    ++cycle_;
  }

  void Reset() override {
    DriveCluster(config_, ClusterInputs(), &dut_);
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
  void Dump(std::uint64_t ns) {
    if (trace_) {
      trace_->dump(cycle_ * kCycleNs + ns);
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
