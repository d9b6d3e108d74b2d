// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The check of mbarriers, fed with pins of a unit that does not exist: those that lie are caught.
#include "sim/lockstep/mb_checker.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/golden/mbarrier_word.h"
#include "sim/golden/model.h"
#include "sim/lockstep/bounds.h"

namespace muster::lockstep {
namespace {

constexpr Config kUnit = {"checker", 8,    2,    1,    true, true, true, true,
                          true,      true, true, true, 4096, 1500, 3000};
constexpr std::uint32_t kAddr = 0x40;
constexpr unsigned kWarp = 3;
constexpr std::uint64_t kExpiry = 12;  // cycles from a limit to its answer, at most

// The word with so many arrivals pending of two.
std::uint64_t Word(bool phase, std::uint32_t pending) {
  golden::MbWord word;
  word.phase = phase;
  word.pending = pending;
  word.expected = 2;
  return golden::Encode(word);
}

MbOperation Group(MbOp op, std::uint32_t operand, unsigned warp = kWarp, std::uint32_t lanes = 1) {
  MbOperation group;
  group.op = op;
  group.addr = kAddr;
  group.warp = static_cast<std::uint8_t>(warp);
  group.lanes = lanes;
  group.operand = operand;
  group.releasing = false;
  return group;
}

MbOperation WithToken(MbOperation group) {
  group.has_token = true;
  return group;
}

// Of the phase with parity 0, for so many ns.
MbOperation TryWait(std::uint32_t hint, unsigned warp = kWarp) {
  MbOperation group = Group(MbOp::kTryWaitParity, hint, warp);
  group.has_hint = true;
  return group;
}

class MbCheckerTest : public testing::Test {
 protected:
  MbCheckerTest() {
    Operation launch;
    launch.kind = OpKind::kLaunch;
    launch.warps = 0xff;
    launch.size = 8;
    model_.Step(launch);
    in_.mb.fence_ack = ~std::uint64_t{0};
  }

  bool Runs() {
    if (!checker_->Check(cycle_, in_, out_)) {
      return false;
    }
    std::vector<golden::MbEffects> effects;
    for (const MbEvent& event : checker_->events()) {
      effects.push_back(mbarriers_.Do(event));
    }
    return checker_->Compare(cycle_++, in_, out_, effects.data());
  }
  // A cycle that is as it must be, or several; then pulses fall.
  void Good(std::uint64_t cycles = 1) {
    for (; cycles != 0; --cycles) {
      ASSERT_TRUE(Runs()) << checker_->mismatch()->field << ": " << checker_->mismatch()->unit
                          << " instead of " << checker_->mismatch()->golden;
      in_.mb.issue_valid = false;
      in_.mb.async_valid = false;
      in_.mb.remote_valid = false;
      in_.mb.rdata_valid = false;
      in_.mb.stores.clear();
      in_.lifecycle_valid = false;
      mb_.commit_valid = false;
      mb_.write_valid = false;
      mb_.read_valid = false;
      mb_.wake = 0;
      mb_.expire = 0;
      mb_.response_valid = false;
      mb_.fault_valid = false;
    }
  }
  // A cycle that must be refused, and for which pin.
  void Bad(const std::string& field) {
    ASSERT_FALSE(Runs());
    EXPECT_EQ(checker_->mismatch()->field, field) << checker_->mismatch()->unit;
    EXPECT_FALSE(checker_->mismatch()->golden.empty());
  }

  // As it was at first.
  void Restart() {
    mbarriers_.Reset();
    checker_ = std::make_unique<MbChecker>(kUnit, mbarriers_);
    mb_ = MbOutputs();
  }

  void Present(const MbOperation& group) {
    in_.mb.issue_valid = true;
    in_.mb.issue = group;
    mb_.issue_ready = true;
  }
  void Accept(const MbOperation& group) {
    Present(group);
    Good();
    mb_.busy |= std::uint64_t{1} << group.warp;
  }
  // It commits in this cycle.
  void Commit(const MbOperation& group) {
    mb_.commit_valid = true;
    mb_.commit = {};
    mb_.commit.source = group.source;
    mb_.commit.warp = group.warp;
    mb_.commit.lanes = group.lanes;
    mb_.commit.place = {group.cta, group.addr};
  }
  void CommitWrite(const MbOperation& group, std::uint64_t word, bool turned = false) {
    Commit(group);
    mb_.commit.written = true;
    mb_.commit.turned = turned;
    mb_.commit.word = word;
    mb_.write_valid = true;
    mb_.write_place = mb_.commit.place;
    mb_.write_data = word;
  }
  void Idle(unsigned warp = kWarp) { mb_.busy &= ~(std::uint64_t{1} << warp); }
  // The word has two arrivals pending of two.
  void Init() {
    const MbOperation init = Group(MbOp::kInit, 2);
    Accept(init);
    CommitWrite(init, Word(false, 2));
    Good();
    Idle();
    Good();
  }
  // An arrival of two, up to the cycle of its commit.
  void ArriveToCommit(const MbOperation& arrive) {
    Accept(arrive);
    CommitWrite(arrive, Word(false, 1));
    Good();
    Idle();
  }
  // A wait parks, and the cycle behind its commit is over.
  void Park(const MbOperation& wait) {
    Accept(wait);
    Commit(wait);
    mb_.commit.parked = true;
    Good();
    Idle(wait.warp);
    Good();
  }
  // The phase turns, up to the cycle of the commit.
  void Turn() {
    const MbOperation arrive = Group(MbOp::kArrive, 2, 5);
    Accept(arrive);
    CommitWrite(arrive, Word(true, 2), true);
    Good();
    Idle(5);
  }
  void Respond(const MbOperation& group, std::uint64_t token, bool complete = false) {
    mb_.response_valid = true;
    mb_.response.warp = group.warp;
    mb_.response.op = group.op;
    mb_.response.lanes = group.lanes;
    mb_.response.operand = group.operand;
    mb_.response.token = token;
    mb_.response.complete = complete;
  }
  void Leave() {
    in_.lifecycle_valid = true;
    in_.lifecycle = Operation();
    in_.lifecycle.kind = OpKind::kEnd;
    out_.lifecycle_ready = true;
  }
  void Fault(FaultCause cause, const MbOperation& group) {
    mb_.fault_valid = true;
    mb_.fault = {cause, group.source, group.warp, group.lanes, {group.cta, group.addr}};
  }

  golden::Model model_{kUnit};
  golden::Mbarriers mbarriers_{model_, kUnit.smem_bytes};
  std::unique_ptr<MbChecker> checker_ = std::make_unique<MbChecker>(kUnit, mbarriers_);
  Inputs in_;
  Outputs out_;
  MbOutputs& mb_ = out_.mb;
  std::uint64_t cycle_ = 0;
};

// ------------------------------------------------------------------------------------------------
// What is as it must be
// ------------------------------------------------------------------------------------------------

TEST_F(MbCheckerTest, PassesWhatIsRight) {
  Init();
  const MbOperation arrive = WithToken(Group(MbOp::kArrive, 1));
  ArriveToCommit(arrive);
  EXPECT_FALSE(checker_->Idle());
  Good();
  in_.mb.response_ready = false;
  Respond(arrive, Word(false, 2));
  Good();
  in_.mb.response_ready = true;
  Respond(arrive, Word(false, 2));
  Good(2);
  EXPECT_TRUE(checker_->Idle());
  Park(TryWait(1000));
  EXPECT_TRUE(checker_->Idle());
  MbOperation last = Group(MbOp::kArrive, 1, 0);
  last.source = MbSource::kAsync;
  in_.mb.async_valid = true;
  in_.mb.async = last;
  mb_.async_ready = true;
  Good();
  CommitWrite(last, Word(true, 2), true);
  Good(2);
  mb_.wake = 1U << kWarp;
  Good(3);
  EXPECT_TRUE(checker_->Idle());
  const std::vector<MbRecord> history = checker_->History({0, kAddr});
  ASSERT_EQ(history.size(), 4U);
  EXPECT_EQ(history.back().event.operation.source, MbSource::kAsync);
}

// ------------------------------------------------------------------------------------------------
// Handshakes
// ------------------------------------------------------------------------------------------------

TEST_F(MbCheckerTest, BusyWithoutAGroup) {
  mb_.busy = 1;
  Bad("mb.busy");
}

TEST_F(MbCheckerTest, NotBusyWithOne) {
  Accept(Group(MbOp::kInit, 2));
  Idle();
  Bad("mb.busy");
}

TEST_F(MbCheckerTest, BusyBehindTheCommit) {
  Accept(Group(MbOp::kInit, 2));
  CommitWrite(Group(MbOp::kInit, 2), Word(false, 2));
  Good();
  Bad("mb.busy");
}

TEST_F(MbCheckerTest, DrainOfNoGroup) {
  mb_.fence_req = 1;
  Bad("mb.fence_req");
}

TEST_F(MbCheckerTest, NoDrainOfAReleasingGroup) {
  in_.mb.fence_ack = 0;
  MbOperation group = Group(MbOp::kInit, 2);
  group.releasing = true;
  Accept(group);
  Bad("mb.fence_req");
}

TEST_F(MbCheckerTest, CommitBeforeItsDrain) {
  in_.mb.fence_ack = 0;
  MbOperation group = Group(MbOp::kInit, 2);
  group.releasing = true;
  Accept(group);
  mb_.fence_req = 1U << kWarp;
  Good();
  CommitWrite(group, Word(false, 2));
  Bad("mb.commit");
}

TEST_F(MbCheckerTest, GroupsChangeAtTheirPorts) {
  struct Port {
    const char* name;
    bool MbInputs::*valid;
    MbOperation MbInputs::*group;
  };
  for (const Port& port : {Port{"mb.issue", &MbInputs::issue_valid, &MbInputs::issue},
                           Port{"mb.async", &MbInputs::async_valid, &MbInputs::async},
                           Port{"mb.remote", &MbInputs::remote_valid, &MbInputs::remote}}) {
    MbChecker checker(kUnit, mbarriers_);
    Inputs in;
    const Outputs out;
    in.mb.*port.valid = true;
    in.mb.*port.group = Group(MbOp::kArrive, 1);
    ASSERT_TRUE(checker.Check(0, in, out));
    ASSERT_TRUE(checker.Check(1, in, out));
    (in.mb.*port.group).operand = 2;
    ASSERT_FALSE(checker.Check(2, in, out));
    EXPECT_EQ(checker.mismatch()->field, port.name);
  }
}

// ------------------------------------------------------------------------------------------------
// Waits
// ------------------------------------------------------------------------------------------------

TEST_F(MbCheckerTest, PortsWaitAtMostSoLong) {
  const MbWaits longest = BoundsOf(kUnit).mb_longest;
  const auto waits = [&](MbWait wait, bool MbInputs::*valid, MbOperation MbInputs::*group) {
    MbChecker checker(kUnit, mbarriers_);
    Inputs in;
    const Outputs out;
    in.mb.*valid = true;
    in.mb.*group = Group(MbOp::kArrive, 1);
    for (std::uint64_t cycle = 0; cycle < longest[wait]; ++cycle) {
      ASSERT_TRUE(checker.Check(cycle, in, out)) << cycle;
    }
    in.mb.yield = true;  // such cycles do not count
    ASSERT_TRUE(checker.Check(longest[wait], in, out));
    in.mb.yield = false;
    ASSERT_FALSE(checker.Check(longest[wait] + 1, in, out));
    EXPECT_EQ(checker.mismatch()->field, std::string("wait.") + kMbWaitNames[wait]);
  };
  waits(kMbIssueWait, &MbInputs::issue_valid, &MbInputs::issue);
  waits(kMbOtherWait, &MbInputs::async_valid, &MbInputs::async);
  waits(kMbOtherWait, &MbInputs::remote_valid, &MbInputs::remote);
}

TEST_F(MbCheckerTest, CommitIsLate) {
  Accept(Group(MbOp::kInit, 2));
  Good(BoundsOf(kUnit).mb_longest[kMbCommitWait]);
  CommitWrite(Group(MbOp::kInit, 2), Word(false, 2));
  Bad("wait.mb commit");
}

// The drain itself does not count.
TEST_F(MbCheckerTest, CommitBehindADrainIsLate) {
  in_.mb.fence_ack = 0;
  MbOperation group = Group(MbOp::kInit, 2);
  group.releasing = true;
  Accept(group);
  mb_.fence_req = 1U << kWarp;
  Good(5000);
  in_.mb.fence_ack = ~std::uint64_t{0};
  Good();
  mb_.fence_req = 0;
  Good(BoundsOf(kUnit).mb_longest[kMbDrainWait]);
  CommitWrite(group, Word(false, 2));
  Bad("wait.mb drain");
}

// ------------------------------------------------------------------------------------------------
// Commits
// ------------------------------------------------------------------------------------------------

TEST_F(MbCheckerTest, CommitOfNothing) {
  CommitWrite(Group(MbOp::kInit, 2), Word(false, 2));
  Bad("mb.commit");
}

TEST_F(MbCheckerTest, CommitOfAnotherSource) {
  Accept(Group(MbOp::kInit, 2));
  MbOperation group = Group(MbOp::kInit, 2);
  group.source = MbSource::kRemote;
  CommitWrite(group, Word(false, 2));
  Bad("mb.commit");
}

TEST_F(MbCheckerTest, CommitAtAnotherWord) {
  Accept(Group(MbOp::kInit, 2));
  MbOperation group = Group(MbOp::kInit, 2);
  group.addr += 8;
  CommitWrite(group, Word(false, 2));
  Bad("mb.commit");
}

TEST_F(MbCheckerTest, CommitOutOfOrder) {
  Accept(Group(MbOp::kInit, 2));
  MbOperation second = Group(MbOp::kInit, 2);
  second.addr += 8;
  Accept(second);
  CommitWrite(second, Word(false, 2));
  Bad("mb.commit");
}

TEST_F(MbCheckerTest, LanesThatAreNotTheFirst) {
  for (const std::uint32_t lanes : {0U, 0b10U, 0b101U, 0b1011U, 0b10000U}) {
    MbChecker checker(kUnit, mbarriers_);
    in_ = Inputs();
    out_ = Outputs();
    in_.mb.fence_ack = ~std::uint64_t{0};
    Present(Group(MbOp::kInit, 2, kWarp, 0b111));
    ASSERT_TRUE(checker.Check(0, in_, out_));
    in_.mb.issue_valid = false;
    mb_.busy = 1U << kWarp;
    CommitWrite(Group(MbOp::kInit, 2, kWarp, lanes), Word(false, 2));
    ASSERT_FALSE(checker.Check(1, in_, out_)) << lanes;
    EXPECT_EQ(checker.mismatch()->field, "mb.commit.lanes");
  }
}

TEST_F(MbCheckerTest, RefusedLanesTogetherWithOthers) {
  Init();
  const MbOperation arrive = Group(MbOp::kArriveNoComplete, 1, kWarp, 0b11);
  Accept(arrive);
  CommitWrite(arrive, Word(false, 1));
  Good();
  Idle();
  Bad("mb.commit.lanes");
}

TEST_F(MbCheckerTest, WrongWord) {
  Init();
  const MbOperation arrive = Group(MbOp::kArrive, 1);
  Accept(arrive);
  CommitWrite(arrive, Word(false, 2));
  Good();
  Idle();
  Bad("mb.word");
}

TEST_F(MbCheckerTest, UpdateThatIsNotWritten) {
  Init();
  Accept(Group(MbOp::kArrive, 1));
  Commit(Group(MbOp::kArrive, 1));
  Good();
  Idle();
  Bad("mb.word");
}

TEST_F(MbCheckerTest, TurnThatIsNone) {
  Init();
  Accept(Group(MbOp::kArrive, 1));
  CommitWrite(Group(MbOp::kArrive, 1), Word(false, 1), true);
  Good();
  Idle();
  Bad("mb.turned");
}

TEST_F(MbCheckerTest, TurnThatIsNotSaid) {
  Init();
  Accept(Group(MbOp::kArrive, 2));
  CommitWrite(Group(MbOp::kArrive, 2), Word(true, 2), false);
  Good();
  Idle();
  Bad("mb.turned");
}

TEST_F(MbCheckerTest, ParksWhatMustNotPark) {
  Init();
  Accept(TryWait(0));
  Commit(TryWait(0));
  mb_.commit.parked = true;
  Good();
  Idle();
  Bad("mb.parked");
}

TEST_F(MbCheckerTest, DoesNotParkWhatMust) {
  Init();
  Accept(TryWait(100));
  Commit(TryWait(100));
  Good();
  Idle();
  Bad("mb.parked");
}

// ------------------------------------------------------------------------------------------------
// The bank
// ------------------------------------------------------------------------------------------------

TEST_F(MbCheckerTest, WriteWithoutACommit) {
  Accept(Group(MbOp::kInit, 2));
  mb_.write_valid = true;
  mb_.write_place = {0, kAddr};
  Bad("smem.write");
}

TEST_F(MbCheckerTest, CommitWithoutItsWrite) {
  Accept(Group(MbOp::kInit, 2));
  CommitWrite(Group(MbOp::kInit, 2), Word(false, 2));
  mb_.write_valid = false;
  Bad("smem.write");
}

TEST_F(MbCheckerTest, CommitOfAWriteThatIsNotGranted) {
  Accept(Group(MbOp::kInit, 2));
  CommitWrite(Group(MbOp::kInit, 2), Word(false, 2));
  in_.mb.write_ready = false;
  Bad("smem.write");
}

TEST_F(MbCheckerTest, WritesAnotherWord) {
  Accept(Group(MbOp::kInit, 2));
  CommitWrite(Group(MbOp::kInit, 2), Word(false, 2));
  mb_.write_data ^= 2;
  Bad("smem.write");
}

TEST_F(MbCheckerTest, WriteThatIsNotHeld) {
  in_.mb.write_ready = false;
  mb_.write_valid = true;
  mb_.write_data = 1;
  Good();
  Bad("smem.write");
}

TEST_F(MbCheckerTest, ReadThatIsNotHeld) {
  in_.mb.read_ready = false;
  mb_.read_valid = true;
  Good();
  Bad("smem.read");
}

TEST_F(MbCheckerTest, ReadMayYield) {
  in_.mb.read_ready = false;
  mb_.read_valid = true;
  Good();
  in_.mb.yield = true;
  Good();
}

TEST_F(MbCheckerTest, TwoReadsOnTheirWay) {
  mb_.read_valid = true;
  Good();
  mb_.read_valid = true;
  Bad("smem.read");
}

TEST_F(MbCheckerTest, DataOfNoRead) {
  in_.mb.rdata_valid = true;
  Bad("smem.rdata");
}

TEST_F(MbCheckerTest, DataThatAreNotThere) {
  Init();
  mb_.read_valid = true;
  mb_.read_place = {0, kAddr};
  Good();
  in_.mb.rdata_valid = true;
  in_.mb.rdata = Word(false, 1);
  Bad("smem.rdata");
}

TEST_F(MbCheckerTest, StoresOfTheCoresAreKnown) {
  in_.mb.stores.push_back({{0, kAddr}, Word(true, 1), false});
  Good();
  mb_.read_valid = true;
  mb_.read_place = {0, kAddr};
  Good();
  in_.mb.rdata_valid = true;
  in_.mb.rdata = Word(true, 1);
  Good();
}

// ------------------------------------------------------------------------------------------------
// Parked waits
// ------------------------------------------------------------------------------------------------

TEST_F(MbCheckerTest, WakeUpIsMissing) {
  Init();
  Park(TryWait(1000));
  Turn();
  Good();
  Bad("mb.wake");
}

TEST_F(MbCheckerTest, WakeUpIsEarly) {
  Init();
  Park(TryWait(1000));
  Turn();
  mb_.wake = 1U << kWarp;
  Bad("mb.wake");
}

TEST_F(MbCheckerTest, WakesAnotherWarp) {
  Init();
  Park(TryWait(1000));
  Turn();
  Good();
  mb_.wake = 1U << kWarp | 1U << 6;
  Bad("mb.wake");
}

TEST_F(MbCheckerTest, WakesWithoutATurn) {
  Init();
  Park(TryWait(1000));
  mb_.wake = 1U << kWarp;
  Bad("mb.wake");
}

TEST_F(MbCheckerTest, ExpiresWhoIsNotParked) {
  mb_.expire = 1U << kWarp;
  Bad("mb.expire");
}

// 100 ns are 67 cycles of 1.5 ns, from the commit on; Park() ends two cycles behind it.
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
