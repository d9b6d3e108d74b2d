// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The rules of handshakes: wrong pins are caught.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/monitor.h"
#include "sim/lockstep/report.h"
#include "sim/lockstep/scoreboard.h"
#include "tb/lockstep/script.h"

namespace muster::lockstep {
namespace {

constexpr Config kTwoPorts = [] {
  Config config;
  config.name = "two_ports";
  config.num_issue = 2;
  return config;
}();

// ------------------------------------------------------------------------------------------------
// The monitor, fed with pins of a unit that does not exist
// ------------------------------------------------------------------------------------------------

class MonitorTest : public testing::Test {
 protected:
  MonitorTest() { in_.fence_ack = ~std::uint64_t{0}; }

  void Present(unsigned port, const Operation& operation) {
    in_.issue_valid |= static_cast<std::uint8_t>(1U << port);
    in_.issue[port] = operation;
  }
  void Commit(unsigned port, unsigned warp) {
    out_.commit_valid |= static_cast<std::uint8_t>(1U << port);
    out_.commit_warp[port] = static_cast<std::uint8_t>(warp);
  }
  // A cycle that is as it must be; valids fall where their ready was high.
  void Good() {
    ASSERT_TRUE(monitor_.Check(cycle_++, in_, out_)) << monitor_.mismatch()->field;
    Next();
  }
  void Good(std::uint64_t cycles) {
    for (; cycles != 0; --cycles) {
      Good();
    }
  }
  // Waits count from here on.
  void Started() { Good(BoundsOf(kTwoPorts).start); }
  // As it is, it may go on for as long as the bound says.
  void AtMost(Wait wait, const std::string& what) {
    Good(BoundsOf(kTwoPorts).longest[wait]);
    Bad(std::string("wait.") + kWaitNames[wait]);
    EXPECT_NE(monitor_.mismatch()->unit.find(what), std::string::npos) << monitor_.mismatch()->unit;
  }
  // A cycle that must be refused, and for which pin.
  void Bad(const std::string& field) {
    ASSERT_FALSE(monitor_.Check(cycle_++, in_, out_));
    EXPECT_EQ(monitor_.mismatch()->field, field);
    EXPECT_FALSE(monitor_.mismatch()->golden.empty());
  }
  // Warp 3 has had its arrival accepted at port 1.
  void AcceptOne() {
    Present(1, Arrival(OpKind::kSync, 3, 0, 0));
    out_.issue_ready = 0b10;
    Good();
    out_.busy = 1U << 3;
  }
  void Next() {
    in_.issue_valid &= static_cast<std::uint8_t>(~out_.issue_ready);
    in_.lifecycle_valid = in_.lifecycle_valid && !out_.lifecycle_ready;
    in_.exit_valid = in_.exit_valid && !out_.exit_ready;
    out_.issue_ready = 0;
    out_.lifecycle_ready = false;
    out_.exit_ready = false;
    out_.commit_valid = 0;
    out_.commit_lifecycle = false;
    out_.commit_exit = false;
  }

  Monitor monitor_{kTwoPorts};
  Inputs in_;
  Outputs out_;
  std::uint64_t cycle_ = 0;
};

TEST_F(MonitorTest, KeepsTrackOfAnOperation) {
  AcceptOne();
  EXPECT_FALSE(monitor_.Idle());
  Good();
  Commit(1, 3);
  Good();
  EXPECT_TRUE(monitor_.Idle());
  EXPECT_EQ(monitor_.commits().count, 1U);
  EXPECT_EQ(monitor_.commits().operations[0].warp, 3);
  out_.busy = 0;
  Good();
}

TEST_F(MonitorTest, BusyWithoutAnOperation) {
  out_.busy = 1;
  Bad("busy");
}

TEST_F(MonitorTest, NotBusyWithOne) {
  AcceptOne();
  out_.busy = 0;
  Bad("busy");
}

TEST_F(MonitorTest, SecondOperationOfABusyWarp) {
  AcceptOne();
  Present(0, Arrival(OpKind::kArrive, 3, 1, 1));
  out_.issue_ready = 0b01;
  Bad("issue_ready[0]");
}

TEST_F(MonitorTest, OneWarpAtTwoPorts) {
  Present(0, Arrival(OpKind::kSync, 3, 0, 0));
  Present(1, Arrival(OpKind::kSync, 3, 0, 0));
  Bad("issue[1].warp");
}

TEST_F(MonitorTest, OperationWithdrawn) {
  Present(0, Arrival(OpKind::kSync, 3, 0, 0));
  Good();
  in_.issue_valid = 0;
  Bad("issue_valid");
}

TEST_F(MonitorTest, OperationChanged) {
  Present(0, Arrival(OpKind::kSync, 3, 0, 0));
  Good();
  in_.issue[0].lanes = 1;
  Bad("issue[0]");
}

TEST_F(MonitorTest, CommitOfNothing) {
  Commit(0, 3);
  Bad("commit[0].warp");
}

TEST_F(MonitorTest, CommitTwice) {
  AcceptOne();
  Commit(1, 3);
  Good();
  out_.busy = 0;
  Commit(1, 3);
  Bad("commit[1].warp");
}

TEST_F(MonitorTest, CommitAtAnotherPort) {
  AcceptOne();
  Commit(0, 3);
  Bad("commit[0].warp");
}

TEST_F(MonitorTest, CommitOfAnotherWarp) {
  AcceptOne();
  Commit(1, 2);
  Bad("commit[1].warp");
}

TEST_F(MonitorTest, CommitBeforeTheDrain) {
  in_.fence_ack = 0;
  AcceptOne();
  out_.fence_req = 1U << 3;
  Good();
  Commit(1, 3);
  Bad("commit[1]");
}

TEST_F(MonitorTest, DrainNotRequested) {
  in_.fence_ack = 0;
  AcceptOne();
  Bad("fence_req");
}

TEST_F(MonitorTest, DrainRequestedOnceMore) {
  AcceptOne();
  out_.fence_req = 1U << 3;
  Bad("fence_req");
}

TEST_F(MonitorTest, ResponseWithdrawn) {
  in_.response_ready = false;
  out_.response_valid = true;
  Good();
  out_.response_valid = false;
  Bad("response_valid");
}

TEST_F(MonitorTest, LifecycleCommitOfNothing) {
  out_.commit_lifecycle = true;
  Bad("commit.lifecycle");
}

TEST_F(MonitorTest, LifecycleAndIssueInOneCycle) {
  AcceptOne();
  Commit(1, 3);
  out_.commit_lifecycle = true;
  Bad("commit");
}

TEST_F(MonitorTest, ExitCommitOfNothing) {
  in_.lifecycle_valid = true;
  in_.lifecycle.kind = OpKind::kEnd;
  out_.lifecycle_ready = true;
  Good();
  out_.commit_exit = true;
  Bad("commit.exit");
}

TEST_F(MonitorTest, LifecycleAndExitInOneCycle) {
  in_.lifecycle_valid = true;
  in_.lifecycle.kind = OpKind::kEnd;
  in_.exit_valid = true;
  in_.exit = Exit(3);
  out_.lifecycle_ready = out_.exit_ready = true;
  Good();
  out_.commit_lifecycle = out_.commit_exit = true;
  Bad("commit");
}

TEST_F(MonitorTest, ExitOvertakesTheWarpsOperation) {
  AcceptOne();
  in_.exit_valid = true;
  in_.exit = Exit(3);
  out_.exit_ready = true;
  Good();
  out_.commit_exit = true;
  Bad("commit.exit");
}

TEST_F(MonitorTest, ExitChanged) {
  in_.exit_valid = true;
  in_.exit = Exit(3);
  Good();
  in_.exit.warp = 4;
  Bad("exit");
}

TEST_F(MonitorTest, ExitWithdrawn) {
  in_.exit_valid = true;
  in_.exit = Exit(3);
  Good();
  in_.exit_valid = false;
  Bad("exit_valid");
}

TEST_F(MonitorTest, EndOvertakesAnOperationOfTheCta) {
  AcceptOne();
  in_.lifecycle_valid = true;
  in_.lifecycle.kind = OpKind::kEnd;
  out_.lifecycle_ready = true;
  Good();
  out_.commit_lifecycle = true;
  Bad("commit.lifecycle");
}

TEST_F(MonitorTest, LifecycleOperationChanged) {
  in_.lifecycle_valid = true;
  in_.lifecycle.kind = OpKind::kEnd;
  Good();
  in_.lifecycle.cta = 1;
  Bad("lc");
}

// Each wait may be as long as its bound, and not a cycle longer.
TEST_F(MonitorTest, OperationThatWaitsTooLong) {
  Started();
  AcceptOne();
  AtMost(kCommitWait, "port 1: sync at barrier 0 with count 0 by warp 3 of CTA 0");
}

TEST_F(MonitorTest, SecondOperationThatWaitsTooLong) {
  Started();
  AcceptOne();
  Good(20);
  Present(0, Arrival(OpKind::kSync, 4, 0, 0));
  out_.issue_ready = 0b01;
  Good();
  out_.busy |= 1U << 4;
  Good(20);
  Commit(1, 3);
  Good();
  out_.busy = 1U << 4;
  Good(BoundsOf(kTwoPorts).longest[kCommitWait] - 21);
  Bad("wait.commit");
}

TEST_F(MonitorTest, DrainedOperationThatWaitsTooLong) {
  Started();
  in_.fence_ack = 0;
  AcceptOne();
  out_.fence_req = 1U << 3;
  Good(5000);  // the core's time
  in_.fence_ack = ~std::uint64_t{0};
  Good();
  out_.fence_req = 0;
  AtMost(kDrainWait, "port 1: sync");
}

TEST_F(MonitorTest, PresentedOperationThatWaitsTooLong) {
  Started();
  AcceptOne();
  Present(0, Arrival(OpKind::kArrive, 3, 1, 1));
  Good(30);  // its warp is busy
  Commit(1, 3);
  Good();
  out_.busy = 0;
  AtMost(kIssueWait, "port 0: arrive");
}

TEST_F(MonitorTest, LaunchThatWaitsTooLong) {
  in_.lifecycle_valid = true;
  in_.lifecycle.kind = OpKind::kLaunch;
  Started();
  AtMost(kLaunchWait, "the lifecycle port: launch of CTA 0");
}

TEST_F(MonitorTest, ExitThatWaitsTooLong) {
  Started();
  AcceptOne();
  in_.exit_valid = true;
  in_.exit = Exit(3);
  Good(40);  // for its warp's operation
  Commit(1, 3);
  Good();
  out_.busy = 0;
  Good(BoundsOf(kTwoPorts).longest[kExitWait] - 1);
  Bad("wait.exit");
}

TEST_F(MonitorTest, EndThatWaitsTooLong) {
  in_.lifecycle_valid = true;
  in_.lifecycle.kind = OpKind::kEnd;
  Started();
  AtMost(kLeaveWait, "the lifecycle port: end of CTA 0");
}

TEST_F(MonitorTest, ResponseNotTakenIsNoWait) {
  Started();
  AcceptOne();
  Good(20);
  in_.response_ready = false;
  out_.response_valid = true;
  Good(5000);
  in_.response_ready = true;
  Good(BoundsOf(kTwoPorts).longest[kCommitWait] - 20);
  Bad("wait.commit");
}

}  // namespace
}  // namespace muster::lockstep
