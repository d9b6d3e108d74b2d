// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The edges of the cluster scope's contract: slots that do not exist, warp slots that change hands,
// turns after a while without requests, pulses that a reset or an end cuts off, and when active_o
// is high.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tb/unit/cluster_script.h"

namespace muster::cluster {
namespace {

constexpr unsigned kLifeCycles = 2;  // presented, then ready

template <typename Unit>
class ClusterEdge : public ClusterScript<Unit> {
 protected:
  using Script = ClusterScript<Unit>;
  using typename Script::Cta;

  const ClusterOutputs& out() const { return this->bench_.out; }
  ClusterInputs& in() { return this->bench_.in; }

  // A cluster of CTAs of one warp each, ranks spread over the units.
  std::vector<Cta> OneWarpEach(unsigned cluster, unsigned ctas, unsigned slot, unsigned grid = 0) {
    this->Open(cluster, ctas);
    std::vector<Cta> all;
    for (unsigned r = 0; r < ctas; ++r) {
      const unsigned unit = r % this->kShape.num_units;
      all.push_back(this->Launch(cluster, r, unit, slot + r / this->kShape.num_units, grid, 1));
    }
    return all;
  }
  ClusterLife LaunchOf(unsigned cluster, unsigned unit, unsigned slot) const {
    ClusterLife life;
    life.op = ClusterLifeOp::kLaunch;
    life.cluster = static_cast<std::uint8_t>(cluster);
    life.unit = static_cast<std::uint8_t>(unit);
    life.cta = static_cast<std::uint8_t>(slot);
    life.size = 1;
    return life;
  }
  CancelRequest CancelOf(unsigned cluster, unsigned rank) const {
    CancelRequest cancel;
    cancel.cluster = static_cast<std::uint8_t>(cluster);
    cancel.rank = static_cast<std::uint8_t>(rank);
    cancel.addr = 0x140;
    cancel.mbar = 0x208;
    return cancel;
  }
  void Cancel(unsigned unit, const CancelRequest& cancel) {
    in().units[unit].cancel_valid = true;
    in().units[unit].cancel = cancel;
    this->Step();
    EXPECT_TRUE(out().units[unit].cancel_ready);
    in().units[unit].cancel_valid = false;
  }
  // In the cycle in which something is presented to the idle block.
  void ExpectActive(const char* what) {
    EXPECT_FALSE(out().active) << what;
    this->Step();
    EXPECT_TRUE(out().active) << what;
  }
};
TYPED_TEST_SUITE(ClusterEdge, Units);

// ------------------------------------------------------------------------------------------------
// What does not exist
// ------------------------------------------------------------------------------------------------

// Launches and ends that are right but for one number, each value that its field has beyond the
// slots: refused, and nothing is changed.
TYPED_TEST(ClusterEdge, LifeOfSlotsThatDoNotExist) {
  this->Restart();
  this->Grid(0, 1);
  this->Open(0, 1);
  const ClusterLife good = this->LaunchOf(0, 0, 0);
  const auto refused = [&](const ClusterLife& life, FaultCause cause, const char* what) {
    EXPECT_EQ(this->Carry(life), cause)
        << what << ": unit " << unsigned{life.unit} << ", CTA slot " << unsigned{life.cta}
        << ", cluster " << unsigned{life.cluster} << ", size " << life.size;
    ASSERT_FALSE(this->HasFatalFailure());
  };
  const auto each = [&](ClusterLife life, std::uint8_t ClusterLife::*field, unsigned first,
                        unsigned limit, FaultCause cause) {
    for (unsigned value = first; value < limit; ++value) {
      life.*field = static_cast<std::uint8_t>(value);
      refused(life, cause, Name(life.op));
    }
  };
  each(good, &ClusterLife::unit, this->kShape.num_units, kMaxUnits, FaultCause::kBadLaunch);
  each(good, &ClusterLife::cta, this->kShape.num_ctas, kMaxCtas, FaultCause::kBadLaunch);
  each(good, &ClusterLife::cluster, this->kShape.num_clusters, kMaxClusters,
       FaultCause::kBadLaunch);
  each(good, &ClusterLife::rank, 1, kMaxRanks, FaultCause::kBadLaunch);
  for (const std::uint32_t size : {0U, this->kShape.num_warps + 1U, 128U, 1U << 31, ~0U}) {
    ClusterLife life = good;
    life.size = size;
    refused(life, FaultCause::kBadLaunch, "launch");
  }
  const auto cta = this->Launch(0, 0, 0, 0, 0, 1);
  ClusterLife end = good;
  end.op = ClusterLifeOp::kEnd;
  each(end, &ClusterLife::unit, this->kShape.num_units, kMaxUnits, FaultCause::kCtaNotResident);
  each(end, &ClusterLife::cta, this->kShape.num_ctas, kMaxCtas, FaultCause::kCtaNotResident);
  this->Ask(cta, 0, ClusterOp::kArriveRelaxed);
  this->Ask(cta, 0, ClusterOp::kWait);
  this->Quiet();
  EXPECT_EQ(this->bench_.checker().model().Phases(0), 1U);
  EXPECT_EQ(this->End(cta), FaultCause::kNone);
}

// A launch and an end of a CTA slot that the unit does not have: answered in the next cycle, and
// the unit goes on with a request in each cycle.
TYPED_TEST(ClusterEdge, RefusalOfASlotHoldsUpNoRequest) {
  const unsigned ctas = this->kShape.num_ctas;
  for (const ClusterLifeOp op : {ClusterLifeOp::kLaunch, ClusterLifeOp::kEnd}) {
    this->Restart();
    this->Grid(0, ctas);
    this->Open(0, std::min(ctas, this->kShape.num_ranks));
    std::vector<typename TestFixture::Cta> all;
    for (unsigned slot = 0; slot < ctas; ++slot) {
      all.push_back(this->Launch(0, slot, 0, slot));
    }
    this->Quiet();
    this->AskAll(all, ClusterOp::kTrigger);
    const std::uint64_t begin = this->now();
    this->Step();
    ClusterLife life = this->LaunchOf(0, 0, ctas);
    life.op = op;
    EXPECT_NE(this->Carry(life), FaultCause::kNone);
    EXPECT_EQ(this->now(), begin + 1 + kLifeCycles);
    this->Quiet();
    for (unsigned w = 0; w < this->kWarpsOfCta * ctas; ++w) {
      EXPECT_EQ(this->times_[0][w].accepted, begin + w) << Name(op);
    }
    ASSERT_FALSE(this->HasFailure());
  }
}

// Operations and cancels for clusters beyond the slots, while rank 0 of all others is there: lost
// in the cycle after their acceptance. Other senders' operations come, whatever a neighbour sends.
TYPED_TEST(ClusterEdge, ClustersThatDoNotExist) {
  const unsigned units = this->kShape.num_units;
  const unsigned clusters = std::min(this->kShape.num_clusters, this->kPlaces);
  this->Restart();
  this->Grid(0, clusters);
  for (unsigned c = 0; c < clusters; ++c) {
    this->Cluster(c, 1, c);
  }
  this->Quiet();
  for (unsigned c = this->kShape.num_clusters; c < kMaxClusters; ++c) {
    const unsigned sender = c % units;
    this->Send(sender, this->To(0, c, c));
    this->Step(2);
    EXPECT_TRUE(this->out().units[sender].lost_valid) << "cluster " << c;
    for (unsigned u = 0; u < units; ++u) {
      if (u != sender) {
        this->Send(u, this->To(0, u, 0));
      }
    }
    this->Quiet();
    this->Cancel(sender, this->CancelOf(c, 0));
    this->Step();
    EXPECT_TRUE(this->out().cancel_lost_valid) << "cluster " << c;
    EXPECT_EQ(this->out().cancel_lost.lanes, 0U);
    this->Step();
    EXPECT_FALSE(this->out().active);
    ASSERT_FALSE(this->HasFailure());
  }
  EXPECT_EQ(this->bench_.checker().counts().delivered,
            (kMaxClusters - this->kShape.num_clusters) * (units - 1));
}

// ------------------------------------------------------------------------------------------------
// Who is meant
// ------------------------------------------------------------------------------------------------

// A warp exits, and a CTA in another slot takes its warp slot, before the CTA of that warp ends.
// The new warp waits for its own cluster and its own grid: a phase and an end of the other CTA are
// no matter of it.
TYPED_TEST(ClusterEdge, WarpSlotOfAnExitedWarp) {
  if (this->kShape.num_ctas < 2 || this->kShape.num_clusters < 2) {
    GTEST_SKIP() << "no other CTA";
  }
  this->Restart();
  this->Grid(0, 3);
  this->Open(0, 1);
  this->Open(1, 2);
  const auto before = this->Launch(0, 0, 0, 0, 0, 2);
  this->Ask(before, 1, ClusterOp::kArriveRelaxed, kLow);
  this->Ask(before, 1, ClusterOp::kWait, kLow);
  this->Ask(before, 0, ClusterOp::kArriveRelaxed);
  this->Ask(before, 0, ClusterOp::kExit);
  this->Quiet();
  auto after = this->Launch(1, 0, 0, 1, 0, 1);
  after.first = before.first;
  this->live_[0][after.first] = kAllLanes;
  this->Of(after, 0) = {};
  this->Ask(after, 0, ClusterOp::kArriveRelaxed);
  this->Ask(after, 0, ClusterOp::kWait);
  this->Quiet();
  this->Ask(before, 1, ClusterOp::kArriveRelaxed, kHigh);
  this->Quiet();
  EXPECT_NE(this->Of(before, 1).released, kNever);
  EXPECT_EQ(this->Of(after, 0).released, kNever);
  EXPECT_EQ(this->End(before), FaultCause::kNone);
  this->Quiet();
  EXPECT_EQ(this->Of(after, 0).released, kNever);
  const auto last = this->Launch(1, 1, this->kShape.num_units - 1, 0, 0, 1);
  this->Ask(last, 0, ClusterOp::kArriveRelaxed);
  this->Quiet();
  EXPECT_NE(this->Of(after, 0).released, kNever);
}

// Half a warp has arrived in the next phase, and does not wait; the other half finds that the phase
// before has completed. When the next one completes no lane waits, so there is no release.
TYPED_TEST(ClusterEdge, NoReleaseOfAWarpWithoutLanesThatWait) {
  this->Restart();
  this->Grid(0, 1);
  this->Open(0, 1);
  const auto cta = this->Launch(0, 0, 0, 0, 0, 1);
  this->Ask(cta, 0, ClusterOp::kArriveRelaxed);
  this->Quiet();
  this->Ask(cta, 0, ClusterOp::kWait, kLow);
  this->Ask(cta, 0, ClusterOp::kArriveRelaxed, kLow);
  this->Ask(cta, 0, ClusterOp::kWait, kHigh);
  this->Quiet();
  EXPECT_EQ(this->bench_.checker().model().Phases(0), 1U);
  this->Ask(cta, 0, ClusterOp::kArriveRelaxed, kHigh);
  this->Quiet();
  EXPECT_EQ(this->bench_.checker().model().Phases(0), 2U);
  EXPECT_EQ(this->Of(cta, 0).released, kNever);
}

// A CTA ends in each cycle around that in which the grid that its warps await is performed: they
// are released before its end, or never.
TYPED_TEST(ClusterEdge, EndsAsItsPrerequisiteIsPerformed) {
  if (this->kShape.num_grids < 2 || this->kShape.num_clusters < 2 || this->kPlaces < 2) {
    GTEST_SKIP() << "no other grid";
  }
  constexpr unsigned kAround = 5;
  unsigned released = 0;
  for (unsigned flushed = 0; flushed < 2 * kAround; ++flushed) {
    this->Restart();
    this->in().flushed = 0;
    this->Grid(0, 1);
    this->Grid(1, 1, 1);
    const auto first = this->OneWarpEach(0, 1, 0, 0).front();
    const auto awaits = this->OneWarpEach(1, 1, 1, 1).front();
    this->Ask(first, 0, ClusterOp::kExit);
    this->Ask(awaits, 0, ClusterOp::kGridWait);
    this->Step(12);
    EXPECT_EQ(this->out().flush, 1U);
    for (unsigned i = 0; i < 2 * kAround; ++i) {
      this->in().flushed = i == flushed ? 1 : 0;
      this->in().life_valid = i == kAround || i == kAround + 1;
      this->in().life = this->LaunchOf(1, awaits.unit, awaits.slot);
      this->in().life.op = ClusterLifeOp::kEnd;
      this->Step();
      EXPECT_EQ(this->out().life_ready, i == kAround + 1);
    }
    this->Step(4);
    const bool before = flushed < kAround;
    EXPECT_EQ(this->Of(awaits, 0).grid_released != kNever, before) << "flushed in " << flushed;
    released += before ? 1 : 0;
    this->in().flushed = 0xff;
    this->Quiet();
    ASSERT_FALSE(this->HasFailure()) << flushed;
  }
  EXPECT_EQ(released, kAround);
}

// ------------------------------------------------------------------------------------------------
// When
// ------------------------------------------------------------------------------------------------

// The hub hears news of one cluster in each cycle; opens of another are answered in the cycle after
// they are presented.
TYPED_TEST(ClusterEdge, OpenWaitsForNewsOfItsOwnClusterOnly) {
  if (this->kShape.num_clusters < 2) {
    GTEST_SKIP() << "no other cluster";
  }
  for (unsigned gap = 0; gap < 2; ++gap) {
    this->Restart();
    this->Grid(0, this->kMostCtas);
    const auto ctas = this->OneWarpEach(0, this->kMostCtas, 0);
    this->Quiet();
    this->AskAll(ctas, ClusterOp::kTrigger);
    this->Step(gap);
    for (unsigned i = 0; i < 6 + this->kPlaces / 2; ++i) {
      const std::uint64_t begin = this->now();
      this->Open(1, 1);
      EXPECT_EQ(this->now(), begin + kLifeCycles) << "open " << i;
    }
    this->Quiet();
    ASSERT_FALSE(this->HasFailure()) << gap;
  }
}

// Unit 0 is served; no unit asks for a while; then all do. Unit 0 comes last.
TYPED_TEST(ClusterEdge, TurnsGoOnWhereTheyWere) {
  const unsigned units = this->kShape.num_units;
  if (units == 1) {
    GTEST_SKIP() << "one unit";
  }
  this->Restart();
  this->Grid(0, units);
  const auto ctas = this->Cluster(0, units);
  this->Send(0, this->To(0, 1));
  this->Quiet();
  this->Step(5);
  for (unsigned u = 0; u < units; ++u) {
    this->Send(u, this->To(0, 2));
  }
  this->Step(2);
  for (unsigned i = 1; i <= units; ++i) {
    this->Step();
    EXPECT_TRUE(this->out().units[0].remote_valid);
    EXPECT_EQ(this->out().units[0].from.unit, i % units);
  }
  this->in().take_ready = true;
  this->Cancel(0, this->CancelOf(0, 0));
  this->Quiet();
  this->Step(5);
  for (unsigned u = 0; u < units; ++u) {
    this->in().units[u].cancel_valid = true;
    this->in().units[u].cancel = this->CancelOf(0, u);
  }
  for (unsigned i = 1; i <= units; ++i) {
    const unsigned next = i % units;
    for (unsigned limit = 0; this->in().units[next].cancel_valid; ++limit) {
      ASSERT_LT(limit, 20U);
      this->Step();
      for (unsigned u = 0; u < units; ++u) {
        const bool served = this->out().units[u].cancel_ready && this->in().units[u].cancel_valid;
        EXPECT_TRUE(!served || u == next) << "unit " << u << " before unit " << next;
        this->in().units[u].cancel_valid = this->in().units[u].cancel_valid && !served;
      }
    }
  }
  this->Quiet();
}

// Whatever is presented first: active_o is high in that very cycle.
TYPED_TEST(ClusterEdge, ActiveAsSoonAsSomethingIsPresented) {
  this->Restart();
  this->Grid(0, 1);
  const auto cta = this->Cluster(0, 1).front();
  const unsigned last = this->kShape.num_units - 1;
  this->Quiet();
  this->Ask(cta, 0, ClusterOp::kTrigger);
  this->ExpectActive("a request");
  this->Quiet();
  this->Send(last, this->To(0, 1));
  this->ExpectActive("an operation");
  this->Quiet();
  this->in().units[last].cancel_valid = true;
  this->in().units[last].cancel = this->CancelOf(0, 1);
  this->ExpectActive("a cancel");
  this->in().units[last].cancel_valid = false;
  this->Quiet();
  this->in().life_valid = true;
  this->in().life = this->LaunchOf(0, 0, 0);
  this->ExpectActive("a launch");
  this->Step();
  this->in().life_valid = false;
  this->Quiet();
}

// All of a grid has completed, and its memory operations take their time: active_o is low until
// they are performed.
TYPED_TEST(ClusterEdge, NotActiveWhileAGridIsFlushed) {
  this->Restart();
  this->in().flushed = 0;
  this->Grid(0, 1);
  const auto cta = this->OneWarpEach(0, 1, 0).front();
  this->Ask(cta, 0, ClusterOp::kExit);
  this->Quiet();
  EXPECT_EQ(this->out().flush, 1U);
  for (unsigned i = 0; i < 10; ++i) {
    this->Step();
    EXPECT_FALSE(this->out().active);
    EXPECT_EQ(this->out().flush, 1U);
  }
  this->in().flushed = 1;
  this->ExpectActive("flushed_i");
  this->Step();
  EXPECT_FALSE(this->out().active);
  EXPECT_EQ(this->out().flush, 0U);
}

// A reset in each cycle around a fault, a release, lanes that go on and a release of a grid's wait,
// in all units: none of them is seen afterwards.
TYPED_TEST(ClusterEdge, ResetCutsOffPulses) {
  const std::vector<std::vector<ClusterOp>> scripts = {
      {ClusterOp::kWait},
      {ClusterOp::kArriveRelaxed, ClusterOp::kWait},
      {ClusterOp::kArriveRelaxed, ClusterOp::kTrigger, ClusterOp::kTrigger, ClusterOp::kTrigger,
       ClusterOp::kTrigger, ClusterOp::kWait},
      {ClusterOp::kGridWait},
  };
  for (const auto& script : scripts) {
    for (unsigned when = 0; when < 30; ++when) {
      this->Restart();
      this->Grid(0, this->kShape.num_units);
      const auto ctas = this->OneWarpEach(0, this->kShape.num_units, 0);
      this->Quiet();
      for (const ClusterOp op : script) {
        this->AskAll(ctas, op);
      }
      this->Step(when);
      this->Restart();
      for (unsigned i = 0; i < 4; ++i) {
        this->Step();
        for (unsigned u = 0; u < this->kShape.num_units; ++u) {
          const auto& unit = this->out().units[u];
          EXPECT_TRUE(!unit.fault_valid && !unit.go_valid && unit.release == 0 &&
                      unit.grid_release == 0 && unit.busy == 0);
        }
        EXPECT_FALSE(this->out().active);
      }
      ASSERT_FALSE(this->HasFailure()) << Name(script.front()) << ", cycle " << when;
    }
  }
}

}  // namespace
}  // namespace muster::cluster
