// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Split phases, cycle by cycle: latencies, the cycles around a completion, drains and responses.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sim/isa/config.h"
#include "tb/lockstep/script.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

using Id = Script::Id;

using Split = OnUnits;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Split);
INSTANTIATE_TEST_SUITE_P(Units, Split, testing::ValuesIn(With(&Config::split)));

Operation WaitFor(unsigned phase, unsigned warp, unsigned bar) {
  Operation operation = Arrival(OpKind::kWait, warp, bar, 0);
  operation.operand = phase;
  return operation;
}

// A wait for a phase that has completed is released as late as the last arrival of a generation.
TEST_P(Split, CompletedPhaseReleasesAtOnce) {
  for (unsigned port = 0; port < config().num_issue; ++port) {
    Script script(config());
    script.Launch(0, FirstWarps(3));
    script.Issue(0, Arrival(OpKind::kArrive, 0, 3, 1));
    script.NextScene();
    const Id wait = script.Issue(port, WaitFor(0, 1, 3));
    script.Run();
    ASSERT_EQ(script.releases().size(), 1U);
    EXPECT_EQ(script.releases()[0].warps, 0b10U);
    EXPECT_EQ(script.releases()[0].kind, BarKind::kSync);
    EXPECT_EQ(script.releases()[0].value, 0U);
    EXPECT_EQ(script.Committed(wait) - script.Accepted(wait), latency().issue);
    EXPECT_EQ(script.releases()[0].cycle - script.Committed(wait), latency().effect);
  }
}

// Whatever completes the phase, those who wait apart leave with those who have arrived.
TEST_P(Split, EveryCompletionReleases) {
  for (const OpKind kind :
       {OpKind::kSync, OpKind::kArrive, OpKind::kArrivePhase, OpKind::kRedPopc}) {
    if (!Has(config(), kind)) {
      continue;
    }
    Script script(config());
    script.Launch(0, FirstWarps(5));
    script.Issue(0, WaitFor(0, 0, 3));  // at an idle entry
    script.NextScene();
    const OpKind first = IsReduction(kind) ? kind : OpKind::kSync;
    script.Issue(0, WithPredicates(0xf, Arrival(first, 1, 3, 2)));
    script.NextScene();
    script.Issue(0, WaitFor(0, 2, 3));
    script.NextScene();
    const Id last = script.Issue(0, WithPredicates(0xf, Arrival(kind, 3, 3, 2)));
    script.Run();
    const bool stays = IsWaiting(kind);
    ASSERT_EQ(script.releases().size(), 1U) << Name(kind);
    EXPECT_EQ(script.releases()[0].warps, stays ? 0b1111U : 0b0111U) << Name(kind);
    EXPECT_EQ(script.releases()[0].value, kind == OpKind::kRedPopc ? 8U : 0U);
    EXPECT_EQ(script.releases()[0].cycle - script.Committed(last), latency().effect);
  }
}

// The answer is the phase before the arrival's own update.
TEST_P(Split, ArrivalIsAnswered) {
  Script script(config());
  script.Launch(0, FirstWarps(4));
  std::vector<Id> ids;
  for (unsigned warp = 0; warp < 4; ++warp) {
    ids.push_back(script.Issue(0, Arrival(OpKind::kArrivePhase, warp, 3, 2)));
    script.NextScene();
  }
  script.Run();
  EXPECT_TRUE(script.releases().empty());
  ASSERT_EQ(script.responses().size(), 4U);
  for (unsigned warp = 0; warp < 4; ++warp) {
    const Script::Response& response = script.responses()[warp];
    EXPECT_EQ(response.warp, warp);
    EXPECT_EQ(response.data, warp / 2);
    EXPECT_FALSE(response.pred);
    EXPECT_EQ(response.cycle - script.Committed(ids[warp]), latency().response);
    EXPECT_EQ(script.Committed(ids[warp]) - script.Accepted(ids[warp]), latency().issue);
  }
}

// The waveform of rtl/README.md: warp 0 arrives, is answered its phase and waits for it; warp 1's
// sync completes it.
TEST_P(Split, AsThePageShowsIt) {
  if (config().num_issue > 1 || !config().reduce) {
    GTEST_SKIP() << "the page shows a unit of one port with reductions";
  }
  Script script(config());
  script.Launch(0, FirstWarps(2));
  script.NextScene();
  const Id arrival = script.Issue(0, Arrival(OpKind::kArrivePhase, 0, 1, 2));
  const Id wait = script.Issue(0, WaitFor(0, 0, 1), 5);
  const Id sync = script.Issue(0, Arrival(OpKind::kSync, 1, 1, 2), 6);
  script.Run();
  const std::uint64_t begin = script.Accepted(arrival);
  EXPECT_EQ(script.Committed(arrival) - begin, 2U);
  ASSERT_EQ(script.responses().size(), 1U);
  EXPECT_EQ(script.responses()[0].cycle - begin, 4U);
  EXPECT_EQ(script.responses()[0].data, 0U);
  EXPECT_EQ(script.Accepted(wait) - begin, 5U);
  EXPECT_EQ(script.Committed(wait) - begin, 7U);
  EXPECT_EQ(script.Accepted(sync) - begin, 6U);
  EXPECT_EQ(script.Committed(sync) - begin, 8U);
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].cycle - begin, 10U);
  EXPECT_EQ(script.releases()[0].warps, 0b11U);
}

// The cycle of a completion is the border between the phases: a wait in the cycle before it is
// released by it, one in the cycle after it by itself.
TEST_P(Split, WaitsRightBesideTheCompletion) {
  for (const bool before : {true, false}) {
    Script script(config());
    script.Launch(0, FirstWarps(3));
    const Id opens = script.Issue(0, Arrival(OpKind::kArrive, 0, 3, 2));
    script.NextScene();
    std::vector<Id> ids;
    for (const bool waits : {before, !before}) {
      ids.push_back(script.Issue(0, waits ? WaitFor(0, 1, 3) : Arrival(OpKind::kArrive, 2, 3, 2)));
    }
    script.Run();
    EXPECT_FALSE(script.EffectsOf(opens).completed);
    EXPECT_EQ(script.Committed(ids[1]), script.Committed(ids[0]) + 1);
    ASSERT_EQ(script.releases().size(), 1U);
    EXPECT_EQ(script.releases()[0].warps, 0b10U);
    EXPECT_EQ(script.releases()[0].cycle - script.Committed(ids[1]), latency().effect);
  }
}

// Likewise a wait for the phase that begins with the completion: in the cycle after it, it waits
// for the next one; in the cycle before it, that phase is the one that completed last.
TEST_P(Split, WaitsForTheOtherPhaseBesideTheCompletion) {
  for (const bool before : {true, false}) {
    Script script(config());
    script.Launch(0, FirstWarps(3));
    script.Issue(0, Arrival(OpKind::kArrive, 0, 3, 2));
    script.NextScene();
    Id wait = 0;
    for (const bool waits : {before, !before}) {
      const Id id = script.Issue(0, waits ? WaitFor(1, 1, 3) : Arrival(OpKind::kArrive, 2, 3, 2));
      wait = waits ? id : wait;
    }
    script.NextScene();
    const Id next = script.Issue(0, Arrival(OpKind::kArrive, 2, 3, 1));
    script.Run();
    ASSERT_EQ(script.releases().size(), 1U);
    EXPECT_EQ(script.releases()[0].warps, 0b10U);
    EXPECT_EQ(script.releases()[0].cycle - script.Committed(before ? wait : next),
              latency().effect);
  }
}

// A wait accesses no memory for others, an arrival does, whether it is answered or not.
TEST_P(Split, ArrivalsDrainAndWaitsDoNot) {
  if (!config().drain) {
    GTEST_SKIP() << "no drain";
  }
  Script script(config());
  script.Launch(0, FirstWarps(3));
  script.NextScene();
  script.Accessing(0b111);
  const Id wait = script.Issue(0, WaitFor(0, 0, 3));
  const Id arrival = script.Issue(0, Arrival(OpKind::kArrivePhase, 1, 3, 1));
  const Id other = script.Issue(0, WaitFor(1, 2, 3));
  script.Accessing(0, 40);
  script.Run();
  EXPECT_EQ(script.fenced(), 0b010U);
  EXPECT_EQ(script.Committed(wait) - script.Accepted(wait), latency().issue);
  EXPECT_LT(script.Committed(other), script.Committed(arrival));
  ASSERT_EQ(script.responses().size(), 1U);
  EXPECT_EQ(script.responses()[0].data, 0U);
  EXPECT_EQ(script.responses()[0].cycle - script.Committed(arrival), latency().response);
  ASSERT_EQ(script.releases().size(), 2U);
  EXPECT_EQ(script.releases()[0].warps, 0b100U);
  EXPECT_EQ(script.releases()[1].warps, 0b001U);
}

// Responses that are not taken hold back those that are to come, and lose none; also of arrivals
// that were parked.
TEST_P(Split, AnswersWaitForPlaces) {
  for (const bool parked : {false, true}) {
    if (parked && !config().drain) {
      continue;
    }
    Script script(config());
    script.Launch(0, FirstWarps(8));
    script.NextScene();
    script.Taking(false, 0);
    script.Taking(true, 120);
    if (parked) {
      script.Accessing(FirstWarps(8));
      script.Accessing(0, 30);
    }
    std::vector<Id> ids;
    for (unsigned warp = 0; warp < 8; ++warp) {
      ids.push_back(
          script.Issue(warp % config().num_issue, Arrival(OpKind::kArrivePhase, warp, 3, 2)));
    }
    script.Run();
    ASSERT_EQ(script.responses().size(), 8U);
    std::vector<unsigned> answers(2);
    std::uint64_t late = 0;
    for (const Script::Response& response : script.responses()) {
      ++answers.at(response.data);
      EXPECT_EQ(response.data, script.EffectsOf(ids[response.warp]).data);
    }
    for (const Id id : ids) {
      late += script.Committed(id) > script.responses()[0].cycle ? 1 : 0;
    }
    EXPECT_EQ(answers[0], 4U);
    EXPECT_EQ(answers[1], 4U);
    EXPECT_GE(late, 4U);  // there are four places at most
  }
}

// Arrivals that are answered commit one by one.
TEST_P(Split, AnsweredArrivalsDoNotMerge) {
  if (config().num_issue == 1) {
    GTEST_SKIP() << "one port";
  }
  Script script(config());
  script.Launch(0, FirstWarps(config().num_issue));
  std::vector<Id> ids;
  for (unsigned port = 0; port < config().num_issue; ++port) {
    ids.push_back(script.Issue(port, Arrival(OpKind::kArrivePhase, port, 7, config().num_issue)));
  }
  script.Run();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(script.Committed(ids[i]), script.Committed(ids[j]));
    }
  }
  EXPECT_EQ(script.responses().size(), ids.size());
}

}  // namespace
}  // namespace muster::lockstep
