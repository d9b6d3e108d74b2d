// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The slot of a CTA is used again at once: what the CTA before has done, and what the hub has not
// heard of it, is no matter of the next one.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tb/unit/cluster_script.h"

namespace muster::cluster {
namespace {

template <typename Unit>
using ClusterSlot = ClusterScript<Unit>;
TYPED_TEST_SUITE(ClusterSlot, Units);

// A slot is used again at once, by warps whose predecessors waited: nothing of them is left.
TYPED_TEST(ClusterSlot, NextCtaOfASlot) {
  this->Restart();
  this->Grid(0, 20);
  for (unsigned i = 0; i < 10; ++i) {
    this->Open(0, 1);
    const auto cta = this->Launch(0, 0, 0, 0, 0, 1);
    this->Ask(cta, 0, ClusterOp::kArriveRelaxed, i % 2 == 0 ? 0xff : 0xffffffff);
    this->Ask(cta, 0, ClusterOp::kWait, i % 3 == 0 ? 0x0f : 0xff);
    this->Quiet();
    ASSERT_EQ(this->End(cta), FaultCause::kNone);
    ASSERT_FALSE(this->HasFailure()) << i;
  }
}

// The CTA of a slot ends, and the next one comes at once, while the units all have news for the
// hub: it hears that the first one is gone, so the cluster of that one goes on.
TYPED_TEST(ClusterSlot, NextCtaOfASlotBeforeTheHubHasHeard) {
  if (this->kShape.num_units < 3 || this->kShape.num_ctas < 2 || this->kShape.num_clusters < 3) {
    GTEST_SKIP() << "no other unit has news";
  }
  const unsigned others = this->kShape.num_units - 1;
  for (unsigned gap = 0; gap < 12; ++gap) {
    this->Restart();
    this->Grid(0, others + 3);
    this->Open(0, 2);
    this->Open(1, others);
    this->Open(2, 1);
    const auto ends = this->Launch(0, 0, 0, 0, 0, 1);
    const auto waits = this->Launch(0, 1, 1, 1, 0, 1);
    std::vector<typename TestFixture::Cta> exit;
    for (unsigned u = 1; u <= others; ++u) {
      exit.push_back(this->Launch(1, u - 1, u, 0, 0, 1));
    }
    this->Ask(waits, 0, ClusterOp::kArriveRelaxed);
    this->Ask(waits, 0, ClusterOp::kWait);
    this->Quiet();
    this->AskAll(exit, ClusterOp::kExit);
    this->Step(gap);
    ASSERT_EQ(this->End(ends), FaultCause::kNone);
    this->Launch(2, 0, 0, 0, 0, 1);
    this->Quiet();
    EXPECT_NE(this->Of(waits, 0).released, kNever) << gap;
    ASSERT_FALSE(this->HasFailure()) << gap;
  }
}

// The last CTA of a cluster ends, and the cluster's slot is opened again at once, while the units
// all have news for the hub: the open waits until the hub has heard, and is not refused.
TYPED_TEST(ClusterSlot, OpensOnceTheHubHasHeard) {
  if (this->kShape.num_units < 3 || this->kShape.num_ctas < 2 || this->kShape.num_clusters < 2) {
    GTEST_SKIP() << "no other unit has news";
  }
  const unsigned others = this->kShape.num_units - 1;
  for (unsigned gap = 0; gap < 12; ++gap) {
    this->Restart();
    this->Grid(0, others + 2);
    this->Open(0, 1);
    this->Open(1, others);
    const auto ends = this->Launch(0, 0, 0, 0, 0, 1);
    std::vector<typename TestFixture::Cta> exit;
    for (unsigned u = 1; u <= others; ++u) {
      exit.push_back(this->Launch(1, u - 1, u, 0, 0, 1));
    }
    this->Quiet();
    this->AskAll(exit, ClusterOp::kExit);
    this->Step(gap);
    ASSERT_EQ(this->End(ends), FaultCause::kNone);
    this->Open(0, 1);
    const auto next = this->Launch(0, 0, 0, 0, 0, 1);
    this->Ask(next, 0, ClusterOp::kArriveRelaxed);
    this->Quiet();
    EXPECT_EQ(this->bench_.checker().model().Phases(0), 1U) << gap;
    ASSERT_FALSE(this->HasFailure()) << gap;
  }
}

// A CTA ends right after a request of one of its warps has been accepted, and the next one comes at
// once: the request was one of the CTA before.
TYPED_TEST(ClusterSlot, EndsRightAfterARequest) {
  if (this->kShape.num_clusters < 2) {
    GTEST_SKIP() << "no other cluster";
  }
  for (const ClusterOp op : {ClusterOp::kArriveRelaxed, ClusterOp::kExit, ClusterOp::kTrigger}) {
    for (unsigned gap = 0; gap < 6; ++gap) {
      this->Restart();
      this->Grid(0, 4);
      this->Open(0, 1);
      this->Open(1, 1);
      const auto ends = this->Launch(0, 0, 0, 0, 0, 1);
      this->Quiet();
      this->Ask(ends, 0, op);
      this->Step(gap);
      ASSERT_EQ(this->End(ends), FaultCause::kNone);
      const auto next = this->Launch(1, 0, 0, 0, 0, 1);
      this->Quiet();
      EXPECT_EQ(this->bench_.checker().model().Phases(1), 0U);
      this->Ask(next, 0, ClusterOp::kArriveRelaxed);
      this->Ask(next, 0, ClusterOp::kWait);
      this->Quiet();
      EXPECT_EQ(this->bench_.checker().model().Phases(1), 1U);
      ASSERT_FALSE(this->HasFailure()) << Name(op) << ", gap " << gap;
    }
  }
}

// A unit that has a request in each cycle lets a CTA come all the same. It is presented in a cycle
// in which a request is accepted, and holds up the next ones for two.
TYPED_TEST(ClusterSlot, ComesAheadOfRequests) {
  const unsigned last = this->kShape.num_ctas - 1;
  if (last * this->kWarpsOfCta < 4 || this->kShape.num_clusters < 2) {
    GTEST_SKIP() << "its warps do not have a request in each cycle";
  }
  this->Restart();
  this->Grid(0, this->kPlaces);
  this->Open(0, last);
  this->Open(1, 1);
  std::vector<typename TestFixture::Cta> others;
  for (unsigned slot = 0; slot < last; ++slot) {
    others.push_back(this->Launch(0, slot, 0, slot));
  }
  for (unsigned i = 0; i < 20; ++i) {
    this->AskAll(others, ClusterOp::kTrigger);
  }
  this->Step(12);
  const std::uint64_t presented = this->now();
  const auto cta = this->Launch(1, 0, 0, last);
  EXPECT_EQ(this->now() - presented, 1U + 2U);
  EXPECT_FALSE(this->requests_[0].empty()) << "the requests have come first";
  this->Quiet();
  EXPECT_EQ(this->End(cta), FaultCause::kNone);
}

// A CTA ends in each cycle around that in which the phase for which its warp waits completes: the
// warp is released before the end, or never.
TYPED_TEST(ClusterSlot, EndsAsItsPhaseCompletes) {
  if (this->kShape.num_units < 2) {
    GTEST_SKIP() << "no other unit";
  }
  constexpr unsigned kCycles = 20;
  unsigned released = 0;
  for (unsigned ends = 0; ends < kCycles; ++ends) {
    this->Restart();
    this->Grid(0, 2);
    this->Open(0, 2);
    const auto waits = this->Launch(0, 0, 0, 0, 0, 1);
    const auto last = this->Launch(0, 1, 1, 0, 0, 1);
    this->Ask(waits, 0, ClusterOp::kArriveRelaxed);
    this->Ask(waits, 0, ClusterOp::kWait);
    this->Quiet();
    this->Ask(last, 0, ClusterOp::kArriveRelaxed);
    ClusterLife& life = this->bench_.in.life;
    life = ClusterLife();
    life.op = ClusterLifeOp::kEnd;
    for (unsigned i = 0; i < kCycles + 2; ++i) {
      this->bench_.in.life_valid = i == ends || i == ends + 1;
      this->Step();
      EXPECT_EQ(this->bench_.out.life_ready, i == ends + 1);
    }
    released += this->Of(waits, 0).released != kNever ? 1 : 0;
    this->Quiet();
    ASSERT_FALSE(this->HasFailure()) << "it ends after " << ends << " cycles";
  }
  EXPECT_GT(released, 0U);
  EXPECT_LT(released, kCycles);
}

// A grid without CTAs is refused, and its slot stays free.
TYPED_TEST(ClusterSlot, GridWithoutCtasIsRefused) {
  this->Restart();
  for (unsigned grid = 0; grid < this->kShape.num_grids; ++grid) {
    ClusterLife life;
    life.op = ClusterLifeOp::kGrid;
    life.grid = static_cast<std::uint8_t>(grid);
    EXPECT_EQ(this->Carry(life), FaultCause::kBadLaunch);
    this->Step(2);
    EXPECT_EQ(this->bench_.out.flush, 0U);
    this->Grid(grid, 1);
  }
}

// A reset in the cycle before an operation would be carried out; another one is presented right
// after it, and judged.
TYPED_TEST(ClusterSlot, ResetForgetsWhatIsPresented) {
  this->Restart();
  this->bench_.in.life_valid = true;
  this->bench_.in.life = ClusterLife();
  this->Step();
  this->Restart();
  const std::uint64_t presented = this->now();
  this->Grid(0, 1);
  EXPECT_EQ(this->now() - presented, 2U);
}

}  // namespace
}  // namespace muster::cluster
