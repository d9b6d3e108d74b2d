// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The check of the warp scope: wrong answers, arrivals, faults and handshakes at the pins are
// caught.
#include "sim/lockstep/warp_checker.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "sim/port/warp_pins.h"

namespace muster::lockstep {
namespace {

class WarpCheckerTest : public testing::Test {
 protected:
  static constexpr WarpShape kShape{8, 32, 8, true, true};
  static constexpr std::uint8_t kWarp = 3;
  static constexpr std::uint32_t kKey = BarrierKey(2, 64, OpKind::kSync);

  WarpCheckerTest() { out_.ready = out_.active = true; }

  static WarpRequest Of(WarpOp op, std::uint32_t lanes, std::uint32_t key,
                        std::uint32_t live = 0xf) {
    WarpRequest request;
    request.op = op;
    request.warp = kWarp;
    request.cta = 1;
    request.lanes = lanes;
    request.key = key;
    request.live = live;
    return request;
  }

  bool Cycle() {
    const bool good = checker_.Check(cycle_++, in_, out_);
    in_.valid = false;
    out_.answer_valid = out_.fault_valid = out_.arrival_valid = false;
    return good;
  }
  void Good(unsigned cycles = 1) {
    for (unsigned i = 0; i < cycles; ++i) {
      ASSERT_TRUE(Cycle()) << checker_.mismatch()->field << ": " << checker_.mismatch()->unit;
    }
  }
  void Bad(const std::string& field) {
    ASSERT_FALSE(Cycle());
    EXPECT_EQ(checker_.mismatch()->field, field);
    EXPECT_FALSE(checker_.mismatch()->unit.empty());
    EXPECT_FALSE(checker_.mismatch()->golden.empty());
  }
  // In so many cycles.
  void BadWithin(unsigned cycles, const std::string& field) {
    while (cycles-- != 0) {
      if (!Cycle()) {
        EXPECT_EQ(checker_.mismatch()->field, field);
        return;
      }
    }
    ADD_FAILURE() << "nothing is found";
  }

  void Offer(const WarpRequest& request) {
    in_.valid = true;
    in_.last = true;
    in_.request = request;
  }
  void Accept(const WarpRequest& request) {
    Offer(request);
    Good();
  }
  void Answer(WarpOp op, std::uint32_t lanes, std::uint32_t data = 0, bool pred = false) {
    out_.answer_valid = true;
    out_.answer = {op, kWarp, lanes, data, pred};
  }
  void Fault(FaultCause cause, std::uint32_t lanes) {
    out_.fault_valid = true;
    out_.fault = {cause, kWarp, lanes};
  }
  void Arrive(std::uint32_t lanes) {
    out_.arrival_valid = true;
    out_.arrival = {kWarp, 1, lanes, kKey, 0};
  }
  void Gathered() {
    Accept(Of(WarpOp::kGather, 0x3, kKey));
    Accept(Of(WarpOp::kGather, 0xc, kKey));
  }

  WarpChecker checker_{kShape};
  WarpInputs in_;
  WarpOutputs out_;
  std::uint64_t cycle_ = 100;
};

TEST_F(WarpCheckerTest, PassesWhatIsRight) {
  Accept(Of(WarpOp::kElect, 0xe, 0xe));
  Good();
  EXPECT_FALSE(checker_.Settled());
  Answer(WarpOp::kElect, 0xe, 1);
  Good();
  Accept(Of(WarpOp::kSync, 0x1, 0x3));
  out_.open = Bit(kWarp);
  Good(9);
  EXPECT_TRUE(checker_.Settled());
  out_.active = false;
  Good(5);
  out_.active = true;
  Accept(Of(WarpOp::kSync, 0x2, 0x3));
  Good(20);
  Answer(WarpOp::kSync, 0x3);
  Good();
  Gathered();
  Good(10);
  in_.arrival_ready = false;
  Arrive(0xf);
  Good();
  Arrive(0xf);
  in_.arrival_ready = true;
  Good();
  EXPECT_TRUE(checker_.Settled());
  Accept(Of(WarpOp::kSync, 0x3, 0x1));
  Good();
  Fault(FaultCause::kNotAMember, 0x3);
  Good();
  EXPECT_EQ(checker_.counts().requests, 6U);
  EXPECT_EQ(checker_.counts().lanes, 11U);
  EXPECT_EQ(checker_.History(kWarp).size(), 6U);
  EXPECT_TRUE(checker_.History(0).empty());
}

TEST_F(WarpCheckerTest, AnswerOfNobody) {
  Answer(WarpOp::kSync, 0x1);
  Bad("warp.answer");
}

TEST_F(WarpCheckerTest, WrongAnswer) {
  Accept(Of(WarpOp::kElect, 0xe, 0xe));
  Good();
  Answer(WarpOp::kElect, 0xe, 2);
  Bad("warp.answer");
}

TEST_F(WarpCheckerTest, AnswerToALaneTooMany) {
  Accept(Of(WarpOp::kSync, 0xe, 0xe));
  Good();
  Answer(WarpOp::kSync, 0xf);
  Bad("warp.answer");
}

TEST_F(WarpCheckerTest, AnswerIsEarlyOrLate) {
  Accept(Of(WarpOp::kSync, 0xf, 0xf));
  Good(2);
  Answer(WarpOp::kSync, 0xf);
  Bad("warp.latency");
}

TEST_F(WarpCheckerTest, AnswerIsMissing) {
  Accept(Of(WarpOp::kSync, 0xf, 0xf));
  BadWithin(200, "warp.answer");
}

TEST_F(WarpCheckerTest, AnswersOfMatchInAnotherOrder) {
  WarpRequest request = Of(WarpOp::kMatchAny, 0x3, 0x3);
  request.values[1] = 7;
  Accept(request);
  Good(WarpLatency(kShape, WarpOp::kMatchAny, 1) - 1);
  Answer(WarpOp::kMatchAny, 0x2, 0x2);
  Bad("warp.answer");
}

TEST_F(WarpCheckerTest, FaultOfNobody) {
  Accept(Of(WarpOp::kSync, 0xf, 0xf));
  Good();
  Fault(FaultCause::kNotAMember, 0xf);
  Bad("warp.fault");
}

TEST_F(WarpCheckerTest, WrongFault) {
  Accept(Of(WarpOp::kSync, 0x3, 0x1));
  Good();
  Fault(FaultCause::kMaskMismatch, 0x3);
  Bad("warp.fault");
}

TEST_F(WarpCheckerTest, FaultIsLate) {
  Accept(Of(WarpOp::kSync, 0x3, 0x1));
  Good(2);
  Fault(FaultCause::kNotAMember, 0x3);
  Bad("warp.latency");
}

TEST_F(WarpCheckerTest, FaultIsMissing) {
  Accept(Of(WarpOp::kSync, 0x1, 0x3));
  Good(10);
  Accept(Of(WarpOp::kSync, 0x2, 0x7));
  BadWithin(200, "warp.answer");
}

TEST_F(WarpCheckerTest, ArrivalOfNobody) {
  Accept(Of(WarpOp::kGather, 0x3, kKey));
  Arrive(0x3);
  Bad("warp.arrival");
}

TEST_F(WarpCheckerTest, ArrivalIsWithdrawn) {
  Gathered();
  in_.arrival_ready = false;
  Arrive(0xf);
  Good();
  Bad("warp.arrival");
}

TEST_F(WarpCheckerTest, ArrivalOfABusyWarp) {
  Gathered();
  in_.busy = Bit(kWarp);
  Good(500);
  Arrive(0xf);
  Bad("warp.arrival");
}

TEST_F(WarpCheckerTest, ArrivalIsMissing) {
  Gathered();
  BadWithin(500, "warp.arrival");
}

TEST_F(WarpCheckerTest, NotActiveAndSomethingIsShown) {
  Accept(Of(WarpOp::kSync, 0xf, 0xf));
  Good();
  Answer(WarpOp::kSync, 0xf);
  out_.active = false;
  Bad("warp.active");
}

TEST_F(WarpCheckerTest, NotActiveAndSomethingIsUnderWay) {
  Gathered();
  out_.active = false;
  Bad("warp.active");
}

TEST_F(WarpCheckerTest, LanesWaitAndNothingIsOpen) {
  Accept(Of(WarpOp::kSync, 0x1, 0x3));
  Good(10);
  out_.active = false;
  Bad("warp.open");
}

TEST_F(WarpCheckerTest, RequestIsWithdrawn) {
  out_.ready = false;
  Offer(Of(WarpOp::kSync, 0x1, 0x3));
  Good();
  Bad("warp.request");
}

TEST_F(WarpCheckerTest, RequestChanges) {
  out_.ready = false;
  Offer(Of(WarpOp::kReduxAdd, 0x1, 0x3));
  Good();
  Offer(Of(WarpOp::kReduxAdd, 0x1, 0x3));
  Good();
  Offer(Of(WarpOp::kReduxAdd, 0x1, 0x3));
  in_.request.values[0] = 1;
  Bad("warp.request");
}

TEST_F(WarpCheckerTest, LaneThatWaitsComesAgain) {
  Accept(Of(WarpOp::kSync, 0x1, 0x3));
  Good(10);
  Offer(Of(WarpOp::kElect, 0x1, 0x1));
  Bad("warp.request");
}

TEST_F(WarpCheckerTest, AReadLetsALaneGoOn) {
  Accept(Of(WarpOp::kRead, 0, 0));
  Good(4);
  Answer(WarpOp::kRead, 0x1);
  Bad("warp.answer");
}

TEST_F(WarpCheckerTest, AGroupOfAnotherCta) {
  Accept(Of(WarpOp::kSync, 0x1, 0x3));
  Good(10);
  Accept(Of(WarpOp::kRead, 0, 0));
  Good(4);
  Answer(WarpOp::kRead, 0);
  out_.group_open = true;
  out_.group_cta = 2;
  Bad("warp.group.cta");
}

TEST_F(WarpCheckerTest, ResetForgetsAll) {
  Accept(Of(WarpOp::kSync, 0x1, 0x3));
  Accept(Of(WarpOp::kElect, 0x4, 0x4));
  checker_.Reset();
  EXPECT_TRUE(checker_.Settled());
  EXPECT_EQ(checker_.held(kWarp), 0U);
  out_.active = false;
  Good();
}

}  // namespace
}  // namespace muster::lockstep
