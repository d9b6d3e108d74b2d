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
#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/state_word.h"
#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

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

// One operation of a random program of one CTA, mostly legal: all warps meet at one barrier after
// another, of one kind after another, and beside that arrive at a counted one, for whose phases
// some wait: the last warp that runs arrives there for them. `meeting` numbers the former.
Operation RandomOperation(std::mt19937* random, const Model& model, unsigned num_warps,
                          unsigned meeting) {
  const auto below = [random](unsigned n) { return static_cast<unsigned>((*random)() % n); };
  constexpr std::array kMeetings = {OpKind::kSync, OpKind::kRedPopc, OpKind::kRedAnd,
                                    OpKind::kRedOr};
  constexpr std::array kOthers = {OpKind::kB2rResult, OpKind::kB2rBar, OpKind::kB2rWarp,
                                  OpKind::kArrive, OpKind::kArrivePhase};
  Operation operation;
  operation.warp = static_cast<std::uint8_t>(below(num_warps));
  operation.lanes = 1U << below(Config().warp_size) | (*random)();
  operation.operand = below(2) == 0 ? 0xffffffff : (*random)();
  operation.kind = kMeetings[meeting % kMeetings.size()];
  operation.bar = static_cast<std::uint8_t>(meeting % 3);
  if (below(5) == 0) {
    operation.bar = kCounted;
    operation.count = 2 * Config().warp_size;
    operation.kind = below(30) == 0  ? OpKind::kSync
                     : below(4) == 0 ? OpKind::kWait
                     : below(2) == 0 ? OpKind::kArrive
                                     : OpKind::kArrivePhase;
  }
  const bool alone = Ones(model.LiveWarps(0) & ~model.Waiting()) == 1;
  if (alone && (model.Apart() != 0 || operation.kind == OpKind::kWait)) {
    operation.kind = OpKind::kArrivePhase;
    operation.bar = kCounted;
    operation.count = 2 * Config().warp_size;
  } else if (below(10) == 0) {
    operation.kind = kOthers[below(kOthers.size())];
  }
  if (below(400) == 0) {
    operation.kind = OpKind::kExit;
    operation.lanes = 0xffffffff;
  } else if (below(40) == 0) {  // refused where all have joined
    operation.kind = OpKind::kJoin;
    operation.lanes = 0xffffffff;
  }
  return operation;
}

// The first warp that runs waits for the phase of the counted barrier that has not completed.
Operation WaitForOpenPhase(const Model& model) {
  Operation operation;
  operation.kind = OpKind::kWait;
  operation.warp = static_cast<std::uint8_t>(First(model.LiveWarps(0) & ~model.Waiting()));
  operation.bar = kCounted;
  operation.lanes = 1;
  operation.operand = DecodeBarWord(model.EntryWord(0, kCounted)).phase ? 1 : 0;
  return operation;
}

// Warp slots of a CTA, all of whose warps have all lanes.
struct Slots {
  std::uint8_t cta = 0;
  unsigned size = 0;
  std::vector<std::uint8_t> names;  // what warp w of the saved CTA becomes
};

Operation Lifecycle(OpKind kind, std::uint8_t cta, unsigned size) {
  Operation operation;
  operation.kind = kind;
  operation.cta = cta;
  operation.size = static_cast<std::uint8_t>(size);
  return operation;
}

// The slot, with the live warps in it. If the CTA was opened, it is opened again: a warp joins and
// exits for each that had exited, and the live ones join.
void TakeSlot(const Model& from, Model* to, const Slots& slots,
              const std::vector<std::uint8_t>& live, bool opened) {
  if (!opened) {
    Operation launch = Lifecycle(OpKind::kLaunch, slots.cta, slots.size);
    for (const std::uint8_t warp : live) {
      launch.warps |= std::uint64_t{1} << slots.names[warp];
    }
    ASSERT_EQ(to->Step(launch).fault, FaultCause::kNone);
    return;
  }
  ASSERT_EQ(to->Step(Lifecycle(OpKind::kOpen, slots.cta, slots.size)).fault, FaultCause::kNone);
  Operation operation = Lifecycle(OpKind::kJoin, slots.cta, 0);
  operation.lanes = 0xffffffff;
  operation.warp = slots.names.front();
  const auto exited = slots.size - live.size() - from.ToJoin(0);
  ASSERT_LE(exited, slots.size);
  for (unsigned i = 0; i < exited; ++i) {
    operation.kind = OpKind::kJoin;
    ASSERT_EQ(to->Step(operation).fault, FaultCause::kNone);
    operation.kind = OpKind::kExit;
    ASSERT_EQ(to->Step(operation).fault, FaultCause::kNone);
  }
  operation.kind = OpKind::kJoin;
  for (const std::uint8_t warp : live) {
    operation.warp = slots.names[warp];
    ASSERT_EQ(to->Step(operation).fault, FaultCause::kNone);
  }
}

// Moves the CTA of `from` into *to, as a save and a restore would: through B2R and R2B alone.
void SaveAndRestore(Model* from, Model* to, const Slots& slots, bool opened) {
  const auto& [cta, size, names] = slots;
  std::vector<std::uint8_t> live;
  for (unsigned warp = 0; warp < names.size(); ++warp) {
    if ((from->LiveWarps(0) >> warp & 1) != 0) {
      live.push_back(static_cast<std::uint8_t>(warp));
    }
  }
  ASSERT_NO_FATAL_FAILURE(TakeSlot(*from, to, slots, live, opened));

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
void RandomProgramsGoOnAsBefore(bool opened) {
  constexpr unsigned kPrograms = 200;
  constexpr unsigned kOperations = 300;
  const Config& config = *FindConfig("default");
  unsigned completions_afterwards = 0;
  unsigned joins_afterwards = 0;
  unsigned apart = 0;
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
    Operation launch = Lifecycle(opened ? OpKind::kOpen : OpKind::kLaunch, 0, size);
    launch.warps = (std::uint64_t{1} << size) - 1;
    original.Step(launch);
    unsigned meeting = 0;
    const unsigned before = random() % kOperations;
    for (unsigned i = 0; i < before; ++i) {
      const Effects effects = original.Step(RandomOperation(&random, original, size, meeting));
      meeting += effects.completed && effects.bar != kCounted ? 1 : 0;
    }
    if (original.LiveWarps(0) == 0) {
      continue;
    }

    if (Ones(original.LiveWarps(0) & ~original.Waiting()) > 1) {
      original.Step(WaitForOpenPhase(original));
    }
    apart += Ones(original.Apart());
    Model restored(config);
    ASSERT_NO_FATAL_FAILURE(SaveAndRestore(&original, &restored, {cta, size, names}, opened));
    for (unsigned i = 0; i < kOperations; ++i) {
      Operation operation = RandomOperation(&random, original, size, meeting);
      const Effects expected = original.Step(operation);
      meeting += expected.completed && expected.bar != kCounted ? 1 : 0;
      completions_afterwards += expected.completed ? 1 : 0;
      joins_afterwards +=
          operation.kind == OpKind::kJoin && expected.fault == FaultCause::kNone ? 1 : 0;
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
    EXPECT_EQ(Ones(restored.Apart()), Ones(original.Apart()));
  }
  EXPECT_GT(completions_afterwards, kPrograms * 10);  // the programs did not just stand still
  EXPECT_GT(apart, kPrograms / (opened ? 20 : 5));    // warps that waited for a phase when saved
  EXPECT_EQ(joins_afterwards > kPrograms / 4, opened) << joins_afterwards;
}

TEST(GoldenSave, RandomProgramsGoOnAsBefore) { RandomProgramsGoOnAsBefore(/*opened=*/false); }

TEST(GoldenSave, RandomProgramsOfOpenedCtasGoOnAsBefore) {
  RandomProgramsGoOnAsBefore(/*opened=*/true);
}

}  // namespace
}  // namespace muster::golden
