// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The network of the cluster scope: latency, throughput, turns, and what a blocked target does not
// hold up. The checker sees to it that nothing is lost, doubled or overtaken.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tb/unit/cluster_script.h"

namespace muster::cluster {
namespace {

constexpr unsigned kThrough = 2;  // cycles from acceptance to remote_valid, if the network is empty

template <typename Unit>
class ClusterNetwork : public ClusterScript<Unit> {
 protected:
  // A cluster with a CTA on each unit, rank u on unit u.
  void Fresh() {
    this->Restart();
    this->accepted_sends_ = {};
    this->Grid(0, kUnits);
    this->Cluster(0, kUnits);
    arrived_ = {};
    last_ = {};
    longest_gap_ = {};
  }
  // One cycle; what arrives is counted by its sender.
  void Cycle() {
    this->Step();
    for (unsigned t = 0; t < kUnits; ++t) {
      const auto& out = this->bench_.out.units[t];
      if (out.remote_valid && this->bench_.in.units[t].remote_ready) {
        const unsigned sender = out.from.unit;
        ++arrived_[sender];
        longest_gap_[sender] = std::max(longest_gap_[sender], this->now() - last_[sender]);
        last_[sender] = this->now();
      }
    }
  }
  unsigned AllArrived() const {
    unsigned sum = 0;
    for (const unsigned arrived : arrived_) {
      sum += arrived;
    }
    return sum;
  }

  static constexpr unsigned kUnits = ClusterScript<Unit>::kShape.num_units;
  std::array<unsigned, kMaxUnits> arrived_{};
  std::array<std::uint64_t, kMaxUnits> last_{}, longest_gap_{};
};
TYPED_TEST_SUITE(ClusterNetwork, Units);

TYPED_TEST(ClusterNetwork, TwoCyclesFromEachUnitToEach) {
  this->Fresh();
  for (unsigned sender = 0; sender < this->kUnits; ++sender) {
    for (unsigned target = 0; target < this->kUnits; ++target) {
      this->Send(sender, this->To(target, sender));
      this->Step();
      EXPECT_EQ(this->accepted_sends_[sender], target + 1U);
      EXPECT_FALSE(this->bench_.out.units[target].remote_valid);
      this->Step(kThrough - 1);
      EXPECT_FALSE(this->bench_.out.units[target].remote_valid);
      this->Step();
      EXPECT_TRUE(this->bench_.out.units[target].remote_valid);
      EXPECT_EQ(this->bench_.out.units[target].from.unit, sender);
      this->Step();
      EXPECT_FALSE(this->bench_.out.units[target].remote_valid);
      EXPECT_FALSE(this->bench_.out.active);
    }
  }
}

// From each unit to each CTA of the largest cluster: it comes to the unit and the slot of its rank.
TYPED_TEST(ClusterNetwork, EachRankOfTheLargestCluster) {
  const unsigned ctas = this->kMostCtas;
  this->Restart();
  this->Grid(0, ctas);
  this->Cluster(0, ctas);
  for (unsigned sender = 0; sender < this->kUnits; ++sender) {
    for (unsigned rank = 0; rank < ctas; ++rank) {
      this->Send(sender, this->To(rank, sender));
      this->Step(1 + kThrough);
      const auto& out = this->bench_.out.units[rank % this->kUnits];
      ASSERT_TRUE(out.remote_valid) << sender << " to " << rank;
      EXPECT_EQ(out.remote.place.cta, rank / this->kUnits);
      EXPECT_EQ(out.remote.addr, 8 * rank);
      EXPECT_EQ(out.from.unit, sender);
      this->Step();
    }
  }
  EXPECT_EQ(this->bench_.checker().counts().lost, 0U);
}

TYPED_TEST(ClusterNetwork, OneOperationPerSenderAndCycleWhereTargetsDiffer) {
  constexpr unsigned kOperations = 40;
  for (unsigned shift = 0; shift < this->kUnits; ++shift) {
    this->Fresh();
    for (unsigned i = 0; i < kOperations; ++i) {
      for (unsigned u = 0; u < this->kUnits; ++u) {  // to another one in each cycle
        this->Send(u, this->To((u + shift + i) % this->kUnits, i));
      }
    }
    for (unsigned i = 1; i <= kOperations + kThrough; ++i) {
      this->Cycle();
      for (unsigned u = 0; u < this->kUnits; ++u) {
        EXPECT_EQ(this->accepted_sends_[u], std::min(i, kOperations));
        EXPECT_EQ(this->arrived_[u], i < kThrough ? 0 : i - kThrough);
      }
      ASSERT_FALSE(this->HasFailure());
    }
  }
}

// All units at one: one operation per cycle, and each sender has one in NumUnits of them.
TYPED_TEST(ClusterNetwork, SendersOfOneTargetTakeTurns) {
  constexpr unsigned kOperations = 30;
  for (unsigned target = 0; target < this->kUnits; ++target) {
    this->Fresh();
    for (unsigned u = 0; u < this->kUnits; ++u) {
      for (unsigned i = 0; i < kOperations; ++i) {
        this->Send(u, this->To(target, i));
      }
    }
    for (unsigned i = 0; i < kThrough; ++i) {
      this->Cycle();
    }
    this->last_.fill(this->now());
    for (unsigned i = 1; i <= this->kUnits * kOperations; ++i) {
      this->Cycle();
      ASSERT_EQ(this->AllArrived(), i) << "one in each cycle";
    }
    for (unsigned u = 0; u < this->kUnits; ++u) {
      EXPECT_EQ(this->arrived_[u], kOperations);
      EXPECT_LE(this->longest_gap_[u], this->kUnits) << "unit " << u;
    }
    EXPECT_EQ(this->bench_.checker().counts().longest_send, lockstep::NetworkWait(this->kShape));
  }
}

// A sender that has just come meets all others, who never stop: it is served within NumUnits.
TYPED_TEST(ClusterNetwork, LateSenderIsServedWithinNumUnits) {
  for (unsigned late = 0; late < this->kUnits; ++late) {
    for (unsigned when = 0; when < this->kUnits; ++when) {
      this->Fresh();
      const unsigned target = (late + 1) % this->kUnits;
      std::uint64_t presented = 0;
      for (unsigned i = 0; i < 4 * this->kUnits; ++i) {
        for (unsigned u = 0; u < this->kUnits; ++u) {
          if (u != late) {
            this->Send(u, this->To(target, i));
          }
        }
        if (i == this->kUnits + when) {
          this->Send(late, this->To(target, i));
          presented = this->now();
        }
        this->Cycle();
      }
      EXPECT_EQ(this->arrived_[late], 1U);
      EXPECT_LE(this->last_[late] - 1 - presented, kThrough + this->kUnits - 1);
      this->Quiet();
    }
  }
}

// A target that is never ready holds up the senders that have something for it, from that operation
// on, and no others.
TYPED_TEST(ClusterNetwork, BlockedTargetHoldsUpItsOwnSendersOnly) {
  if (this->kUnits == 1) {
    this->Fresh();
    this->bench_.in.units[0].remote_ready = false;
    for (unsigned i = 0; i < 5; ++i) {
      this->Send(0, this->To(0, i));
    }
    this->Step(20);
    EXPECT_EQ(this->accepted_sends_[0], 3U);
    return;
  }
  for (unsigned blocked = 0; blocked < this->kUnits; ++blocked) {
    this->Fresh();
    this->bench_.in.units[blocked].remote_ready = false;
    const unsigned sender = (blocked + 1) % this->kUnits;
    for (unsigned i = 0; i < 3; ++i) {
      this->Send(sender, this->To(blocked, i));
    }
    this->Send(sender, this->To(sender, 3));  // waits for its turn
    for (unsigned i = 0; i < 20; ++i) {
      this->Cycle();
    }
    EXPECT_EQ(this->accepted_sends_[sender], 3U) << "at the target, at the sender, before it";
    EXPECT_EQ(this->AllArrived(), 0U);
    for (unsigned i = 0; i < 30; ++i) {
      for (unsigned u = 0; u < this->kUnits; ++u) {
        if (u != sender) {
          this->Send(u, this->To(u == blocked ? sender : u, i));
        }
      }
    }
    for (unsigned i = 1; i <= 30 + kThrough; ++i) {
      this->Cycle();
      for (unsigned u = 0; u < this->kUnits; ++u) {
        EXPECT_EQ(this->arrived_[u], u == sender || i < kThrough ? 0 : i - kThrough);
      }
    }
    EXPECT_EQ(this->accepted_sends_[sender], 3U);
    this->bench_.in.units[blocked].remote_ready = true;
    for (unsigned i = 0; i < 3 + kThrough + 1; ++i) {
      this->Cycle();
    }
    EXPECT_EQ(this->arrived_[sender], 4U);
    ASSERT_FALSE(this->HasFailure());
  }
}

// What is for a CTA that is not there is lost in the cycle after its acceptance, one per cycle, and
// holds up nothing.
TYPED_TEST(ClusterNetwork, LostOperationsHoldUpNothing) {
  this->Fresh();
  const unsigned none = this->kUnits;
  this->Send(0, this->To(none, 7));
  this->Step();
  EXPECT_FALSE(this->bench_.out.units[0].lost_valid);
  this->Step();
  EXPECT_TRUE(this->bench_.out.units[0].lost_valid);
  EXPECT_EQ(this->bench_.out.units[0].lost.rank, none);
  EXPECT_EQ(this->bench_.out.units[0].lost.addr, this->To(none, 7).addr);
  this->Step();
  EXPECT_FALSE(this->bench_.out.active);
  const unsigned there = this->kUnits - 1;
  const std::uint64_t before = this->bench_.checker().counts().delivered;
  for (unsigned i = 0; i < 20; ++i) {
    this->Send(0, this->To((i & 1) != 0 ? there : none, i));
    this->Send(0, this->To(none, i, this->kShape.num_clusters));  // no such cluster
  }
  this->Step(40 + kThrough);
  EXPECT_EQ(this->bench_.checker().counts().delivered, before + 10);
  EXPECT_EQ(this->bench_.checker().counts().lost, 31U);
  EXPECT_FALSE(this->bench_.out.active && this->accepted_sends_[0] < 41U);
}

// Random operations among ready and unready targets: each waits for no more than the published time
// (the checker says so), and those of a pair come in order.
TYPED_TEST(ClusterNetwork, PairsKeepTheirOrder) {
  this->Fresh();
  std::array<std::array<std::uint32_t, kMaxUnits>, kMaxUnits> sent{}, came{};
  std::uint32_t state = 1;
  const auto below = [&](std::uint32_t n) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % n;
  };
  for (unsigned i = 0; i < 3000; ++i) {
    for (unsigned u = 0; u < this->kUnits; ++u) {
      if (this->sends_[u].size() < 2) {
        const unsigned target = below(3) == 0 ? 0 : below(this->kUnits);
        this->Send(u, this->To(target, ++sent[u][target]));
      }
      this->bench_.in.units[u].remote_ready = below(4) != 0;
    }
    this->Cycle();
    for (unsigned t = 0; t < this->kUnits; ++t) {
      const auto& out = this->bench_.out.units[t];
      if (out.remote_valid && this->bench_.in.units[t].remote_ready) {
        ASSERT_EQ(out.remote.operand, ++came[out.from.unit][t]);
      }
    }
    ASSERT_FALSE(this->HasFailure());
  }
  EXPECT_GT(this->AllArrived(), 1000U);
}

}  // namespace
}  // namespace muster::cluster
