// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The check of mbarriers: wrong handshakes, commits and memory accesses at the pins are caught.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/bounds.h"
#include "tb/lockstep/mb_checker_fixture.h"

namespace muster::lockstep {
namespace {

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

TEST_F(MbCheckerTest, BusyAfterTheCommit) {
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

TEST_F(MbCheckerTest, WithoutTimeLimitsAWaitIsTheWarps) {
  Config config = kUnit;
  config.mb_limit = false;
  const MbOperation other = Group(MbOp::kTestWaitParity, 0, kWarp, 2);
  MbOperation part = TryWait(1000);
  part.whole = false;
  for (const bool parks : {false, true}) {
    SCOPED_TRACE(parks);
    Restart(config);
    Init();
    Accept(part);
    Accept(other);
    Commit(part);
    Good();
    Commit(other);
    Good();
    Idle();
    Respond(part, 0);
    Good();
    Respond(other, 0);
    Good(2);
    if (parks) {
      Park(TryWait(1000));
    } else {
      Accept(TryWait(1000));
    }
    Present(other);
    Bad("mb.issue");
  }
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

TEST_F(MbCheckerTest, OfACtaThatIsNotResident) {
  const auto presents = [&](const char* name, bool MbInputs::*valid, MbOperation MbInputs::*group) {
    MbChecker checker(kUnit, mbarriers_);
    Inputs in;
    in.mb.*valid = true;
    in.mb.*group = Group(MbOp::kArrive, 1);
    ASSERT_TRUE(checker.Check(0, in, Outputs()));
    MbChecker another(kUnit, mbarriers_);
    (in.mb.*group).cta = 1;
    ASSERT_FALSE(another.Check(0, in, Outputs()));
    EXPECT_EQ(another.mismatch()->field, name);
    EXPECT_EQ(another.mismatch()->unit, "of CTA 1 (by the driver)");
  };
  presents("mb.issue", &MbInputs::issue_valid, &MbInputs::issue);
  presents("mb.async", &MbInputs::async_valid, &MbInputs::async);
  presents("mb.remote", &MbInputs::remote_valid, &MbInputs::remote);
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
TEST_F(MbCheckerTest, CommitAfterADrainIsLate) {
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

TEST_F(MbCheckerTest, CompletionThatIsNone) {
  Init();
  Accept(Group(MbOp::kArrive, 1));
  CommitWrite(Group(MbOp::kArrive, 1), Word(false, 1), true);
  Good();
  Idle();
  Bad("mb.completed");
}

TEST_F(MbCheckerTest, CompletionThatIsNotReported) {
  Init();
  Accept(Group(MbOp::kArrive, 2));
  CommitWrite(Group(MbOp::kArrive, 2), Word(true, 2), false);
  Good();
  Idle();
  Bad("mb.completed");
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

TEST_F(MbCheckerTest, ReadInSpiteOfAYield) {
  in_.mb.yield = true;
  mb_.read_valid = true;
  Bad("smem.read");
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

}  // namespace
}  // namespace muster::lockstep
