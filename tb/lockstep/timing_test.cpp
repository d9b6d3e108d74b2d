// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The latencies that rtl/README.md publishes in cycles, and what may happen in one cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/script.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

using Id = Script::Id;

class Timing : public OnUnits {
 protected:
  unsigned ports() const { return config().num_issue; }
  unsigned accept_to_release() const { return latency().issue + latency().effect; }
};

INSTANTIATE_TEST_SUITE_P(Units, Timing, testing::ValuesIn(BuiltConfigs()));

// Two warps meet, the second long after the first.
TEST_P(Timing, AcceptanceToRelease) {
  for (unsigned port = 0; port < ports(); ++port) {
    Script script(config());
    script.Launch(0, 0b11);
    script.Issue(port, Arrival(OpKind::kSync, 0, 3, 0));
    script.NextScene();
    const Id last = script.Issue(port, Arrival(OpKind::kSync, 1, 3, 0));
    script.Run();
    ASSERT_EQ(script.releases().size(), 1U);
    EXPECT_EQ(script.releases()[0].warps, 0b11U);
    EXPECT_EQ(script.releases()[0].cycle - script.Accepted(last), accept_to_release());
    EXPECT_EQ(script.releases()[0].cycle - script.Committed(last), latency().effect);
  }
}

// Whatever completes the barrier: a sync, an arrive, a reduction, an exit.
TEST_P(Timing, CommitToRelease) {
  std::vector<Operation> last = {Arrival(OpKind::kSync, 1, 3, 2), Arrival(OpKind::kArrive, 1, 3, 2),
                                 Exit(1)};
  if (config().reduce) {
    last.push_back(Arrival(OpKind::kRedPopc, 1, 3, 2));
  }
  for (const Operation& operation : last) {
    Script script(config());
    script.Launch(0, 0b11);
    const bool exit = operation.kind == OpKind::kExit;
    const OpKind first = IsReduction(operation.kind) ? operation.kind : OpKind::kSync;
    script.Issue(0, Arrival(first, 0, 3, exit ? 0 : 2));
    script.NextScene();
    const Id id = exit ? script.Lifecycle(operation) : script.Issue(0, operation);
    script.Run();
    ASSERT_EQ(script.releases().size(), 1U) << Name(operation.kind);
    EXPECT_EQ(script.releases()[0].cycle - script.Committed(id), latency().effect)
        << Name(operation.kind);
  }
}

// A launch, an exit and an end of a CTA in a unit that is idle, from the first cycle of valid to
// that of ready.
TEST_P(Timing, LifecycleOfAnIdleUnit) {
  Script script(config());
  script.Launch(0, 0b1);  // after this one, no reset is in the way
  const Id launch = script.Launch(1, 0b110);
  const Id exit = script.Lifecycle(InCta(1, Exit(1)));
  script.NextScene();
  const Id end = script.Lifecycle(Leave(OpKind::kEnd, 1));
  script.Run();
  const auto cycles = [&script](Id id) { return script.Committed(id) - script.Presented(id); };
  EXPECT_EQ(cycles(launch), latency().launch);
  EXPECT_EQ(cycles(exit), latency().exit);
  EXPECT_EQ(cycles(end), latency().leave);
}

TEST_P(Timing, OpenAndJoinOfAnIdleUnit) {
  if (!config().join) {
    GTEST_SKIP() << "no warp joins";
  }
  Script script(config());
  script.Launch(0, 0b1);  // after this one, no reset is in the way
  const Id open = script.Lifecycle(Open(1, 2));
  script.NextScene();
  const Id join = script.Lifecycle(Join(1, 2));
  const Id arrival = script.Issue(0, InCta(1, Arrival(OpKind::kSync, 2, 0, 1)));
  script.After(join, arrival);
  script.Run();
  const auto cycles = [&script](Id id) { return script.Committed(id) - script.Presented(id); };
  EXPECT_EQ(cycles(open), latency().open);
  EXPECT_EQ(cycles(join), latency().open);
}

// A warp alone is released as late as the last of many.
TEST_P(Timing, SingleWarp) {
  Script script(config());
  script.Launch(0, 0b1);
  const Id id = script.Issue(0, Arrival(OpKind::kSync, 0, 0, 0));
  script.Run();
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, 0b1U);
  EXPECT_EQ(script.releases()[0].cycle - script.Accepted(id), accept_to_release());
}

TEST_P(Timing, BoundsAreThoseOfTheDesign) {
  EXPECT_EQ(BoundsOf(config()).latency, latency().effect);
  EXPECT_EQ(BoundsOf(config()).accept, accept_to_release());
}

// One port, one entry: an arrival commits in every cycle, also in the one after a completion.
TEST_P(Timing, EntryIsUsableInTheNextCycle) {
  Script script(config());
  script.Launch(0, FirstWarps(8));
  std::vector<Id> ids;
  for (unsigned warp = 0; warp < 8; ++warp) {
    ids.push_back(script.Issue(0, Arrival(OpKind::kSync, warp, 5, 2)));
  }
  script.Run();
  for (unsigned i = 1; i < ids.size(); ++i) {
    EXPECT_EQ(script.Committed(ids[i]), script.Committed(ids[0]) + i) << "arrival " << i;
    EXPECT_EQ(script.EffectsOf(ids[i]).completed, i % 2 == 1) << "arrival " << i;
  }
  ASSERT_EQ(script.releases().size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(script.releases()[i].cycle, script.releases()[0].cycle + 2 * i);
    EXPECT_EQ(script.releases()[i].warps, std::uint64_t{0b11} << 2 * i);
  }
}

// The same with another kind of generation every time.
TEST_P(Timing, NextGenerationMayBeOfAnotherKind) {
  if (!config().reduce) {
    GTEST_SKIP() << "no reductions";
  }
  Script script(config());
  script.Launch(0, FirstWarps(8));
  const std::vector<OpKind> kinds = {OpKind::kRedPopc, OpKind::kRedAnd, OpKind::kSync,
                                     OpKind::kRedOr};
  std::vector<Id> ids;
  for (unsigned warp = 0; warp < 8; ++warp) {
    ids.push_back(script.Issue(0, WithPredicates(7, Arrival(kinds[warp / 2], warp, 5, 2))));
  }
  script.Run();
  for (unsigned i = 1; i < ids.size(); ++i) {
    EXPECT_EQ(script.Committed(ids[i]), script.Committed(ids[0]) + i) << "arrival " << i;
  }
  ASSERT_EQ(script.releases().size(), 4U);
  const std::vector<unsigned> values = {6, 0, 0, 1};
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(script.releases()[i].value, values[i]) << Name(kinds[i]);
  }
}

// Two barriers in turn, and two CTAs in turn, every cycle: none reads what the other writes.
TEST_P(Timing, ArrivalsAtTwoEntriesInTurn) {
  Script script(config());
  script.Launch(0, 0x0f);
  script.Launch(1, 0xf0);
  std::vector<Id> ids;
  const auto visit = [&](unsigned first_bar, unsigned second_bar) {
    for (unsigned warp = 0; warp < 4; ++warp) {
      ids.push_back(script.Issue(0, Arrival(OpKind::kSync, warp, first_bar, 4)));
      ids.push_back(script.Issue(0, InCta(1, Arrival(OpKind::kSync, warp + 4, second_bar, 4))));
    }
  };
  visit(2, 2);
  script.NextScene();
  visit(2, 9);
  script.Run();
  for (std::size_t scene = 0; scene < 2; ++scene) {
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(script.Committed(ids[8 * scene + i]), script.Committed(ids[8 * scene]) + i);
      EXPECT_EQ(script.EffectsOf(ids[8 * scene + i]).completed, i >= 6);
    }
    ASSERT_EQ(script.releases().size(), 4U);
    EXPECT_EQ(script.releases()[2 * scene].warps, 0x0fU);
    EXPECT_EQ(script.releases()[2 * scene + 1].warps, 0xf0U);
  }
}

// The first acceptance to the release, for all warps of the unit.
TEST_P(Timing, GatherOfAllWarps) {
  Script script(config());
  script.Launch(0, FirstWarps(config().num_warps));
  std::vector<Id> ids;
  for (unsigned warp = 0; warp < config().num_warps; ++warp) {
    ids.push_back(script.Issue(warp % ports(), Arrival(OpKind::kSync, warp, 1, 0)));
  }
  script.Run();
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, FirstWarps(config().num_warps));
  EXPECT_LE(script.releases()[0].cycle - script.Accepted(ids[0]),
            config().num_warps / ports() - 1 + accept_to_release());
}

// ------------------------------------------------------------------------------------------------
// Several ports
// ------------------------------------------------------------------------------------------------

using Merging = Timing;

std::vector<Config> WithSeveralPorts() {
  std::vector<Config> configs = BuiltConfigs();
  configs.erase(std::remove_if(configs.begin(), configs.end(),
                               [](const Config& config) { return config.num_issue == 1; }),
                configs.end());
  return configs;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Merging);
INSTANTIATE_TEST_SUITE_P(Units, Merging, testing::ValuesIn(WithSeveralPorts()));

TEST_P(Merging, ArrivalsAtOneEntryCommitTogether) {
  for (const OpKind kind : {OpKind::kSync, OpKind::kRedPopc}) {
    if (!Has(config(), kind)) {
      continue;
    }
    Script script(config());
    script.Launch(0, FirstWarps(ports()));
    std::vector<Id> ids;
    for (unsigned port = 0; port < ports(); ++port) {
      ids.push_back(script.Issue(port, WithPredicates(0xf, Arrival(kind, port, 7, 0))));
    }
    script.Run();
    for (const Id id : ids) {
      EXPECT_EQ(script.Committed(id), script.Committed(ids[0]));
      EXPECT_EQ(script.EffectsOf(id).completed, id == ids.back());
    }
    ASSERT_EQ(script.releases().size(), 1U);
    EXPECT_EQ(script.releases()[0].value, kind == OpKind::kSync ? 0 : 4 * ports());
  }
}

// ARV and SYNC are of one kind.
TEST_P(Merging, ArriveAndSyncGoTogether) {
  Script script(config());
  script.Launch(0, 0b11);
  const Id arrive = script.Issue(0, Arrival(OpKind::kArrive, 0, 7, 2));
  const Id sync = script.Issue(1, Arrival(OpKind::kSync, 1, 7, 2));
  script.Run();
  EXPECT_EQ(script.Committed(arrive), script.Committed(sync));
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, 0b10U);
}

// The members after the one that completes open the next generation, a cycle later.
TEST_P(Merging, EndsAtTheMemberThatCompletes) {
  for (unsigned ahead = 0; ahead + 1 < ports(); ++ahead) {
    // `ahead` members come before the one that completes; the rest are one generation more.
    const unsigned warps = ports();
    Script script(config());
    script.Launch(0, FirstWarps(warps + 8));
    const unsigned count = warps + 1;
    for (unsigned i = 0; i < count - 1 - ahead; ++i) {
      script.Issue(0, Arrival(OpKind::kArrive, warps + i, 7, count));
    }
    script.NextScene();
    std::vector<Id> ids;
    for (unsigned port = 0; port < warps; ++port) {
      ids.push_back(script.Issue(port, Arrival(OpKind::kSync, port, 7, count)));
    }
    script.NextScene();
    // What is still missing in the second generation.
    const unsigned opened = warps - 1 - ahead;
    for (unsigned i = 0; i < count - opened; ++i) {
      script.Issue(0, Arrival(OpKind::kArrive, warps + i, 7, count));
    }
    script.Run();
    for (unsigned port = 0; port < warps; ++port) {
      EXPECT_EQ(script.EffectsOf(ids[port]).completed, port == ahead);
      EXPECT_EQ(script.Committed(ids[port]), script.Committed(ids[0]) + (port > ahead ? 1 : 0))
          << "port " << port << ", completed by port " << ahead;
    }
    ASSERT_EQ(script.releases().size(), 2U);
    EXPECT_EQ(script.releases()[0].warps, FirstWarps(ahead + 1));
    EXPECT_EQ(script.releases()[1].warps, FirstWarps(warps) & ~FirstWarps(ahead + 1));
  }
}

// One entry a cycle, and every port has its turn.
TEST_P(Merging, DifferentEntriesTakeTurns) {
  Script script(config());
  script.Launch(0, FirstWarps(8));
  std::vector<Id> ids;
  for (unsigned round = 0; round < 2; ++round) {
    for (unsigned port = 0; port < ports(); ++port) {
      ids.push_back(
          script.Issue(port, Arrival(OpKind::kArrive, (round * ports() + port) % 8, port, 8)));
    }
  }
  script.NextScene();
  for (unsigned port = 0; port < ports(); ++port) {
    for (unsigned i = 0; i < 6; ++i) {
      script.Issue(0, Arrival(OpKind::kArrive, i, port, 8));
    }
  }
  script.Run();
  std::vector<std::uint64_t> cycles;
  cycles.reserve(ids.size());
  for (const Id id : ids) {
    cycles.push_back(script.Committed(id) - script.Committed(ids[0]));
  }
  std::sort(cycles.begin(), cycles.end());
  for (unsigned i = 0; i < cycles.size(); ++i) {
    EXPECT_EQ(cycles[i], i);
  }
  for (unsigned port = 0; port < ports(); ++port) {
    EXPECT_LE(script.Committed(ids[port]) - script.Committed(ids[0]), ports() - 1);
  }
}

}  // namespace
}  // namespace muster::lockstep
