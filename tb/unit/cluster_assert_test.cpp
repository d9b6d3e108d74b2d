// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The assertions of the cluster scope: what is presented with valid is held until ready.
#include <gtest/gtest.h>

#include "sim/lockstep/verilated_pins.h"
#include "tb/unit/clocked.h"
#include "tb/unit/cluster_bench.h"

namespace muster::cluster {
namespace {

class ClusterAssertions : public Clocked<Vcluster_pair> {
 protected:
  ClusterAssertions() { context_.fatalOnError(false); }  // a failing assertion is an error

  void Cycle() {
    lockstep::DriveScope(kConfig<Vcluster_pair>, in_, &dut_);
    dut_.eval();
    Clock();
  }
  void Carry(ClusterLifeOp op) {
    in_.life_valid = true;
    in_.life.op = op;
    in_.life.size = 1;
    Cycle();
    Cycle();
    in_.life_valid = false;
  }

  ClusterInputs in_;
};

TEST_F(ClusterAssertions, Request) {
  auto& unit = in_.units[1];
  unit.fence_ack = 0;
  unit.request_valid = true;
  unit.request = {ClusterOp::kArrive, 3, 0, 1, 1};
  Cycle();  // it is in drain, so the next one of its warp waits
  Cycle();
  EXPECT_FALSE(context_.gotError());
  unit.request.op = ClusterOp::kArriveRelaxed;
  Cycle();
  EXPECT_TRUE(context_.gotError());
}

TEST_F(ClusterAssertions, Operation) {
  Carry(ClusterLifeOp::kGrid);
  Carry(ClusterLifeOp::kOpen);
  Carry(ClusterLifeOp::kLaunch);
  auto& unit = in_.units[1];
  in_.units[0].remote_ready = false;
  unit.send_valid = true;
  for (unsigned i = 0; i < 10; ++i) {
    Cycle();
  }
  EXPECT_FALSE(context_.gotError());
  ++unit.send.operand;
  Cycle();
  EXPECT_TRUE(context_.gotError());
}

TEST_F(ClusterAssertions, RankOfAnOperation) {
  auto& unit = in_.units[1];
  unit.send_valid = true;
  unit.send.rank = 15;
  Cycle();
  EXPECT_FALSE(context_.gotError());
  unit.send.rank = 16;
  Cycle();
  EXPECT_TRUE(context_.gotError());
}

TEST_F(ClusterAssertions, RankOfACancel) {
  auto& unit = in_.units[0];
  unit.cancel_valid = true;
  unit.cancel.rank = 31;
  Cycle();
  EXPECT_TRUE(context_.gotError());
}

TEST_F(ClusterAssertions, Cancel) {
  in_.units[0].cancel_valid = in_.units[1].cancel_valid = true;
  Cycle();
  in_.units[0].cancel_valid = false;
  EXPECT_FALSE(context_.gotError());
  in_.units[1].cancel_valid = false;
  Cycle();
  EXPECT_TRUE(context_.gotError());
}

}  // namespace
}  // namespace muster::cluster
