// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// CTAs and clusters come and go beside others that share the unit or the hub: drained arrivals that
// are held up meanwhile, news of several slots at once, resets amid all of that.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/bits.h"
#include "tb/unit/cluster_script.h"

namespace muster::cluster {
namespace {

template <typename Unit>
class ClusterTurnover : public ClusterScript<Unit> {
 protected:
  using Script = ClusterScript<Unit>;
  using typename Script::Cta;
  static constexpr unsigned kLastSlot = Script::kShape.num_ctas - 1;
  static constexpr bool kHasNeighbours = kLastSlot > 0 && Script::kShape.num_clusters > 1;

  const ClusterOutputs::Unit& First() const { return this->bench_.out.units[0]; }

  // CTAs of one warp in a cluster of their own: all slots of unit 0 but this one, then those of
  // other units, 15 at most.
  std::vector<Cta> AllBut(unsigned slot, unsigned cluster) {
    std::vector<std::array<unsigned, 2>> places;
    for (unsigned u = 0; u < this->kShape.num_units; ++u) {
      for (unsigned s = 0; s < this->kShape.num_ctas && places.size() < this->kShape.num_ranks - 1;
           ++s) {
        if (u != 0 || s != slot) {
          places.push_back({u, s});
        }
      }
    }
    this->Open(cluster, static_cast<unsigned>(places.size()));
    std::vector<Cta> ctas;
    for (const auto& [u, s] : places) {
      ctas.push_back(this->Launch(cluster, static_cast<unsigned>(ctas.size()), u, s, 0, 1));
    }
    return ctas;
  }
  // Half of the lanes of each of these warps have arrived; of `waits`, they wait.
  void HalfArrived(const std::vector<Cta>& ctas, const Cta& waits) {
    this->AskAll(ctas, ClusterOp::kArriveRelaxed, kLow);
    this->Ask(waits, 0, ClusterOp::kWait, kLow);
    this->Quiet();
  }

  // --- A CTA of all warps of unit 0 but the last, in a cluster whose phase does not complete. The
  // last slot is free, for CTAs of cluster 1 that come and go.

  static constexpr unsigned kCrowd = Script::kShape.num_warps - 1;
  Cta Crowd() {
    this->Restart();
    this->Grid(0, 10000);
    this->Open(0, 2);
    this->Open(1, 1);
    this->bench_.in.units[0].fence_ack = 0;
    return this->Launch(0, 0, 0, 0, 0, kCrowd);
  }
  bool IsFree(unsigned warp) const {
    const auto& queue = this->requests_[0];
    return !this->bench_.checker().IsUnderWay(0, warp) &&
           std::none_of(queue.begin(), queue.end(),
                        [&](const auto& request) { return request.warp == warp; });
  }
  bool WasServed(unsigned warp) const { return this->times_[0][warp].idle == this->now() - 1; }
  void PresentLife(ClusterLifeOp op) {
    ClusterLife life;
    life.op = op;
    life.size = 1;
    life.cluster = 1;
    life.cta = kLastSlot;
    this->bench_.in.life_valid = true;
    this->bench_.in.life = life;
  }
  // A cycle; whether what comes or goes has been carried out in it.
  bool StepLife() {
    this->Step();
    if (!this->bench_.in.life_valid || !this->bench_.out.life_ready) {
      return false;
    }
    EXPECT_EQ(this->bench_.out.life_fault, FaultCause::kNone);
    this->bench_.in.life_valid = false;
    return true;
  }
};
TYPED_TEST_SUITE(ClusterTurnover, Units);

// The last arrival of a CTA in each cycle around the completion of a phase in the slot beside it,
// which is of another cluster: the unit tells the hub of it all the same.
TYPED_TEST(ClusterTurnover, ArrivesAsTheNextSlotCompletes) {
  if (!this->kHasNeighbours) {
    GTEST_SKIP() << "no other slot";
  }
  for (unsigned slot = 0; slot < this->kLastSlot; ++slot) {
    for (unsigned delay = 0; delay < 9; ++delay) {
      for (const unsigned first : {slot, slot + 1}) {
        this->Restart();
        this->Grid(0, 2);
        this->Open(0, 1);
        this->Open(1, 1);
        const auto early = this->Launch(0, 0, 0, first, 0, 1);
        const auto late = this->Launch(1, 0, 0, 2 * slot + 1 - first, 0, 1);
        this->HalfArrived({early, late}, late);
        this->Ask(early, 0, ClusterOp::kArriveRelaxed, kHigh);
        this->Step(delay);
        this->Ask(late, 0, ClusterOp::kArriveRelaxed, kHigh);
        this->Quiet();
        EXPECT_EQ(this->Of(late, 0).released, this->Of(late, 0).accepted + kRelease);
        ASSERT_FALSE(this->HasFailure()) << "slots from " << slot << ", delay " << delay;
      }
    }
  }
}

// A CTA triggers while the hub has not heard that the one in the slot beside it has arrived: what
// it hears of the one says nothing of the other.
TYPED_TEST(ClusterTurnover, NewsAreOfOneSlot) {
  if (!this->kHasNeighbours || this->kShape.num_units < 2) {
    GTEST_SKIP() << "no other unit has news";
  }
  for (unsigned slot = 0; slot < std::min(this->kShape.num_ctas, 3U); ++slot) {
    for (unsigned start = 0; start < 6; ++start) {
      for (const bool triggers_first : {false, true}) {
        this->Restart();
        this->Grid(0, this->kShape.num_ranks);
        this->Open(1, 1);
        const auto waits = this->Launch(1, 0, 0, slot, 0, 1);
        const auto others = this->AllBut(slot, 0);
        const auto& arrives = others.front();  // in unit 0, too
        this->HalfArrived({waits, arrives}, waits);
        for (const auto& cta : others) {
          if (cta.unit != 0) {
            this->Ask(cta, 0, ClusterOp::kTrigger);
          }
        }
        this->Step(start);
        if (triggers_first) {
          this->Ask(waits, 0, ClusterOp::kTrigger, kHigh);
        }
        this->Ask(arrives, 0, ClusterOp::kArriveRelaxed, kHigh);
        if (!triggers_first) {
          this->Ask(waits, 0, ClusterOp::kTrigger, kHigh);
        }
        this->Quiet();
        EXPECT_EQ(this->Held(waits, 0), kLow);
        EXPECT_EQ(this->Of(waits, 0).released, kNever);
        this->Ask(waits, 0, ClusterOp::kArriveRelaxed, kHigh);
        this->Quiet();
        EXPECT_EQ(this->Of(waits, 0).released, this->Of(waits, 0).accepted + kRelease);
        ASSERT_FALSE(this->HasFailure()) << "slot " << slot << ", start " << start;
      }
    }
  }
}

// The CTA of a cluster ends, in each slot of a unit, while all other slots have CTAs of another
// cluster, with news: an open of its cluster waits until the hub has heard, and is not refused.
TYPED_TEST(ClusterTurnover, OpenWaitsForTheNewsOfItsCluster) {
  if (!this->kHasNeighbours) {
    GTEST_SKIP() << "no other slot";
  }
  for (unsigned slot = 0; slot < this->kShape.num_ctas; ++slot) {
    for (unsigned gap = 0; gap < 12; ++gap) {
      this->Restart();
      this->Grid(0, this->kShape.num_ranks + 1);
      this->Open(1, 1);
      const auto ends = this->Launch(1, 0, 0, slot, 0, 1);
      const auto others = this->AllBut(slot, 0);
      this->Quiet();
      this->AskAll(others, ClusterOp::kTrigger);
      this->Step(gap);
      ASSERT_EQ(this->End(ends), FaultCause::kNone);
      this->Open(1, 1);
      const auto next = this->Launch(1, 0, 0, slot, 0, 1);
      this->Ask(next, 0, ClusterOp::kArriveRelaxed);
      this->Quiet();
      EXPECT_EQ(this->bench_.checker().model().Phases(1), 1U);
      ASSERT_FALSE(this->HasFailure()) << "slot " << slot << ", gap " << gap;
    }
  }
}

// An open waits for no news of other clusters: it is carried out a cycle after it is presented,
// whatever the hub has not heard of them.
TYPED_TEST(ClusterTurnover, OpenWaitsForNoOtherNews) {
  if (!this->kHasNeighbours) {
    GTEST_SKIP() << "no other cluster";
  }
  for (unsigned gap = 0; gap < 20; ++gap) {
    this->Restart();
    this->Grid(0, this->kShape.num_ranks);
    const auto others = this->AllBut(0, 0);
    this->Quiet();
    this->AskAll(others, ClusterOp::kTrigger);
    this->Step(gap);
    const std::uint64_t presented = this->now();
    this->Open(1, 1);
    EXPECT_EQ(this->now() - 1, presented + 1) << "gap " << gap;
    this->Quiet();
    ASSERT_FALSE(this->HasFailure());
  }
}

// A launch names a grid that there is not: it is refused, and takes no slot.
TYPED_TEST(ClusterTurnover, LaunchOfAGridThatDoesNotExist) {
  this->Restart();
  for (unsigned g = 0; g < this->kShape.num_grids; ++g) {
    this->Grid(g, 1);
  }
  this->Open(0, 1);
  ClusterLife life;
  life.op = ClusterLifeOp::kLaunch;
  life.size = 1;
  for (unsigned g = this->kShape.num_grids; g < kMaxGrids; ++g) {
    life.grid = static_cast<std::uint8_t>(g);
    EXPECT_EQ(this->Carry(life), FaultCause::kBadLaunch) << "grid " << g;
  }
  const auto cta = this->Launch(0, 0, 0, 0, this->kShape.num_grids - 1, 1);
  this->Ask(cta, 0, ClusterOp::kArrive);
  this->Ask(cta, 0, ClusterOp::kWait);
  this->Quiet();
  EXPECT_EQ(this->bench_.checker().model().Phases(0), 1U);
}

// A request without lanes is no operation: no answer, no drain, and nothing has changed.
TYPED_TEST(ClusterTurnover, RequestWithoutLanesDoesNothing) {
  this->Restart();
  this->Grid(0, 1);
  this->Open(0, 1);
  const auto cta = this->Launch(0, 0, 0, 0, 0, 1);
  auto& times = this->Of(cta, 0);
  this->bench_.in.units[0].fence_ack = 0;
  for (unsigned op = 0; op < kNumClusterOps; ++op) {
    this->requests_[0].push_back({static_cast<ClusterOp>(op), 0, 0, 0, kAllLanes});
    for (unsigned i = 0; i < 10; ++i) {
      this->Step();
      EXPECT_EQ(this->First().fence_req, 0U);
      EXPECT_EQ(this->bench_.out.launch & 1, 0U);
    }
    EXPECT_EQ(times.idle, times.accepted + kAnswer);
    EXPECT_TRUE(times.go == kNever && times.fault == kNever && times.released == kNever &&
                times.grid_released == kNever);
    ASSERT_FALSE(this->HasFailure()) << Name(static_cast<ClusterOp>(op));
  }
  EXPECT_EQ(this->bench_.checker().model().Phases(0), 0U);
  this->Ask(cta, 0, ClusterOp::kArriveRelaxed);
  this->Ask(cta, 0, ClusterOp::kWait);
  this->Quiet();
  EXPECT_EQ(this->bench_.checker().model().Phases(0), 1U);
}

// A CTA comes to the unit, in each cycle around the acknowledgement of an arrival. That goes before
// the requests that are accepted afterwards, whatever has been held up.
TYPED_TEST(ClusterTurnover, DrainedGoBeforeRequestsAsACtaComes) {
  if (!this->kHasNeighbours) {
    GTEST_SKIP() << "no other slot";
  }
  for (unsigned offset = 0; offset < 14; ++offset) {
    for (unsigned warps = 2; warps <= std::min(this->kCrowd - 1, 6U); ++warps) {
      const auto cta = this->Crowd();
      this->Ask(cta, 0, ClusterOp::kArrive);
      this->Step(8);
      ASSERT_EQ(this->First().fence_req, 1U);
      const std::uint64_t begin = this->now(), acknowledged = begin + offset;
      this->times_[0][0].idle = kNever;
      while (this->now() < begin + 40 && !this->HasFatalFailure()) {
        const std::uint64_t since = this->now() - begin;
        for (unsigned w = 1; w <= warps; ++w) {
          if (this->IsFree(w)) {
            this->Ask(cta, w, ClusterOp::kTrigger);
          }
        }
        if (since == 10) {
          this->PresentLife(ClusterLifeOp::kLaunch);
        }
        this->bench_.in.units[0].fence_ack = this->now() == acknowledged ? 1 : 0;
        this->StepLife();
        for (unsigned w = 1; w <= warps && this->times_[0][0].idle == kNever; ++w) {
          if (this->WasServed(w)) {
            EXPECT_LE(this->times_[0][w].accepted, acknowledged + 1) << "warp " << w;
          }
        }
      }
      EXPECT_NE(this->times_[0][0].idle, kNever);
      EXPECT_FALSE(this->bench_.in.life_valid);
      this->Quiet();
      ASSERT_FALSE(this->HasFailure()) << "acknowledged in cycle " << offset << " of 10";
    }
  }
}

// All warps have arrivals that are drained again and again, while CTAs come to the unit and go, or
// do not: none is lost, and each warp goes after each other one has gone once.
TYPED_TEST(ClusterTurnover, DrainedHaveTheirTurnsAsCtasComeAndGo) {
  if (!this->kHasNeighbours) {
    GTEST_SKIP() << "no other slot";
  }
  constexpr unsigned kCycles = 600;
  constexpr unsigned kUnderWay = 3;  // that have had their turn, and are on their way
  constexpr ClusterLifeOp kOps[] = {ClusterLifeOp::kLaunch, ClusterLifeOp::kEnd,
                                    ClusterLifeOp::kOpen};
  for (unsigned pause = 0; pause < 8; ++pause) {
    const auto cta = this->Crowd();
    auto& ack = this->bench_.in.units[0].fence_ack;
    for (unsigned w = 0; w < this->kCrowd; ++w) {
      this->Ask(cta, w, ClusterOp::kArrive);
    }
    this->Step(this->kCrowd + 2);
    ASSERT_EQ(Ones(this->First().fence_req), this->kCrowd);
    std::array<unsigned, kMaxWarps> others{};  // that have gone since its acknowledgement
    std::uint64_t drained = 0, served = 0;
    unsigned next = 0, rest = 0;
    for (unsigned i = 0; i < kCycles && !this->HasFailure(); ++i) {
      for (unsigned w = 0; w < this->kCrowd; ++w) {
        if (this->IsFree(w)) {
          this->Ask(cta, w, ClusterOp::kArrive);
        }
      }
      const bool comes = pause > 0;  // and goes
      if (comes && !this->bench_.in.life_valid && rest-- == 0) {
        this->PresentLife(kOps[next]);
        next = (next + 1) % 3;
        rest = pause - 1;
      }
      ack = this->First().fence_req;
      drained |= ack;
      this->StepLife();
      for (unsigned w = 0; w < this->kCrowd; ++w) {
        if (this->times_[0][w].accepted == this->now() - 1) {
          others[w] = 0;
        }
      }
      for (unsigned w = 0; w < this->kCrowd; ++w) {
        if (this->WasServed(w)) {
          ++served;
          drained &= ~Bit(w);
          ForEachBit(drained, [&](unsigned v) {
            EXPECT_LT(++others[v], this->kCrowd + kUnderWay) << "warp " << v;
          });
          others[w] = 0;
        }
      }
    }
    EXPECT_GT(served, kCycles / 8);
    ack = ~std::uint64_t{0};
    for (unsigned i = 0; i < 40; ++i) {
      this->StepLife();
    }
    this->Quiet();
    ASSERT_FALSE(this->HasFailure()) << "pause " << pause;
  }
}

// A CTA comes to the unit in each cycle around two requests: these are held up for as long as the
// page says, and no longer.
TYPED_TEST(ClusterTurnover, HoldsUpRequestsForTwoCycles) {
  if (!this->kHasNeighbours) {
    GTEST_SKIP() << "no other slot";
  }
  constexpr unsigned kComes = 6;
  std::uint64_t worst = 0;
  for (unsigned first = 0; first < 2 * kComes; ++first) {
    for (unsigned second = first + 1; second < 2 * kComes; ++second) {
      const auto cta = this->Crowd();
      this->Quiet();
      const std::uint64_t begin = this->now();
      for (unsigned i = 0; i < 4 * kComes; ++i) {
        if (i == first || i == second) {
          this->Ask(cta, i == first ? 0 : 1, ClusterOp::kTrigger);
        }
        if (i == kComes) {
          this->PresentLife(ClusterLifeOp::kLaunch);
        }
        this->StepLife();
      }
      worst = std::max({worst, this->times_[0][0].idle - (begin + first + kAnswer),
                        this->times_[0][1].idle - (begin + second + kAnswer)});
      ASSERT_FALSE(this->HasFailure());
    }
  }
  EXPECT_EQ(worst, 2U);
}

// A reset in each cycle while drained arrivals have their turns, and the hub hears of arrivals,
// triggers and exits: after it nothing of these is left.
TYPED_TEST(ClusterTurnover, ResetAmidDrainsAndNews) {
  for (unsigned when = 0; when < 50; ++when) {
    this->Restart();
    this->Grid(0, this->kPlaces);
    const unsigned n = this->kMostCtas;
    this->Open(0, n);
    std::vector<typename TestFixture::Cta> arrive, leave;
    for (unsigned r = 0; r < n; ++r) {
      const unsigned unit = r % this->kShape.num_units, slot = r / this->kShape.num_units;
      const bool leaves = (unit + slot + when) % 2 == 0;
      (leaves ? leave : arrive)
          .push_back(
              this->Launch(0, r, unit, slot, 0, leaves ? 1 : std::max(1U, this->kWarpsOfCta)));
    }
    for (unsigned u = 0; u < this->kShape.num_units; ++u) {
      this->bench_.in.units[u].fence_ack = 0;
    }
    this->AskAll(arrive, ClusterOp::kArrive);
    this->Step(this->kShape.num_warps + 2);
    this->AskAll(leave, ClusterOp::kTrigger);
    this->AskAll(leave, ClusterOp::kExit);
    for (unsigned i = 0; i < when / 2; ++i) {
      this->Step();
      for (unsigned u = 0; u < this->kShape.num_units; ++u) {
        this->bench_.in.units[u].fence_ack = i >= 4 ? ~std::uint64_t{0} : 0;
      }
    }
    this->Restart();
    for (unsigned i = 0; i < 12; ++i) {
      this->Step();
      ASSERT_FALSE(this->bench_.out.active);
      ASSERT_EQ(this->bench_.out.launch, (1U << this->kShape.num_grids) - 1);
      ASSERT_EQ(this->bench_.out.flush, 0U);
      for (unsigned u = 0; u < this->kShape.num_units; ++u) {
        ASSERT_EQ(this->bench_.out.units[u].fence_req, 0U);
        ASSERT_EQ(this->bench_.out.units[u].busy, 0U);
      }
    }
    this->bench_.in.flushed = 0;
    this->Grid(0, n);
    const auto fresh = this->Cluster(0, n);
    this->AskAll(fresh, ClusterOp::kArrive);
    this->AskAll(fresh, ClusterOp::kWait);
    this->Quiet();
    EXPECT_EQ(this->bench_.checker().model().Phases(0), 1U);
    EXPECT_EQ(this->bench_.out.launch & 1, 0U);
    this->AskAll(fresh, ClusterOp::kExit);
    this->Quiet();
    EXPECT_EQ(this->bench_.out.flush & 1, 1U);
    ASSERT_FALSE(this->HasFailure()) << "cycle " << when / 2;
  }
}

}  // namespace
}  // namespace muster::cluster
