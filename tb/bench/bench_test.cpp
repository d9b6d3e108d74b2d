// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The tools of the bench: the traffic is as dense as it claims, and a checked run allocates no
// memory while it runs.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/recorder.h"
#include "tb/bench/allocations.h"
#include "tb/bench/traffic.h"

namespace muster {

void PrintTo(const Config& config, std::ostream* out) { *out << config.name; }  // names a test

namespace bench {
namespace {

using lockstep::Ending;
using lockstep::Options;
using lockstep::Recording;
using lockstep::Result;

constexpr std::uint64_t kSeed = 1;

class BenchTest : public testing::TestWithParam<Config> {};

INSTANTIATE_TEST_SUITE_P(Configs, BenchTest, testing::ValuesIn(Configs()));

// Traffic that notes what it consists of.
class Witness : public Traffic {
 public:
  explicit Witness(const Config& config) : Traffic(config, kSeed) {}

  void OnCommit(std::uint64_t /*cycle*/, const Operation& operation,
                const Effects& effects) override {
    kinds_.insert(Name(operation.kind));
    hazards_ |= effects.hazards;
  }

  const std::set<std::string>& kinds() const { return kinds_; }
  std::uint32_t hazards() const { return hazards_; }

 private:
  std::set<std::string> kinds_;
  std::uint32_t hazards_ = 0;
};

TEST_P(BenchTest, TrafficIsDenseAndLegal) {
  const Config& config = GetParam();
  Witness traffic(config);
  Options options;
  options.max_cycles = 50'000;
  const Result result = lockstep::Run(config, traffic, options);
  ASSERT_EQ(result.ending, Ending::kMaxCycles) << result.report;
  EXPECT_GE(2 * result.commit_cycles, result.cycles);
  EXPECT_GE(20 * result.releases, result.cycles);
  EXPECT_EQ(result.faults, 0U);
  EXPECT_EQ(traffic.hazards(), 0U);
  std::set<std::string> kinds = {"sync", "arrive", "launch", "exit", "end"};
  if (config.reduce) {
    kinds.insert({"red_and", "red_or", "red_popc"});
  }
  if (Has(config, OpKind::kB2rResult)) {
    kinds.insert("b2r_result");
  }
  if (config.state) {
    kinds.insert({"b2r_bar", "b2r_warp", "r2b_bar", "r2b_warp"});
  }
  EXPECT_EQ(traffic.kinds(), kinds);
}

// A run that is twice as long allocates as often.
TEST_P(BenchTest, CheckedCyclesAllocateNothing) {
  const Config& config = GetParam();
  constexpr std::uint64_t kCycles = 20'000;  // by then SystemC's queues have grown to their lengths
  Traffic traffic(config, kSeed);
  Recording pins;
  lockstep::Recorder recorder(&traffic, &pins);
  Options options;
  options.max_cycles = 2 * kCycles;
  ASSERT_EQ(lockstep::Run(config, recorder, options).ending, Ending::kMaxCycles);
  const auto run = [&](std::uint64_t cycles) {
    lockstep::Replay replay(pins);
    options.max_cycles = cycles;
    const std::uint64_t before = Allocations();
    EXPECT_EQ(lockstep::Run(config, replay, options).ending, Ending::kMaxCycles);
    return Allocations() - before;
  };
  const std::uint64_t once = run(kCycles);
  const std::uint64_t twice = run(2 * kCycles - 1);
  EXPECT_GT(once, 0U);
  EXPECT_EQ(twice, once);
}

}  // namespace
}  // namespace bench
}  // namespace muster
