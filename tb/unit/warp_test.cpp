// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warp scope, Verilated, in lockstep with its golden model: lanes of random programs that come
// apart, and what the page promises of times.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "Vwarp_apart.h"
#include "Vwarp_bare.h"
#include "Vwarp_beat.h"
#include "Vwarp_few.h"
#include "Vwarp_full.h"
#include "Vwarp_half.h"
#include "Vwarp_lean.h"
#include "Vwarp_sixteen.h"
#include "Vwarp_small.h"
#include "sim/isa/bits.h"
#include "tb/traffic/warp_traffic.h"
#include "tb/unit/warp_bench.h"

namespace muster::warp {

template <>
const Shape kShape<Vwarp_small>{8, 32, 1, true, true};
template <>
const Shape kShape<Vwarp_beat>{6, 32, 8, true, true};
template <>
const Shape kShape<Vwarp_full>{64, 32, 32, true, true};
template <>
const Shape kShape<Vwarp_few>{5, 4, 2, true, true};
template <>
const Shape kShape<Vwarp_half>{12, 16, 4, true, true};
template <>
const Shape kShape<Vwarp_sixteen>{4, 32, 16, true, true};
template <>
const Shape kShape<Vwarp_apart>{8, 32, 1, false, true};
template <>
const Shape kShape<Vwarp_bare>{9, 16, 8, false, false};
template <>
const Shape kShape<Vwarp_lean>{7, 8, 2, true, false};

namespace {

template <typename Unit>
class Warp : public testing::Test {
 protected:
  static constexpr std::uint32_t kKeys[] = {0x00041, 0x10402, 0x40003, 0x100000, 0x300000};

  Warp() { live_.fill(kShape<Unit>.Lanes()); }

  unsigned Below(unsigned n) { return traffic_.Below(n); }
  std::uint32_t Free(unsigned warp) const { return live_[warp] & ~bench_.held(warp); }
  Traffic::Warp Of(unsigned warp) const {
    return {warp, bench_.CtaOf(warp), live_[warp], Free(warp)};
  }
  WarpRequest Request(WarpOp op, unsigned warp, std::uint32_t lanes, std::uint32_t key) const {
    return Traffic::Request(op, Of(warp), lanes, key);
  }

  WarpRequest Exiting(unsigned warp) {
    const std::uint32_t lanes = traffic_.SomeOf(Free(warp));
    live_[warp] &= ~lanes;
    return Request(WarpOp::kExit, warp, lanes, 0);
  }

  // Saves the warp, and restores it.
  void SaveAndRestore(unsigned warp) {
    Calm();
    bench_.CompareGroups(warp);
    const std::vector<WarpRequest> writes = traffic_.Restore(Of(warp));
    bench_.Clear(warp);
    bench_.Cycle();
    ASSERT_EQ(bench_.out().open >> warp & 1, 0U);
    for (const WarpRequest& request : writes) {
      bench_.Send(request);
    }
    bench_.CompareGroups(warp);
  }

  // Random programs on all warps for so many cycles.
  void Run(unsigned cycles) {
    WarpRequest request;
    std::vector<unsigned> beats;  // still to be presented
    const std::uint64_t end = bench_.cycle() + cycles;
    while (bench_.cycle() < end && !testing::Test::HasFailure()) {
      if (beats.empty() && Below(6) != 0) {
        const unsigned warp = Below(kShape<Unit>.num_warps);
        request = live_[warp] != 0 && Below(24) == 0 ? Exiting(warp)
                                                     : traffic_.Coming(Of(warp), kKeys[Below(5)]);
        traffic_.Litter(&request);
        if ((request.lanes & kShape<Unit>.Lanes()) != 0 &&
            (kShape<Unit>.faults || !bench_.IsRefused(request))) {
          beats = bench_.BeatsOf(request, Below(4) == 0);
        }
      }
      bench_.in().arrival_ready = Below(3) != 0;
      // A warp becomes busy when it has arrived, and only then.
      std::uint64_t busy = bench_.in().busy & traffic_.Word();
      if (bench_.out().arrival_valid && bench_.in().arrival_ready) {
        next_busy_ = std::uint64_t{1} << bench_.out().arrival.warp;
      }
      if (beats.empty()) {
        bench_.Withdraw();
      } else if (bench_.Present(request, beats.front(), beats.size() == 1)) {
        beats.erase(beats.begin());
      }
      bench_.Cycle();
      bench_.in().busy = busy | next_busy_;
      next_busy_ = 0;
      if (Below(1500) == 0) {
        bench_.Reset();  // also between the beats of a request
        beats.clear();
        live_.fill(kShape<Unit>.Lanes());
      } else if (beats.empty()) {
        Tend(Below(kShape<Unit>.num_warps));
      }
    }
    bench_.in().busy = 0;
    bench_.in().arrival_ready = true;
    while (!beats.empty() && !testing::Test::HasFailure()) {
      if (bench_.Present(request, beats.front(), beats.size() == 1)) {
        beats.erase(beats.begin());
      }
      bench_.Cycle();
    }
    Calm();
  }

  // Until nothing is on its way.
  void Calm() {
    bench_.Withdraw();
    bench_.in().busy = 0;
    bench_.in().arrival_ready = 1;
    bench_.Settle();
  }

  // A warp that has ended, or whose lanes all wait, is replaced; now and then one is saved and
  // restored.
  void Tend(unsigned warp) {
    if (Free(warp) == 0 && bench_.SettledOf(warp) && Below(8) == 0) {
      Calm();
      bench_.CompareGroups(warp);
      bench_.Clear(warp);
      live_[warp] = kShape<Unit>.Lanes() & (Below(3) == 0 ? traffic_.Word() | 1 : ~0U);
      bench_.Cycle();
    } else if (Below(500) == 0) {
      SaveAndRestore(warp);
    }
  }

  WarpBench<Unit> bench_;
  std::array<std::uint32_t, kMaxWarps> live_{};
  Traffic traffic_{kShape<Unit>, bench_.model(), 20261123};
  std::uint64_t next_busy_ = 0;
};

using Units = testing::Types<Vwarp_small, Vwarp_beat, Vwarp_sixteen, Vwarp_full, Vwarp_half,
                             Vwarp_few, Vwarp_lean, Vwarp_apart, Vwarp_bare>;
TYPED_TEST_SUITE(Warp, Units);

TYPED_TEST(Warp, RandomPrograms) {
  this->Run(1'500'000);
  const auto& counts = this->bench_.counts();
  EXPECT_GT(counts.together, 100U);
  EXPECT_GT(counts.joined, 100U);
  EXPECT_GT(counts.by_exit, 10U);
  EXPECT_GT(counts.arrivals, 100U);
  EXPECT_GT(counts.several_arrivals, 20U);
  if (this->bench_.shape().faults) {
    EXPECT_GT(counts.not_a_member, 5U);
    EXPECT_GT(counts.mask_mismatch, 50U);
  }
  EXPECT_GE(counts.most_groups, this->bench_.shape().warp_size == 4 ? 3U : 5U);
}

// A collective whose members come together: in each cycle one, or without vote, match and redux in
// every other one. Each is answered two cycles later.
TYPED_TEST(Warp, OnePerCycle) {
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
TYPED_TEST(Warp, AsThePageShowsIt) {
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

// As many groups as lanes: each waits for a lane that exits in the end.
TYPED_TEST(Warp, AGroupPerLane) {
  const unsigned last = this->bench_.shape().warp_size - 1;
  for (unsigned lane = 0; lane < last; ++lane) {
    this->bench_.Send(this->Request(WarpOp::kSync, 1, 1U << lane, 1U << lane | 1U << last));
    this->bench_.CompareGroups(1);
  }
  EXPECT_EQ(this->bench_.counts().most_groups, last);
  this->live_[1] &= ~(1U << last);
  const std::uint64_t before = this->bench_.cycle();
  this->bench_.Send(this->Request(WarpOp::kExit, 1, 1U << last, 0));
  EXPECT_LE(this->bench_.cycle() - before, this->bench_.LongestWalk());
  EXPECT_EQ(this->bench_.counts().several_by_exit, 1U);
  this->bench_.CompareGroups(1);
}

// Each request occupies the block as long as the page says, also after the last slots in use have
// become free again and again.
TYPED_TEST(Warp, OccupiesTheBlockAsThePageSays) {
  const unsigned last = this->bench_.shape().warp_size - 1;
  const unsigned groups = std::min(last - 1, 6U);
  const auto pair = [&](unsigned lane) { return 1U << lane | 1U << last; };
  const auto occupied = [&](WarpOp op, unsigned lane, std::uint32_t key) {
    const std::uint64_t accepted = this->bench_.cycle();
    EXPECT_TRUE(this->bench_.Present(this->Request(op, 1, 1U << lane, key), 0, true));
    do {
      this->bench_.Cycle();
      this->bench_.Withdraw();
    } while (!this->bench_.out().ready && this->bench_.cycle() < accepted + 100);
    const std::uint64_t cycles = this->bench_.cycle() - accepted;
    this->bench_.Settle();
    return cycles;
  };
  EXPECT_EQ(occupied(WarpOp::kSync, 0, pair(0)), 4U);
  for (unsigned n = 1; n < groups; ++n) {
    EXPECT_EQ(occupied(WarpOp::kSync, n, pair(n)), 3 * n + 5);
  }
  for (unsigned n = groups; n > 0; --n) {
    EXPECT_EQ(occupied(WarpOp::kSync, last, pair(n - 1)), 3 * n + 5);
  }
  this->live_[1] &= ~1U;
  EXPECT_EQ(occupied(WarpOp::kExit, 0, 0), 2U);
  EXPECT_EQ(occupied(WarpOp::kGather, 1, 0x41), 5U);
  EXPECT_EQ(occupied(WarpOp::kGather, 2, 0x42), 9U);
  this->live_[1] = 0b0110 | 1U << last;
  if (this->bench_.shape().faults) {
    EXPECT_EQ(occupied(WarpOp::kSync, last, 0b0010 | 1U << last), 8U);  // refused
  }
  if (last > 3) {
    this->live_[1] = 0b1110;
    EXPECT_EQ(occupied(WarpOp::kExit, last, 0), 9U);
  }
}

// A gather of lanes that come one by one, while the warp is busy elsewhere.
TYPED_TEST(Warp, ArrivesOnceItIsNotBusy) {
  this->bench_.in().busy = 1U << 2;
  this->bench_.in().arrival_ready = 1;
  const unsigned lanes = this->bench_.shape().warp_size;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const WarpRequest request = this->Request(WarpOp::kGather, 2, 1U << lane, 0x41 + lane % 2);
    for (unsigned wait = 0; !this->bench_.Present(request, 0, true); ++wait) {
      ASSERT_LT(wait, 1000U);
      this->bench_.Cycle();
    }
    this->bench_.Cycle();
  }
  this->bench_.Withdraw();
  unsigned accepted = 0;
  for (unsigned wait = 0; wait < 50; ++wait) {
    const std::uint32_t all = this->live_[1];
    accepted += this->bench_.Present(this->Request(WarpOp::kSync, 1, all, all), 0, true) ? 1 : 0;
    this->bench_.Cycle();
    ASSERT_EQ(this->bench_.out().arrival_valid, 0);
  }
  EXPECT_GE(accepted, this->bench_.shape().collectives ? 38U : 19U) << "another warp waits for it";
  this->bench_.Withdraw();
  this->bench_.in().busy = 0;
  this->bench_.Settle();
  EXPECT_EQ(this->bench_.counts().arrivals, 2U);
}

// Two arrivals are due, and one is taken. Its lanes come again, to the barrier of the other: they
// are no part of the arrival that is still due.
TYPED_TEST(Warp, ComesAgainAfterTheOtherArrival) {
  const auto gather = [&](std::uint32_t lanes, std::uint32_t key) {
    return this->Request(WarpOp::kGather, 2, lanes, key);
  };
  this->live_[2] = 0b11;
  this->bench_.Send(gather(0b01, 0x41));
  this->bench_.in().arrival_ready = 1;
  ASSERT_TRUE(this->bench_.Present(gather(0b10, 0x42), 0, true));
  this->bench_.Cycle();
  this->bench_.Withdraw();
  for (unsigned wait = 0; !this->bench_.out().arrival_valid; ++wait) {
    ASSERT_LT(wait, this->bench_.LongestWalk());
    this->bench_.Cycle();
  }
  const WarpArrival first = this->bench_.out().arrival;
  this->bench_.Cycle();
  this->bench_.in().busy = 1U << 2;
  const WarpRequest again = gather(first.lanes, first.key == 0x41 ? 0x42 : 0x41);
  for (unsigned wait = 0; wait < 50; ++wait) {
    ASSERT_FALSE(this->bench_.Present(again, 0, true)) << "an arrival is due";
    this->bench_.Cycle();
  }
  this->bench_.in().busy = 0;
  for (unsigned wait = 0; !this->bench_.Present(again, 0, true); ++wait) {
    ASSERT_LT(wait, this->bench_.LongestWalk());
    this->bench_.Cycle();
  }
  this->bench_.Cycle();
  this->bench_.Withdraw();
  this->bench_.Settle();
  EXPECT_EQ(this->bench_.counts().arrivals, 2U);
  this->bench_.CompareGroups(2);
}

// A gather that is refused after its walk has cut off a hole leaves no trace.
TYPED_TEST(Warp, RefusedGatherLeavesNoTrace) {
  if (!this->bench_.shape().faults) {
    GTEST_SKIP() << "nothing is refused";
  }
  const auto sync = [&](unsigned lane, std::uint32_t key) {
    this->bench_.Send(this->Request(WarpOp::kSync, 3, 1U << lane, key));
  };
  const auto gather = [&](unsigned lane) {
    this->bench_.Send(this->Request(WarpOp::kGather, 3, 1U << lane, 0x41));
  };
  this->live_[3] = 0xf;
  sync(0, 0b1001);
  sync(1, 0b1010);
  sync(2, 0b1100);
  sync(3, 0b1010);
  sync(3, 0b1100);
  gather(3);  // lane 0 waits for it elsewhere
  EXPECT_EQ(this->bench_.counts().mask_mismatch, 1U);
  gather(1);
  gather(2);
  sync(3, 0b1001);
  gather(0);
  this->bench_.CompareGroups(3);
  EXPECT_EQ(this->bench_.counts().arrivals, 0U);
  this->bench_.in().arrival_ready = 1;
  gather(3);
  EXPECT_EQ(this->bench_.counts().arrivals, 1U);
}

// A warp that is cleared right after its last arrival, while the walk is still at a hole of it.
TYPED_TEST(Warp, ClearedAfterItsLastArrival) {
  const auto send = [&](WarpOp op, unsigned lane, std::uint32_t key) {
    this->bench_.Send(this->Request(op, 3, 1U << lane, key));
  };
  this->live_[3] = 0b111;
  send(WarpOp::kSync, 0, 0b011);
  send(WarpOp::kGather, 2, 0x41);
  send(WarpOp::kSync, 1, 0b011);  // its group leaves a hole
  send(WarpOp::kGather, 0, 0x41);
  this->bench_.in().busy = 1U << 3;
  ASSERT_TRUE(this->bench_.Present(this->Request(WarpOp::kGather, 3, 0b010, 0x41), 0, true));
  for (unsigned cycle = 0; cycle < this->bench_.LongestWalk(); ++cycle) {
    this->bench_.Cycle();
    this->bench_.Withdraw();
  }
  this->bench_.in().busy = 0;
  this->bench_.in().arrival_ready = 1;
  while (this->bench_.counts().arrivals == 0) {
    this->bench_.Cycle();
  }
  this->bench_.Clear(3);
  this->bench_.Settle();
  EXPECT_EQ(this->bench_.out().open & 1U << 3, 0U);
  this->bench_.CompareGroups(3);
  send(WarpOp::kSync, 0, 0b101);
  this->bench_.CompareGroups(3);
}

// A reset while a warp waits for its turn to arrive: nothing is under way afterwards.
TYPED_TEST(Warp, ResetForgetsWhoIsDue) {
  const std::uint32_t all = this->live_[2];
  this->bench_.in().busy = 1U << 2;
  ASSERT_TRUE(this->bench_.Present(this->Request(WarpOp::kGather, 2, all & 1, 0x41), 0, true));
  this->bench_.Cycle();
  for (unsigned wait = 0;
       !this->bench_.Present(this->Request(WarpOp::kGather, 2, all & ~1U, 0x41), 0, true); ++wait) {
    ASSERT_LT(wait, this->bench_.LongestWalk());
    this->bench_.Cycle();
  }
  for (unsigned cycle = 0; cycle < this->bench_.LongestWalk(); ++cycle) {
    this->bench_.Cycle();
    this->bench_.Withdraw();
  }
  EXPECT_EQ(this->bench_.out().active, 1) << "it is not due";
  this->bench_.Reset();
  EXPECT_EQ(this->bench_.out().active, 0);
  EXPECT_TRUE(this->bench_.Present(this->Request(WarpOp::kSync, 2, all, all), 0, true));
}

// The first answers after power-up, whatever is in the registers that reset leaves alone.
TYPED_TEST(Warp, FirstAnswersAfterPowerUp) {
  if (!this->bench_.shape().collectives) {
    GTEST_SKIP() << "has no values";
  }
  for (std::uint64_t power_up = 1; power_up <= 20; ++power_up) {
    WarpBench<TypeParam> bench(power_up);
    const std::uint32_t all = this->bench_.shape().Lanes();
    for (const WarpOp op : {WarpOp::kMatchAny, WarpOp::kMatchAll, WarpOp::kReduxXor}) {
      bench.Send(this->Request(op, 1, all, all));
    }
    EXPECT_EQ(bench.counts().together, 3U);
  }
}

}  // namespace
}  // namespace muster::warp
