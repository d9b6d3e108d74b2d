// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Directed tests of the unit: drain, exits, faults, and the mistakes that other barrier units make.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/random_driver.h"
#include "tb/lockstep/script.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

using Id = Script::Id;

using Unit = OnUnits;

INSTANTIATE_TEST_SUITE_P(Units, Unit, testing::ValuesIn(BuiltConfigs()));

// ------------------------------------------------------------------------------------------------
// Memory drain
// ------------------------------------------------------------------------------------------------

using Drain = Unit;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Drain);
INSTANTIATE_TEST_SUITE_P(Units, Drain, testing::ValuesIn(With(&Config::drain)));

TEST_P(Drain, NothingOutstandingNothingRequested) {
  Script script(config());
  script.Launch(0, 0b11);
  script.Issue(0, Arrival(OpKind::kSync, 0, 0, 0));
  script.Issue(0, Arrival(OpKind::kSync, 1, 0, 0));
  script.Run();
  EXPECT_EQ(script.fenced(), 0U);
}

// Warp 0 has an access outstanding for 200 cycles; the others, at every port, do not notice.
TEST_P(Drain, ParksAndBlocksNobody) {
  constexpr std::uint64_t kPerformed = 200;
  for (const OpKind kind : {OpKind::kSync, OpKind::kArrive, OpKind::kRedOr}) {
    if (!Has(config(), kind)) {
      continue;
    }
    Script script(config());
    script.Launch(0, FirstWarps(8));
    script.Accessing(0b1);
    script.Accessing(0, kPerformed);
    const Id parked = script.Issue(0, Arrival(kind, 0, 1, 1));
    std::vector<Id> others;
    for (unsigned i = 0; i < 7 * config().num_issue; ++i) {
      const unsigned port = i % config().num_issue;
      others.push_back(script.Issue(port, Arrival(OpKind::kArrive, 1 + port, 2 + port, 7)));
    }
    script.Run();
    EXPECT_EQ(script.fenced(), 0b1U);
    EXPECT_GE(script.Committed(parked), script.Accepted(parked) + kPerformed);
    for (const Id id : others) {
      EXPECT_LT(script.Committed(id), script.Accepted(parked) + kPerformed / 2);
    }
  }
}

// Operations that touch no barrier pass while the warp's accesses are outstanding.
TEST_P(Drain, StateWordsNeedNone) {
  if (!config().state) {
    GTEST_SKIP() << "no R2B";
  }
  Script script(config());
  script.Launch(0, 0b1);
  script.Accessing(0b1);
  const Id write = script.Issue(0, Write(OpKind::kR2bBar, 0, 4, 0));
  const Id read = script.Issue(0, Read(OpKind::kB2rBar, 0, 4));
  script.Run();
  EXPECT_EQ(script.fenced(), 0U);
  EXPECT_GT(script.Committed(read), script.Committed(write));
}

// Every warp is parked at once, and all are acknowledged in one cycle: none is forgotten.
TEST_P(Drain, AllWarpsAtOnce) {
  const unsigned warps = config().num_warps;
  Script script(config());
  script.Launch(0, FirstWarps(warps));
  script.Accessing(FirstWarps(warps));
  script.Accessing(0, 200);
  std::vector<Id> ids;
  for (unsigned warp = 0; warp < warps; ++warp) {
    ids.push_back(script.Issue(warp % config().num_issue, Arrival(OpKind::kSync, warp, 1, 0)));
  }
  script.Run();
  EXPECT_EQ(script.fenced(), FirstWarps(warps));
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, FirstWarps(warps));
}

// The next operation of a warp in drain, its exit and its CTA's end wait for the drain.
TEST_P(Drain, HoldsUpItsOwnWarp) {
  constexpr std::uint64_t kPerformed = 150;
  Script script(config());
  script.Launch(0, 0b11);
  script.Accessing(0b1);
  script.Accessing(0, kPerformed);
  const Id parked = script.Issue(0, Arrival(OpKind::kArrive, 0, 1, 2));
  const Id next = script.Issue(0, Arrival(OpKind::kArrive, 0, 1, 2));
  const Id exit = script.Lifecycle(Exit(0), kPerformed + 60);
  script.NextScene();
  script.Accessing(0b10);
  script.Accessing(0, kPerformed);
  const Id last = script.Issue(0, Arrival(OpKind::kArrive, 1, 1, 1));
  const Id ended = script.Lifecycle(Leave(OpKind::kEnd, 0), 10);
  script.Run();
  EXPECT_GT(script.Accepted(next), script.Accepted(parked) + kPerformed - 5);
  EXPECT_GT(script.Committed(exit), script.Committed(next));
  EXPECT_GT(script.Committed(ended), script.Committed(last));
  EXPECT_GT(script.Committed(ended), script.Accepted(last) + kPerformed - 5);
}

// ------------------------------------------------------------------------------------------------
// Responses
// ------------------------------------------------------------------------------------------------

using Responses = Unit;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Responses);
INSTANTIATE_TEST_SUITE_P(Units, Responses, testing::ValuesIn(With(&Config::reduce)));

// No response is taken for 100 cycles: reads wait, arrivals at other ports do not.
TEST_P(Responses, AreHeldUntilTaken) {
  Script script(config());
  script.Launch(0, FirstWarps(8));
  script.Taking(false, 0);
  script.Taking(true, 100);
  const unsigned last = config().num_issue - 1;
  for (unsigned warp = 0; warp < 6; ++warp) {
    script.Issue(0, Read(OpKind::kB2rWarp, warp));
  }
  const Id arrive = script.Issue(last, Arrival(OpKind::kArrive, 7, 1, 1));
  script.Run();
  ASSERT_EQ(script.responses().size(), 6U);
  for (unsigned warp = 0; warp < 6; ++warp) {
    EXPECT_EQ(script.responses()[warp].warp, warp);
  }
  if (last != 0) {
    EXPECT_LT(script.Committed(arrive), script.responses()[0].cycle);
  }
}

// A refused read, and one that no lane executes, answer nothing and leave room for the next.
TEST_P(Responses, NoneOfARefusedRead) {
  if (!config().faults) {
    GTEST_SKIP() << "nothing is refused";
  }
  Script script(config());
  script.Launch(0, 0b1);
  for (unsigned i = 0; i < 10; ++i) {
    script.Issue(0, Read(OpKind::kB2rBar, 1, 3));  // not live
    Operation nobody = Read(OpKind::kB2rBar, 0, 3);
    nobody.lanes = 0;
    script.Issue(0, nobody);
  }
  const Id read = script.Issue(0, Read(OpKind::kB2rBar, 0, 3));
  script.Run();
  EXPECT_TRUE(script.EffectsOf(read).responds);
  EXPECT_EQ(script.responses().size(), 1U);
}

// ------------------------------------------------------------------------------------------------
// Exits
// ------------------------------------------------------------------------------------------------

TEST_P(Unit, ExitReleasesThoseWhoWait) {
  Script script(config());
  script.Launch(0, 0b1111);
  script.Issue(0, Arrival(OpKind::kSync, 0, 9, 0));
  script.Issue(0, Arrival(OpKind::kSync, 2, 9, 0));
  script.NextScene();
  script.Lifecycle(Exit(1));
  const Id last = script.Lifecycle(Exit(3));
  script.Run();
  EXPECT_TRUE(script.EffectsOf(last).completed);
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, 0b101U);
}

// Exit and last arrival in one cycle, in all alignments: released once.
TEST_P(Unit, ExitBesideTheLastArrival) {
  for (unsigned apart = 0; apart < 12; ++apart) {
    Script script(config());
    script.Launch(0, 0b111);
    script.Issue(0, Arrival(OpKind::kSync, 0, 9, 0));
    script.NextScene();
    script.Issue(0, Arrival(OpKind::kSync, 1, 9, 0), 6);
    script.Lifecycle(Exit(2), apart);
    script.Run();
    ASSERT_EQ(script.releases().size(), 1U) << apart;
    EXPECT_EQ(script.releases()[0].warps, 0b11U) << apart;
  }
}

TEST_P(Unit, ExitDoesNotTouchAnExplicitCount) {
  Script script(config());
  script.Launch(0, 0b111);
  script.Issue(0, Arrival(OpKind::kSync, 0, 9, 3));
  script.NextScene();
  const Id exit = script.Lifecycle(Exit(1));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kArrive, 2, 9, 3));
  const Id last = script.Issue(0, Arrival(OpKind::kSync, 2, 9, 3));
  script.Run();
  EXPECT_FALSE(script.EffectsOf(exit).completed);
  EXPECT_TRUE(script.EffectsOf(last).completed);
  ASSERT_EQ(script.releases().size(), 1U);
}

using Reductions = Unit;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Reductions);
INSTANTIATE_TEST_SUITE_P(Units, Reductions, testing::ValuesIn(With(&Config::reduce)));

TEST_P(Reductions, ExitReleasesWithTheResult) {
  for (const OpKind kind : {OpKind::kRedAnd, OpKind::kRedOr, OpKind::kRedPopc}) {
    Script script(config());
    script.Launch(0, 0b111);
    script.Issue(0, WithPredicates(kAllLanes, Arrival(kind, 0, 9, 0)));
    script.Issue(0, WithPredicates(0xff, Arrival(kind, 2, 9, 0)));
    script.NextScene();
    script.Lifecycle(Exit(1));
    script.NextScene();
    const bool reads = Has(config(), OpKind::kB2rResult);
    if (reads) {
      script.Issue(0, Read(OpKind::kB2rResult, 2));
    }
    script.Run();
    const unsigned value = kind == OpKind::kRedAnd ? 0 : kind == OpKind::kRedOr ? 1 : 40;
    ASSERT_EQ(script.releases().size(), 1U);
    EXPECT_EQ(script.releases()[0].warps, 0b101U);
    EXPECT_EQ(script.releases()[0].kind, static_cast<BarKind>(kind));
    EXPECT_EQ(script.releases()[0].value, value);
    ASSERT_EQ(script.responses().size(), reads ? 1U : 0U);
    if (reads) {
      EXPECT_EQ(script.responses()[0].data, kind == OpKind::kRedPopc ? value : 0);
      EXPECT_EQ(script.responses()[0].pred, kind == OpKind::kRedOr);
    }
  }
}

// Nothing of a reduction is left for the next at the entry, nor for its neighbours.
TEST_P(Reductions, EveryOneStartsAfresh) {
  struct Round {
    OpKind kind;
    std::uint32_t predicates;
    unsigned value;
  };
  const std::vector<Round> rounds = {
      {OpKind::kRedAnd, kAllLanes, 1}, {OpKind::kRedAnd, 0, 0},
      {OpKind::kRedAnd, kAllLanes, 1}, {OpKind::kRedPopc, 0xf, 8},
      {OpKind::kRedPopc, 0x3, 4},      {OpKind::kRedOr, 0, 0},
      {OpKind::kRedOr, 1, 1},          {OpKind::kRedOr, 0, 0},
      {OpKind::kRedPopc, 0, 0},        {OpKind::kRedPopc, kAllLanes, 64},
      {OpKind::kRedAnd, kAllLanes, 1}};
  for (const bool between : {false, true}) {
    Script script(config());
    script.Launch(0, 0b11);
    for (const Round& round : rounds) {
      for (unsigned warp = 0; warp < 2; ++warp) {
        script.Issue(0, WithPredicates(round.predicates, Arrival(round.kind, warp, 4, 0)));
      }
      script.NextScene();
      if (between) {
        script.Issue(0, Arrival(OpKind::kArrive, 0, 4, 1));
      }
    }
    script.Run();
    std::vector<unsigned> values;
    for (const Script::Release& release : script.releases()) {
      values.push_back(release.value);
    }
    std::vector<unsigned> expected;
    expected.reserve(std::size(rounds));
    for (const Round& round : rounds) {
      expected.push_back(round.value);
    }
    EXPECT_EQ(values, expected);
  }
}

// ------------------------------------------------------------------------------------------------
// The mistakes of others
// ------------------------------------------------------------------------------------------------

using Peers = Unit;
INSTANTIATE_TEST_SUITE_P(Units, Peers, testing::ValuesIn(BuiltConfigs()));

// 1: completion judged against all CTAs' waiters.
TEST_P(Peers, TwoCtasInterleaved) {
  Script script(config());
  script.Launch(0, 0b0101);
  script.Launch(1, 0b1010);
  script.Issue(0, Arrival(OpKind::kSync, 0, 3, 0));
  script.Issue(0, InCta(1, Arrival(OpKind::kSync, 1, 3, 0)));
  script.Issue(0, Arrival(OpKind::kSync, 2, 3, 0));
  script.NextScene();
  script.Issue(0, InCta(1, Arrival(OpKind::kSync, 3, 3, 0)));
  script.Run();
  ASSERT_EQ(script.releases().size(), 2U);
  EXPECT_EQ(script.releases()[0].warps, 0b0101U);
  EXPECT_EQ(script.releases()[1].warps, 0b1010U);
}

// 3: a CTA's first warp arrives in the cycle after the launch, and is released at once.
TEST_P(Peers, ArrivalRightAfterTheLaunch) {
  Script script(config());
  const Id launched = script.Lifecycle(Launch(0, 0b11));
  const Id first = script.Issue(0, Arrival(OpKind::kSync, 0, 3, 0));
  script.After(launched, first);
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kSync, 1, 3, 0));
  script.Run();
  EXPECT_LE(script.Accepted(first), script.Committed(launched) + 2);
  EXPECT_FALSE(script.EffectsOf(first).completed);
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, 0b11U);
}

// 5: arrivals back to back at different barriers read each other's state.
TEST_P(Peers, BackToBackAtDifferentBarriers) {
  Script script(config());
  script.Launch(0, FirstWarps(8));
  for (unsigned warp = 0; warp < 8; ++warp) {
    script.Issue(0, Arrival(OpKind::kArrive, warp, warp % 2, 4));
  }
  script.NextScene();
  // Both generations have completed: a sync at each waits.
  script.Issue(0, Arrival(OpKind::kSync, 0, 0, 2));
  script.Issue(0, Arrival(OpKind::kSync, 1, 1, 2));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kSync, 2, 0, 2));
  script.Issue(0, Arrival(OpKind::kSync, 3, 1, 2));
  script.Run();
  ASSERT_EQ(script.releases().size(), 2U);
  EXPECT_EQ(script.releases()[0].warps, 0b0101U);
  EXPECT_EQ(script.releases()[1].warps, 0b1010U);
}

// 8: arrivals kept as a set of warps.
TEST_P(Peers, SecondArriveOfAWarpCounts) {
  Script script(config());
  script.Launch(0, 0b111);
  script.Issue(0, Arrival(OpKind::kArrive, 0, 3, 3));
  const Id again = script.Issue(0, Arrival(OpKind::kArrive, 0, 3, 3));
  script.NextScene();
  const Id last = script.Issue(0, Arrival(OpKind::kSync, 1, 3, 3));
  script.Run();
  EXPECT_EQ(script.EffectsOf(again).hazards, 1U << static_cast<unsigned>(Hazard::kRepeatedArrival));
  EXPECT_TRUE(script.EffectsOf(last).completed);
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, 0b10U);
}

// 12: one warp is never kept waiting, so a test needs two.
TEST_P(Peers, OneOfTwoWarpsWaits) {
  Script script(config());
  script.Launch(0, 0b11);
  const Id first = script.Issue(0, Arrival(OpKind::kSync, 0, 0, 0));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kSync, 1, 0, 0));
  script.Run();
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_GT(script.releases()[0].cycle, script.Committed(first) + 10);
}

using Faults = Unit;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Faults);
INSTANTIATE_TEST_SUITE_P(Units, Faults, testing::ValuesIn(With(&Config::faults)));

// 9: a count that is not a multiple of the warp size is never released, and never reported.
TEST_P(Faults, OddCountIsReported) {
  Script script(config());
  script.Launch(0, 0b11);
  Operation odd = Arrival(OpKind::kSync, 0, 3, 0);
  odd.count = 33;
  const Id refused = script.Issue(0, odd);
  const Id good = script.Issue(0, Arrival(OpKind::kSync, 0, 3, 2));
  script.Issue(0, Arrival(OpKind::kSync, 1, 3, 2));
  script.Run();
  EXPECT_EQ(script.EffectsOf(refused).fault, FaultCause::kCountNotMultiple);
  EXPECT_EQ(script.EffectsOf(good).fault, FaultCause::kNone);
  EXPECT_EQ(script.releases().size(), 1U);
}

// Misuse amid a reduction changes nothing of it.
TEST_P(Faults, ChangeNothing) {
  if (!config().state) {
    GTEST_SKIP() << "no R2B";
  }
  Script script(config());
  script.Launch(0, 0b1111);
  script.Issue(0, WithPredicates(0xf, Arrival(OpKind::kRedPopc, 0, 3, 0)));
  std::vector<Id> refused = {
      script.Issue(0, Arrival(OpKind::kRedPopc, 0, 3, 0)),                     // waits
      script.Issue(0, Arrival(OpKind::kArrive, 1, 3, 0)),                      // no count
      script.Issue(0, WithPredicates(1, Arrival(OpKind::kRedAnd, 1, 3, 0))),   // another kind
      script.Issue(0, WithPredicates(1, Arrival(OpKind::kRedPopc, 1, 3, 4))),  // another count
      script.Issue(0, Arrival(OpKind::kRedPopc, 5, 3, 0)),                     // not live
      script.Issue(0, InCta(1, Arrival(OpKind::kRedPopc, 1, 3, 0))),           // not resident
      script.Issue(0, Arrival(OpKind::kSync, 1, 3, 5)),                        // above the CTA
      script.Issue(0, Write(OpKind::kR2bBar, 1, 3, 0xe0000000)),               // impossible
      script.Lifecycle(Exit(0), 60),                                           // waits
  };
  script.NextScene();
  for (unsigned warp = 1; warp < 4; ++warp) {
    script.Issue(0, WithPredicates(0x3, Arrival(OpKind::kRedPopc, warp, 3, 0)));
  }
  script.Run();
  const std::vector<FaultCause> causes = {
      FaultCause::kWarpWaiting,   FaultCause::kArvWithoutCount, FaultCause::kKindMismatch,
      FaultCause::kCountMismatch, FaultCause::kWarpNotLive,     FaultCause::kCtaNotResident,
      FaultCause::kCountAboveCta, FaultCause::kBadStateWord,    FaultCause::kWarpWaiting};
  for (unsigned i = 0; i < refused.size(); ++i) {
    EXPECT_EQ(script.EffectsOf(refused[i]).fault, causes[i]) << i;
  }
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].value, 10U);
}

}  // namespace
}  // namespace muster::lockstep
