// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the pins of a cluster scope say while their valid is low has no meaning, nor has what its
// registers and memories hold at power-up.
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdint>
#include <random>

#include "sim/isa/cluster_operation.h"
#include "sim/lockstep/cluster_checker.h"
#include "sim/lockstep/verilated_context.h"
#include "sim/lockstep/verilated_pins.h"
#include "sim/port/cluster_pins.h"
#include "tb/traffic/cluster_traffic.h"
#include "tb/unit/cluster_bench.h"

namespace muster::cluster {
namespace {

// A cluster scope that powers up with any values, and what its checker sees. Where valid is low,
// the pins have any values, too.
template <typename Unit>
class NoisyPins {
 public:
  explicit NoisyPins(unsigned seed)
      : random_(seed), dut_(lockstep::PoweredUp(&context_, seed), "cluster"), checker_(kShape) {
    dut_.rst_ni = 0;
    Settle();
    Clock();
    dut_.rst_ni = 1;
    Settle();
  }
  ~NoisyPins() { dut_.final(); }
  NoisyPins(const NoisyPins&) = delete;
  NoisyPins& operator=(const NoisyPins&) = delete;

  void Settle() {
    const ClusterInputs noise = Noise();
    lockstep::DriveScope(kShape, noise, &dut_);
    lockstep::DriveScope(kShape, in, &dut_);
    dut_.clk_i = 0;
    dut_.eval();
    lockstep::SampleScope(kShape, dut_, &out);
    out.active = dut_.active_o != 0;
  }
  void Clock() {
    dut_.clk_i = 1;
    dut_.eval();
  }
  lockstep::ClusterChecker& checker() { return checker_; }

  static constexpr ClusterConfig kShape = kConfig<Unit>;
  ClusterInputs in;
  ClusterOutputs out;

 private:
  std::uint32_t Any() { return static_cast<std::uint32_t>(random_()); }
  std::uint8_t Below(unsigned n) { return static_cast<std::uint8_t>(random_() % n); }
  ClusterInputs Noise() {
    ClusterInputs noise;
    noise.life_valid = noise.take_ready = true;
    noise.life = {static_cast<ClusterLifeOp>(Below(kNumClusterLifeOps)),
                  Below(kMaxGrids),
                  Below(256),
                  Any() % 4,
                  Below(kShape.num_clusters),
                  Below(kShape.num_ranks),
                  Below(kShape.num_units),
                  Below(kShape.num_ctas)};
    noise.take = {Any(), Any(), Any(), Any()};
    for (unsigned u = 0; u < kShape.num_units; ++u) {
      ClusterInputs::Unit& unit = noise.units[u];
      unit.request_valid = unit.send_valid = unit.cancel_valid = true;
      unit.request = {static_cast<ClusterOp>(Below(kNumClusterOps)), Below(kShape.num_warps),
                      Below(kShape.num_ctas), Any(), Any()};
      unit.send.cluster = Below(kShape.num_clusters);
      unit.send.rank = Below(kShape.num_ranks);
      unit.send.operand = Any();
      unit.cancel.cluster = Below(kShape.num_clusters);
      unit.cancel.multicast = Below(2) != 0;
    }
    return noise;
  }

  std::mt19937 random_;
  VerilatedContext context_;
  Unit dut_;
  lockstep::ClusterChecker checker_;
};

template <typename Unit>
class ClusterPayloads : public ::testing::Test {};
TYPED_TEST_SUITE(ClusterPayloads, Units);

// Random traffic, and any payloads where valid is low: they have no meaning.
TYPED_TEST(ClusterPayloads, MeanNothingWithoutValid) {
  std::uint64_t requests = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    NoisyPins<TypeParam> pins(seed);
    lockstep::ClusterChecker& checker = pins.checker();
    Core core;
    Traffic traffic(pins.kShape, checker, seed, &core);
    for (std::uint64_t cycle = 0; cycle < 1000; ++cycle) {
      traffic.Drive(cycle, pins.out, &pins.in);
      pins.Settle();
      ASSERT_TRUE(checker.Check(cycle, pins.in, pins.out))
          << "seed " << seed << ", cycle " << cycle << ": " << checker.mismatch()->field << ": "
          << checker.mismatch()->unit << "; golden " << checker.mismatch()->golden;
      pins.Clock();
    }
    requests += checker.counts().requests;
  }
  EXPECT_GT(requests, 20U);
}

}  // namespace
}  // namespace muster::cluster
