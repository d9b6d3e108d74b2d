// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The core's side of the warp scope alone: what it presents, and when it says that something is
// under way.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/ptx/runtime/on_golden/warps_at_pins.h"
#include "sim/ptx/runtime/on_pins/warp_port.h"

namespace muster::ptx {
namespace {

class PtxWarpPort : public testing::Test {
 protected:
  static WarpRequest Of(WarpOp op, std::uint32_t lanes, std::uint32_t key,
                        std::uint32_t live = 0xf) {
    WarpRequest request;
    request.op = op;
    request.warp = 2;
    request.lanes = lanes;
    request.key = key;
    request.live = live;
    return request;
  }

  // A cycle, as the machine and the scope run it: a warp that has arrived is busy for a while.
  void Cycle() {
    port_.Begin(cycle_);
    if (port_.answer()) {
      answers_.push_back(*port_.answer());
    }
    if (port_.arrival()) {
      arrivals_.push_back(*port_.arrival());
      free_at_ = cycle_ + 20;
    }
    port_.Present(cycle_ < free_at_ ? Bit(2) : 0, false);
    if (port_.pins()->in.valid) {
      presented_.push_back(port_.pins()->in);
    }
    cleared_ |= port_.pins()->in.clear;
    scope_.Clock();
    ++cycle_;
  }
  void Cycles(unsigned count) {
    while (count-- != 0) {
      Cycle();
    }
  }

  WarpPort port_;
  GoldenWarps scope_{*FindConfig("small"), port_.pins()};
  std::uint64_t cycle_ = 0;
  std::uint64_t free_at_ = 0;
  std::uint64_t cleared_ = 0;
  std::vector<WarpAnswer> answers_;
  std::vector<WarpArrival> arrivals_;
  std::vector<WarpInputs> presented_;
};

TEST_F(PtxWarpPort, ValuesComeInTheBeatsThatHaveLanes) {
  port_.pins()->lanes_per_beat = 8;
  port_.Request(Of(WarpOp::kReduxAdd, 0x80000001, 0x80000001, ~0U));
  Cycles(8);
  ASSERT_EQ(presented_.size(), 2U);
  EXPECT_EQ(presented_[0].beat, 0U);
  EXPECT_FALSE(presented_[0].last);
  EXPECT_EQ(presented_[1].beat, 3U);
  EXPECT_TRUE(presented_[1].last);
  EXPECT_EQ(answers_.size(), 1U);
}

TEST_F(PtxWarpPort, IsUnderWayUntilItIsAnswered) {
  EXPECT_FALSE(port_.IsUnderWay(2));
  port_.Request(Of(WarpOp::kSync, 0x3, 0x7));
  EXPECT_TRUE(port_.IsUnderWay(2));
  EXPECT_EQ(port_.LanesUnderWay(2), 0x3U);
  Cycles(8);
  EXPECT_FALSE(port_.IsUnderWay(2));  // it waits for lane 2
  EXPECT_FALSE(port_.Moves(0));
  port_.Request(Of(WarpOp::kSync, 0x4, 0x7));
  while (answers_.empty()) {
    ASSERT_TRUE(port_.IsUnderWay(2));
    ASSERT_LT(cycle_, 20U);
    Cycle();
  }
  EXPECT_EQ(answers_[0].lanes, 0x7U);
}

// Lanes request again in the cycle in which they are answered, and the former request has not come
// to its end.
TEST_F(PtxWarpPort, LanesThatRequestAtOnceAgainAreUnderWay) {
  port_.Request(Of(WarpOp::kSync, 0xf, 0xf));
  while (answers_.empty()) {
    ASSERT_LT(cycle_, 20U);
    Cycle();
  }
  port_.Request(Of(WarpOp::kSync, 0xf, 0xf));
  while (answers_.size() < 2) {
    EXPECT_EQ(port_.LanesUnderWay(2), 0xfU) << cycle_;
    ASSERT_LT(cycle_, 20U);
    Cycle();
  }
  EXPECT_EQ(port_.LanesUnderWay(2), 0U);
}

TEST_F(PtxWarpPort, ExitsAreToldWhereLanesMayWait) {
  port_.Exit(2, 0, 0x8, 0x7);
  Cycles(4);
  EXPECT_TRUE(presented_.empty());
  port_.Request(Of(WarpOp::kSync, 0x3, 0x7, 0x7));
  port_.Exit(2, 0, 0x4, 0x3);  // it has not even been presented
  Cycles(8);
  ASSERT_EQ(presented_.size(), 2U);
  EXPECT_EQ(presented_[1].request.op, WarpOp::kExit);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0].lanes, 0x3U);
}

TEST_F(PtxWarpPort, WarpThatIsBusyArrivesLater) {
  for (const unsigned arrivals : {1U, 2U}) {
    port_.Request(Of(WarpOp::kGather, 0x3, BarrierKey(arrivals, 64, OpKind::kSync)));
    Cycles(6);
    EXPECT_FALSE(port_.IsUnderWay(2));
    port_.Request(Of(WarpOp::kGather, 0xc, BarrierKey(arrivals, 64, OpKind::kSync)));
    EXPECT_EQ(port_.LanesUnderWay(2), 0xfU);
    if (arrivals == 2) {
      Cycles(4);  // it is at the first barrier
      EXPECT_EQ(arrivals_.size(), 1U);
      EXPECT_TRUE(port_.IsUnderWay(2));
      EXPECT_FALSE(port_.Moves(Bit(2)));
      EXPECT_TRUE(port_.Moves(0));
    }
    while (arrivals_.size() < arrivals) {
      ASSERT_LT(cycle_, 60U);
      Cycle();
    }
    EXPECT_EQ(arrivals_.back().lanes, 0xfU);
    Cycles(2);
    EXPECT_FALSE(port_.IsUnderWay(2));
  }
}

TEST_F(PtxWarpPort, ANewWarpClearsItsSlotAfterWhatIsInProgress) {
  port_.Reset(2);
  Cycles(4);
  EXPECT_EQ(cleared_, 0U);  // no lane has been there
  port_.Request(Of(WarpOp::kSync, 0x1, 0x3));
  port_.Reset(2);
  port_.Request(Of(WarpOp::kSync, 0x2, 0x3));
  Cycles(10);
  EXPECT_EQ(cleared_, Bit(2));
  EXPECT_TRUE(answers_.empty());  // lane 0 was the warp's before
}

}  // namespace
}  // namespace muster::ptx
