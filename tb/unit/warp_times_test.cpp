// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warp scope, Verilated: what its page promises of times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tb/unit/warp_fixture.h"

namespace muster::warp {
namespace {

template <typename Unit>
class WarpTimes : public Warp<Unit> {
 protected:
  static constexpr unsigned kWarp = 1;

  static unsigned Last() { return kShape<Unit>.warp_size - 1; }
  // A lane, and the last one.
  static std::uint32_t Pair(unsigned lane) { return 1U << lane | 1U << Last(); }

  // Presents a request in one beat, or the last of its beats; how many cycles after it is accepted
  // the next one may come.
  unsigned Occupied(const WarpRequest& request, unsigned beat) {
    const std::uint64_t accepted = this->bench_.cycle();
    EXPECT_TRUE(this->bench_.Present(request, beat, true)) << "it is not accepted at once";
    do {
      this->bench_.Cycle();
      this->bench_.Withdraw();
    } while (!this->bench_.out().ready && this->bench_.cycle() < accepted + 100);
    return static_cast<unsigned>(this->bench_.cycle() - accepted);
  }
  // The same of one lane, until nothing is under way.
  unsigned Occupied(WarpOp op, unsigned lane, std::uint32_t key) {
    const unsigned cycles = Occupied(this->Request(op, kWarp, 1U << lane, key), 0);
    this->bench_.Settle();
    return cycles;
  }
  // The same of these lanes, which exit.
  unsigned Exits(std::uint32_t lanes) {
    const unsigned cycles = Occupied(this->Request(WarpOp::kExit, kWarp, lanes, 0), 0);
    this->bench_.Settle();
    return cycles;
  }
};

TYPED_TEST_SUITE(WarpTimes, Units);

// A collective whose members come together: in each cycle one, or without vote, match and redux in
// every other one. Each is answered two cycles later.
TYPED_TEST(WarpTimes, OnePerCycle) {
  for (unsigned k = 0; k < 100; ++k) {
    const unsigned warp = k % this->bench_.shape().num_warps;
    const std::uint32_t lanes = this->live_[warp];
    const WarpRequest request = this->Request(WarpOp::kSync, warp, lanes, lanes);
    if (k > 0 && !this->bench_.shape().collectives) {
      ASSERT_FALSE(this->bench_.Present(request, 0, true));
      this->bench_.Cycle();
    }
    ASSERT_TRUE(this->bench_.Present(request, 0, true));
    this->bench_.Cycle();
  }
  this->bench_.Withdraw();
  this->bench_.Settle();
  EXPECT_EQ(this->bench_.counts().together, 100U);
}

// The lower half of a warp comes to bar.warp.sync, then the upper half.
TYPED_TEST(WarpTimes, AsThePageShowsIt) {
  const std::uint32_t all = kShape<TypeParam>.Lanes();
  const std::uint32_t lower = all >> kShape<TypeParam>.warp_size / 2;
  std::vector<std::uint64_t> accepted;
  std::vector<std::uint64_t> ready;
  std::vector<std::uint64_t> open;  // the cycles in which lanes wait
  WarpBench<TypeParam> bench;
  for (const std::uint32_t lanes : {lower, all & ~lower, 0U}) {
    WarpRequest request;
    request.lanes = lanes;
    request.live = all;
    request.key = all;
    bool done = false;
    while (!done && bench.cycle() < 100) {
      if (lanes != 0) {
        done = bench.Present(request, 0, true);
      } else {
        bench.Withdraw();
        done = bench.out().answer_valid;
      }
      if (done) {
        accepted.push_back(bench.cycle());
      }
      if (bench.out().ready) {
        ready.push_back(bench.cycle());
      }
      if (bench.out().open != 0) {
        open.push_back(bench.cycle());
      }
      bench.Cycle();
    }
  }
  EXPECT_EQ(accepted, (std::vector<std::uint64_t>{0, 4, 12}));
  EXPECT_EQ(ready, accepted);
  EXPECT_EQ(open, (std::vector<std::uint64_t>{4, 5, 6, 7, 8, 9, 10, 11}));
  bench.Settle();
}

// Each request occupies the block as long as the page says, also after the last slots in use have
// become free again and again.
TYPED_TEST(WarpTimes, OccupiesTheBlockAsThePageSays) {
  const unsigned last = this->Last();
  const unsigned groups = std::min(last - 1, 6U);
  EXPECT_EQ(this->Occupied(WarpOp::kSync, 0, this->Pair(0)), 4U);
  for (unsigned n = 1; n < groups; ++n) {
    EXPECT_EQ(this->Occupied(WarpOp::kSync, n, this->Pair(n)), 3 * n + 5);
  }
  for (unsigned n = groups; n > 0; --n) {
    EXPECT_EQ(this->Occupied(WarpOp::kSync, last, this->Pair(n - 1)), 3 * n + 5);
  }
  this->live_[this->kWarp] &= ~1U;
  EXPECT_EQ(this->Occupied(WarpOp::kExit, 0, 0), 2U);
  EXPECT_EQ(this->Occupied(WarpOp::kGather, 1, 0x41), 5U);
  EXPECT_EQ(this->Occupied(WarpOp::kGather, 2, 0x41), 9U);
  this->live_[this->kWarp] = 0b0110 | 1U << last;
  if (this->bench_.shape().faults) {
    EXPECT_EQ(this->Occupied(WarpOp::kSync, last, 0b0010 | 1U << last), 5U);  // refused
  }
  if (last > 3) {
    this->live_[this->kWarp] = 0b1110;
    EXPECT_EQ(this->Occupied(WarpOp::kExit, last, 0), 5U);
  }
}

// The slots of two groups have become free, and that of the last one does. The next walk goes
// through the free ones, and the one after it through none.
TYPED_TEST(WarpTimes, FreeSlotsAtTheEndGoInOneWalk) {
  const unsigned last = this->Last();
  if (last < 4) {
    GTEST_SKIP() << "a warp of so few lanes has no four groups";
  }
  for (unsigned lane = 0; lane < 4; ++lane) {
    this->Occupied(WarpOp::kSync, lane, this->Pair(lane));
  }
  for (const unsigned lane : {1U, 2U, 3U}) {
    EXPECT_EQ(this->Occupied(WarpOp::kSync, last, this->Pair(lane)), 3 * 4 + 5U);
  }
  EXPECT_EQ(this->Occupied(WarpOp::kSync, last, this->Pair(0)), 3 * 3 + 5U);
  EXPECT_EQ(this->Occupied(WarpOp::kSync, 0, this->Pair(0)), 4U);
}

// Exits that find free slots and no lane in a gather: one free slot; a group that the exit
// completes, after a free slot.
TYPED_TEST(WarpTimes, ExitFindsFreeSlots) {
  const unsigned last = this->Last();
  for (const bool both : {true, false}) {
    for (const unsigned lane : {0U, 1U}) {
      this->Occupied(WarpOp::kSync, lane, this->Pair(lane));
    }
    this->Occupied(WarpOp::kSync, last, this->Pair(0));
    if (both) {
      this->Occupied(WarpOp::kSync, last, this->Pair(1));
    }
    this->live_[this->kWarp] &= ~(1U << last);
    EXPECT_EQ(this->Exits(1U << last), 3 * (both ? 1U : 2U) + 2);
    EXPECT_EQ(this->bench_.out().open, 0U);
    this->live_[this->kWarp] = kShape<TypeParam>.Lanes();
  }
}

// An exit that completes all groups leaves no slot in use, also if values are evaluated.
TYPED_TEST(WarpTimes, ExitCompletesAllGroups) {
  const unsigned last = this->Last();
  for (const WarpOp op : {WarpOp::kSync, WarpOp::kReduxAdd}) {
    if (op == WarpOp::kReduxAdd && !this->bench_.shape().collectives) {
      continue;
    }
    this->live_[this->kWarp] = kShape<TypeParam>.Lanes();
    for (const unsigned lane : {0U, 1U}) {
      this->bench_.Send(this->Request(op, this->kWarp, 1U << lane, this->Pair(lane)));
    }
    this->live_[this->kWarp] &= ~(1U << last);
    const unsigned cycles = this->Exits(1U << last);
    if (op == WarpOp::kSync) {
      EXPECT_EQ(cycles, 3 * 2 + 2U);
    }
    EXPECT_EQ(this->Occupied(WarpOp::kSync, 0, 0b0011), 4U);
    EXPECT_EQ(this->Occupied(WarpOp::kSync, 1, 0b0011), 3 * 1 + 5U);
  }
}

// An exit while lanes wait in a gather, and the slot before its slot is free: the warp arrives if
// no other lane is left.
TYPED_TEST(WarpTimes, ExitAmidAGatherAfterAFreeSlot) {
  const unsigned last = this->Last();
  for (const bool all : {false, true}) {
    WarpBench<TypeParam>& bench = this->bench_;
    bench.Reset();
    bench.in().arrival_ready = true;
    this->live_[this->kWarp] = 0b0011 | 1U << last;
    this->Occupied(WarpOp::kSync, 0, this->Pair(0));
    this->Occupied(WarpOp::kGather, 1, 0x41);
    this->Occupied(WarpOp::kSync, last, this->Pair(0));
    const std::uint32_t exits = 1U << last | (all ? 0b0001U : 0U);
    this->live_[this->kWarp] &= ~exits;
    if (all) {
      bench.Send(this->Request(WarpOp::kExit, this->kWarp, exits, 0));
    } else {
      EXPECT_EQ(this->Exits(exits), 3 * 2 + 2U);
    }
    EXPECT_EQ(bench.counts().arrivals, all ? 1U : 0U);
  }
}

// The arrival of a warp is taken. Two cycles later the next request is accepted, also with a free
// slot before that group's.
TYPED_TEST(WarpTimes, ReadySoonAfterTheArrival) {
  const unsigned last = this->Last();
  const auto present = [&](WarpOp op, std::uint32_t lanes, std::uint32_t key) {
    EXPECT_TRUE(this->bench_.Present(this->Request(op, this->kWarp, lanes, key), 0, true));
    for (unsigned cycle = 0; cycle < 2 * this->bench_.LongestWalk(); ++cycle) {
      this->bench_.Cycle();
      this->bench_.Withdraw();
    }
  };
  const auto until_ready = [&] {
    this->bench_.in().arrival_ready = true;
    while (!this->bench_.out().arrival_valid && !this->HasFailure()) {
      this->bench_.Cycle();
    }
    this->bench_.Cycle();
    unsigned cycles = 1;
    while (!this->bench_.out().ready && !this->HasFailure()) {
      this->bench_.Cycle();
      ++cycles;
    }
    this->bench_.in().arrival_ready = false;
    return cycles;
  };
  this->live_[this->kWarp] = 0b11;
  present(WarpOp::kGather, 0b01, 0x41);
  present(WarpOp::kGather, 0b10, 0x41);
  EXPECT_EQ(until_ready(), 2U);
  this->live_[this->kWarp] |= 1U << last;
  present(WarpOp::kSync, 0b01, this->Pair(0));
  present(WarpOp::kGather, 0b10, 0x41);
  present(WarpOp::kSync, 1U << last, this->Pair(0));
  this->live_[this->kWarp] = 0b10;
  present(WarpOp::kExit, 0b01 | 1U << last, 0);
  EXPECT_EQ(until_ready(), 2U);
}

// match and redux of lanes that come together: the next request may come in the cycle of the last
// answer.
TYPED_TEST(WarpTimes, ValuesOccupyTheBlockUntilTheAnswer) {
  if (!this->bench_.shape().collectives) {
    GTEST_SKIP() << "has no values";
  }
  const std::uint32_t all = kShape<TypeParam>.Lanes();
  for (const WarpOp op :
       {WarpOp::kMatchAny, WarpOp::kMatchAll, WarpOp::kReduxAdd, WarpOp::kReduxMin}) {
    const WarpRequest request = this->Request(op, this->kWarp, all, all);
    const std::vector<unsigned> beats = this->bench_.BeatsOf(request);
    for (const unsigned beat : beats) {
      if (beat != beats.back()) {
        EXPECT_TRUE(this->bench_.Present(request, beat, false));
        this->bench_.Cycle();
      }
    }
    this->Occupied(request, beats.back());
    EXPECT_TRUE(this->bench_.out().ready);
    EXPECT_TRUE(this->bench_.out().answer_valid);
    this->bench_.Settle();
  }
}

}  // namespace
}  // namespace muster::warp
