// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Cycles are skipped while all drivers sleep, and only while no operation is under way.
#include <gtest/gtest.h>

#include <cstdint>

#include "sim/isa/config.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/random_driver.h"
#include "tb/lockstep/script.h"

namespace muster::lockstep {
namespace {

// A random stream that claims to sleep, but continues.
class SaysItSleeps : public RandomDriver {
 public:
  using RandomDriver::RandomDriver;
  std::uint64_t SleepsUntil(std::uint64_t cycle) const override { return cycle + 1000; }
};

class Skip : public testing::TestWithParam<Config> {};

INSTANTIATE_TEST_SUITE_P(Units, Skip, testing::ValuesIn(BuiltConfigs()));

TEST_P(Skip, OnlyWhatIsQuiet) {
  Options options;
  options.max_cycles = 20'000;
  for (const bool skips : {true, false}) {
    RandomOptions random;
    random.seed = 3;
    SaysItSleeps driver(GetParam(), random);
    options.skips = skips;
    const Result result = lockstep::Run(GetParam(), driver, options);
    EXPECT_EQ(result.ending, Ending::kMaxCycles) << result.report;
    EXPECT_EQ(result.skipped > 0, skips);
    EXPECT_GE(result.cycles - result.skipped, options.max_cycles);
    EXPECT_GT(result.commits, 100U);
  }
}

}  // namespace
}  // namespace muster::lockstep
