// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// How many cycles atomics on shared memory take.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tb/unit/atomics_bench.h"
#include "tb/unit/atomics_types.h"
#include "tb/unit/atomics_units.h"

namespace muster::atomics {
namespace {

class Times : public ::testing::Test {
 protected:
  // The cycles between the commits of these updates; the first is its latency.
  std::vector<unsigned> CommitsOf(const std::vector<AtomicUpdate>& updates) {
    bench_.queue().assign(updates.begin(), updates.end());
    std::vector<unsigned> cycles;
    std::uint64_t last = 0;
    for (unsigned i = 0; i < 400 && cycles.size() < updates.size(); ++i) {
      bench_.Cycle();
      if (const auto& done = bench_.checker().committed()) {
        cycles.push_back(cycles.empty() ? done->latency
                                        : static_cast<unsigned>(bench_.cycle() - last));
        last = bench_.cycle();
      }
    }
    return cycles;
  }

  AtomicsBench<Vatomics_small> bench_;
};

TEST_F(Times, OneUpdateAlone) {
  for (unsigned op = 0; op < kNumIntegerAtomicOps; ++op) {
    EXPECT_EQ(CommitsOf({Update(static_cast<AtomicOp>(op), AtomicSize::k32, 4, 1)}),
              std::vector<unsigned>{3});
    bench_.Settle();
  }
}

TEST_F(Times, SumsOf64BitsTakeMore) {
  for (unsigned op = 0; op < kNumIntegerAtomicOps; ++op) {
    const auto which = static_cast<AtomicOp>(op);
    if (!Steps(which)) {
      EXPECT_EQ(CommitsOf({Update(which, AtomicSize::k64, 8, 1)}),
                std::vector<unsigned>{Orders(which)             ? 5U
                                      : which == AtomicOp::kAdd ? 4U
                                                                : 3U});
      bench_.Settle();
    }
  }
}

// The halves of 128 bits, one after the other.
TEST_F(Times, Halves) {
  std::vector<AtomicUpdate> updates;
  for (unsigned i = 0; i < 4; ++i) {
    updates.push_back(Update(AtomicOp::kCas, AtomicSize::k128, 32, i));
    updates.push_back(updates.back());
    updates.back().upper = true;
  }
  EXPECT_EQ(CommitsOf(updates), (std::vector<unsigned>{4, 1, 3, 1, 3, 1, 3, 1}));
}

// Ten cycles each, eleven for two in a word, however long the chain is.
TEST_F(Times, ChainsOfFloats) {
  for (const auto& [op, size] :
       {std::pair{AtomicOp::kFAdd, AtomicSize::k32}, std::pair{AtomicOp::kFAdd, AtomicSize::k64},
        std::pair{AtomicOp::kHAdd, AtomicSize::k16}, std::pair{AtomicOp::kHAdd, AtomicSize::k32},
        std::pair{AtomicOp::kBAdd, AtomicSize::k16}, std::pair{AtomicOp::kBAdd, AtomicSize::k32}}) {
    const bool pair = op != AtomicOp::kFAdd && size == AtomicSize::k32;
    std::vector<unsigned> cycles(30, pair ? 11U : 10U);
    cycles[0] += 2;
    EXPECT_EQ(CommitsOf(std::vector<AtomicUpdate>(30, Update(op, size, 16, 0x3c00))), cycles);
    bench_.Settle();
  }
}

TEST_F(Times, OnePerCycleAtOneWord) {
  std::vector<AtomicUpdate> updates;
  for (unsigned i = 0; i < 60; ++i) {
    updates.push_back(Update(static_cast<AtomicOp>(i % kNumIntegerAtomicOps), AtomicSize::k32,
                             4 * (i / kNumIntegerAtomicOps % 2), i));
    updates.back().has_answer = i % 3 != 0;
  }
  std::vector<unsigned> cycles(60, 1);
  cycles[0] = 3;
  EXPECT_EQ(CommitsOf(updates), cycles);
}

TEST_F(Times, OnePerCycleAtDifferentWords) {
  std::vector<AtomicUpdate> updates;
  for (unsigned i = 0; i < 32; ++i) {
    updates.push_back(Update(AtomicOp::kMax, AtomicSize::k32, 8 * i, i));
  }
  std::vector<unsigned> cycles(32, 1);
  cycles[0] = 3;
  EXPECT_EQ(CommitsOf(updates), cycles);
}

// The word of the update before the last one is read again.
TEST_F(Times, TwoWordsInTurn) {
  std::vector<AtomicUpdate> updates;
  for (unsigned i = 0; i < 8; ++i) {
    updates.push_back(Update(AtomicOp::kAdd, AtomicSize::k32, 8 * (i % 2), 1));
  }
  EXPECT_EQ(CommitsOf(updates), (std::vector<unsigned>{3, 1, 2, 1, 2, 1, 2, 1}));
}

// An answer that is not taken holds up what has an answer, and nothing else.
TEST_F(Times, AnswerThatIsNotTaken) {
  AtomicUpdate update = Update(AtomicOp::kAdd, AtomicSize::k32, 16, 1);
  update.has_answer = true;
  bench_.in().response_ready = false;
  EXPECT_EQ(CommitsOf({update}), std::vector<unsigned>{3});
  update.has_answer = false;
  EXPECT_EQ(CommitsOf({update}), std::vector<unsigned>{3});
  update.has_answer = true;
  EXPECT_TRUE(CommitsOf({update}).empty());
  bench_.in().response_ready = true;
  bench_.Settle();
}

// A reset ends a drain: neither is it asked for, nor has the next update passed it.
TEST_F(Times, ResetAmidADrain) {
  AtomicUpdate update = Update(AtomicOp::kAdd, AtomicSize::k32, 16, 1);
  update.releasing = true;
  const std::uint64_t drained = bench_.in().fence_ack;
  for (const bool passed : {false, true}) {
    // It waits for its drain; or, drained, for the memory, which gives no word.
    bench_.in().fence_ack = passed ? drained : 0;
    bench_.bank().timing.read_stalls = 100;
    bench_.queue().assign(8, update);
    for (unsigned i = 0; i < 8; ++i) {
      bench_.Cycle();
    }
    bench_.queue().clear();
    bench_.Reset();
    bench_.in().fence_ack = 0;
    bench_.Cycle();
    EXPECT_EQ(bench_.out().fence_req, 0U);
    bench_.queue().push_back(update);
    bench_.Cycle();
    EXPECT_FALSE(bench_.out().issue_ready);
    bench_.in().fence_ack = drained;
    bench_.bank().timing = {};
    bench_.Settle();
  }
}

// The events are those of the waveform in rtl/atomics/README.md.
TEST_F(Times, AsThePageShowsIt) {
  bench_.words().At(0, 0x40) = 10;
  bench_.words().At(0, 0x80) = 99;
  AtomicUpdate first = Update(AtomicOp::kAdd, AtomicSize::k32, 0x40, 5);
  first.has_answer = true;
  AtomicUpdate second = Update(AtomicOp::kAdd, AtomicSize::k32, 0x40, 6);
  second.warp = 1;
  AtomicUpdate third = Update(AtomicOp::kMax, AtomicSize::k64, 0x80, 7);
  third.warp = 2;
  bench_.queue() = {first, second, third};
  std::vector<std::string> events;
  for (unsigned cycle = 0; cycle < 9; ++cycle) {
    bench_.Cycle();
    const AtomicOutputs& out = bench_.out();
    std::string text;
    if (out.read_valid) {
      text += fmt::format("read {:#x} ", out.read_place.addr);
    }
    if (out.write_valid) {
      text += fmt::format("write {} ", out.write_data);
    }
    if (out.commit_valid) {
      text += fmt::format("commit {} ", out.commit.warp);
    }
    if (out.response_valid) {
      text += fmt::format("response {} ", out.response.word);
    }
    events.push_back(text + fmt::format("busy {:#x}", out.busy));
  }
  EXPECT_EQ(events,
            (std::vector<std::string>{"busy 0x0", "read 0x40 busy 0x1", "busy 0x3",
                                      "read 0x80 write 15 commit 0 busy 0x7",
                                      "write 21 commit 1 response 10 busy 0x6", "busy 0x4",
                                      "busy 0x4", "write 99 commit 2 busy 0x4", "busy 0x0"}));
}

TEST_F(Times, StoresOfTheCoresAreNotHeldUpForEver) {
  const MbPlace place{0, 0};
  for (unsigned begin = 0; begin < 16; ++begin) {  // of the stores
    AtomicUpdate update =
        Update(AtomicOp::kExch, begin % 2 == 0 ? AtomicSize::k32 : AtomicSize::k128, 0, 1);
    unsigned waits = 0;
    for (unsigned i = 0; i < 100; ++i) {
      bench_.queue().push_back(update);
      update.upper = update.size == AtomicSize::k128 && !update.upper;
      bench_.Begin();
      const bool may = i < begin || bench_.bank().MayStore(place);
      if (may && i >= begin) {
        bench_.words().Store(place, 0);
      }
      bench_.End();
      waits = may ? 0 : waits + 1;
      ASSERT_LT(waits, 16U) << "by updates of " << BytesOf(update.size) << " bytes";
    }
    bench_.Settle();
  }
}

}  // namespace
}  // namespace muster::atomics
