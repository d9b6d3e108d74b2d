// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warp scope, Verilated, in lockstep with its golden model: lanes of random programs that come
// apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "sim/isa/bits.h"
#include "tb/unit/warp_fixture.h"

namespace muster::warp {
namespace {

TYPED_TEST_SUITE(Warp, Units);

TYPED_TEST(Warp, RandomPrograms) {
  this->Run(1'500'000);
  const auto& counts = this->bench_.counts();
  EXPECT_GT(counts.together, 100U);
  EXPECT_GT(counts.joined, 100U);
  EXPECT_GT(counts.by_exit, 10U);
  EXPECT_GT(counts.arrivals, 100U);
  if (this->bench_.shape().faults) {
    EXPECT_GT(counts.not_a_member, 5U);
    EXPECT_GT(counts.barrier_mismatch, 20U);
    EXPECT_GT(counts.mask_mismatch, 50U);
  }
  EXPECT_GE(counts.most_groups, std::min(5U, this->bench_.shape().warp_size / 4 + 2));
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

// A gather of lanes that come one by one, while the warp is busy elsewhere.
TYPED_TEST(Warp, ArrivesOnceItIsNotBusy) {
  this->bench_.in().busy = 1U << 2;
  this->bench_.in().arrival_ready = 1;
  const unsigned lanes = this->bench_.shape().warp_size;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const WarpRequest request = this->Request(WarpOp::kGather, 2, 1U << lane, 0x41);
    for (unsigned wait = 0; !this->bench_.Present(request, 0, true); ++wait) {
      ASSERT_LT(wait, 1000U);
      this->bench_.Cycle();
    }
    this->bench_.Cycle();
  }
  this->bench_.Withdraw();
  unsigned accepted = 0;
  bool taken = false;
  for (unsigned wait = 0; wait < 50 || !taken; ++wait) {
    const std::uint32_t all = this->live_[1];
    taken = this->bench_.Present(this->Request(WarpOp::kSync, 1, all, all), 0, true);
    accepted += taken ? 1 : 0;
    ASSERT_LT(wait, 1000U);
    this->bench_.Cycle();
    ASSERT_EQ(this->bench_.out().arrival_valid, 0);
  }
  EXPECT_GE(accepted, this->bench_.shape().collectives ? 38U : 19U) << "another warp waits for it";
  this->bench_.Withdraw();
  this->bench_.in().busy = 0;
  this->bench_.Settle();
  EXPECT_EQ(this->bench_.counts().arrivals, 1U);
}

// Lanes that come to a barrier while others of their warp wait at another one are refused, also
// where a lane waits for them elsewhere, in whatever order their groups are. The others go on
// waiting.
TYPED_TEST(Warp, LanesAtAnotherBarrierAreRefused) {
  if (!this->bench_.shape().faults) {
    GTEST_SKIP() << "nothing is refused";
  }
  unsigned refused = 0;
  unsigned arrivals = 0;
  const auto send = [&](WarpOp op, unsigned lane, std::uint32_t key) {
    this->bench_.Send(this->Request(op, 3, 1U << lane, key));
  };
  this->bench_.in().arrival_ready = 1;
  for (const bool sync_first : {false, true}) {
    for (const std::uint32_t key : {0x42U, 0x10041U, 0x441U, 0x100000U, 0x200000U}) {
      this->live_[3] = 0b111;
      if (sync_first) {
        send(WarpOp::kSync, 1, 0b110);
      }
      send(WarpOp::kGather, 0, 0x41);
      if (!sync_first) {
        send(WarpOp::kSync, 1, 0b110);
      }
      send(WarpOp::kGather, 2, key);
      EXPECT_EQ(this->bench_.counts().barrier_mismatch, ++refused);
      send(WarpOp::kSync, 2, 0b110);
      send(WarpOp::kGather, 1, key);
      EXPECT_EQ(this->bench_.counts().barrier_mismatch, ++refused);
      this->bench_.CompareGroups(3);
      send(WarpOp::kGather, 1, 0x41);
      send(WarpOp::kGather, 2, 0x41);
      EXPECT_EQ(this->bench_.counts().arrivals, ++arrivals);
    }
  }
  EXPECT_EQ(this->bench_.counts().mask_mismatch, 0U);
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

// A warp that is cleared right after its arrival, of which a slot before that group's is free.
TYPED_TEST(Warp, ClearedAfterItsArrival) {
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

// A reset in each cycle around that in which a gather is complete. The next gather of the warp,
// right after it, is not.
TYPED_TEST(Warp, ResetForgetsWhatIsAsked) {
  const std::uint32_t all = this->live_[0];
  const auto accept = [&](std::uint32_t lanes, std::uint32_t key) {
    for (unsigned wait = 0;
         !this->bench_.Present(this->Request(WarpOp::kGather, 0, lanes, key), 0, true); ++wait) {
      ASSERT_LT(wait, this->bench_.LongestWalk());
      this->bench_.Cycle();
    }
    this->bench_.Cycle();
    this->bench_.Withdraw();
  };
  for (unsigned cycle = 0; cycle < 12; ++cycle) {
    accept(all & 1, 0x41);
    accept(all & ~1U, 0x41);
    for (unsigned passed = 0; passed < cycle; ++passed) {
      this->bench_.Cycle();
    }
    this->bench_.Reset();
    this->bench_.in().arrival_ready = true;
    accept(all & 1, 0x42);
    this->bench_.Settle();
    this->bench_.CompareGroups(0);
    ASSERT_FALSE(this->HasFailure()) << "reset after " << cycle << " cycles";
    this->bench_.Reset();
  }
}

// All lanes of two warps have come to gathers, and both warps are busy. Their groups may be read.
// Warp 1 is busy no more in each cycle around that in which the gather of warp 2 is complete;
// meanwhile a request of another warp stands at the port.
TYPED_TEST(Warp, TwoWarpsAreDue) {
  const auto accept = [&](unsigned warp, std::uint32_t lanes, std::uint32_t key) {
    for (unsigned wait = 0;
         !this->bench_.Present(this->Request(WarpOp::kGather, warp, lanes, key), 0, true); ++wait) {
      ASSERT_LT(wait, this->bench_.LongestWalk());
      this->bench_.Cycle();
    }
    this->bench_.Cycle();
    this->bench_.Withdraw();
  };
  this->bench_.in().arrival_ready = true;
  const std::uint32_t all = kShape<TypeParam>.Lanes();
  for (const WarpOp stands : {WarpOp::kSync, WarpOp::kGather, WarpOp::kExit}) {
    for (unsigned cycle = 0; cycle < 16; ++cycle) {
      this->bench_.Reset();
      this->bench_.in().arrival_ready = true;
      this->bench_.in().busy = 0b0110;
      const unsigned before = this->bench_.counts().arrivals;
      for (const unsigned warp : {1U, 2U}) {
        accept(warp, 1, 0x41);
        accept(warp, all & ~1U, 0x41);
        for (unsigned passed = 0; warp == 1 && passed < this->bench_.LongestWalk(); ++passed) {
          this->bench_.Cycle();
        }
      }
      WarpRequest request = this->Request(WarpOp::kSync, 3, all, all);
      if (stands == WarpOp::kGather) {
        request = this->Request(WarpOp::kGather, 3, 1, 0x41);
      } else if (stands == WarpOp::kExit) {
        this->live_[3] = all & ~1U;
        request = this->Request(WarpOp::kExit, 3, 1, 0);
        this->live_[3] = all;
      }
      bool accepted = false;
      for (unsigned passed = 0; passed < 2 * this->bench_.LongestWalk(); ++passed) {
        this->bench_.in().busy = passed < cycle ? 0b0110 : passed < cycle + 16 ? 0b0100 : 0;
        accepted = accepted || this->bench_.Present(request, 0, true);
        this->bench_.Cycle();
        if (accepted) {
          this->bench_.Withdraw();
        }
      }
      EXPECT_TRUE(accepted);
      this->bench_.Settle();
      EXPECT_EQ(this->bench_.counts().arrivals - before, 2U);
      for (const unsigned warp : {1U, 2U, 3U}) {
        this->bench_.CompareGroups(warp);
      }
      ASSERT_FALSE(this->HasFailure()) << "busy no more after " << cycle << " cycles";
    }
  }
}

// The groups of a warp whose arrival is due may be read.
TYPED_TEST(Warp, ReadsGroupsThatAreDue) {
  const std::uint32_t all = kShape<TypeParam>.Lanes();
  this->bench_.in().busy = 1U << 2;
  ASSERT_TRUE(this->bench_.Present(this->Request(WarpOp::kGather, 2, all, 0x41), 0, true));
  for (unsigned passed = 0; passed < this->bench_.LongestWalk(); ++passed) {
    this->bench_.Cycle();
    this->bench_.Withdraw();
  }
  WarpRequest read;
  read.op = WarpOp::kRead;
  read.warp = 2;
  EXPECT_TRUE(this->bench_.Present(read, 0, true));
  bool shown = false;
  for (unsigned passed = 0; passed < 6; ++passed) {
    this->bench_.Cycle();
    this->bench_.Withdraw();
    shown = shown || (this->bench_.out().answer_valid && this->bench_.out().group_open);
  }
  EXPECT_TRUE(shown);
  this->bench_.in().busy = 0;
  this->bench_.in().arrival_ready = true;
  this->bench_.Settle();
}

// What stands at the port without valid does nothing: no value is kept, and the block is not
// active. With valid it is at once.
TYPED_TEST(Warp, NothingWithoutValid) {
  const std::uint32_t all = kShape<TypeParam>.Lanes();
  if (this->bench_.shape().collectives) {
    WarpRequest request = this->Request(WarpOp::kReduxAdd, 2, 1, all);
    for (const std::uint8_t warp : {2, 1}) {
      request.warp = warp;
      request.values.fill(5 * warp);
      this->bench_.Send(request);
    }
    this->bench_.in().request.warp = 2;  // with the values of warp 1
    for (unsigned cycle = 0; cycle < 4; ++cycle) {
      this->bench_.Cycle();
      EXPECT_FALSE(this->bench_.out().active);
    }
    request.warp = 2;
    request.lanes = all & ~1U;
    this->bench_.Send(request);
  }
  EXPECT_FALSE(this->bench_.out().active);
  EXPECT_TRUE(this->bench_.Present(this->Request(WarpOp::kSync, 2, all, all), 0, true));
  EXPECT_TRUE(this->bench_.out().active);
}

// A warp whose lanes wait at a barrier and at a collective is saved and restored; then the others
// come.
TYPED_TEST(Warp, RestoresAGather) {
  const auto send = [&](WarpOp op, std::uint32_t lanes, std::uint32_t key) {
    this->bench_.Send(this->Request(op, 3, lanes, key));
  };
  send(WarpOp::kGather, 0b0010, 0x10041);
  send(WarpOp::kSync, 0b0001, 0b1001);
  this->SaveAndRestore(3);
  send(WarpOp::kSync, 0b1000, 0b1001);
  this->bench_.in().arrival_ready = 1;
  send(WarpOp::kGather, this->live_[3] & ~0b0010U, 0x10041);
  EXPECT_EQ(this->bench_.counts().arrivals, 1U);
}

// The first answers after power-up, whatever is in the registers that reset leaves alone.
TYPED_TEST(Warp, FirstAnswersAfterPowerUp) {
  if (!this->bench_.shape().collectives) {
    GTEST_SKIP() << "has no values";
  }
  const std::uint32_t all = this->bench_.shape().Lanes();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    WarpBench<TypeParam> bench({seed});
    for (const WarpOp op : {WarpOp::kMatchAny, WarpOp::kMatchAll, WarpOp::kReduxXor}) {
      bench.Send(this->Request(op, 1, all, all));
    }
    EXPECT_EQ(bench.counts().together, 3U);
  }
}

// A test that powers up with anything, and in reset: rst_ni does not fall.
template <typename Unit>
class LowFromTheBeginning : public Warp<Unit> {
 public:
  explicit LowFromTheBeginning(std::uint64_t seed) : Warp<Unit>({seed, true}) {}
  void TestBody() override { this->Run(300); }
};

TYPED_TEST(Warp, LowFromTheBeginning) {
  for (std::uint64_t seed = 1; seed <= 100 && !this->HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    LowFromTheBeginning<TypeParam>(seed).TestBody();
  }
}

}  // namespace
}  // namespace muster::warp
