// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Save and restore: the words of every warp and entry, read with B2R, bring a CTA back in another
// slot and under other warp numbers, and the program goes on as if nothing had happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

TEST(GoldenSave, HalfFullReductionInAnotherSlot) {
  Trace().Run(R"(
    launch 0: 0 1 2 3
    0: RED.POPC 8,64 p=0x7    -> popc 1/2 3
    1: RED.POPC 8,64 p=0x1    -> completes release 0 1 with popc 4
    3: exit
    0: RED.AND 5 p=0xffffffff -> and 1/all 1
    2: ARV 9,128              -> sync 1/4
    1: RED.AND 5 p=0xffffffff -> and 2/all 1
    0: B2R.WARP               -> reads and 0 of 5 waits 5
    1: B2R.WARP               -> reads and 0 of 5 waits 5
    2: B2R.WARP               -> reads none
    2: B2R.BAR 5              -> reads and 2/all 1
    2: B2R.BAR 9              -> reads sync 1/4
    suspend 0

    launch 0: 0 1             # someone else's, in between
    0: SYNC 5                 -> sync 1/all

    launch 1: 4 6 7 size 4
    1.4: R2B.BAR 5 and 2/all 1 -> and 2/all 1
    1.4: R2B.BAR 9 sync 1/4   -> sync 1/4
    1.7: R2B.WARP and 0 of 5 waits 5
    1.6: R2B.WARP and 0 of 5 waits 5
    1.4: R2B.WARP none
    1.4: RED.AND 5 p=0xfffffffe -> completes release 4 6 7 with and 0
    1.7: B2R.WARP             -> reads and 0 of 5
    1.4: B2R.WARP             -> reads and 0 of 5
    1.7: SYNC 9,128           -> sync 2/4
    1.6: SYNC 9,128           -> sync 3/4
    1.4: SYNC 9,128           -> completes release 4 6 7
    1: SYNC 5                 -> completes release 0 1
  )");
}

// The whole CTA waits, and one of its warps exits after the restore.
TEST(GoldenSave, ExitAfterRestoreCompletes) {
  Trace().Run(R"(
    launch 0: 0 1 2
    0: SYNC 11                -> sync 1/all
    1: SYNC 11                -> sync 2/all
    suspend 0
    launch 0: 5 6 7
    5: R2B.BAR 11 sync 2/all  -> sync 2/all
    7: R2B.WARP none waits 11
    6: R2B.WARP none waits 11
    5: exit lanes=0xffff0000
    5: exit lanes=0x0000ffff  -> bar 11 completes release 6 7
  )");
}

// After suspend, the slot and the warps are free, and no warp waits.
TEST(GoldenSave, SuspendClearsTheSlot) {
  Trace trace;
  trace.Run(R"(
    launch 0: 0 1
    0: SYNC 3                 -> sync 1/all
    suspend 0
  )");
  EXPECT_EQ(trace.model().Live(), 0U);
  EXPECT_EQ(trace.model().Waiting(), 0U);
  EXPECT_FALSE(trace.model().Resident(0));
  trace.Run(R"(
    launch 1: 0 1
    1.0: SYNC 3               -> sync 1/all
    1.1: SYNC 3               -> completes release 0 1
    suspend 0                 -> fault cta_not_resident
  )");
}

constexpr std::uint8_t kCounted = 15;  // the barrier with a count, of two warps

// A random program of one CTA, mostly legal: all warps meet at one barrier after another, of one
// kind after another, and beside that arrive at a counted one. `meeting` numbers the former.
Operation RandomOperation(std::mt19937* random, unsigned num_warps, unsigned meeting) {
  const auto below = [random](unsigned n) { return static_cast<unsigned>((*random)() % n); };
  constexpr std::array kMeetings = {OpKind::kSync, OpKind::kRedPopc, OpKind::kRedAnd,
                                    OpKind::kRedOr};
  constexpr std::array kOthers = {OpKind::kB2rResult, OpKind::kB2rBar, OpKind::kB2rWarp,
                                  OpKind::kArrive};
  Operation operation;
  operation.warp = static_cast<std::uint8_t>(below(num_warps));
  operation.lanes = 1U << below(kWarpSize) | (*random)();
  operation.operand = below(2) == 0 ? 0xffffffff : (*random)();
  operation.kind = kMeetings[meeting % kMeetings.size()];
  operation.bar = static_cast<std::uint8_t>(meeting % 3);
  if (below(5) == 0) {
    operation.bar = kCounted;
    operation.count = 2 * kWarpSize;
    operation.kind = below(30) == 0 ? OpKind::kSync : OpKind::kArrive;
  }
  if (below(10) == 0) {
    operation.kind = kOthers[below(kOthers.size())];
  }
  if (below(400) == 0) {
    operation.kind = OpKind::kExit;
    operation.lanes = 0xffffffff;
  }
  return operation;
}

// Moves the CTA of `from` into slot `cta` of *to, warp w becoming names[w], as a save and a restore
// would: through B2R and R2B alone.
void SaveAndRestore(Model* from, Model* to, std::uint8_t cta, unsigned size,
                    const std::vector<std::uint8_t>& names) {
  std::vector<std::uint8_t> live;
  for (unsigned warp = 0; warp < names.size(); ++warp) {
    if ((from->LiveWarps(0) >> warp & 1) != 0) {
      live.push_back(static_cast<std::uint8_t>(warp));
    }
  }
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.cta = cta;
  launch.size = static_cast<std::uint8_t>(size);
  for (const std::uint8_t warp : live) {
    launch.warps |= std::uint64_t{1} << names[warp];
  }
  ASSERT_EQ(to->Step(launch).fault, FaultCause::kNone);

  Operation operation;
  operation.lanes = 1;
  for (unsigned bar = 0; bar < kNumBars; ++bar) {
    operation.kind = OpKind::kB2rBar;
    operation.cta = 0;
    operation.bar = static_cast<std::uint8_t>(bar);
    operation.warp = live.front();
    operation.operand = from->Step(operation).data;
    operation.kind = OpKind::kR2bBar;
    operation.cta = cta;
    operation.warp = names[live.front()];
    ASSERT_EQ(to->Step(operation).fault, FaultCause::kNone);
  }
  for (const std::uint8_t warp : live) {
    operation.kind = OpKind::kB2rWarp;
    operation.cta = 0;
    operation.warp = warp;
    operation.operand = from->Step(operation).data;
    operation.kind = OpKind::kR2bWarp;
    operation.cta = cta;
    operation.warp = names[warp];
    ASSERT_EQ(to->Step(operation).fault, FaultCause::kNone);
  }
}

// Two models, one of which is saved and restored under other names at a random moment, do the same
// from then on.
TEST(GoldenSave, RandomProgramsGoOnAsBefore) {
  constexpr unsigned kPrograms = 200;
  constexpr unsigned kOperations = 300;
  const Config& config = *FindConfig("default");
  unsigned completions_afterwards = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const unsigned size = 3 + seed % 5;
    std::vector<std::uint8_t> names(config.num_warps);
    std::iota(names.begin(), names.end(), 0);
    std::shuffle(names.begin(), names.end(), random);
    names.resize(size);
    const auto cta = static_cast<std::uint8_t>(random() % config.num_ctas);

    Model original(config);
    Operation launch;
    launch.kind = OpKind::kLaunch;
    launch.warps = (std::uint64_t{1} << size) - 1;
    launch.size = static_cast<std::uint8_t>(size);
    original.Step(launch);
    unsigned meeting = 0;
    const unsigned before = random() % kOperations;
    for (unsigned i = 0; i < before; ++i) {
      const Effects effects = original.Step(RandomOperation(&random, size, meeting));
      meeting += effects.completed && effects.bar != kCounted ? 1 : 0;
    }
    if (original.LiveWarps(0) == 0) {
      continue;
    }

    Model restored(config);
    ASSERT_NO_FATAL_FAILURE(SaveAndRestore(&original, &restored, cta, size, names));
    for (unsigned i = 0; i < kOperations; ++i) {
      Operation operation = RandomOperation(&random, size, meeting);
      const Effects expected = original.Step(operation);
      meeting += expected.completed && expected.bar != kCounted ? 1 : 0;
      completions_afterwards += expected.completed ? 1 : 0;
      operation.cta = cta;
      operation.warp = names[operation.warp];
      const Effects effects = restored.Step(operation);
      std::uint64_t released = 0;
      for (unsigned warp = 0; warp < size; ++warp) {
        released |= (expected.released >> warp & 1) << names[warp];
      }
      ASSERT_EQ(effects.released, released);
      ASSERT_EQ(effects.released_kind, expected.released_kind);
      ASSERT_EQ(effects.released_value, expected.released_value);
      ASSERT_EQ(effects.fault, expected.fault);
      ASSERT_EQ(effects.responds, expected.responds);
      ASSERT_EQ(effects.data, expected.data);
      ASSERT_EQ(effects.pred, expected.pred);
      ASSERT_EQ(effects.word, expected.word);
      ASSERT_EQ(effects.completed, expected.completed);
    }
  }
  EXPECT_GT(completions_afterwards, kPrograms * 10);  // the programs did not just stand still
}

}  // namespace
}  // namespace muster::golden
