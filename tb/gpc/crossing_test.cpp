// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The check of what passes between a unit and the cluster scope, with pins of a GPC that does not
// exist: right ones, and each rule broken.
#include <gtest/gtest.h>

#include <functional>

#include "sim/lockstep/gpc_crossing.h"
#include "sim/lockstep/gpc_dut.h"

namespace muster::lockstep {
namespace {

using Source = GpcCrossingChecker::Source;

class GpcCrossingTest : public testing::Test {
 protected:
  GpcCrossingTest() {
    unit_.port = &port_;
    scope_.remote.op = MbOp::kArrive;
    scope_.remote.place.cta = 3;
    scope_.remote.addr = 0x40;
    scope_.remote.lanes = 0xf0;
    scope_.remote.operand = 2;
    complete_.place.cta = 1;
    complete_.addr = 0x88;
    complete_.bytes = 16;
    engine().async.op = MbOp::kCompleteTx;
    engine().async.lanes = 1;
    engine().async.addr = 0x100;
    engine().async.operand = 128;
  }

  MbInputs& engine() { return port_.in.mb; }

  // An operation comes from the network.
  void ShowRemote(bool ready) {
    scope_.remote_valid = true;
    crossing().remote_valid = true;
    crossing().remote.op = scope_.remote.op;
    crossing().remote.cta = scope_.remote.place.cta;
    crossing().remote.addr = scope_.remote.addr;
    crossing().remote.lanes = scope_.remote.lanes;
    crossing().remote.operand = scope_.remote.operand;
    crossing().remote_ready = crossing().network_ready = ready;
  }
  // The unit is shown the one or the other, and takes it or not.
  void Show(Source source, bool ready) {
    GpcCrossing& inside = crossing();
    inside.async_valid = source != Source::kNone;
    inside.async_ready = ready;
    inside.async = engine().async;
    if (source == Source::kCompletion) {
      inside.async.op = MbOp::kCompleteTx;
      inside.async.cta = complete_.place.cta;
      inside.async.addr = complete_.addr;
      inside.async.operand = complete_.bytes;
    }
    inside.complete_ready = ready && source == Source::kCompletion;
    port_.out.mb.async_ready = ready && source == Source::kEngine;
  }
  bool Check() { return checker_.Check(unit_, scope_, complete_); }
  // The same pins with one thing changed are wrong.
  void ExpectWrong(const char* field, const std::function<void()>& spoil) {
    const GpcUnitPins unit = unit_;
    const bool engine_ready = port_.out.mb.async_ready;
    const GpcCrossingChecker before = checker_;
    spoil();
    EXPECT_FALSE(Check()) << field;
    ASSERT_TRUE(checker_.mismatch());
    EXPECT_EQ(checker_.mismatch()->field, field);
    checker_ = before;
    unit_ = unit;
    port_.out.mb.async_ready = engine_ready;
  }

  GpcCrossing& crossing() { return unit_.crossing; }

  GpcPort port_;
  GpcUnitPins unit_;
  ClusterOutputs::Unit scope_;
  CancelStep complete_;
  GpcCrossingChecker checker_{4096};
};

TEST_F(GpcCrossingTest, OperationOfTheNetworkComesAsItIs) {
  ShowRemote(true);
  GpcCrossing& inside = crossing();
  const char* const field = "crossing.remote";
  ExpectWrong(field, [&] { inside.remote_valid = false; });
  ExpectWrong(field, [&] { inside.remote.op = MbOp::kExpectTx; });
  ExpectWrong(field, [&] { inside.remote.cta = 2; });
  ExpectWrong(field, [&] { inside.remote.addr = 0x48; });
  ExpectWrong(field, [&] { inside.remote.lanes = 0xf1; });
  ExpectWrong(field, [&] { inside.remote.operand = 3; });
  ExpectWrong(field, [&] { inside.remote.has_token = true; });
  ExpectWrong("crossing.remote_ready", [&] { inside.network_ready = false; });
  EXPECT_TRUE(Check());
  ShowRemote(false);
  ExpectWrong("crossing.remote_ready", [&] { inside.network_ready = true; });
  EXPECT_TRUE(Check());
}

TEST_F(GpcCrossingTest, NothingComesFromNowhere) {
  ExpectWrong("crossing.remote", [&] { crossing().remote_valid = true; });
  ExpectWrong("crossing.async", [&] { crossing().async_valid = true; });
  EXPECT_TRUE(Check());
}

TEST_F(GpcCrossingTest, CompletionGoesFirst) {
  scope_.complete_valid = engine().async_valid = true;
  Show(Source::kCompletion, true);
  ExpectWrong("crossing.async", [&] { crossing().async = engine().async; });
  ExpectWrong("crossing.async", [&] { crossing().async.operand = 17; });
  ExpectWrong("crossing.complete_ready", [&] { crossing().complete_ready = false; });
  ExpectWrong("crossing.async_ready", [&] { port_.out.mb.async_ready = true; });
  EXPECT_TRUE(Check());
  EXPECT_EQ(checker_.shown(), Source::kCompletion);
  scope_.complete_valid = false;
  Show(Source::kEngine, true);
  EXPECT_TRUE(Check());
  EXPECT_EQ(checker_.shown(), Source::kEngine);
}

TEST_F(GpcCrossingTest, WhatIsShownStaysUntilItIsAccepted) {
  engine().async_valid = true;
  Show(Source::kEngine, false);
  EXPECT_TRUE(Check());
  scope_.complete_valid = true;
  ExpectWrong("crossing.async", [&] { Show(Source::kCompletion, true); });
  Show(Source::kEngine, true);
  ExpectWrong("crossing.complete_ready", [&] { crossing().complete_ready = true; });
  EXPECT_TRUE(Check());
  Show(Source::kCompletion, false);
  EXPECT_TRUE(Check());
  checker_.Reset();
  scope_.complete_valid = false;
  Show(Source::kEngine, false);
  EXPECT_TRUE(Check());
}

}  // namespace
}  // namespace muster::lockstep
