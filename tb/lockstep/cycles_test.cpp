// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What operations do to others that come right before or after them: nothing, and it costs them no
// cycle beyond those that rtl/README.md publishes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/isa/state_word.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/script.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

using Id = Script::Id;

class Cycles : public OnUnits {
 protected:
  Operation WithoutLanes(Operation operation) const {
    operation.lanes = 0;
    return operation;
  }
};

using Drained = OnUnits;
using Joining = OnUnits;
using Reading = OnUnits;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Drained);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Joining);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Reading);
INSTANTIATE_TEST_SUITE_P(Units, Cycles, testing::ValuesIn(BuiltConfigs()));
INSTANTIATE_TEST_SUITE_P(Units, Drained, testing::ValuesIn(With(&Config::drain)));
INSTANTIATE_TEST_SUITE_P(Units, Joining, testing::ValuesIn(With(&Config::join)));
INSTANTIATE_TEST_SUITE_P(Units, Reading, testing::ValuesIn(With(&Config::reduce)));

// Eight warps whose drains are acknowledged in one cycle.
TEST_P(Drained, ArrivalsCommitOnePerCycle) {
  Script script(config());
  script.Launch(0, FirstWarps(8));
  script.Accessing(FirstWarps(8));
  script.Accessing(0, 60);
  std::vector<Id> ids;
  for (unsigned warp = 0; warp < 8; ++warp) {
    ids.push_back(script.Issue(0, Arrival(OpKind::kSync, warp, 3, 8)));
  }
  script.Run();
  for (unsigned i = 1; i < ids.size(); ++i) {
    EXPECT_EQ(script.Committed(ids[i]), script.Committed(ids[0]) + i) << "warp " << i;
  }
}

// An exit of some lanes waits in the unit until a state word has been written; meanwhile the other
// lanes of its warp arrive, and are in drain for long.
TEST_P(Drained, ExitGoesAheadOfALaterArrivalOfItsWarp) {
  if (!config().state || !config().lanes) {
    GTEST_SKIP() << "no state words, or no exits of lanes";
  }
  for (std::uint64_t from = 0; from < 8; ++from) {
    Script script(config());
    script.Launch(0, 0b11);
    script.Accessing(0b01);
    script.Accessing(0, 100);
    script.Issue(0, Write(OpKind::kR2bBar, 1, 3, 0));
    Operation some = Exit(0);
    some.lanes = 1;
    const Id exit = script.Lifecycle(some, from);
    Operation others = Arrival(OpKind::kArrive, 0, 5, 2);
    others.lanes = kAllLanes - 1;
    const Id arrival = script.Issue(0, others, from + 1);
    script.Run();
    ASSERT_GE(script.Committed(arrival), script.Accepted(arrival) + 80);
    EXPECT_LE(script.Committed(exit), script.Presented(exit) + 12) << "from cycle " << from;
  }
}

// The walk after reset is over when the launch comes.
TEST_P(Cycles, FirstLaunchAfterResetTakesNoLonger) {
  Script script(config());
  const Id launch = script.Lifecycle(Launch(0, 0b1), 100 + config().num_ctas * kNumBars);
  script.Run();
  EXPECT_EQ(script.Committed(launch) - script.Presented(launch), latency().launch);
}

// A launch that is there in the first cycle after the reset is not later than one that comes in the
// second.
TEST_P(Cycles, LaunchInTheFirstCycleAfterResetIsNotLate) {
  const auto committed = [this](std::uint64_t from) {
    Script script(config());
    const Id launch = script.Lifecycle(Launch(0, 0b11), from);
    script.Run();
    EXPECT_EQ(script.Presented(launch), from);
    return script.Committed(launch);
  };
  EXPECT_LE(committed(0), committed(1));
}

// A CTA ends while a warp of another one presents an operation, which commits as soon whether or
// not the operation before it, of a third warp, waits.
TEST_P(Cycles, WaitBeforeAnEndOfAnotherCtaCostsNothing) {
  for (std::uint64_t end = 0; end < 4; ++end) {
    for (std::uint64_t from = 0; from < 16; ++from) {
      const auto latency = [&](OpKind first) {
        Script script(config());
        script.Launch(0, 0b00001111);
        script.Launch(1, 0b11110000);
        script.Issue(0, Arrival(first, 1, 2, 4));
        script.Lifecycle(Leave(OpKind::kEnd, 1), end);
        const Id next = script.Issue(0, Arrival(OpKind::kArrive, 0, 3, 4), from);
        script.Run();
        return script.Committed(next) - script.Accepted(next);
      };
      EXPECT_EQ(latency(OpKind::kSync), latency(OpKind::kArrive))
          << "the end from cycle " << end << ", the arrival from " << from;
    }
  }
}

// An operation of a warp that does not wait commits as soon as that of any other warp, whatever its
// warp did before: an arrival, an operation of no lane, a wait that is over.
TEST_P(Cycles, WarpThatDoesNotWaitIsNotHeldUp) {
  const std::vector<Operation> before = {Arrival(OpKind::kArrive, 0, 1, 8),
                                         WithoutLanes(Arrival(OpKind::kSync, 0, 1, 8)),
                                         Arrival(OpKind::kSync, 0, 1, 1)};
  for (const Operation& first : before) {
    for (unsigned others = 0; others < 3; ++others) {
      for (std::uint64_t from = 0; from < 9; ++from) {
        Script script(config());
        script.Launch(0, FirstWarps(8));
        const Id id = script.Issue(0, first);
        for (unsigned other = 0; other < others; ++other) {
          script.Issue(0, Arrival(OpKind::kArrive, 1 + other, 2, 8), from);
        }
        const Id next = script.Issue(0, Arrival(OpKind::kArrive, 0, 3, 8), from);
        script.Issue(0, Arrival(OpKind::kArrive, 7, 4, 8), from);
        script.Run();
        const bool waits = first.kind == OpKind::kSync && first.lanes != 0;
        if (waits && script.Accepted(next) <= script.Committed(id) + latency().effect) {
          continue;  // the wait may not be over
        }
        EXPECT_EQ(script.Committed(next) - script.Accepted(next), latency().issue)
            << Name(first.kind) << ", " << others << " others, from cycle " << from;
      }
    }
  }
}

// The responses are not taken, and there is no place for another one; an arrival has none.
TEST_P(Reading, ArrivalNeedsNoPlaceForAResponse) {
  const unsigned places = config().num_issue > 1 ? 4 : 1;
  Script script(config());
  script.Launch(0, FirstWarps(8));
  script.Taking(false, 0);
  script.Taking(true, 200);
  for (unsigned warp = 0; warp < places; ++warp) {
    script.Issue(0, Read(OpKind::kB2rBar, warp));
  }
  const Id arrival = script.Issue(0, Arrival(OpKind::kArrive, 7, 3, 2), 30);
  script.Run();
  EXPECT_EQ(script.Committed(arrival) - script.Presented(arrival), latency().issue);
}

// The exit names a slot that is free, while the lifecycle port shows all warps for a join.
TEST_P(Joining, RefusedExitLeavesTheWarpInItsCta) {
  Operation join = Join(0, 5);
  join.warps = FirstWarps(8);
  for (std::uint64_t from = 0; from < 4; ++from) {
    Script script(config());
    script.Launch(0, 0b11);
    const Id exit = script.Lifecycle(InCta(1, Exit(0)));
    const Id surplus = script.Lifecycle(join, from);
    script.NextScene();
    script.Issue(0, Arrival(OpKind::kSync, 0, 3, 2));
    script.Issue(0, Arrival(OpKind::kSync, 1, 3, 2));
    script.Run();
    EXPECT_NE(script.EffectsOf(exit).fault, FaultCause::kNone);
    EXPECT_NE(script.EffectsOf(surplus).fault, FaultCause::kNone);
    ASSERT_EQ(script.releases().size(), 1U) << "from cycle " << from;
    EXPECT_EQ(script.releases()[0].warps, 0b11U) << "from cycle " << from;
  }
}

// A join that is refused leaves the number of warps that are still to join, also while the CTA is
// restored, and of a warp whose last operand looks like the state word of one that waits.
TEST_P(Joining, RefusedJoinCountsForNothing) {
  if (!config().state) {
    GTEST_SKIP() << "no state words";
  }
  BarState sync;
  sync.kind = static_cast<unsigned>(BarKind::kSync);
  sync.arrived = 1;
  WarpState waits;
  waits.waiting = true;
  Script script(config());
  script.Launch(0, 0b11);
  script.Issue(0, Write(OpKind::kR2bBar, 1, 0, Encode(sync)));
  script.NextScene();
  script.Issue(0, WithPredicates(Encode(waits), Read(OpKind::kB2rWarp, 0)));
  script.NextScene();
  const Id twice = script.Lifecycle(Join(0, 0));
  script.NextScene();
  const Id surplus = script.Lifecycle(Join(0, 5));
  script.NextScene();
  script.Issue(0, Write(OpKind::kR2bWarp, 0, 0, Encode(waits)));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kSync, 1, 0, 0));
  script.Run();
  EXPECT_NE(script.EffectsOf(twice).fault, FaultCause::kNone);
  EXPECT_NE(script.EffectsOf(surplus).fault, FaultCause::kNone);
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, 0b11U);
}

// A launch after the end of a CTA waits until the slot is clean, and a join meanwhile adds its own
// cycles only.
TEST_P(Joining, DoesNotBeginTheCleaningAgain) {
  const auto cycles = [this](bool joins, std::uint64_t from) {
    Script script(config());
    script.Launch(0, 0b1);
    const Id open = script.Lifecycle(Open(1, 2));
    script.NextScene();
    const Id end = script.Lifecycle(Leave(OpKind::kEnd, 0));
    if (joins) {
      script.Lifecycle(Join(1, 4), from);
    }
    const Id launch = script.Lifecycle(Launch(0, 0b1), from);
    script.Run();
    EXPECT_EQ(script.EffectsOf(open).fault, FaultCause::kNone);
    return script.Committed(launch) - script.Committed(end);
  };
  for (const std::uint64_t from : {10U, 20U, 30U}) {
    EXPECT_LE(cycles(true, from), cycles(false, from) + std::uint64_t{2} * latency().open) << from;
  }
}

// The lifecycle port shows all warps while one joins: only that one does, and no other changes its
// CTA, also if an exit makes a step of the cleaning take longer.
TEST_P(Joining, AmidTheCleaningLeavesOtherWarpsWhereTheyAre) {
  for (std::uint64_t from = 8; from < 12; ++from) {
    for (std::uint64_t later = 2; later < 9; ++later) {
      Script script(config());
      script.Launch(0, 0b1);
      script.Lifecycle(Open(1, 7));
      for (unsigned warp = 1; warp < 7; ++warp) {
        script.Lifecycle(Join(1, warp));
      }
      script.NextScene();
      script.Lifecycle(Leave(OpKind::kEnd, 0));
      Operation exit = InCta(1, Exit(6));
      exit.lanes = config().lanes ? 1 : kAllLanes;
      script.Lifecycle(exit, from);
      Operation join = Join(1, 7);
      join.warps = FirstWarps(8);
      script.Lifecycle(join, from + later);
      script.NextScene();
      for (unsigned warp = 1; warp < 6; ++warp) {
        script.Issue(0, InCta(1, Arrival(OpKind::kSync, warp, 3, 5)));
      }
      script.Run();
      ASSERT_EQ(script.releases().size(), 1U) << "from " << from << ", " << later << " later";
      EXPECT_EQ(script.releases()[0].warps, FirstWarps(6) - 1)
          << "from " << from << ", " << later << " later";
    }
  }
}

// An open of another slot goes ahead of the cleaning; one of the slot itself, right after it, does
// not. Meanwhile a warp asks, and is in drain in the next cycle.
TEST_P(Joining, SlotIsCleanWhenItIsOpenedAgain) {
  for (std::uint64_t from = 0; from < 20; ++from) {
    Script script(config());
    script.Launch(0, 0b11);
    script.Issue(0, Arrival(OpKind::kSync, 0, 15, 2));
    script.NextScene();
    script.Lifecycle(Leave(OpKind::kEnd, 0));
    script.Lifecycle(Open(1, 1));
    script.Lifecycle(Open(0, 1));
    script.Issue(0, Arrival(OpKind::kArrive, 7, 3, 2), from);  // is refused
    script.Accessing(1U << 7, from + 1);
    script.Accessing(0, 100);
    script.NextScene();
    script.Lifecycle(Join(0, 1));
    script.NextScene();
    const Id alone = script.Issue(0, Arrival(OpKind::kSync, 1, 15, 1));
    script.Run();
    EXPECT_EQ(script.EffectsOf(alone).fault, FaultCause::kNone) << "from cycle " << from;
    EXPECT_EQ(script.releases().size(), 1U) << "from cycle " << from;
  }
}

// An opened CTA ends before all its warps have joined; the next one in its slot is launched, and
// lacks none.
TEST_P(Joining, NoWarpJoinsALaunchedCta) {
  Script script(config());
  script.Lifecycle(Open(0, 3));
  script.Lifecycle(Join(0, 1));
  script.Lifecycle(Leave(OpKind::kEnd, 0));
  script.NextScene();
  script.Launch(0, 0b11);
  const Id surplus = script.Lifecycle(Join(0, 5));
  script.Run();
  EXPECT_EQ(script.EffectsOf(surplus).fault, FaultCause::kBadJoin);
}

// A launch of a slot that the unit lacks is refused; the warp that it names joins a CTA that is
// opened meanwhile.
TEST_P(Joining, RefusedLaunchOfNoSlotEntersNoWarp) {
  for (unsigned slot = config().num_ctas; slot < kMaxCtas && slot < config().num_ctas + 2; ++slot) {
    for (const unsigned cta : {0U, 1U}) {
      Script script(config());
      const Id launch = script.Lifecycle(Launch(slot, 1U << 7));
      script.Lifecycle(Open(cta, 1));
      const Id join = script.Lifecycle(Join(cta, 7));
      script.Run();
      EXPECT_EQ(script.EffectsOf(launch).fault, FaultCause::kBadLaunch);
      EXPECT_EQ(script.EffectsOf(join).fault, FaultCause::kNone) << slot << ", " << cta;
    }
  }
}

// A warp of a CTA that has ended joins another one, at any distance to the step of the cleaning
// that comes to it.
TEST_P(Joining, WarpLeftOverJoinsAmidTheCleaning) {
  for (std::uint64_t from = 8; from < 24; ++from) {
    Script script(config());
    script.Launch(0, FirstWarps(6));
    script.Lifecycle(Open(1, 1));
    script.NextScene();
    script.Lifecycle(Leave(OpKind::kEnd, 0));
    script.Lifecycle(Join(1, 5), from);
    script.NextScene();
    script.Issue(0, InCta(1, Arrival(OpKind::kSync, 5, 3, 1)));
    script.Run();
    EXPECT_EQ(script.releases().size(), 1U) << "from cycle " << from;
  }
}

// The barrier at which all warps have met last counts two warps now, one of which has come: an exit
// completes nothing.
TEST_P(Cycles, ExitCompletesNoBarrierWithACount) {
  Script script(config());
  script.Launch(0, 0b11);
  script.Issue(0, Arrival(OpKind::kSync, 0, 3, 0));
  script.Issue(0, Arrival(OpKind::kSync, 1, 3, 0));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kSync, 0, 3, 2));
  script.NextScene();
  const Id exit = script.Lifecycle(Exit(1));
  script.Run();
  EXPECT_FALSE(script.EffectsOf(exit).completed);
  EXPECT_EQ(script.releases().size(), 1U);
}

// A warp that waits for the only other one exits, which is refused, and goes on waiting.
TEST_P(Cycles, RefusedExitOfAWaitingWarpCompletesNothing) {
  if (!config().faults) {
    GTEST_SKIP() << "nothing is refused";
  }
  Script script(config());
  script.Launch(0, 0b11);
  script.Issue(0, Arrival(OpKind::kSync, 0, 3, 0));
  script.NextScene();
  const Id exit = script.Lifecycle(Exit(0));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kSync, 1, 3, 0));
  script.Run();
  EXPECT_EQ(script.EffectsOf(exit).fault, FaultCause::kWarpWaiting);
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, 0b11U);
}

// A launch walks; after each of its steps, which cost others three cycles at most, an arrival goes.
TEST_P(Cycles, ArrivalsGoBetweenTheStepsOfALaunch) {
  for (std::uint64_t from = 4; from < 8; ++from) {
    Script script(config());
    script.Launch(0, FirstWarps(4));
    const Id launch = script.Lifecycle(Launch(1, FirstWarps(8) - FirstWarps(4)));
    std::vector<Id> ids;
    for (unsigned warp = 0; warp < 4; ++warp) {
      ids.push_back(script.Issue(0, Arrival(OpKind::kArrive, warp, 3, 4), from));
    }
    script.Run();
    for (unsigned i = 0; i < ids.size(); ++i) {
      EXPECT_LE(script.Accepted(ids[i]),
                script.Presented(launch) + from + std::uint64_t{4} * (i + 1))
          << "from cycle " << from;
    }
  }
}

// R2B for a slot that is free, while the walk of a launch enters warps of another one: it is
// refused, and the slot stays free.
TEST_P(Cycles, RefusedR2bAmidALaunchTakesNoSlot) {
  if (!config().state || !config().faults) {
    GTEST_SKIP() << "no state words, or nothing is refused";
  }
  const std::uint64_t walk = std::uint64_t{2} * kNumBars * config().num_ctas;  // after reset
  for (std::uint64_t from = 0; from < 12; ++from) {
    Script script(config());
    script.Lifecycle(Launch(0, 0b11), walk);
    const Id write = script.Issue(0, InCta(1, Write(OpKind::kR2bBar, 7, 3, 0)), walk + from);
    script.NextScene();
    const Id launch = script.Lifecycle(Launch(1, 0b100));
    script.Run();
    EXPECT_EQ(script.EffectsOf(write).fault, FaultCause::kCtaNotResident) << "from " << from;
    EXPECT_EQ(script.EffectsOf(launch).fault, FaultCause::kNone) << "from cycle " << from;
  }
}

}  // namespace
}  // namespace muster::lockstep
