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

namespace muster::lockstep {
namespace {

using Id = Script::Id;

class Save : public testing::TestWithParam<Config> {
 protected:
  const Config& config() const { return GetParam(); }
};
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
// not even by a warp that waited for a reduction which a debugger turned into a sync.
TEST_P(Save, LaunchForgetsTheResult) {
  Script script(config());
  script.Launch(0, FirstWarps(2));
  script.NextScene();
  for (unsigned warp = 0; warp < 2; ++warp) {
    script.Issue(0, WithPredicates(kAllLanes, Arrival(OpKind::kRedPopc, warp, 3, 2)));
  }
  script.NextScene();
  Operation end;
  end.kind = OpKind::kEnd;
  script.Lifecycle(end);
  script.Launch(0, FirstWarps(2));
  script.NextScene();
  script.Issue(0, WithPredicates(kAllLanes, Arrival(OpKind::kRedPopc, 0, 3, 2)));
  BarState sync;
  sync.kind = static_cast<unsigned>(BarKind::kSync);
  sync.arrived = 1;
  sync.expected = 2;
  const Script::Id turned = script.Issue(0, Write(OpKind::kR2bBar, 1, 3, Encode(sync)));
  script.NextScene();
  script.Issue(0, Arrival(OpKind::kSync, 1, 3, 2));
  script.NextScene();
  script.Issue(0, Read(OpKind::kB2rWarp, 0));
  script.Run();
  EXPECT_EQ(script.EffectsOf(turned).fault, FaultCause::kNone);
  ASSERT_EQ(script.releases().size(), 2U);
  EXPECT_EQ(script.releases()[1].kind, BarKind::kSync);
  ASSERT_EQ(script.responses().size(), 1U);
  EXPECT_EQ(script.responses()[0].data & 0xfffU, 0U);
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
