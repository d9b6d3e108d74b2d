// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The mbarrier block, Verilated: every commit, answer, fault and wake-up against the oracle.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>

#include "tb/unit/mb_oracle.h"
#include "tb/unit/mbarrier_bench.h"
#include "tb/unit/mbarrier_fixture.h"
#include "tb/volume.h"

namespace muster::mb {
namespace {

// What a mutant of the block must still pass (scripts/mutation/mutants.py).
TEST_F(Mbarrier, PlainArriveAndWait) {
  const Place place(1, 64);
  Init(place, 4);
  for (const bool phase : {false, true, false}) {
    const std::uint64_t wakes = room_.wakes;
    for (unsigned warp = 0; warp < 3; ++warp) {
      Do(kWarp, Arrive(place, warp, 1));
    }
    Do(kWarp, TryWait(place, 0, phase, 1'000'000));
    Do(kWarp, Arrive(place, 3, 1));
    EXPECT_EQ(room_.wakes, wakes + 1);
    Group wait = TryWait(place, 1, phase, 0);
    wait.op = Op::kTestWaitParity;
    Do(kWarp, wait);
  }
  EXPECT_EQ(room_.completions, 3);
}

TEST_F(Mbarrier, WarpWideArriveIsOneUpdate) {
  const Place place(1, 64);
  Init(place, 64);
  const std::uint64_t before = room_.commits;
  Do(kWarp, Arrive(place, 3));
  EXPECT_EQ(room_.Word(place).pending, 32);
  Group group = Arrive(place, 4, 0xffff);
  group.operand = 2;  // with a count of its own, too
  group.has_token = true;
  Do(kWarp, group);
  EXPECT_EQ(room_.commits, before + 2);
  EXPECT_EQ(room_.completions, 1);
}

TEST_F(Mbarrier, GroupIsSplitAtTheLaneThatCompletes) {
  const Place place(0, 8);
  Init(place, 5);
  Group group = Arrive(place, 0);
  group.has_token = true;
  Do(kWarp, group);  // 32 lanes: six phases, and two lanes in the seventh
  EXPECT_EQ(room_.completions, 6);
  EXPECT_EQ(room_.Word(place).pending, 3);
  EXPECT_GT(room_.splits, 6);
}

// Lanes one by one are a commit per cycle, after three cycles without one.
TEST_F(Mbarrier, SplitTakesThreeCyclesAndOneForEachLane) {
  const Place place(0, 8);
  const auto cycles_to_last_commit = [&](unsigned pending) {
    Init(place, pending);
    const std::uint64_t first = room_.cycle;
    room_.Present(kWarp, Arrive(place, 0));
    std::uint64_t last = 0;
    for (unsigned i = 0; i < 100; ++i) {
      const std::uint64_t commits = room_.commits;
      room_.Cycle();
      last = room_.commits != commits ? room_.cycle : last;
    }
    return last - first;
  };
  const std::uint64_t whole = cycles_to_last_commit(64);
  EXPECT_EQ(cycles_to_last_commit(5), whole + 3 + 31);
}

// 32 warps arrive on one word, with and without tokens, while copies complete on it.
TEST_F(Mbarrier, OneUpdatePerCycleOnOneWord) {
  const Place place(2, 128);
  for (const bool tokens : {false, true}) {
    for (const unsigned latency : {1U, 4U}) {
      room_.environment.latency = latency;
      Init(place, 32 * 1000);
      const std::uint64_t first = room_.commits, back_to_back = room_.back_to_back;
      room_.worst_wait = {};
      for (unsigned i = 0; i < 999; ++i) {
        if (room_.Free(kWarp)) {
          Group group = Arrive(place, i % kWarps);
          group.has_token = tokens;
          room_.Present(kWarp, group);
        }
        for (const Source source : {kAsync, kRemote}) {
          if (room_.Free(source)) {
            Group complete = Arrive(place, 0, 1);
            complete.op = i % 2 == 0 ? Op::kExpectTx : Op::kCompleteTx;
            room_.Present(source, complete);
          }
        }
        room_.Cycle();
      }
      room_.Drain();
      // Three sources take turns; and the first update waits for its word.
      EXPECT_LE(room_.worst_wait[kWarp], tokens ? 5 : 1 + latency);
      EXPECT_LE(room_.worst_wait[kAsync], 1 + latency);
      EXPECT_LE(room_.worst_wait[kRemote], 1 + latency);
      EXPECT_GE(room_.back_to_back - back_to_back + 10, room_.commits - first);
    }
  }
}

// Another CTA has a group in every cycle, whose lanes go one by one. With six of them the pipeline
// takes one as the sum of the next is done, always while one is split.
TEST_F(Mbarrier, WarpHasItsTurnAmongSplits) {
  const Place place(1, 24);
  for (unsigned lanes = 1; lanes <= kWarps; ++lanes) {
    room_.environment.latency = 1 + lanes % 4;
    Object word;  // everybody has arrived, bytes are missing
    word.expected = 1;
    word.tx = 50'000;
    room_.Store(place, word.Encode());
    room_.worst_wait = {};
    for (unsigned i = 0; i < 1000; ++i) {
      if (room_.Free(kRemote)) {
        Group complete = Arrive(place, 0, kAll >> (32 - lanes));
        complete.op = Op::kCompleteTx;
        complete.operand = 2;
        room_.Present(kRemote, complete);
      }
      if (room_.Free(kWarp) && i >= 100 && i < 600) {
        room_.Present(kWarp, TryWait(place, i % kWarps, false, 0));
      }
      room_.Cycle();
    }
    room_.Drain();
    EXPECT_LE(room_.worst_wait[kWarp], 3 * (8 + 2 * lanes)) << lanes << " lanes";
    EXPECT_LE(room_.worst_wait[kRemote], 3 * (8 + 2 * lanes)) << lanes << " lanes";
  }
}

TEST_F(Mbarrier, OneUpdatePerCycleOnWordsInTurn) {
  for (unsigned words = 1; words <= 6; ++words) {
    for (unsigned word = 0; word < words; ++word) {
      Init(Place(0, 8 * word), 32 * 1000);
    }
    const std::uint64_t first = room_.commits, back_to_back = room_.back_to_back;
    for (unsigned i = 0; i < 500; ++i) {
      if (room_.Free(kWarp)) {
        room_.Present(kWarp, Arrive(Place(0, 8 * (i % words)), i % kWarps));
      }
      room_.Cycle();
    }
    room_.Drain();
    EXPECT_GE(room_.commits - first, 499);
    EXPECT_GE(room_.back_to_back - back_to_back + 3, room_.commits - first) << words << " words";
  }
}

TEST_F(Mbarrier, CompletionWakesParkedWaits) {
  const Place place(3, 16);
  Init(place, 32);
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    Do(kWarp, TryWait(place, warp, false, 1'000'000));
  }
  EXPECT_EQ(room_.parks, 32);
  Do(kAsync, Arrive(place, 0, 1));
  EXPECT_EQ(room_.wakes, 0);
  Do(kRemote, Arrive(place, 0, kAll >> 1));
  EXPECT_EQ(room_.wakes, 32);
  Do(kWarp, TryWait(place, 5, false, 1'000'000));  // has completed: answered at once
  EXPECT_EQ(room_.parks, 32);
  EXPECT_EQ(room_.expiries, 0);
}

TEST_F(Mbarrier, LimitAnswersFalse) {
  const Place place(0, 16);
  Init(place, 1);
  for (const std::uint32_t hint : {1U, 2U, 100U, 12345U}) {
    const std::uint64_t parks = room_.parks;
    Do(kWarp, TryWait(place, 7, false, hint));
    for (std::uint64_t i = 0; i < hint * 1000ULL / kClockPeriodPs + 2ULL * kWarps; ++i) {
      room_.Cycle();
    }
    EXPECT_EQ(room_.parks, parks + 1);
    EXPECT_EQ(room_.expiries, room_.parks);
  }
  Do(kWarp, TryWait(place, 7, false, 0));  // does not park
  EXPECT_EQ(room_.parks, 4);
  Group without_hint = TryWait(place, 7, false, 0);
  without_hint.has_hint = false;
  Do(kWarp, without_hint);
  EXPECT_EQ(room_.parks, 5);
  Group part = TryWait(place, 8, false, 100);
  part.whole = false;
  Do(kWarp, part);
  EXPECT_EQ(room_.parks, 5);
}

TEST_F(Mbarrier, LeavingCtaAnswersFalse) {
  Init(Place(1, 8), 1);
  Init(Place(2, 8), 1);
  Do(kWarp, TryWait(Place(1, 8), 1, false, 1'000'000));
  Do(kWarp, TryWait(Place(2, 8), 2, false, 1'000'000));
  room_.Leave(1);
  room_.Cycle();
  room_.Cycle();
  EXPECT_EQ(room_.expiries, 1);
  Do(kRemote, Arrive(Place(2, 8), 0, 1));
  EXPECT_EQ(room_.wakes, 1);
}

// A random group, at words that it has a fair chance to complete.
Group RandomGroup(Bench& bench, Source source, unsigned words) {
  auto& random = bench.random;
  Group group;
  group.place = {random() % (words > 4 ? kCtas : 1),
                 static_cast<std::uint32_t>(8 * (random() % words))};
  group.warp = random() % kWarps;
  group.lanes = random() % 2 == 0   ? kAll
                : random() % 4 == 0 ? static_cast<std::uint32_t>(random()) | 1
                                    : 1U << random() % 32;
  const Object object = bench.Word(group.place);
  group.op = static_cast<Op>(random() % kNumOps);
  if (source == kWarp && object.Exhausted() && random() % 4 != 0) {
    group.op = Op::kInit;
  } else if (object.pending > kMaxCount - 64 && random() % 2 == 0) {
    group.op = random() % 4 != 0 ? Op::kCopyArrive : Op::kInit;
  } else if (object.tx != 0 && random() % 2 == 0) {
    group.op = object.tx > 0 ? Op::kCompleteTx : Op::kExpectTx;
    group.operand = static_cast<std::uint32_t>(std::abs(object.tx));
    group.lanes = 1;
  } else if (random() % 2 == 0) {
    group.op = random() % 3 == 0 ? Op::kTryWaitParity : Op::kArrive;
  } else if (random() % 4 != 0 && (group.op == Op::kInit || group.op == Op::kInval)) {
    group.op = Op::kArrive;
  }
  group.phase = random() % 8 == 0 ? !object.phase : object.phase;
  group.has_token = random() % 3 == 0;
  group.has_hint = random() % 4 != 0;
  group.whole = random() % 8 != 0;
  group.releasing = random() % 2 == 0;
  if (Waits(group.op)) {
    group.operand = random() % 16 == 0 ? 0 : random() % 600;
  } else if (group.op == Op::kInit) {
    group.operand = random() % 2 == 0 ? 1 + random() % 8 : 1 + random() % 200;
    group.operand = random() % 8 == 0 ? kMaxCount - random() % 3 : group.operand;
  } else if (group.op != Op::kCompleteTx && group.op != Op::kExpectTx) {
    group.operand = random() % 4 != 0 ? 1 : random() % 8;
  }
  if (random() % 32 == 0) {
    group.operand =
        random() % 2 == 0 ? (1 << 20) - random() % 2 : static_cast<std::uint32_t>(random());
  }
  if (random() % 64 == 0) {
    group.place.second =
        random() % 2 == 0 ? group.place.second + 1 + random() % 7 : kSmemBytes + 8 * (random() % 8);
  }
  if (source == kAsync) {
    group.op = random() % 2 == 0 ? Op::kArrive : Op::kCompleteTx;
    group.operand = group.op == Op::kArrive ? 1 : group.operand;
    group.lanes = 1;
    group.has_token = false;
  }
  if (source == kRemote) {
    group.warp = 0;
    group.has_token = random() % 16 == 0;
  }
  return group;
}

struct Traffic {
  const char* name;
  unsigned words;  // that are in use
  unsigned busy;   // percent of cycles that a source has something
  Environment environment;
};

void PrintTo(const Traffic& traffic, std::ostream* out) { *out << traffic.name; }

class MbarrierRandom : public testing::TestWithParam<Traffic> {};

TEST_P(MbarrierRandom, EverythingIsAsTheOracleSays) {
  const Traffic& traffic = GetParam();
  Bench bench(7);
  bench.environment = traffic.environment;
  for (unsigned i = 0; i < 400'000 && bench.error().empty(); ++i) {
    for (const Source source : {kWarp, kAsync, kRemote}) {
      if (bench.Free(source) && bench.random() % 100 < traffic.busy) {
        bench.Present(source, RandomGroup(bench, source, traffic.words));
      }
    }
    if (bench.random() % 5000 == 0) {
      bench.Leave(bench.random() % kCtas);
    }
    bench.Cycle();
  }
  bench.Drain();
  ASSERT_EQ(bench.error(), "");
  EXPECT_GT(bench.commits, 50'000);
  EXPECT_GT(bench.completions, 1'000);
  EXPECT_GT(bench.splits, 500);
  EXPECT_GT(bench.wakes, 200);
  EXPECT_GT(bench.expiries, 50);
  EXPECT_GT(bench.responses, 5'000);
  if (traffic.environment.outstanding != 0) {
    EXPECT_GT(bench.drains, 1'000);
  }
  if (traffic.environment.stores != 0) {
    EXPECT_GT(bench.stores, 1'000);
  }
  for (unsigned cause = 11; cause < 19; ++cause) {
    EXPECT_GT(bench.causes.at(cause), 2) << cause;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , MbarrierRandom,
    testing::Values(Traffic{"one_word", 1, 80, {}}, Traffic{"few_words", 3, 90, {}},
                    Traffic{"many_words", 60, 100, {}}, Traffic{"idle", 4, 20, {}},
                    Traffic{"one_port", 3, 90, {1, 0, 0, 0, true, 0, 0, 10}},
                    Traffic{"stores", 3, 60, {1, 0, 0, 0, false, 5, 0, 0}},
                    Traffic{"stalls", 4, 90, {1, 5, 30, 30, true, 2, 40, 30}},
                    Traffic{"drains", 8, 90, {2, 0, 10, 10, false, 0, 10, 80}}),
    [](const testing::TestParamInfo<Traffic>& info) { return info.param.name; });

// A warp waits and another one's arrival completes the phase, at every distance of the two.
TEST_F(Mbarrier, NoWakeUpIsLost) {
  const Place place(0, 8);
  Init(place, 1);
  const unsigned cycles = Volume(1'000'000, 10'000'000);
  for (unsigned i = 0; i < cycles && room_.error().empty(); ++i) {
    if (room_.Free(kWarp) && room_.random() % 2 == 0) {
      room_.Present(kWarp, TryWait(place, room_.random() % 4, room_.Word(place).phase, 1'000'000));
    }
    const Source source = room_.random() % 2 == 0 ? kAsync : kRemote;
    if (room_.Free(source) && room_.random() % 4 == 0) {
      room_.Present(source, Arrive(place, 0, 1));
    }
    room_.Cycle();
  }
  EXPECT_GT(room_.parks, cycles / 20);
  EXPECT_GT(room_.wakes, cycles / 20);
}

}  // namespace
}  // namespace muster::mb
