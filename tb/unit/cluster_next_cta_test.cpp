// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What is on its way to a CTA that exits and ends reaches that CTA or is lost. It never reaches the
// next CTA in the slot.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tb/unit/cluster_script.h"

namespace muster::cluster {
namespace {

constexpr unsigned kLong = 40;  // cycles, longer than anything takes that does not wait

template <typename Unit>
class ClusterNextCta : public ClusterScript<Unit> {
 protected:
  using Script = ClusterScript<Unit>;
  using typename Script::Cta;
  static constexpr bool kHasNeighbours = Script::kShape.num_units > 1 &&
                                         Script::kShape.num_ctas > 1 &&
                                         Script::kShape.num_clusters > 1;

  ClusterInputs& in() { return this->bench_.in; }
  const ClusterOutputs& out() const { return this->bench_.out; }

  void Fresh() {
    this->Restart();
    before_ = counts();
    this->Grid(0, 10000);
  }
  // Since then.
  unsigned Written() const { return static_cast<unsigned>(counts().writes - before_.writes); }
  unsigned Lost() const { return static_cast<unsigned>(counts().lost - before_.lost); }
  unsigned Delivered() const {
    return static_cast<unsigned>(counts().delivered - before_.delivered);
  }
  // The CTA asks for a cluster, and the scheduler is asked.
  void Cancel(const Cta& cta) {
    auto& unit = in().units[cta.unit];
    unit.cancel_valid = true;
    unit.cancel.cluster = cta.cluster;
    unit.cancel.rank = cta.rank;
    unit.cancel.warp = static_cast<std::uint8_t>(cta.first);
    unit.cancel.addr = 0x40;
    unit.cancel.mbar = 0x80;
    this->Step();
    unit.cancel_valid = false;
    this->Step(2);
    EXPECT_TRUE(out().take_valid);
  }
  // Takes place in this cycle; two later the response is to be written, if there is anywhere to.
  void Take() {
    in().take_ready = true;
    in().take = {7, 0, 0, 1};
    this->Step();
    in().take_ready = false;
  }
  void Exit(const Cta& cta) {
    this->AskAll({cta}, ClusterOp::kExit);
    this->Step(kLong);
  }
  // The end, or another operation, waits for `cycles`.
  void Waits(const ClusterLife& life, unsigned cycles = kLong) {
    in().life_valid = true;
    in().life = life;
    for (unsigned i = 0; i < cycles; ++i) {
      this->Step();
      ASSERT_FALSE(out().life_ready) << i;
    }
  }
  void Carried(unsigned limit) {
    for (unsigned i = 0; !out().life_ready; ++i) {
      ASSERT_LT(i, limit);
      this->Step();
    }
    EXPECT_EQ(out().life_fault, FaultCause::kNone);
    in().life_valid = false;
  }
  static ClusterLife EndOf(const Cta& cta) {
    ClusterLife life;
    life.op = ClusterLifeOp::kEnd;
    life.unit = cta.unit;
    life.cta = cta.slot;
    return life;
  }

 private:
  const lockstep::ClusterChecker::Counts& counts() const { return this->bench_.checker().counts(); }

  lockstep::ClusterChecker::Counts before_;
};
TYPED_TEST_SUITE(ClusterNextCta, Units);

// The memory does not take the response for long; the CTA exits meanwhile.
TYPED_TEST(ClusterNextCta, TheEndWaitsForAResponse) {
  for (const bool writes : {true, false}) {  // the write is what is held up, or the complete_tx
    this->Fresh();
    const auto cta = this->Cluster(0, 1).front();
    auto& unit = this->in().units[cta.unit];
    this->Cancel(cta);
    (writes ? unit.write_ready : unit.complete_ready) = false;
    this->Take();
    this->Exit(cta);
    EXPECT_EQ(this->out().units[cta.unit].busy, 0U);
    this->Waits(this->EndOf(cta));
    EXPECT_TRUE(writes ? this->out().units[cta.unit].write_valid
                       : this->out().units[cta.unit].complete_valid);
    unit.write_ready = unit.complete_ready = true;
    this->Carried(5);
    EXPECT_EQ(this->Written(), 1U);
    EXPECT_EQ(this->Lost(), 0U);
    this->Cluster(0, 1);
    this->Quiet();
    EXPECT_FALSE(this->HasFailure());
  }
}

// The scheduler answers when another CTA has the slot, and another cluster that of its cluster.
TYPED_TEST(ClusterNextCta, AResponseThatComesTooLateIsLost) {
  for (const bool ends : {true, false}) {  // without having exited
    this->Fresh();
    const auto cta = this->Cluster(0, 1).front();
    this->Cancel(cta);
    if (!ends) {
      this->Exit(cta);
    }
    ASSERT_EQ(this->End(cta), FaultCause::kNone);
    this->Cluster(0, 1);
    this->Take();
    this->Step();
    EXPECT_TRUE(this->out().cancel_lost_valid);
    EXPECT_EQ(this->out().cancel_lost.rank, 0U);
    EXPECT_EQ(this->out().cancel_lost.addr, 0x40U);
    this->Quiet();
    EXPECT_EQ(this->Written(), 0U);
    EXPECT_FALSE(this->HasFailure());
  }
}

// The end of a CTA whose warps have not exited, around the cycle in which its slot is looked up.
TYPED_TEST(ClusterNextCta, AnEndInAnyCycleOfAResponse) {
  unsigned written = 0, lost = 0;
  for (unsigned cycle = 0; cycle < 12; ++cycle) {
    this->Fresh();
    const auto cta = this->Cluster(0, 1).front();
    this->Cancel(cta);
    this->in().life = this->EndOf(cta);
    const std::uint64_t from = this->now() + cycle;
    this->in().take_ready = true;
    for (unsigned i = 0; i < 20; ++i) {
      this->in().life_valid = this->in().life_valid || this->now() == from;
      this->Step();
      this->in().take_ready = false;
      this->in().life_valid = this->in().life_valid && !this->out().life_ready;
    }
    this->Cluster(0, 1);
    this->Quiet();
    EXPECT_EQ(this->Written() + this->Lost(), 1U) << cycle;
    written += this->Written();
    lost += this->Lost();
    ASSERT_FALSE(this->HasFailure()) << cycle;
  }
  EXPECT_GT(written, 2U);
  EXPECT_GT(lost, 2U);
}

// The target's unit takes no operation for long; its CTA exits, or ends with what is at the sender.
TYPED_TEST(ClusterNextCta, TheEndWaitsForAnOperation) {
  for (const bool exits : {true, false}) {
    this->Fresh();
    const auto ctas = this->Cluster(0, this->kMostCtas > 1 ? 2 : 1);
    const auto& target = ctas.back();
    this->in().units[target.unit].remote_ready = false;
    for (unsigned i = 0; i < 3; ++i) {
      this->Send(ctas.front().unit, this->To(target.rank, i));
    }
    this->Step(kLong);
    EXPECT_TRUE(this->out().units[target.unit].remote_valid);
    if (exits) {
      this->Exit(target);
    }
    this->Waits(this->EndOf(target));
    EXPECT_EQ(this->Lost(), 2U);
    this->in().units[target.unit].remote_ready = true;
    this->Carried(5);
    this->Quiet();
    EXPECT_EQ(this->Delivered(), 1U);
    EXPECT_FALSE(this->HasFailure());
  }
}

// While an end waits, warps of other CTAs of the unit go on.
TYPED_TEST(ClusterNextCta, AnEndThatWaitsHoldsUpNoRequest) {
  if (!this->kHasNeighbours) {
    GTEST_SKIP() << "no other slot";
  }
  this->Fresh();
  const auto cta = this->Cluster(0, 1).front();
  this->Open(1, 1);
  const auto other = this->Launch(1, 0, cta.unit, 1, 0, 1);
  this->Cancel(cta);
  this->in().units[cta.unit].write_ready = false;
  this->Take();
  this->Exit(cta);
  this->Waits(this->EndOf(cta), 5);
  for (unsigned round = 0; round < 5; ++round) {
    const std::uint64_t asked = this->now();
    this->Ask(other, 0, round % 2 == 0 ? ClusterOp::kArriveRelaxed : ClusterOp::kWait);
    this->Waits(this->EndOf(cta), 10);
    EXPECT_LE(this->Of(other, 0).accepted, asked + 2);
  }
  this->in().units[cta.unit].write_ready = true;
  this->Carried(6);
}

// An operation that names a cluster stands behind one for a unit that takes none. The cluster's
// CTAs exit; its slot is opened again when the operation is gone.
TYPED_TEST(ClusterNextCta, AClusterSlotWaitsForOperationsThatNameIt) {
  if (!this->kHasNeighbours) {
    GTEST_SKIP() << "no other cluster";
  }
  this->Fresh();
  const auto cta = this->Cluster(0, 1).front();
  this->Open(1, 2);
  this->Launch(1, 0, 0, 1);
  const auto full = this->Launch(1, 1, 1, 0);
  this->in().units[full.unit].remote_ready = false;
  for (unsigned i = 0; i < 2; ++i) {
    this->Send(0, this->To(1, i, 1));
  }
  this->Send(0, this->To(0, 9, 0));
  this->Step(kLong);
  this->Exit(cta);
  ASSERT_EQ(this->End(cta), FaultCause::kNone);
  ClusterLife open;
  open.op = ClusterLifeOp::kOpen;
  open.cluster = 0;
  open.size = 1;
  this->Waits(open);
  this->in().units[full.unit].remote_ready = true;
  this->Carried(8);
  this->Launch(0, 0, 0, 0);
  this->Quiet();
  EXPECT_EQ(this->Delivered(), 2U);
  EXPECT_EQ(this->Lost(), 1U);
}

// A CTA has exited, its cluster's slot has been opened again, and another CTA has its rank,
// elsewhere. The end of the former one does not keep operations from the other one.
TYPED_TEST(ClusterNextCta, TheEndOfAFormerCtaOfTheRank) {
  if (!this->kHasNeighbours) {
    GTEST_SKIP() << "no other slot";
  }
  this->Fresh();
  const auto former = this->Cluster(0, 1).front();
  this->Exit(former);
  const auto next = this->Cluster(0, 1, 1).front();
  EXPECT_EQ(this->End(former), FaultCause::kNone);
  this->Send(former.unit, this->To(0, 7));
  this->Step(kLong);
  EXPECT_EQ(this->Delivered(), 1U);
  EXPECT_EQ(this->Lost(), 0U);
  EXPECT_EQ(this->End(next), FaultCause::kNone);
  this->Send(former.unit, this->To(0, 8));
  this->Step(kLong);
  EXPECT_EQ(this->Lost(), 1U) << "the hub has not heard of the end, or just has";
}

// An end of a unit that is not there is refused, and keeps no operation from the CTA whose unit has
// the same low bits.
TYPED_TEST(ClusterNextCta, TheEndOfNoCtaLosesNothing) {
  if (2 * this->kShape.num_units > kMaxUnits) {
    GTEST_SKIP() << "no number of a unit that is not there";
  }
  this->Fresh();
  const auto cta = this->Cluster(0, 1).front();
  this->in().units[cta.unit].remote_ready = false;
  this->Send(0, this->To(0, 1));
  this->Send(0, this->To(0, 2));  // waits at its sender
  this->Step(kLong);
  ClusterLife life = this->EndOf(cta);
  life.unit = static_cast<std::uint8_t>(cta.unit + this->kShape.num_units);
  EXPECT_EQ(this->Carry(life), FaultCause::kCtaNotResident);
  this->in().units[cta.unit].remote_ready = true;
  this->Step(kLong);
  EXPECT_EQ(this->Delivered(), 2U);
  EXPECT_EQ(this->Lost(), 0U);
}

}  // namespace
}  // namespace muster::cluster
