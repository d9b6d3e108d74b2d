// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The check of mbarriers: wrong answers at the pins are caught.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/isa/fault.h"
#include "tb/lockstep/mb_checker_fixture.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kExpiry = 12;  // cycles from a limit to its answer, at most

// ------------------------------------------------------------------------------------------------
// Parked waits
// ------------------------------------------------------------------------------------------------

TEST_F(MbCheckerTest, WakeUpIsMissing) {
  Init();
  Park(TryWait(1000));
  Complete();
  Good();
  Bad("mb.wake");
}

TEST_F(MbCheckerTest, WakeUpIsEarly) {
  Init();
  Park(TryWait(1000));
  Complete();
  mb_.wake = 1U << kWarp;
  Bad("mb.wake");
}

TEST_F(MbCheckerTest, WakesAnotherWarp) {
  Init();
  Park(TryWait(1000));
  Complete();
  Good();
  mb_.wake = 1U << kWarp | 1U << 6;
  Bad("mb.wake");
}

TEST_F(MbCheckerTest, WakesWithoutACompletion) {
  Init();
  Park(TryWait(1000));
  mb_.wake = 1U << kWarp;
  Bad("mb.wake");
}

TEST_F(MbCheckerTest, ExpiresWhoIsNotParked) {
  mb_.expire = 1U << kWarp;
  Bad("mb.expire");
}

// 100 ns are 67 cycles of 1.5 ns, from the commit on; Park() ends two cycles after it.
TEST_F(MbCheckerTest, ExpiresTooEarly) {
  Init();
  Park(TryWait(100));
  Good(64);
  mb_.expire = 1U << kWarp;
  Bad("mb.expire");
}

TEST_F(MbCheckerTest, ExpiresAtItsLimit) {
  Init();
  Park(TryWait(100));
  Good(65);
  mb_.expire = 1U << kWarp;
  Good();
}

TEST_F(MbCheckerTest, ExpiresAtMostSoLate) {
  Init();
  Park(TryWait(100));
  Good(65 + kExpiry);
  mb_.expire = 1U << kWarp;
  Good();
}

TEST_F(MbCheckerTest, ExpiresTooLate) {
  Init();
  Park(TryWait(100));
  Good(66 + kExpiry);
  Bad("mb.expire");
}

TEST_F(MbCheckerTest, WithoutAHintTheLimitIsTheUnits) {
  Init();
  MbOperation wait = TryWait(0);
  wait.has_hint = false;
  Park(wait);
  Good(1998);
  mb_.expire = 1U << kWarp;
  Good();
}

TEST_F(MbCheckerTest, LeavingCtaIsNotAnswered) {
  Init();
  Park(TryWait(1000));
  Leave();
  Good();
  Bad("mb.expire");
}

TEST_F(MbCheckerTest, LeavingCtaIsAnswered) {
  Init();
  Park(TryWait(1000));
  Leave();
  Good();
  mb_.expire = 1U << kWarp;
  Good();
}

// ------------------------------------------------------------------------------------------------
// Refusals
// ------------------------------------------------------------------------------------------------

TEST_F(MbCheckerTest, FaultIsMissing) {
  Accept(Group(MbOp::kInit, 0));
  Commit(Group(MbOp::kInit, 0));
  Good();
  Idle();
  Bad("mb.fault");
}

TEST_F(MbCheckerTest, FaultOfAnotherKind) {
  const std::vector<std::function<void(MbOutputs::Fault*)>> lies = {
      [](MbOutputs::Fault* fault) { fault->cause = FaultCause::kBadArriveCount; },
      [](MbOutputs::Fault* fault) { fault->source = MbSource::kRemote; },
      [](MbOutputs::Fault* fault) { fault->warp = 1; },
      [](MbOutputs::Fault* fault) { fault->lanes = 2; },
      [](MbOutputs::Fault* fault) { fault->place.addr += 8; },
      [](MbOutputs::Fault* fault) { fault->place.cta = 1; }};
  for (const auto& lie : lies) {
    Accept(Group(MbOp::kInit, 0));
    Commit(Group(MbOp::kInit, 0));
    Good();
    Idle();
    Fault(FaultCause::kBadInitCount, Group(MbOp::kInit, 0));
    lie(&mb_.fault);
    Bad("mb.fault");
    Restart();
  }
}

TEST_F(MbCheckerTest, FaultOfNothing) {
  Fault(FaultCause::kBadAddress, Group(MbOp::kArrive, 1));
  Bad("mb.fault");
}

TEST_F(MbCheckerTest, RefusedAndWritten) {
  Accept(Group(MbOp::kInit, 0));
  CommitWrite(Group(MbOp::kInit, 0), 0);
  Good();
  Idle();
  Fault(FaultCause::kBadInitCount, Group(MbOp::kInit, 0));
  Bad("mb.word");
}

// ------------------------------------------------------------------------------------------------
// Responses
// ------------------------------------------------------------------------------------------------

TEST_F(MbCheckerTest, ResponseOfNothing) {
  Respond(Group(MbOp::kTestWait, 0), 0);
  Bad("mb.response_valid");
}

TEST_F(MbCheckerTest, ResponseIsEarly) {
  Init();
  const MbOperation arrive = WithToken(Group(MbOp::kArrive, 1));
  ArriveToCommit(arrive);
  Respond(arrive, Word(false, 2));
  Bad("mb.response_valid");
}

TEST_F(MbCheckerTest, ResponseIsLate) {
  Init();
  ArriveToCommit(WithToken(Group(MbOp::kArrive, 1)));
  Good();
  Bad("mb.response_valid");
}

TEST_F(MbCheckerTest, ResponseIsNotHeld) {
  Init();
  const MbOperation arrive = WithToken(Group(MbOp::kArrive, 1));
  ArriveToCommit(arrive);
  Good();
  Respond(arrive, Word(false, 2));
  in_.mb.response_ready = false;
  Good();
  Bad("mb.response_valid");
}

TEST_F(MbCheckerTest, ResponseToSomebodyElse) {
  const std::vector<std::function<void(MbOutputs::Response*)>> lies = {
      [](MbOutputs::Response* response) { response->warp = 1; },
      [](MbOutputs::Response* response) { response->op = MbOp::kArriveDrop; },
      [](MbOutputs::Response* response) { response->lanes = 2; }};
  for (const auto& lie : lies) {
    Init();
    const MbOperation arrive = WithToken(Group(MbOp::kArrive, 1));
    ArriveToCommit(arrive);
    Good();
    Respond(arrive, Word(false, 2));
    lie(&mb_.response);
    Bad("mb.response");
    Restart();
  }
}

TEST_F(MbCheckerTest, TokenOfAnotherWord) {
  Init();
  const MbOperation arrive = WithToken(Group(MbOp::kArrive, 1));
  ArriveToCommit(arrive);
  Good();
  Respond(arrive, Word(false, 1));
  Bad("mb.response.token of lane 0");
}

TEST_F(MbCheckerTest, TokenOfALaterLane) {
  Init();
  const MbOperation arrive = WithToken(Group(MbOp::kArrive, 1, kWarp, 0b101));
  Accept(arrive);
  CommitWrite(arrive, Word(true, 2), true);
  Good();
  Idle();
  Good();
  Respond(arrive, Word(false, 2));
  mb_.response.operand = 2;  // of the first lane, the token is right
  Bad("mb.response.token of lane 2");
}

TEST_F(MbCheckerTest, WaitIsAnsweredTheOpposite) {
  Init();
  const MbOperation wait = Group(MbOp::kTestWaitParity, 0);
  Accept(wait);
  Commit(wait);
  Good();
  Idle();
  Good();
  Respond(wait, 0, true);
  Bad("mb.response.complete");
}

TEST_F(MbCheckerTest, WithoutLanesNoneIsNamed) {
  Config config = kUnit;
  config.lanes = false;
  const auto to_commit = [&](const MbOperation& group) {
    Restart(config);
    Accept(group);
    Commit(group);
  };
  const auto to_answer = [&](const MbOperation& group) {
    to_commit(group);
    mb_.commit.lanes = 0;
    Good();
    Idle();
  };
  const MbOperation refused = Group(MbOp::kInit, 0);
  to_answer(refused);
  Fault(FaultCause::kBadInitCount, refused);
  mb_.fault.lanes = 0;
  Good();
  to_answer(refused);
  Fault(FaultCause::kBadInitCount, refused);
  Bad("mb.fault");

  const MbOperation wait = Group(MbOp::kTestWaitParity, 0);
  to_answer(wait);
  Good();
  Respond(wait, 0);
  mb_.response.lanes = 0;
  Good();
  to_answer(wait);
  Good();
  Respond(wait, 0);
  Bad("mb.response");

  to_commit(wait);
  Bad("mb.commit.lanes");
}

TEST_F(MbCheckerTest, RefusedAndAnswered) {
  const MbOperation arrive = WithToken(Group(MbOp::kArrive, 0));
  Accept(arrive);
  Commit(arrive);
  Good();
  Idle();
  Fault(FaultCause::kBadArriveCount, arrive);
  Good();
  Respond(arrive, 0);
  Bad("mb.response_valid");
}

}  // namespace
}  // namespace muster::lockstep
