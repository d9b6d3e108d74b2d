// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// State words bit by bit, and what a restore leaves behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
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

constexpr unsigned kWarps = 6;  // of the CTA: less than the unit has
constexpr unsigned kSyncBar = 1;
constexpr unsigned kPopcBar = 2;
constexpr unsigned kAllBar = 4;  // counts to all live warps

constexpr unsigned Kind(BarKind kind) { return static_cast<unsigned>(kind); }

BarState Running(BarKind kind, unsigned arrived, unsigned expected, unsigned value = 0) {
  BarState word;
  word.kind = Kind(kind);
  word.arrived = arrived;
  word.expected = expected;
  word.value = value;
  return word;
}

WarpState Waiting(unsigned bar, BarKind reduction = BarKind::kIdle) {
  WarpState word;
  word.waiting = true;
  word.wait_bar = bar;
  if (reduction != BarKind::kIdle) {
    word.kind = Kind(reduction);
    word.bar = bar;
  }
  return word;
}

class Restore : public OnUnits {
 protected:
  // Whether a save may give this word of an entry, in a CTA whose warps are all live
  // (rtl/README.md, state words).
  bool IsPossible(std::uint32_t bits) const {
    const BarState word = DecodeBarWord(bits);
    if (word.zero != 0 || (word.phase && !config().split)) {
      return false;
    }
    if (word.kind == Kind(BarKind::kIdle)) {
      return word.arrived == 0 && word.expected == 0 && word.value == 0;
    }
    const unsigned most = word.kind == Kind(BarKind::kSync)   ? 0
                          : word.kind == Kind(BarKind::kPopc) ? word.arrived * config().warp_size
                                                              : 1;
    return word.kind <= Kind(BarKind::kPopc) && word.arrived >= 1 && word.expected <= kWarps &&
           word.arrived < (word.expected == 0 ? kWarps : word.expected) && word.value <= most;
  }

  static Operation SomeLanesExit(unsigned warp) {
    Operation exit = Exit(warp);
    exit.lanes = 1;
    return exit;
  }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Restore);
INSTANTIATE_TEST_SUITE_P(Units, Restore, testing::ValuesIn(With(&Config::state)));

TEST_P(Restore, EachBitOfAnEntrysWord) {
  const unsigned lanes = config().warp_size;
  std::vector<std::uint32_t> words;
  for (const BarState& base :
       {BarState{}, Running(BarKind::kSync, 2, 3), Running(BarKind::kSync, kWarps - 1, 0),
        Running(BarKind::kAnd, 1, kWarps, 1), Running(BarKind::kOr, 3, 4),
        Running(BarKind::kPopc, 2, 5, 2 * lanes)}) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      words.push_back(Encode(base) ^ 1U << bit);
    }
    words.push_back(Encode(base));
  }
  Script script(config());
  std::vector<Id> ids;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i % kNumBars == 0) {
      script.Launch(0, FirstWarps(kWarps));
    }
    ids.push_back(script.Issue(0, Write(OpKind::kR2bBar, i % kWarps, i % kNumBars, words[i])));
    if (i % kNumBars == kNumBars - 1) {
      script.NextScene();
      script.Lifecycle(Leave(OpKind::kEnd, 0));
      script.NextScene();
    }
  }
  script.Run();
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(script.EffectsOf(ids[i]).fault,
              IsPossible(words[i]) ? FaultCause::kNone : FaultCause::kBadStateWord)
        << std::hex << words[i];
  }
}

// The words of warps, six at a time, beside a sync, a POPC, and an entry that counts to all live
// warps; then all entries complete.
TEST_P(Restore, EachBitOfAWarpsWord) {
  WarpState done;
  done.kind = Kind(BarKind::kPopc);
  done.bar = kPopcBar;
  done.value = kWarps * config().warp_size;
  WarpState apart = Waiting(kPopcBar);
  apart.apart = config().split;
  for (const WarpState& base : {WarpState{}, done, Waiting(kSyncBar), Waiting(kAllBar),
                                Waiting(kPopcBar, BarKind::kPopc), apart}) {
    unsigned refused = 0;
    for (unsigned bit = 0; bit < 32; bit += kWarps - 1) {
      Script script(config());
      script.Launch(0, FirstWarps(kWarps));
      script.Issue(0, Write(OpKind::kR2bBar, 5, kSyncBar, Encode(Running(BarKind::kSync, 4, 5))));
      script.Issue(0,
                   Write(OpKind::kR2bBar, 5, kPopcBar, Encode(Running(BarKind::kPopc, 4, 5, 9))));
      script.Issue(0, Write(OpKind::kR2bBar, 5, kAllBar, Encode(Running(BarKind::kSync, 5, 0))));
      script.NextScene();
      std::vector<Id> ids;
      for (unsigned warp = 0; warp < kWarps - 1 && bit + warp < 32; ++warp) {
        ids.push_back(
            script.Issue(0, Write(OpKind::kR2bWarp, warp, 0, Encode(base) ^ 1U << (bit + warp))));
      }
      script.NextScene();
      for (unsigned warp = 0; warp < kWarps; ++warp) {
        script.Issue(0, Read(OpKind::kB2rWarp, warp));
      }
      script.NextScene();
      script.Lifecycle(SomeLanesExit(5));
      script.NextScene();
      for (const unsigned bar : {kSyncBar, kPopcBar}) {
        const OpKind kind = bar == kPopcBar ? OpKind::kRedPopc : OpKind::kSync;
        script.Issue(0, WithPredicates(0xf, Arrival(kind, 5, bar, 5)));
        script.NextScene();
      }
      script.Lifecycle(Leave(OpKind::kEnd, 0));
      script.Run();
      refused += std::count_if(ids.begin(), ids.end(), [&script](Id id) {
        return script.EffectsOf(id).fault == FaultCause::kBadStateWord;
      });
    }
    EXPECT_GE(refused, 8U) << std::hex << Encode(base);  // bits that must be zero, and one too much
  }
}

// While a restore owes a warp that waits, no lanes exit; before and after that, they do.
TEST_P(Restore, LanesExitUnlessAWarpIsOwed) {
  const auto exits = [this](const std::vector<std::vector<Operation>>& scenes) {
    Script script(config());
    script.Launch(0, FirstWarps(kWarps));
    for (const auto& scene : scenes) {
      for (const Operation& operation : scene) {
        script.Issue(0, operation);
      }
      script.NextScene();
    }
    const Id exit = script.Lifecycle(SomeLanesExit(5));
    script.Run();
    return script.EffectsOf(exit).fault == FaultCause::kNone;
  };
  const auto entry = [](unsigned warp, unsigned bar, const BarState& word) {
    return Write(OpKind::kR2bBar, warp, bar, Encode(word));
  };
  const auto warp = [](unsigned warp, const WarpState& word) {
    return Write(OpKind::kR2bWarp, warp, 0, Encode(word));
  };
  const BarState two = Running(BarKind::kSync, 2, 0);
  WarpState apart = Waiting(kAllBar);
  apart.apart = config().split;
  Operation of_no_lane = entry(0, kAllBar, two);
  of_no_lane.lanes = 0;
  const Operation waits = Arrival(OpKind::kSync, 0, 9, 2);

  EXPECT_TRUE(exits({{entry(0, kSyncBar, Running(BarKind::kSync, 2, 3))}}));
  EXPECT_FALSE(exits({{entry(0, kAllBar, two)}}));
  EXPECT_FALSE(exits({{entry(0, kAllBar, two)}, {warp(1, Waiting(kAllBar))}}));
  EXPECT_TRUE(
      exits({{entry(0, kAllBar, two)}, {warp(1, Waiting(kAllBar)), warp(2, Waiting(kAllBar))}}));
  EXPECT_TRUE(exits({{entry(0, kAllBar, two), entry(3, 7, two)},
                     {warp(1, Waiting(kAllBar)), warp(2, Waiting(7))},
                     {warp(3, Waiting(kAllBar)), warp(4, Waiting(7))}}));
  if (config().split) {
    EXPECT_FALSE(exits({{entry(0, kAllBar, two)}, {warp(1, apart), warp(2, apart)}}));
  }
  // Refused, or of no lane: nothing is owed.
  EXPECT_TRUE(exits({{of_no_lane}}));
  EXPECT_TRUE(exits({{entry(7, kAllBar, two)}}));
  EXPECT_TRUE(exits({{InCta(1, entry(0, kAllBar, two))}}));
  EXPECT_TRUE(exits({{waits}, {entry(0, kAllBar, two)}}));
  EXPECT_FALSE(exits(
      {{waits}, {entry(1, kAllBar, two)}, {warp(0, Waiting(kAllBar)), warp(2, Waiting(kAllBar))}}));
  EXPECT_TRUE(exits({{entry(0, kAllBar, Running(BarKind::kSync, kWarps, 0))}}));
}

// An exit of one lane is refused while a warp is owed; that lane lives on when the others have
// exited.
TEST_P(Restore, RefusedExitLeavesTheLane) {
  if (!config().lanes) {
    GTEST_SKIP() << "no exits of lanes";
  }
  Script script(config());
  script.Launch(0, FirstWarps(kWarps));
  script.Issue(0, Write(OpKind::kR2bBar, 0, kAllBar, Encode(Running(BarKind::kSync, 1, 0))));
  script.NextScene();
  const Id refused = script.Lifecycle(SomeLanesExit(5));
  script.NextScene();
  script.Issue(0, Write(OpKind::kR2bWarp, 1, 0, Encode(Waiting(kAllBar))));
  script.NextScene();
  Operation others = Exit(5);
  others.lanes = kAllLanes - 1;
  script.Lifecycle(others);
  script.NextScene();
  const Id arrival = script.Issue(0, Arrival(OpKind::kArrive, 5, 9, 2));
  script.Run();
  EXPECT_EQ(script.EffectsOf(refused).fault, FaultCause::kRestoreUnfinished);
  EXPECT_EQ(script.EffectsOf(arrival).fault, FaultCause::kNone);
}

// What a save has read of a warp that waits for a phase is its last result, before and after that
// phase.
TEST_P(Restore, WaitApartLeavesTheResult) {
  if (!config().split || !config().result) {
    GTEST_SKIP() << "no waits for a phase, or no copies of results";
  }
  WarpState word;
  word.kind = Kind(BarKind::kPopc);
  word.bar = 5;
  word.value = 7;
  word.waiting = true;
  word.wait_bar = kPopcBar;
  word.apart = true;
  Script script(config());
  script.Launch(0, FirstWarps(kWarps));
  script.Issue(0, Write(OpKind::kR2bBar, 1, kPopcBar, Encode(Running(BarKind::kPopc, 1, 2, 3))));
  script.NextScene();
  script.Issue(0, Write(OpKind::kR2bWarp, 0, 0, Encode(word)));
  script.NextScene();
  script.Issue(0, Read(OpKind::kB2rWarp, 0));
  script.NextScene();
  script.Issue(0, WithPredicates(1, Arrival(OpKind::kRedPopc, 2, kPopcBar, 2)));
  script.NextScene();
  script.Issue(0, Read(OpKind::kB2rResult, 0));
  script.Run();
  ASSERT_EQ(script.releases().size(), 1U);
  EXPECT_EQ(script.releases()[0].warps, 0b101U);
  EXPECT_EQ(script.releases()[0].value, 4U);
  ASSERT_EQ(script.responses().size(), 2U);
  EXPECT_EQ(script.responses()[0].data, Encode(word));
  EXPECT_EQ(script.responses()[1].data, 7U);
}

}  // namespace
}  // namespace muster::lockstep
