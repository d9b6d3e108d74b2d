// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random traffic through cluster scopes of several sizes, compared with the golden model in every
// cycle.
#include <gtest/gtest.h>

#include <cstdint>

#include "tb/traffic/cluster_traffic.h"
#include "tb/unit/cluster_bench.h"

namespace muster::cluster {

namespace {

constexpr unsigned kSeeds = 12;
constexpr unsigned kCycles = 10000;

template <typename Unit>
class ClusterRandom : public ::testing::Test {};
TYPED_TEST_SUITE(ClusterRandom, Units);

TYPED_TEST(ClusterRandom, EveryCycleAsTheModel) {
  lockstep::ClusterChecker::Counts sum;
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    ClusterBench<TypeParam> bench;
    Core core;
    Traffic traffic(bench.config(), bench.checker(), seed, &core);
    for (unsigned i = 0; i < kCycles; ++i) {
      traffic.Drive(bench.cycle(), bench.out, &bench.in);
      bench.Cycle();
      ASSERT_FALSE(this->HasFatalFailure());
      if (i == kCycles / 2) {  // in the middle of everything
        bench.Reset();
        traffic.Forget();
      }
    }
    traffic.Finish();
    for (unsigned i = 0; i < kCycles && !(traffic.Finished() && bench.checker().Settled()); ++i) {
      traffic.Drive(bench.cycle(), bench.out, &bench.in);
      bench.Cycle();
      ASSERT_FALSE(this->HasFatalFailure());
    }
    EXPECT_TRUE(traffic.Finished() && bench.checker().Settled());
    const auto& counts = bench.checker().counts();
    sum.releases += counts.releases;
    sum.late_releases += counts.late_releases;
    sum.go += counts.go;
    sum.faults += counts.faults;
    sum.grid_releases += counts.grid_releases;
    sum.delivered += counts.delivered;
    sum.lost += counts.lost;
    sum.writes += counts.writes;
    sum.refused_lives += counts.refused_lives;
  }
  EXPECT_GT(sum.releases, 100U);
  EXPECT_GT(sum.go, 100U);
  EXPECT_GT(sum.late_releases, 0U);
  EXPECT_GT(sum.faults, 10U);
  EXPECT_GT(sum.grid_releases, 10U);
  EXPECT_GT(sum.delivered, 1000U);
  EXPECT_GT(sum.lost, 100U);
  EXPECT_GT(sum.writes, 10U);
  EXPECT_GT(sum.refused_lives, 10U);
}

// Power-up with anything, and in reset: rst_ni does not fall.
TYPED_TEST(ClusterRandom, LowFromTheBeginning) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    ClusterBench<TypeParam> bench({seed, true});
    Core core;
    Traffic traffic(bench.config(), bench.checker(), seed, &core);
    for (unsigned i = 0; i < 300; ++i) {
      traffic.Drive(bench.cycle(), bench.out, &bench.in);
      bench.Cycle();
      ASSERT_FALSE(this->HasFatalFailure());
    }
  }
}

}  // namespace
}  // namespace muster::cluster
