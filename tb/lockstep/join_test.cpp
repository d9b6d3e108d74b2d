// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// CTAs that open a slot, and whose warps join one by one: rtl/README.md, "The life of a CTA".
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/isa/latency.h"
#include "sim/lockstep/bounds.h"
#include "tb/lockstep/script.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

using Id = Script::Id;

class Joins : public OnUnits {
 protected:
  // The steps of a walk: one that cleans a slot takes two cycles for each.
  unsigned steps() const { return std::max(kNumBars, config().num_warps); }
};

INSTANTIATE_TEST_SUITE_P(Units, Joins, testing::ValuesIn(With(&Config::join)));

// Each warp arrives as soon as it has joined; the last one releases all.
TEST_P(Joins, WarpsRunBeforeTheOthersHaveJoined) {
  Script script(config());
  script.Lifecycle(Open(0, 3));
  std::vector<Id> arrivals;
  for (const unsigned warp : {5U, 0U, 3U}) {
    const Id join = script.Lifecycle(Join(0, warp), 40ULL * arrivals.size());
    arrivals.push_back(script.Issue(0, Arrival(OpKind::kSync, warp, 7, 0)));
    script.After(join, arrivals.back());
  }
  script.Run();
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, 0b101001U);
  EXPECT_FALSE(script.EffectsOf(arrivals[0]).completed);
  EXPECT_FALSE(script.EffectsOf(arrivals[1]).completed);
  EXPECT_TRUE(script.EffectsOf(arrivals[2]).completed);
}

// An exit completes nothing as long as a warp is to join.
TEST_P(Joins, ExitBeforeAllHaveJoined) {
  Script script(config());
  script.Lifecycle(Open(0, 3));
  script.Lifecycle(Join(0, 1));
  script.Lifecycle(Join(0, 2));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kSync, 1, 0, 0));
  script.NextScene();
  const Id early = script.Lifecycle(Exit(2));
  script.NextScene();
  script.Lifecycle(Join(0, 2));  // another warp, in the slot of the one that has exited
  script.NextScene();
  const Id last = script.Lifecycle(Exit(2));
  script.Run();
  EXPECT_EQ(script.EffectsOf(early).released, 0U);
  EXPECT_EQ(script.EffectsOf(last).released, 0b10U);
}

// The next CTA of a slot finds nothing of the one before: neither arrivals, nor warps, nor copies.
TEST_P(Joins, SlotThatACtaHasLeft) {
  for (const OpKind kind : {OpKind::kEnd, OpKind::kSuspend}) {
    Script script(config());
    script.Launch(0, FirstWarps(8));
    for (unsigned bar = 0; bar < kNumBars; ++bar) {
      script.Issue(0, Arrival(OpKind::kArrive, bar % 4, bar, 8));
    }
    script.Issue(0, Arrival(OpKind::kSync, 7, 0, 8));
    script.NextScene();
    const Id left = script.Lifecycle(Leave(kind, 0));
    const Id open = script.Lifecycle(Open(0, 2));
    script.Lifecycle(Join(0, 7));
    script.Lifecycle(Join(0, 3));
    script.NextScene();
    std::vector<Id> firsts;
    for (unsigned bar = 0; bar < kNumBars; ++bar) {
      firsts.push_back(script.Issue(0, Arrival(OpKind::kArrive, 3, bar, 2)));
    }
    const Id second = script.Issue(0, Arrival(OpKind::kArrive, 7, 9, 2));
    script.Run();
    for (const Id first : firsts) {
      EXPECT_EQ(script.EffectsOf(first).fault, FaultCause::kNone);
      EXPECT_FALSE(script.EffectsOf(first).completed);
    }
    EXPECT_TRUE(script.EffectsOf(second).completed);
    // The walk that cleans the slot, and the open itself.
    EXPECT_LE(script.Committed(open) - script.Committed(left), 2 * steps() + 10);
  }
}

// While a slot is cleaned, another CTA opens, and its warps join, without a wait for that.
TEST_P(Joins, AmidTheCleaningOfAnotherSlot) {
  Script script(config());
  script.Launch(0, 0b11);
  const Id left = script.Lifecycle(Leave(OpKind::kEnd, 0));
  script.Lifecycle(Open(1, 1));
  const Id join = script.Lifecycle(Join(1, 4));
  script.Run();
  EXPECT_LT(script.Committed(join) - script.Committed(left), 2 * steps());
}

using Refused = Joins;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Refused);

std::vector<Config> WithFaults() {
  std::vector<Config> configs = With(&Config::join);
  configs.erase(std::remove_if(configs.begin(), configs.end(),
                               [](const Config& config) { return !config.faults; }),
                configs.end());
  return configs;
}

INSTANTIATE_TEST_SUITE_P(Units, Refused, testing::ValuesIn(WithFaults()));

// A warp that the CTA before has left, or that a refused launch has entered, is not live.
TEST_P(Refused, WarpsThatHaveNotJoined) {
  Script script(config());
  script.Launch(0, 0b0011);
  script.Lifecycle(Leave(OpKind::kSuspend, 0));
  Operation launch = Launch(0, 0b1100);
  launch.size = 1;
  const Id refused = script.Lifecycle(launch);
  script.Lifecycle(Open(0, 4));
  script.NextScene();
  std::vector<Id> strangers;
  for (unsigned warp = 0; warp < 4; ++warp) {
    strangers.push_back(script.Issue(0, Arrival(OpKind::kArrive, warp, 1, 2)));
  }
  script.NextScene();
  std::vector<Id> joins;
  for (unsigned warp = 0; warp < 4; ++warp) {
    joins.push_back(script.Lifecycle(Join(0, warp)));
  }
  script.Run();
  EXPECT_EQ(script.EffectsOf(refused).fault, FaultCause::kBadLaunch);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(script.EffectsOf(strangers[i]).fault, FaultCause::kWarpNotLive) << i;
    EXPECT_EQ(script.EffectsOf(joins[i]).fault, FaultCause::kNone) << i;
  }
}

TEST_P(Refused, JoinsThatCannotBe) {
  Script script(config());
  const Id early = script.Lifecycle(Join(1, 0));
  script.Lifecycle(Open(1, 2));
  const Id twice = script.Lifecycle(Open(1, 2));
  const Id none = script.Lifecycle(Join(1, 0, 0));
  script.Lifecycle(Join(1, 0));
  const Id live = script.Lifecycle(Join(1, 0));
  const Id lacks = script.Lifecycle(Join(1, config().num_warps % kMaxWarps));  // or is live
  script.Lifecycle(Join(1, 1));
  const Id surplus = script.Lifecycle(Join(1, 2));
  const Id empty = script.Lifecycle(Open(0, 0));
  const Id large = script.Lifecycle(Open(0, config().num_warps + 1));
  script.Run();
  EXPECT_EQ(script.EffectsOf(early).fault, FaultCause::kCtaNotResident);
  for (const Id id : {none, live, lacks, surplus}) {
    EXPECT_EQ(script.EffectsOf(id).fault, FaultCause::kBadJoin);
  }
  for (const Id id : {twice, empty, large}) {
    EXPECT_EQ(script.EffectsOf(id).fault, FaultCause::kBadLaunch);
  }
}

// A warp that joins with two lanes has exited with the second of them.
TEST_P(Joins, SomeLanes) {
  if (!config().lanes) {
    GTEST_SKIP() << "an exit is the whole warp's";
  }
  Script script(config());
  script.Lifecycle(Open(0, 2));
  script.Lifecycle(Join(0, 0, 0b110));
  script.Lifecycle(Join(0, 1));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kSync, 1, 2, 0));
  script.NextScene();
  std::vector<Id> exits;
  for (const unsigned lane : {1U, 2U}) {
    Operation exit = Exit(0);
    exit.lanes = 1U << lane;
    exits.push_back(script.Lifecycle(exit));
  }
  script.Run();
  EXPECT_EQ(script.EffectsOf(exits[0]).released, 0U);
  EXPECT_EQ(script.EffectsOf(exits[1]).released, 0b10U);
}

}  // namespace
}  // namespace muster::lockstep
