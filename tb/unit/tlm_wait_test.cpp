// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Parked waits at muster::tlm::BarrierUnit: woken when rtl/mbarrier/README.md publishes it,
// answered false at their time limits, and when their CTA leaves.
#include <gtest/gtest.h>

#include <systemc>
#include <tlm>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/isa/config.h"
#include "sim/tlm/barrier_unit.h"
#include "tb/unit/tlm_fixture.h"

namespace muster::tlm {
namespace {

using sc_core::sc_time_stamp;
using sc_core::wait;

// A cycle of `small` is 1 ns. 5 cycles to a commit, 2 more to the wake-up.
class TlmWait : public Platform {};

// rtl/mbarrier/README.md, "Latency": 6 cycles to the commit (5 of a copy engine), and 2 to the
// wake-up. PTX 9.7.13.15.16: a wait for a phase that is complete is answered at once.
TEST_F(TlmWait, CompletionWakesWhoIsParked) {
  core.Start([&] {
    core.Send(Launch(0, 0b111));
    core.Send(At(MbOp::kInit, 0, 0x40, 2));
    EXPECT_EQ(core.Send(TryWait(1, 0x40, false)).parked, 1U);
    EXPECT_EQ(core.Send(TryWait(2, 0x40, false)).parked, 1U);
    EXPECT_TRUE(unit.answers->parked(1));
    wait(Ns(100));
    core.Send(At(MbOp::kArrive, 0, 0x40, 1));
    MbOperation copy = At(MbOp::kArrive, 0, 0x40, 1);
    copy.source = MbSource::kAsync;
    EXPECT_EQ(core.Send(copy).completions, 1U);
    EXPECT_EQ(core.Send(TryWait(0, 0x40, false)).complete, 1U);
    EXPECT_FALSE(unit.answers->parked(0));
    EXPECT_TRUE(unit.answers->parked(1));
  });
  sc_core::sc_start(Ns(1000));
  // The copy's commit is not ahead of the warp's, which it counts on.
  EXPECT_EQ(witness.seen(), (List{{Ns(100 + kWarpToCommit + 2), "warp 1 answered true"},
                                  {Ns(100 + kWarpToCommit + 2), "warp 2 answered true"}}));
  EXPECT_EQ(unit.answers->latest_answer(1).lanes, 1U);
}

// PTX 9.7.13.15.16: a try_wait that is not answered true within its time limit is answered false;
// without a hint the limit is the unit's own (4000 ns here). It counts from the commit.
TEST_F(TlmWait, LimitAnswersFalse) {
  core.Start([&] {
    core.Send(Launch(0, 0b11111));
    core.Send(At(MbOp::kInit, 0, 0x40, 1));
    core.Send(TryWait(0, 0x40, false));
    core.Send(TryWait(1, 0x40, false, 300));
    core.Send(TryWait(2, 0x40, false, 20));
    const MbEffects at_once = core.Send(TryWait(3, 0x40, false, 0));
    EXPECT_EQ(at_once.parked, 0U);
    EXPECT_EQ(at_once.complete, 0U);
    sc_core::sc_time ahead = Ns(50);
    core.Send(TryWait(4, 0x40, false, 7), &ahead);
    wait(unit.answers->answered(2));
    core.Send(TryWait(2, 0x40, false, 30));  // and again, from that answer on
  });
  sc_core::sc_start(Ns(100'000));
  EXPECT_EQ(witness.seen(),
            (List{{Ns(kWarpToCommit + 20), "warp 2 answered false"},
                  {Ns(kWarpToCommit + 20 + kWarpToCommit + 30), "warp 2 answered false"},
                  {Ns(50 + kWarpToCommit + 7), "warp 4 answered false"},
                  {Ns(kWarpToCommit + 300), "warp 1 answered false"},
                  {Ns(kWarpToCommit + 4'000), "warp 0 answered false"}}));
  EXPECT_EQ(unit.mbarriers().Parked(), 0U);
}

// A platform that calls sc_start() without an end goes on as long as anything may happen.
TEST_F(TlmWait, SimulationEndsWhenNobodyWaits) {
  core.Start([&] {
    core.Send(Launch(0, 0b11));
    core.Send(At(MbOp::kInit, 0, 0x40, 1));
    core.Send(TryWait(1, 0x40, false));
    wait(Ns(100));
    core.Send(At(MbOp::kArrive, 0, 0x40, 1));
    core.Send(TryWait(1, 0x40, true));
    wait(Ns(100));
    core.Send(Lifecycle(OpKind::kEnd, 0));
  });
  sc_core::sc_start();
  EXPECT_EQ(sc_time_stamp(), Ns(200 + 6 + 1));
}

// rtl/mbarrier/README.md, "Waits": where the period is no whole number of nanoseconds, time must
// have grown by the hint. 10 ns are 7 cycles of 1.5 ns.
class TlmWaitOfLarge : public Platform {
 protected:
  TlmWaitOfLarge() : Platform("large") {}
};

TEST_F(TlmWaitOfLarge, LimitIsRoundedUpToCycles) {
  core.Start([&] {
    core.Send(Launch(0, 0b1));
    core.Send(At(MbOp::kInit, 0, 0x40, 1));
    core.Send(TryWait(0, 0x40, false, 10));
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(witness.seen(), (List{{Ns((kWarpToCommit + 7) * 1.5), "warp 0 answered false"}}));
}

class TlmWaitOfVortexLike : public Platform {
 protected:
  TlmWaitOfVortexLike() : Platform("vortex_like") {}
};

TEST_F(TlmWaitOfVortexLike, ThereIsNoLimitWithoutEnMbLimit) {
  core.Start([&] {
    core.Send(Launch(0, 0b1));
    core.Send(At(MbOp::kInit, 0, 0x40, 1));
    MbOperation all = TryWait(0, 0x40, false, 10);
    all.lanes = kAllLanes;
    core.Send(all);
  });
  sc_core::sc_start(Ns(1'000'000));
  EXPECT_TRUE(witness.seen().empty());
  EXPECT_TRUE(unit.answers->parked(0));
}

// rtl/mbarrier/README.md, "Waits": a phase that completes in the cycle of a limit answers true. The
// limits are 20 after its commit; the arrival of the second object commits a cycle later than that
// of the first. All of it is transported before SystemC's time has moved.
TEST_F(TlmWait, CompletionInTheCycleOfTheLimitAnswersTrue) {
  core.Start([&] {
    core.Send(Launch(0, 0b111));
    core.Send(At(MbOp::kInit, 0, 0x40, 1));
    core.Send(At(MbOp::kInit, 0, 0x48, 1));
    core.Send(TryWait(1, 0x40, false, 20));
    core.Send(TryWait(2, 0x48, false, 20));
    sc_core::sc_time ahead = Ns(20);
    core.Send(At(MbOp::kArrive, 0, 0x40, 1), &ahead);
    ahead = Ns(21);
    core.Send(At(MbOp::kArrive, 0, 0x48, 1), &ahead);
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(witness.seen(), (List{{Ns(kWarpToCommit + 20), "warp 2 answered false"},
                                  {Ns(kWarpToCommit + 20 + 2), "warp 1 answered true"}}));
}

// An operation at a word that runs ahead in time expires the waits at that word alone.
TEST_F(TlmWait, WhoRunsAheadExpiresNoOtherWord) {
  core.Start([&] {
    core.Send(Launch(0, 0b11));
    core.Send(At(MbOp::kInit, 0, 0x40, 1));
    core.Send(At(MbOp::kInit, 0, 0x48, 2));
    core.Send(TryWait(1, 0x40, false, 20));
    sc_core::sc_time ahead = Ns(500);
    core.Send(At(MbOp::kArrive, 0, 0x48, 1), &ahead);
    wait(Ns(10));
    core.Send(At(MbOp::kArrive, 0, 0x40, 1));
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(witness.seen(), (List{{Ns(10 + kWarpToCommit + 2), "warp 1 answered true"}}));
}

// PTX 9.7.13.15 leaves open what a wait gets whose CTA ends; sim/golden/mbarrier.md: false. Shared
// memory goes with the CTA.
TEST_F(TlmWait, LeavingCtaAnswersFalse) {
  core.Start([&] {
    core.Send(Launch(0, 0b1));
    core.Send(Launch(1, 0b10));
    core.Send(At(MbOp::kInit, 0, 0x40, 1));
    core.Send(TryWait(0, 0x40, false));
    MbOperation other = At(MbOp::kInit, 1, 0x40, 1);
    other.cta = 1;
    core.Send(other);
    other = TryWait(1, 0x40, false);
    other.cta = 1;
    core.Send(other);
    wait(Ns(100));
    EXPECT_EQ(core.Send(Lifecycle(OpKind::kSuspend, 0)).fault, FaultCause::kNone);
    EXPECT_EQ(unit.mbarriers().Word(0, 0x40), 0U);
    EXPECT_NE(unit.mbarriers().Word(1, 0x40), 0U);
  });
  sc_core::sc_start(Ns(1000));
  EXPECT_EQ(witness.seen(), (List{{Ns(100 + 6 + 1), "warp 0 answered false"}}));
}

// The harness of the lockstep says itself when a limit has passed.
class TlmTold : public Platform {
 protected:
  TlmTold() : Platform("small", Timing::kTold) {}
};

TEST_F(TlmTold, UnitWaitsToBeTold) {
  core.Start([&] {
    core.Send(Launch(0, 0b11));
    core.Send(At(MbOp::kInit, 0, 0x40, 1));
    core.Send(TryWait(0, 0x40, false, 20));
    core.Send(TryWait(1, 0x40, false, 20));
    wait(Ns(500));
    EXPECT_TRUE(witness.seen().empty());
    MbEvent event;
    event.kind = MbEvent::Kind::kExpire;
    event.operation.warp = 1;
    sc_core::sc_time delay;
    core.Send(event, &delay);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    core.Send(Lifecycle(OpKind::kEnd, 0));
    wait(Ns(500));
    EXPECT_TRUE(unit.answers->parked(0));
    event.kind = MbEvent::Kind::kLeave;
    event.how = OpKind::kEnd;
    core.Send(event, &delay);
    wait(Ns(500));
    // The local time is that of the commit.
    core.Send(Launch(0, 0b100));
    delay = sc_core::SC_ZERO_TIME;
    core.Send(At(OpKind::kSync, 2, 0), &delay);
    EXPECT_EQ(delay, Ns(2));
  });
  sc_core::sc_start(Ns(10'000));
  EXPECT_EQ(witness.seen(), (List{{Ns(500), "warp 1 answered false"},
                                  {Ns(1000), "warp 0 answered false"},
                                  {Ns(1502), "warp 2 released"}}));
}

}  // namespace
}  // namespace muster::tlm
