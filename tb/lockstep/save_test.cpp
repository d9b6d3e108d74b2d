// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// CTAs that are saved and restored, on the unit.
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

using Save = OnUnits;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Save);
INSTANTIATE_TEST_SUITE_P(Units, Save, testing::ValuesIn(With(&Config::state)));

struct Seen {
  RandomDriver::Observations observations;
  unsigned saves = 0;
};

Seen RunObserved(const Config& config, std::uint64_t seed, bool saves) {
  RandomOptions random;
  random.seed = seed;
  random.saves = saves;
  random.observed = true;
  RandomDriver driver(config, random);
  Options options;
  options.seed = seed;
  const Result result = lockstep::Run(config, driver, options);
  EXPECT_EQ(result.ending, Ending::kDone) << result.report;
  EXPECT_TRUE(driver.observed_finished());
  return {driver.observations(), driver.observed_saves()};
}

// A warp's own copy is the CTA's that it is in: what the one before left in the slot is not seen,
// neither before the warp's first reduction nor while it waits for it, which no word of R2B ends.
TEST_P(Save, LaunchForgetsTheResult) {
  Script script(config());
  script.Launch(0, FirstWarps(2));
  script.NextScene();
  for (unsigned warp = 0; warp < 2; ++warp) {
    script.Issue(0, WithPredicates(kAllLanes, Arrival(OpKind::kRedPopc, warp, 3, 2)));
  }
  script.NextScene();
  script.Lifecycle(Leave(OpKind::kEnd, 0));
  script.Launch(0, FirstWarps(2));
  script.NextScene();
  script.Issue(0, Read(OpKind::kB2rWarp, 0));
  script.NextScene();
  script.Issue(0, WithPredicates(kAllLanes, Arrival(OpKind::kRedPopc, 0, 3, 2)));
  BarState sync;
  sync.kind = static_cast<unsigned>(BarKind::kSync);
  sync.arrived = 1;
  sync.expected = 2;
  const Id written = script.Issue(0, Write(OpKind::kR2bBar, 1, 3, Encode(sync)));
  script.NextScene();
  script.Issue(0, Read(OpKind::kB2rWarp, 0));
  script.NextScene();
  script.Issue(0, WithPredicates(1, Arrival(OpKind::kRedPopc, 1, 3, 2)));
  script.Run();
  EXPECT_EQ(script.EffectsOf(written).fault, FaultCause::kBadStateWord);
  ASSERT_EQ(script.releases().size(), 2U);
  EXPECT_EQ(script.releases()[1].value, Config().warp_size + 1);
  ASSERT_EQ(script.responses().size(), 2U);
  EXPECT_EQ(script.responses()[0].data, 0U);
  EXPECT_EQ(script.responses()[1].data & 0xfffU, 0U);
}

// Words that no save gives are refused, and what is there goes on: a waiting bit at an idle entry,
// one that no restore owes, words over arrivals, and a word that contradicts the reduction.
TEST_P(Save, RefusesWhatNoSaveGives) {
  WarpState waits;
  waits.waiting = true;
  const auto warp_word = [&waits](unsigned bar) {
    waits.wait_bar = bar;
    return Encode(waits);
  };
  Script script(config());
  script.Launch(0, FirstWarps(3));
  script.NextScene();
  std::vector<Id> refused = {script.Issue(0, Write(OpKind::kR2bWarp, 1, 0, warp_word(3)))};
  script.Issue(0, Arrival(OpKind::kSync, 0, 2, 0));
  script.NextScene();
  refused.push_back(script.Issue(0, Write(OpKind::kR2bWarp, 1, 0, warp_word(2))));
  script.Issue(0, Arrival(OpKind::kSync, 1, 2, 0));
  script.Issue(0, Arrival(OpKind::kSync, 2, 2, 0));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kSync, 0, 1, 2));
  script.NextScene();
  refused.push_back(script.Issue(0, Write(OpKind::kR2bBar, 1, 1, 0)));
  script.Issue(0, Arrival(OpKind::kSync, 1, 1, 2));
  script.NextScene();
  BarState popc;
  popc.kind = static_cast<unsigned>(BarKind::kPopc);
  popc.arrived = 1;
  popc.expected = 2;
  popc.value = 5;
  const Id restored = script.Issue(0, Write(OpKind::kR2bBar, 0, 3, Encode(popc)));
  script.NextScene();
  refused.push_back(script.Issue(0, Write(OpKind::kR2bWarp, 1, 0, warp_word(3))));
  waits.kind = popc.kind;
  waits.bar = 3;
  const Id waiting = script.Issue(0, Write(OpKind::kR2bWarp, 1, 0, warp_word(3)));
  script.NextScene();
  script.Issue(0, WithPredicates(0x3, Arrival(OpKind::kRedPopc, 2, 3, 2)));
  script.Run();
  for (const Id id : refused) {
    EXPECT_EQ(script.EffectsOf(id).fault, FaultCause::kBadStateWord);
  }
  EXPECT_EQ(script.EffectsOf(restored).fault, FaultCause::kNone);
  EXPECT_EQ(script.EffectsOf(waiting).fault, FaultCause::kNone);
  ASSERT_EQ(script.releases().size(), 3U);
  EXPECT_EQ(script.releases()[0].warps, 0b111U);
  EXPECT_EQ(script.releases()[1].warps, 0b011U);
  EXPECT_EQ(script.releases()[2].warps, 0b110U);
  EXPECT_EQ(script.releases()[2].value, 7U);
}

// A program that is saved and restored in other places, with other CTAs around it and stalls on
// every handshake, sees what it sees without the disturbance.
TEST_P(Save, DisturbedProgramSeesTheSame) {
  unsigned saves = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Seen undisturbed = RunObserved(config(), seed, false);
    const Seen disturbed = RunObserved(config(), seed, true);
    EXPECT_EQ(undisturbed.saves, 0U);
    saves += disturbed.saves;
    EXPECT_EQ(undisturbed.observations, disturbed.observations) << "seed " << seed;
  }
  EXPECT_GE(saves, 10U);
}

}  // namespace
}  // namespace muster::lockstep
