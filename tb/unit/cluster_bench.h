// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A Verilated cluster scope under the checker of the lockstep.
#ifndef TB_UNIT_CLUSTER_BENCH_H_
#define TB_UNIT_CLUSTER_BENCH_H_

#include <Vcluster_four.h>
#include <Vcluster_odd.h>
#include <Vcluster_one.h>
#include <Vcluster_pair.h>
#include <Vcluster_sixteen.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "sim/isa/cluster_operation.h"
#include "sim/lockstep/cluster_checker.h"
#include "sim/lockstep/verilated_scope.h"
#include "sim/port/cluster_pins.h"

namespace muster::cluster {

// Of a Verilated model: its parameters (cluster.cmake).
template <typename Unit>
inline constexpr ClusterConfig kConfig{};
template <>
inline constexpr ClusterConfig kConfig<Vcluster_pair>{2, 8, 2, 2, 2, 16};
template <>
inline constexpr ClusterConfig kConfig<Vcluster_four>{4, 32, 8, 8, 2, 16};
template <>
inline constexpr ClusterConfig kConfig<Vcluster_sixteen>{16, 4, 2, 4, 8, 32};
template <>
inline constexpr ClusterConfig kConfig<Vcluster_one>{1, 4, 1, 1, 1, 16};
template <>
inline constexpr ClusterConfig kConfig<Vcluster_odd>{3, 5, 3, 5, 3, 16};

template <typename Unit>
class ClusterBench {
 public:
  explicit ClusterBench(const lockstep::PowerUp& power_up = {})
      : dut_(kConfig<Unit>, power_up), checker_(kConfig<Unit>) {
    dut_.Settle(in, &out);
  }

  const ClusterConfig& config() const { return kConfig<Unit>; }
  const lockstep::ClusterChecker& checker() const { return checker_; }
  std::uint64_t cycle() const { return cycle_; }

  void Reset() {
    in = ClusterInputs();
    dut_.Reset();
    checker_.Reset();
    dut_.Settle(in, &out);
  }

  // The pins of the cycle settle, and are compared; then comes the clock edge. The outputs are
  // those from before the edge.
  void Cycle() {
    dut_.Settle(in, &out);
    if (!checker_.Check(cycle_, in, out)) {
      const lockstep::Mismatch& wrong = *checker_.mismatch();
      FAIL() << "cycle " << cycle_ << ": " << wrong.field << ": " << wrong.unit << "; golden "
             << wrong.golden;
    }
    dut_.Clock();
    ++cycle_;
  }

  ClusterInputs in;
  ClusterOutputs out;

 private:
  lockstep::VerilatedCluster<Unit> dut_;
  lockstep::ClusterChecker checker_;
  std::uint64_t cycle_ = 0;
};

// Halves of a warp's lanes.
constexpr std::uint32_t kLow = 0x0000ffff;
constexpr std::uint32_t kHigh = 0xffff0000;
// Cycles from acceptance, with nothing else under way.
constexpr unsigned kRelease = 7;  // of the last arrival of a phase
constexpr unsigned kAnswer = 3;   // of a request until go or a fault; its warp is no longer busy

using Units =
    ::testing::Types<Vcluster_pair, Vcluster_four, Vcluster_sixteen, Vcluster_one, Vcluster_odd>;

}  // namespace muster::cluster

#endif  // TB_UNIT_CLUSTER_BENCH_H_
