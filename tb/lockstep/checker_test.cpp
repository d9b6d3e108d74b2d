// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The check itself: wrong pins are caught, and the report names them.
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

constexpr Config kTwoPorts = {"two_ports", 8,    2,    2,    true, true, true, true,
                              true,        true, true, true, 4096, 1000, 3000};

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
    out_.issue_ready = 0;
    out_.lifecycle_ready = false;
    out_.commit_valid = 0;
    out_.commit_lifecycle = false;
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

TEST_F(MonitorTest, ExitOvertakesTheWarpsOperation) {
  AcceptOne();
  in_.lifecycle_valid = true;
  in_.lifecycle = Exit(3);
  out_.lifecycle_ready = true;
  Good();
  out_.commit_lifecycle = true;
  Bad("commit.lifecycle");
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
  in_.lifecycle = Exit(3);
  Good();
  in_.lifecycle.warp = 4;
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
  in_.lifecycle_valid = true;
  in_.lifecycle = Exit(3);
  Good(40);  // for its warp's operation
  Commit(1, 3);
  Good();
  out_.busy = 0;
  Good(BoundsOf(kTwoPorts).longest[kLeaveWait] - 1);
  Bad("wait.leave");
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

// ------------------------------------------------------------------------------------------------
// The scoreboard, shown what the golden model predicts, but for one field
// ------------------------------------------------------------------------------------------------

struct Lie {
  const char* field;  // the one that must be named
  std::function<void(Outputs*)> tell;
};

// The last cycle of the story below: a release, an entry written, a fault and a response.
Outputs Truth() {
  Outputs out;
  out.released = 0b11;
  out.release_bar = 5;
  out.release_kind = BarKind::kPopc;
  out.release_value = 40;
  out.entry_valid = true;
  out.entry_bar = 5;
  out.fault_valid = 0b1;
  out.fault[0] = {FaultCause::kWarpWaiting, 0, 0, 5, kAllLanes};
  out.response_valid = true;
  out.response_warp = 3;
  return out;
}

// Warp 0 comes to a reduction, warp 3 reads, and warp 1 completes the reduction beside an operation
// that is refused. What the scoreboard says about the pins that show this: a field, or nothing.
std::string Judge(const Outputs& last) {
  golden::Model model(kTwoPorts);
  Scoreboard scoreboard(kTwoPorts, model);
  std::uint64_t cycle = 0;
  const auto step = [&](const std::vector<Operation>& operations, const Outputs& out) {
    Commits commits;
    std::array<Effects, kMaxIssue> effects;
    for (const Operation& operation : operations) {
      commits.about[commits.count].port = static_cast<std::uint8_t>(commits.count);
      commits.operations[commits.count] = operation;
      effects[commits.count++] = model.Step(operation);
    }
    return scoreboard.Expect(cycle, commits, effects.data()) &&
           scoreboard.Compare(cycle++, Inputs(), out);
  };
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.warps = 0b1011;
  launch.size = 3;
  Outputs entry;
  entry.entry_valid = true;
  entry.entry_bar = 5;
  entry.entry_word = 4U << 26 | 2U << 19 | 1U << 12 | 32U;
  EXPECT_TRUE(step({launch}, Outputs()));
  EXPECT_TRUE(step({WithPredicates(kAllLanes, Arrival(OpKind::kRedPopc, 0, 5, 2))}, Outputs()));
  EXPECT_TRUE(step({Read(OpKind::kB2rResult, 3)}, Outputs()));
  EXPECT_TRUE(step(
      {Arrival(OpKind::kSync, 0, 5, 2), WithPredicates(0xff, Arrival(OpKind::kRedPopc, 1, 5, 2))},
      entry));
  EXPECT_TRUE(step({}, Outputs()));
  return step({}, last) ? "" : scoreboard.mismatch()->field;
}

TEST(ScoreboardTest, BelievesTheTruth) { EXPECT_EQ(Judge(Truth()), ""); }

TEST(ScoreboardTest, CatchesALieInEveryField) {
  const std::vector<Lie> lies = {
      {"release.warps", [](Outputs* out) { out->released = 0; }},
      {"release.warps", [](Outputs* out) { out->released = 0b111; }},
      {"release.cta", [](Outputs* out) { out->release_cta = 1; }},
      {"release.bar", [](Outputs* out) { out->release_bar = 4; }},
      {"release.kind", [](Outputs* out) { out->release_kind = BarKind::kSync; }},
      {"release.value", [](Outputs* out) { out->release_value = 41; }},
      {"entry.valid", [](Outputs* out) { out->entry_valid = false; }},
      {"entry.cta", [](Outputs* out) { out->entry_cta = 1; }},
      {"entry.bar", [](Outputs* out) { out->entry_bar = 4; }},
      {"entry.word", [](Outputs* out) { out->entry_word = 1; }},
      {"fault[0]", [](Outputs* out) { out->fault_valid = 0; }},
      {"fault[1]", [](Outputs* out) { out->fault_valid = 0b11; }},
      {"fault[2]", [](Outputs* out) { out->fault_valid = 0b101; }},
      {"fault[0]", [](Outputs* out) { out->fault[0].cause = FaultCause::kKindMismatch; }},
      {"fault[0]", [](Outputs* out) { out->fault[0].cta = 1; }},
      {"fault[0]", [](Outputs* out) { out->fault[0].warp = 1; }},
      {"fault[0]", [](Outputs* out) { out->fault[0].bar = 4; }},
      {"fault[0]", [](Outputs* out) { out->fault[0].lanes = 1; }},
      {"response", [](Outputs* out) { out->response_warp = 2; }},
      {"response", [](Outputs* out) { out->response_data = 1; }},
      {"response", [](Outputs* out) { out->response_pred = true; }},
  };
  for (std::size_t i = 0; i < lies.size(); ++i) {
    Outputs out = Truth();
    lies[i].tell(&out);
    EXPECT_EQ(Judge(out), lies[i].field) << "lie " << i;
  }
}

TEST(ScoreboardTest, CatchesALateResponse) {
  golden::Model model(kTwoPorts);
  Scoreboard scoreboard(kTwoPorts, model);
  Commits commits;
  commits.count = 1;
  commits.operations[0].kind = OpKind::kLaunch;
  commits.operations[0].warps = 0b11;
  commits.operations[0].size = 2;
  Effects effects = model.Step(commits.operations[0]);
  ASSERT_TRUE(scoreboard.Expect(0, commits, &effects));
  commits.operations[0] = Read(OpKind::kB2rWarp, 1);
  effects = model.Step(commits.operations[0]);
  ASSERT_TRUE(scoreboard.Expect(0, commits, &effects));
  const std::uint64_t bound = BoundsOf(kTwoPorts).longest[kResponseWait];
  for (std::uint64_t cycle = 0; cycle <= bound; ++cycle) {
    ASSERT_TRUE(scoreboard.Compare(cycle, Inputs(), Outputs()));
  }
  EXPECT_FALSE(scoreboard.Compare(bound + 1, Inputs(), Outputs()));
  EXPECT_EQ(scoreboard.mismatch()->field, "wait.response");
}

// A release that was not predicted, or comes again.
TEST(ScoreboardTest, CatchesWhatNobodyExpects) {
  golden::Model model(kTwoPorts);
  Scoreboard scoreboard(kTwoPorts, model);
  ASSERT_TRUE(scoreboard.Compare(0, Inputs(), Outputs()));
  Outputs out;
  out.response_valid = true;
  EXPECT_FALSE(scoreboard.Compare(1, Inputs(), out));
  EXPECT_EQ(scoreboard.mismatch()->field, "response_valid");
  out = Outputs();
  out.released = 1;
  EXPECT_FALSE(scoreboard.Compare(2, Inputs(), out));
  EXPECT_EQ(scoreboard.mismatch()->field, "release.warps");
}

// Swept entries and warps.
TEST(ScoreboardTest, DebugReadsAreCompared) {
  struct Case {
    const char* field;
    std::uint32_t word;
    bool live;
    bool waiting;
    unsigned cta;
  };
  // CTA 1 has warp 0, which waits at barrier 0.
  const std::uint32_t word = 1U << 26 | 2U << 19 | 1U << 12;
  const std::vector<Case> cases = {{"", word, true, true, 1},
                                   {"debug.word", word + 1, true, true, 1},
                                   {"debug.warp", word, false, true, 1},
                                   {"debug.warp", word, true, false, 1},
                                   {"debug.warp", word, true, true, 0}};
  for (const Case& test : cases) {
    golden::Model model(kTwoPorts);
    Operation launch;
    launch.kind = OpKind::kLaunch;
    launch.cta = 1;
    launch.warps = 0b11;
    launch.size = 2;
    model.Step(launch);
    model.Step(InCta(1, Arrival(OpKind::kSync, 0, 0, 2)));
    Scoreboard scoreboard(kTwoPorts, model);
    std::uint64_t cycle = 0;
    for (; cycle < 100; ++cycle) {
      ASSERT_TRUE(scoreboard.Compare(cycle, Inputs(), Outputs()));
    }
    scoreboard.StartSweep();
    Inputs in;
    scoreboard.Address(&in);
    EXPECT_EQ(in.debug_cta, 1U);  // CTA 0 is not resident
    EXPECT_TRUE(scoreboard.Compare(cycle++, in, Outputs()));
    Outputs out;
    out.debug_word = test.word;
    out.debug_live = test.live;
    out.debug_waiting = test.waiting;
    out.debug_warp_cta = static_cast<std::uint8_t>(test.cta);
    const bool good = scoreboard.Compare(cycle, in, out);
    EXPECT_EQ(good ? "" : scoreboard.mismatch()->field, test.field);
  }
}

TEST(ReportTest, NamesAllThatIsNeeded) {
  golden::Model model(kTwoPorts);
  Scoreboard scoreboard(kTwoPorts, model);
  const golden::Mbarriers mbarriers(model, kTwoPorts.smem_bytes);
  const MbChecker mb_checker(kTwoPorts, mbarriers);
  Commits commits;
  commits.count = 1;
  commits.operations[0].kind = OpKind::kLaunch;
  commits.operations[0].warps = 0b11;
  commits.operations[0].size = 2;
  Effects effects = model.Step(commits.operations[0]);
  ASSERT_TRUE(scoreboard.Expect(3, commits, &effects));
  commits.operations[0] = Arrival(OpKind::kSync, 1, 6, 0);
  effects = model.Step(commits.operations[0]);
  ASSERT_TRUE(scoreboard.Expect(40, commits, &effects));
  Options options;
  options.seed = 77;
  options.rerun = "build/tb/lockstep/regress --seed 77";
  const std::string text =
      Report(kTwoPorts, options, 42, -1, {"release.warps", "0x2", "0x0", 0, 6, {}},
             {model, mbarriers, scoreboard, mb_checker});
  for (const char* part :
       {"cycle 42", "two_ports", "seed 77", "release.warps", "0x2", "0x0", "CTA 0, barrier 6",
        "barrier 6 of CTA 0: sync, 1 of all 2 warps arrived", "sync at barrier 6",
        "build/tb/lockstep/regress --seed 77 --wave mismatch.fst",
        "scripts/wave.py --fst mismatch.fst --at "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
  const std::string asserted =
      Report(kTwoPorts, options, 42, -1, {kAssertion, "a sentence", "x.sv:7, u_cta", 0, 6, {}},
             {model, mbarriers, scoreboard, mb_checker});
  for (const char* part :
       {"an assertion of the unit fails: a sentence\n  at      x.sv:7, u_cta\n",
        "barrier 6 of CTA 0: sync, 1 of all 2 warps arrived", "sync at barrier 6", "  rerun "}) {
    EXPECT_NE(asserted.find(part), std::string::npos) << part << " is not in\n" << asserted;
  }
}

}  // namespace
}  // namespace muster::lockstep
