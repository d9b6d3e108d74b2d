// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster::tlm::BarrierUnit in time: releases and faults when rtl/README.md and
// rtl/mbarrier/README.md publish them, and initiators that run ahead.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/isa/config.h"
#include "sim/tlm/barrier_extension.h"
#include "sim/tlm/barrier_unit.h"
#include "tb/unit/tlm_fixture.h"

namespace muster::tlm {
namespace {

using sc_core::sc_time_stamp;
using sc_core::wait;

// A cycle of `small` is 1 ns. 2 cycles to a commit, 2 more to the release; at mbarriers 5 and 2.
class TlmTime : public Platform {};

// ------------------------------------------------------------------------------------------------
// Named barriers
// ------------------------------------------------------------------------------------------------

class TlmRelease : public Platform, public testing::WithParamInterface<const char*> {
 protected:
  TlmRelease() : Platform(GetParam()) {}
  const Config& config() const { return *FindConfig(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Configs, TlmRelease, testing::Values("small", "default", "vortex_like"),
                         [](const auto& info) { return std::string(info.param); });

// rtl/README.md, "Latency": acceptance of the last arrival to release takes 3, 4 or 5 cycles. PTX
// 9.7.13.1: an arrive does not wait, so its warp is not released.
TEST_P(TlmRelease, ComesAtThePublishedTime) {
  const unsigned cycles = !config().reduce ? 3 : config().num_issue == 1 ? 4 : 5;
  core.Start([&] {
    core.Send(Launch(0, 0b1111));
    core.Send(At(OpKind::kSync, 0, 1, 2));
    wait(Ns(100));
    core.Send(At(OpKind::kSync, 1, 1, 2));  // completed by a sync
    wait(Ns(100));
    core.Send(At(OpKind::kSync, 0, 1, 2));
    core.Send(At(OpKind::kArrive, 1, 1, 2));  // completed by an arrive
    wait(Ns(100));
    sc_core::sc_time ahead = Ns(17);
    core.Send(At(OpKind::kSync, 3, 1, 1),
              &ahead);  // completed by itself, at a local time that is ahead
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(witness.seen(), (List{{Ns(100 + cycles), "warp 0 released"},
                                  {Ns(100 + cycles), "warp 1 released"},
                                  {Ns(200 + cycles), "warp 0 released"},
                                  {Ns(317 + cycles), "warp 3 released"}}));
}

// PTX 9.7.13.1: a barrier without a count waits for all threads that have not exited. The last
// warp's exit takes 5 cycles to its commit.
TEST_F(TlmTime, ExitReleases) {
  core.Start([&] {
    core.Send(Launch(0, 0b11));
    core.Send(At(OpKind::kSync, 0, 0));
    wait(Ns(100));
    core.Send(Lifecycle(OpKind::kExit, 0, 1));
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(witness.seen(), (List{{Ns(100 + 5 + 2), "warp 0 released"}}));
}

// PTX 9.7.13.1: red.popc counts the true predicates of all threads; and, or: all or any are true.
// The result is there with the release, and not before.
TEST_F(TlmTime, ReleaseBringsTheResult) {
  core.Start([&] {
    core.Send(Launch(0, 0b11));
    const auto reduce = [&](OpKind kind, std::uint32_t first, std::uint32_t second) {
      Operation operation = At(kind, 0, 7, 2);
      operation.operand = first;
      core.Send(operation);
      operation.warp = 1;
      operation.operand = second;
      const Release before = unit.releases->latest_release(0);
      core.Send(operation);
      EXPECT_EQ(unit.releases->latest_release(0).kind, before.kind) << "ahead of its time";
      wait(unit.releases->released(0));
      return unit.releases->latest_release(0);
    };
    const Release popc = reduce(OpKind::kRedPopc, 0xf, 0x3);
    EXPECT_EQ(popc.kind, BarKind::kPopc);
    EXPECT_EQ(popc.value, 6U);
    EXPECT_EQ(popc.bar, 7U);
    EXPECT_FALSE(reduce(OpKind::kRedAnd, kAllLanes, 0x1).predicate());
    EXPECT_TRUE(reduce(OpKind::kRedAnd, kAllLanes, kAllLanes).predicate());
    EXPECT_TRUE(reduce(OpKind::kRedOr, 0, 0x10).predicate());
    EXPECT_FALSE(reduce(OpKind::kRedOr, 0, 0).predicate());
    EXPECT_EQ(unit.releases->latest_release(2).kind, BarKind::kIdle) << "never released";
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(witness.seen().size(), 10U);
}

// A warp whose interconnect, or whose own work, takes time between transport and wait.
TEST_F(TlmTime, WarpThatComesLateMissesNothing) {
  bool woken = false;
  core.Start([&] {
    EXPECT_FALSE(unit.releases->waits(0));
    core.Send(Launch(0, 0b11));
    core.Send(At(OpKind::kSync, 0, 1, 2));
    EXPECT_TRUE(unit.releases->waits(0));
    core.Send(At(OpKind::kSync, 1, 1, 2));
    EXPECT_TRUE(unit.releases->waits(0)) << "the release is still to come";
    wait(Ns(3.5));
    EXPECT_TRUE(unit.releases->waits(0));
    wait(Ns(1));
    EXPECT_FALSE(unit.releases->waits(0));
    while (unit.releases->waits(0)) {
      wait(unit.releases->released(0));
    }
    woken = true;
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_TRUE(woken);
}

// An initiator that runs several warps ahead of time brings about many releases of one warp before
// SystemC's time has moved. Each is shown at its own time.
TEST_F(TlmTime, ReleasesOfOneWarpAreNotLost) {
  core.Start([&] {
    core.Send(Launch(0, 0b1));
    for (int round = 0; round < 3; ++round) {
      sc_core::sc_time local = Ns(20 * round);
      core.Send(At(OpKind::kSync, 0, 1, 1), &local);
    }
    // Out of the order of time, at another barrier.
    sc_core::sc_time local = Ns(10);
    core.Send(At(OpKind::kSync, 0, 2, 1), &local);
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(witness.seen(), (List{{Ns(4), "warp 0 released"},
                                  {Ns(14), "warp 0 released"},
                                  {Ns(24), "warp 0 released"},
                                  {Ns(44), "warp 0 released"}}));
}

// ------------------------------------------------------------------------------------------------
// Faults
// ------------------------------------------------------------------------------------------------

// Commit to fault: 2 cycles of a named barrier, 1 of an mbarrier. PTX 9.7.13.15.13: an arrive of
// more than is pending is refused; each lane is judged by itself.
TEST_F(TlmTime, FaultsComeAtThePublishedTime) {
  core.Start([&] {
    core.Send(Launch(1, 0b100));
    Operation sync = At(OpKind::kSync, 2, 9, 3);
    sync.cta = 1;
    EXPECT_EQ(core.Send(sync).fault, FaultCause::kCountAboveCta);
    EXPECT_FALSE(unit.releases->waits(2)) << "who is refused does not wait";
    wait(Ns(100));
    MbOperation at = At(MbOp::kInit, 2, 0x48, 2);
    at.cta = 1;
    core.Send(at);
    at = At(MbOp::kArriveNoComplete, 2, 0x48, 1);
    at.cta = 1;
    at.lanes = 0b1011;  // the first of them is taken; one more would complete the phase
    core.Send(at);
    at = At(MbOp::kArrive, 2, 0x4c, 1);
    at.cta = 1;
    at.source = MbSource::kAsync;
    core.Send(at);
  });
  sc_core::sc_start(Ns(1000));
  ASSERT_EQ(witness.faults.size(), 3U);
  const auto [at, named] = witness.faults[0];
  EXPECT_EQ(at, Ns(2 + 2));
  EXPECT_EQ(named.cause, FaultCause::kCountAboveCta);
  EXPECT_FALSE(named.mbarrier);
  EXPECT_EQ(named.cta, 1U);
  EXPECT_EQ(named.warp, 2U);
  EXPECT_EQ(named.bar, 9U);
  EXPECT_EQ(named.lanes, kAllLanes);
  const auto [copy_at, copy] = witness.faults[1];
  EXPECT_EQ(copy_at, Ns(100 + kOtherToCommit + 1));
  EXPECT_EQ(copy.cause, FaultCause::kBadAddress);
  EXPECT_EQ(copy.source, MbSource::kAsync);
  EXPECT_EQ(copy.addr, 0x4cU);
  const auto [mb_at, mb] = witness.faults[2];
  EXPECT_EQ(mb_at, Ns(100 + kWarpToCommit + 1));
  EXPECT_EQ(mb.cause, FaultCause::kNocompleteCompleted);
  EXPECT_TRUE(mb.mbarrier);
  EXPECT_EQ(mb.source, MbSource::kWarp);
  EXPECT_EQ(mb.lanes, 0b1010U);
  EXPECT_EQ(mb.cta, 1U);
  EXPECT_EQ(mb.addr, 0x48U);
}

// Lanes that are refused for different causes are reported apart. PTX 9.7.13.15.13: an object of
// one arrival and an expected count of none is exhausted when that has come.
TEST_F(TlmTime, FaultsOfLanesAreReportedByCause) {
  core.Start([&] {
    core.Send(Launch(0, 0b1));
    core.Send(At(MbOp::kInit, 0, 0x40, 3));
    MbOperation drop = At(MbOp::kArriveDrop, 0, 0x40, 2);
    drop.lanes = 0b111;  // 2 of 3; the next two: more than the 1 that is left
    core.Send(drop);
    wait(Ns(100));
    MbOperation last = At(MbOp::kArriveDrop, 0, 0x40, 1);
    last.lanes = 0b11;  // the one that is left, then one at an exhausted word
    core.Send(last);
  });
  sc_core::sc_start(Ns(1000));
  ASSERT_EQ(witness.faults.size(), 2U);
  EXPECT_EQ(witness.faults[0].fault.cause, FaultCause::kBadArriveCount);
  EXPECT_EQ(witness.faults[0].fault.lanes, 0b110U);
  EXPECT_EQ(witness.faults[1].fault.cause, FaultCause::kWordExhausted);
  EXPECT_EQ(witness.faults[1].fault.lanes, 0b10U);
}

// ------------------------------------------------------------------------------------------------
// Initiators that run ahead
// ------------------------------------------------------------------------------------------------

// Two warps with quantum keepers of 100 ns. The first arrives at its local time 80 and is
// transported first; the second at its local time 10 comes later, and completes the barrier. No
// release is before an arrival that it takes: not at 10 + 4, but at 80 + 4.
TEST_F(TlmTime, ReleaseIsNotBeforeAnArrivalThatItTakes) {
  ::tlm::tlm_global_quantum::instance().set(Ns(100));
  std::vector<sc_core::sc_time> woken(2);
  for (const unsigned warp : {0U, 1U}) {
    core.Start([&, warp] {
      tlm_utils::tlm_quantumkeeper keeper;
      keeper.reset();
      if (warp == 0) {
        core.Send(Launch(0, 0b11));
      }
      keeper.inc(Ns(warp == 0 ? 80 : 10));
      ASSERT_FALSE(keeper.need_sync());
      sc_core::sc_time local = keeper.get_local_time();
      const Effects effects = core.Send(At(OpKind::kSync, warp, 1, 2), &local);
      EXPECT_EQ(effects.completed, warp == 1) << "in the order of transport";
      EXPECT_EQ(local, Ns(84));
      while (unit.releases->waits(warp)) {
        wait(unit.releases->released(warp));
      }
      woken[warp] = sc_time_stamp();
    });
  }
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(woken, (std::vector{Ns(84), Ns(84)}));
}

// The same at an mbarrier, at which a producer runs ahead of the one who waits. At another word
// nothing is held up.
TEST_F(TlmTime, AnswerIsNotBeforeAnArrivalThatItTakes) {
  core.Start([&] {
    core.Send(Launch(0, 0b111));
    core.Send(At(MbOp::kInit, 0, 0x40, 2));
    core.Send(At(MbOp::kInit, 0, 0x48, 1));
    core.Send(TryWait(2, 0x40, false));
    sc_core::sc_time local = Ns(80);
    core.Send(At(MbOp::kArrive, 0, 0x40, 1), &local);
    EXPECT_EQ(local, Ns(80 + kWarpToCommit + 1));
    local = Ns(10);
    core.Send(At(MbOp::kArrive, 1, 0x40, 1), &local);
    EXPECT_EQ(local, Ns(80 + kWarpToCommit + 1));
    local = Ns(10);
    core.Send(At(MbOp::kArrive, 1, 0x48, 1), &local);
    EXPECT_EQ(local, Ns(10 + kWarpToCommit + 1));
    local = Ns(10);
    EXPECT_EQ(core.Send(TryWait(1, 0x40, false), &local).complete, 1U);
    EXPECT_EQ(local, Ns(80 + kWarpToCommit + 2)) << "it has seen the phase complete";
    // Nor is it before the wait itself.
    local = Ns(300);
    EXPECT_EQ(core.Send(TryWait(0, 0x48, true), &local).parked, 1U);
    local = Ns(200);
    core.Send(At(MbOp::kArrive, 1, 0x48, 1), &local);
    EXPECT_EQ(local, Ns(200 + kWarpToCommit + 1));
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(witness.seen(), (List{{Ns(80 + kWarpToCommit + 2), "warp 2 answered true"},
                                  {Ns(300 + kWarpToCommit + 2), "warp 0 answered true"}}));
}

TEST_F(TlmTime, ResetForgetsEverything) {
  core.Start([&] {
    core.Send(Launch(0, 0b111));
    core.Send(At(MbOp::kInit, 0, 0x40, 1));
    core.Send(TryWait(1, 0x40, false, 20));
    core.Send(At(OpKind::kSync, 2, 1, 2));
    core.Send(At(OpKind::kSync, 0, 1, 2));    // the release is on its way
    core.Send(At(OpKind::kArrive, 0, 1, 0));  // and a fault
    unit.Reset();
    EXPECT_FALSE(unit.releases->waits(0));
    EXPECT_FALSE(unit.answers->parked(1));
    EXPECT_EQ(unit.model().Live(), 0U);
    EXPECT_EQ(unit.mbarriers().Word(0, 0x40), 0U);
    wait(Ns(100));
    EXPECT_TRUE(witness.seen().empty());
    EXPECT_TRUE(witness.faults.empty());
    core.Send(Launch(0, 0b1));  // and it goes on
    core.Send(At(OpKind::kSync, 0, 1));
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(witness.seen(), (List{{Ns(104), "warp 0 released"}}));
}

}  // namespace
}  // namespace muster::tlm
