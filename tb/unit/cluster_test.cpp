// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// barrier.cluster in the cluster scope: the published latencies, who is released, and when. All is
// compared with the golden model in every cycle, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tb/unit/cluster_script.h"

namespace muster::cluster {
namespace {

// Cycles from the acknowledgement of a drain to where a request is after its acceptance.
constexpr unsigned kDrained = 2;

template <typename Unit>
class ClusterBarrier : public ClusterScript<Unit> {
 protected:
  using Script = ClusterScript<Unit>;
  using typename Script::Cta;

  std::vector<Cta> Fresh(unsigned ctas) {
    this->Restart();
    this->Grid(0, ctas);
    return this->Cluster(0, ctas);
  }
  // All slots of unit 0 have a CTA.
  std::vector<Cta> OneUnit() {
    this->Restart();
    this->Grid(0, this->kShape.num_ctas);
    this->Open(0, std::min(this->kShape.num_ctas, this->kShape.num_ranks));
    std::vector<Cta> ctas;
    for (unsigned slot = 0; slot < this->kShape.num_ctas; ++slot) {
      ctas.push_back(this->Launch(0, slot, 0, slot));
    }
    return ctas;
  }
  // All lanes arrive and wait, but for some of the last warp of a CTA.
  void AllBut(const std::vector<Cta>& ctas, const Cta& last, std::uint32_t lanes) {
    for (const Cta& cta : ctas) {
      for (unsigned w = 0; w < cta.warps; ++w) {
        const bool is_last = &cta == &last && w + 1 == cta.warps;
        this->Ask(cta, w, ClusterOp::kArriveRelaxed, is_last ? ~lanes : kAllLanes);
        this->Ask(cta, w, ClusterOp::kWait, is_last ? ~lanes : kAllLanes);
      }
    }
    this->Quiet();
  }
  // All of these warps, in which lanes waited, have been released in this cycle.
  void ExpectReleased(const std::vector<Cta>& ctas, std::uint64_t cycle) {
    for (const Cta& cta : ctas) {
      for (unsigned w = 0; w < cta.warps; ++w) {
        EXPECT_EQ(this->Of(cta, w).released, cycle) << "rank " << unsigned{cta.rank};
        EXPECT_EQ(this->Held(cta, w), 0U);
      }
    }
  }
  void ExpectWaiting(const std::vector<Cta>& ctas) {
    for (const Cta& cta : ctas) {
      for (unsigned w = 0; w < cta.warps; ++w) {
        EXPECT_EQ(this->Of(cta, w).released, kNever) << "rank " << unsigned{cta.rank};
      }
    }
  }
};
TYPED_TEST_SUITE(ClusterBarrier, Units);

// What every wrong variant of the block must still pass (scripts/mutation/mutants.py).
TYPED_TEST(ClusterBarrier, Plain) {
  const auto ctas = this->Fresh(this->kMostCtas);
  for (unsigned phase = 1; phase <= 3; ++phase) {
    this->AskAll(ctas, ClusterOp::kArriveRelaxed);
    this->Quiet();
    this->AskAll(ctas, ClusterOp::kWait);
    this->Quiet();
    EXPECT_EQ(this->bench_.checker().model().Phases(0), phase);
  }
}

TYPED_TEST(ClusterBarrier, LastArrivalToReleaseTakesSevenCycles) {
  constexpr ClusterOp kLast[] = {ClusterOp::kArriveRelaxed, ClusterOp::kArrive, ClusterOp::kExit};
  for (unsigned n = 1; n <= this->kMostCtas; ++n) {
    for (const ClusterOp op : kLast) {
      for (const unsigned last : {0U, n - 1}) {
        const auto ctas = this->Fresh(n);
        this->AllBut(ctas, ctas[last], kHigh);
        this->ExpectWaiting(ctas);
        this->Ask(ctas[last], ctas[last].warps - 1, op, kHigh);
        this->Quiet();
        this->ExpectReleased(ctas, this->Of(ctas[last], ctas[last].warps - 1).accepted + kRelease);
        ASSERT_FALSE(this->HasFailure()) << n << " CTAs, the last is rank " << last;
      }
    }
  }
}

// A warp of each of two CTAs: the first waits, the second arrives, and waits when the phase has
// completed.
TYPED_TEST(ClusterBarrier, AsThePageShowsIt) {
  if (this->kPlaces < 2 || this->kShape.num_units < 2) {
    GTEST_SKIP() << "one unit";
  }
  this->Grid(0, 2);
  this->Open(0, 2);
  const auto first = this->Launch(0, 0, 0, 0, 0, 1);
  const auto second = this->Launch(0, 1, 1, 0, 0, 1);
  this->Quiet();
  const std::uint64_t begin = this->now();
  this->Ask(first, 0, ClusterOp::kArriveRelaxed);
  this->Ask(first, 0, ClusterOp::kWait);
  this->Step(6);
  EXPECT_EQ(this->Of(first, 0).accepted - begin, 4U);
  EXPECT_EQ(this->Of(first, 0).idle - begin, 3U);
  this->Ask(second, 0, ClusterOp::kArriveRelaxed);
  this->Step(8);
  EXPECT_EQ(this->Of(second, 0).accepted - begin, 6U);
  EXPECT_EQ(this->Of(first, 0).released - begin, 13U);
  this->Ask(second, 0, ClusterOp::kWait);
  this->Quiet();
  EXPECT_EQ(this->Of(second, 0).accepted - begin, 14U);
  EXPECT_EQ(this->Of(second, 0).go - begin, 17U);
}

TYPED_TEST(ClusterBarrier, GoAndFaultTakeThreeCycles) {
  const auto ctas = this->Fresh(1);
  auto& times = this->Of(ctas[0], 0);
  const auto fault = [&](ClusterOp op, std::uint32_t lanes, FaultCause cause) {
    this->Ask(ctas[0], 0, op, lanes);
    this->Step(4);
    EXPECT_EQ(times.fault, times.accepted + kAnswer) << Name(op);
    EXPECT_EQ(times.idle, times.accepted + kAnswer) << Name(op);
    EXPECT_EQ(this->bench_.out.units[0].fault.cause, cause);
  };
  fault(ClusterOp::kWait, kAllLanes, FaultCause::kClusterWaitWithoutArrive);
  this->Ask(ctas[0], 0, ClusterOp::kArriveRelaxed, kLow);
  this->Quiet();
  EXPECT_EQ(times.idle, times.accepted + kAnswer);
  fault(ClusterOp::kArrive, kAllLanes, FaultCause::kClusterArrivedTwice);
  EXPECT_EQ(this->bench_.out.units[0].fault.lanes, kLow);
  fault(ClusterOp::kWait, kAllLanes, FaultCause::kClusterWaitWithoutArrive);
  EXPECT_EQ(this->bench_.out.units[0].fault.lanes, kHigh);
  this->Ask(ctas[0], 0, ClusterOp::kExit, kHigh);
  for (unsigned w = 1; w < ctas[0].warps; ++w) {
    this->Ask(ctas[0], w, ClusterOp::kArrive);
  }
  this->Quiet();
  fault(ClusterOp::kArrive, kLow, FaultCause::kClusterArrivedTwice);  // it has passed
  this->Ask(ctas[0], 0, ClusterOp::kWait);
  this->Quiet();
  EXPECT_EQ(times.go, times.accepted + kAnswer);
  EXPECT_EQ(times.idle, times.accepted + kAnswer);
  EXPECT_EQ(times.released, kNever);
  // Slots that the unit does not have, and one without a CTA.
  const unsigned beyond = std::min(2 * this->kShape.num_ctas + 2, +kMaxCtas);
  for (unsigned slot = this->kShape.num_ctas; slot <= beyond; ++slot) {
    const bool is_empty = slot == beyond;
    ASSERT_EQ(is_empty ? this->End(ctas[0]) : FaultCause::kNone, FaultCause::kNone);
    this->requests_[0].push_back(
        {ClusterOp::kArrive, 0, static_cast<std::uint8_t>(is_empty ? 0 : slot), kHigh, kAllLanes});
    this->Step(4);
    EXPECT_EQ(times.fault, times.accepted + kAnswer);
    EXPECT_EQ(this->bench_.out.units[0].fault.cause, FaultCause::kCtaNotResident);
    EXPECT_EQ(this->bench_.out.units[0].fault.lanes, kHigh);
  }
}

TYPED_TEST(ClusterBarrier, ReleaseWaitsForItsDrainAndRelaxedDoesNot) {
  const auto ctas = this->Fresh(this->kMostCtas);
  const typename TestFixture::Cta last = ctas.back();
  auto& fence_ack = this->bench_.in.units[last.unit].fence_ack;
  const unsigned w = last.first + last.warps - 1;
  this->AllBut(ctas, ctas.back(), kAllLanes);
  fence_ack = 0;
  this->Ask(last, last.warps - 1, ClusterOp::kArrive);
  this->Step(2);
  for (unsigned i = 0; i < 60; ++i) {
    this->Step();
    ASSERT_EQ(this->bench_.out.units[last.unit].fence_req, Bit(w));
    ASSERT_EQ(this->bench_.out.units[last.unit].busy, Bit(w));
    fence_ack = ~Bit(w);  // others are of no use
  }
  this->ExpectWaiting({ctas.front()});
  fence_ack = Bit(w);
  const std::uint64_t acknowledged = this->now();
  this->Step();
  fence_ack = 0;
  this->Step();
  EXPECT_EQ(this->bench_.out.units[last.unit].fence_req, 0U);
  this->Quiet();
  EXPECT_EQ(this->Of(ctas.front(), 0).released, acknowledged + kDrained + kRelease);
  // The next phase, relaxed, with accesses outstanding.
  this->Ask(last, last.warps - 1, ClusterOp::kWait);
  this->Quiet();
  this->AllBut(ctas, ctas.back(), kAllLanes);
  this->Ask(last, last.warps - 1, ClusterOp::kArriveRelaxed);
  this->Quiet();
  EXPECT_EQ(this->Of(ctas.front(), 0).released, this->Of(last, last.warps - 1).accepted + kRelease);
}

TYPED_TEST(ClusterBarrier, ParkedWarpBlocksNoOtherWarp) {
  const auto ctas = this->OneUnit();
  this->bench_.in.units[0].fence_ack = 0;
  this->Ask(ctas[0], 0, ClusterOp::kArrive);
  this->Step(4);
  const unsigned others = this->kWarpsOfCta * this->kShape.num_ctas - 1;
  for (unsigned i = 0; i < 10; ++i) {
    for (unsigned w = 1; w <= others; ++w) {
      this->Ask(ctas[w / this->kWarpsOfCta], w % this->kWarpsOfCta, ClusterOp::kTrigger);
    }
    const std::uint64_t begin = this->now();
    this->Step(others);
    EXPECT_EQ(this->times_[0][others].accepted, begin + others - 1) << "one in each cycle";
    this->Step(4);
    EXPECT_EQ(this->times_[0][others].idle, begin + others - 1 + kAnswer);
  }
  EXPECT_EQ(this->Of(ctas[0], 0).idle, kNever);
  this->bench_.in.units[0].fence_ack = kAllLanes;
  this->Quiet();
}

// All warps are acknowledged at once, and then again and again: each has its turn.
TYPED_TEST(ClusterBarrier, DrainedWarpsHaveTheirTurns) {
  const auto ctas = this->OneUnit();
  const unsigned warps = this->kWarpsOfCta * this->kShape.num_ctas;
  auto& unit = this->bench_.in.units[0];
  unit.fence_ack = 0;
  this->AskAll(ctas, ClusterOp::kArrive);
  this->Step(warps + 1);
  EXPECT_EQ(Ones(this->bench_.out.units[0].fence_req), warps);
  unit.fence_ack = ~std::uint64_t{0};
  const std::uint64_t begin = this->now();
  this->Step();
  unit.fence_ack = 0;
  this->Ask(ctas[0], 0, ClusterOp::kTrigger);  // its warp is busy until it has had its turn
  this->Step(warps + 2 * kAnswer);
  std::vector<std::uint64_t> ends;
  for (const auto& cta : ctas) {
    for (unsigned w = 0; w < cta.warps; ++w) {
      ends.push_back(this->Of(cta, w).idle);
    }
  }
  ends.erase(ends.begin());  // that of the trigger
  std::sort(ends.begin(), ends.end());
  for (unsigned i = 0; i + 1 < ends.size(); ++i) {
    EXPECT_EQ(ends[i] + 1, ends[i + 1]) << "one in each cycle";
  }
  EXPECT_LE(ends.back(), begin + warps - 1 + kDrained + kAnswer);
  // Arrivals that are refused, one after another: the acknowledgement comes at once. No warp waits
  // for more than the others.
  for (unsigned w = 0; w < warps; ++w) {
    this->times_[0][w] = {};
  }
  unsigned faults = 0;
  std::uint64_t longest = 0;
  for (unsigned i = 0; i < 20 * warps; ++i) {
    for (unsigned w = 0; w < warps && this->requests_[0].size() < 2; ++w) {
      const auto& cta = ctas[w / this->kWarpsOfCta];
      if (!this->bench_.checker().IsUnderWay(0, w)) {
        this->Ask(cta, w % this->kWarpsOfCta, ClusterOp::kArrive);
      }
    }
    unit.fence_ack = this->bench_.out.units[0].fence_req;
    this->Step();
    for (unsigned w = 0; w < warps; ++w) {
      if (this->times_[0][w].fault == this->now() - 1) {
        ++faults;
        longest = std::max(longest, this->now() - 1 - this->times_[0][w].accepted);
      }
    }
  }
  EXPECT_GT(faults, 2 * warps);
  EXPECT_LE(longest, warps + kDrained + kAnswer + 1);
}

}  // namespace
}  // namespace muster::cluster
