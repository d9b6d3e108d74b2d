// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// When idle_o is high, and that the unit needs no clock edge meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/random_driver.h"
#include "tb/lockstep/script.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

using Id = Script::Id;

constexpr std::uint64_t kAfter = 3;  // cycles after the latest commit, as published

class Idle : public OnUnits {
 protected:
  // It is not idle in [from, to), and is in cycle `to`.
  static void ExpectFirst(const Script& script, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t cycle = from; cycle < to; ++cycle) {
      EXPECT_FALSE(script.Idle(cycle)) << "cycle " << cycle << " of " << from << " to " << to;
    }
    EXPECT_TRUE(script.Idle(to)) << "cycle " << to;
  }
};

INSTANTIATE_TEST_SUITE_P(Units, Idle, testing::ValuesIn(BuiltConfigs()));

TEST_P(Idle, WhileWarpsWait) {
  Script script(config());
  const Id launch = script.Launch(0, 0b11);
  const Id first = script.Issue(0, Arrival(OpKind::kSync, 0, 3, 0));
  script.NextScene();
  const Id last = script.Issue(0, Arrival(OpKind::kSync, 1, 3, 0), 40);
  script.NextScene();
  const Id exit = script.Lifecycle(Exit(1));
  script.Run();
  ExpectFirst(script, script.Presented(launch), script.Committed(launch) + kAfter);
  ExpectFirst(script, script.Presented(first), script.Committed(first) + kAfter);
  for (std::uint64_t cycle = script.Committed(first) + kAfter; cycle < script.Presented(last);
       ++cycle) {
    EXPECT_TRUE(script.Idle(cycle));  // a warp waits
  }
  ExpectFirst(script, script.Presented(last), script.Committed(last) + kAfter);
  ExpectFirst(script, script.Presented(exit), script.Committed(exit) + kAfter);
}

TEST_P(Idle, NotInDrain) {
  if (!config().drain) {
    GTEST_SKIP();
  }
  Script script(config());
  script.Launch(0, 0b11);
  script.Accessing(0b1);
  script.Accessing(0, 50);
  const Id parked = script.Issue(0, Arrival(OpKind::kSync, 0, 3, 0));
  script.Run();
  EXPECT_GE(script.Committed(parked), script.Accepted(parked) + 40);
  ExpectFirst(script, script.Presented(parked), script.Committed(parked) + kAfter);
}

TEST_P(Idle, NotWithAResponseThatIsHeld) {
  if (!config().reduce) {
    GTEST_SKIP();
  }
  Script script(config());
  script.Launch(0, 0b11);
  script.Taking(false, 0);
  script.Taking(true, 50);
  const Id read = script.Issue(0, Read(OpKind::kB2rBar, 0));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kArrive, 0, 3, 2), 20);
  script.Run();
  ASSERT_EQ(script.responses().size(), 1U);
  EXPECT_GE(script.responses()[0].cycle, script.Accepted(read) + 40);
  ExpectFirst(script, script.Presented(read), script.responses()[0].cycle + kAfter);
}

// With open and join, a slot is cleaned after its CTA has left, and after a launch that was
// refused: two cycles for each step, and two more until the last one has passed.
TEST_P(Idle, NotWhileASlotIsCleaned) {
  const std::uint64_t steps = std::max(kNumBars, config().num_warps);
  const std::uint64_t walk = config().join ? 2 * steps + 2 : 0;
  for (const bool refused : {false, true}) {
    if (refused && !config().faults) {
      continue;
    }
    Script script(config());
    script.Launch(0, 0b1);
    const Id first = script.Lifecycle(refused ? Launch(0, 0b10) : Leave(OpKind::kEnd, 0));
    script.NextScene();
    const Id later = script.Lifecycle(Launch(1, 0b10), 400);
    script.Run();
    EXPECT_EQ(script.EffectsOf(first).fault != FaultCause::kNone, refused);
    std::uint64_t cycle = script.Committed(first) + kAfter;
    for (; !script.Idle(cycle) && cycle < script.Presented(later); ++cycle) {
    }
    EXPECT_GE(cycle, script.Committed(first) + walk);
    EXPECT_LE(cycle, script.Committed(first) + walk + 2 * kAfter);
  }
}

// With the clocks off in idle cycles, all goes on as with them, and they are off in a good part of
// a stream with pauses.
TEST_P(Idle, NeedsNoClock) {
  RandomOptions random;
  random.seed = 4;
  random.pauses = true;
  Options options;
  options.max_cycles = 50'000;
  options.skips = false;
  for (const Gating gates : {Gating::kUnit, Gating::kMbarriers, Gating::kNone}) {
    RandomDriver driver(config(), random);
    options.gates = gates;
    const Result result = lockstep::Run(config(), driver, options);
    EXPECT_EQ(result.ending, Ending::kMaxCycles) << result.report;
    EXPECT_GT(result.commits, 1000U);
    const bool unit = gates == Gating::kUnit;
    EXPECT_EQ(result.gated > result.cycles / 20, unit) << result.gated;
    EXPECT_EQ(result.gated == 0, !unit);
    const bool mbarriers = gates != Gating::kNone && config().mbarrier;
    EXPECT_EQ(result.mb_gated > result.cycles / 20, mbarriers) << result.mb_gated;
    EXPECT_EQ(result.mb_gated == 0, !mbarriers);
  }
}

}  // namespace
}  // namespace muster::lockstep
