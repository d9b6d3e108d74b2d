// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// barrier.cluster in the cluster scope: all that may come in another order. Lanes that come apart,
// exits at every step, phases back to back, several clusters, all at once, resets.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tb/unit/cluster_script.h"

namespace muster::cluster {
namespace {

template <typename Unit>
class ClusterOrder : public ClusterScript<Unit> {
 protected:
  using Script = ClusterScript<Unit>;
  using typename Script::Cta;

  void ExpectNobodyWaits(const std::vector<Cta>& ctas) {
    for (const Cta& cta : ctas) {
      for (unsigned w = 0; w < cta.warps; ++w) {
        EXPECT_EQ(this->Held(cta, w), 0U) << "rank " << unsigned{cta.rank} << " warp " << w;
      }
    }
  }
  unsigned Phases(unsigned cluster = 0) const {
    return this->bench_.checker().model().Phases(cluster);
  }

  // A CTA of two warps on unit 0: one has arrived, and half of the other waits. The former
  // triggers, or does not, in cycle `start`, the rest arrives `delay` cycles later. All other CTAs
  // have news all the time, those of this unit from `start` on. How long the release takes.
  std::uint64_t WaitAmongNews(unsigned delay, unsigned start, bool triggers) {
    this->Restart();
    this->Grid(0, this->kPlaces);
    this->Open(0, 1);
    const Cta victim = this->Launch(0, 0, 0, this->kShape.num_ctas - 1, 0, 2);
    std::vector<Cta> others;
    unsigned rank = this->kShape.num_ranks, cluster = 0;
    for (unsigned place = 0; place < this->kPlaces; ++place) {
      const unsigned unit = place % this->kShape.num_units, slot = place / this->kShape.num_units;
      if (unit == victim.unit && slot == victim.slot) {
        continue;
      }
      if (rank == this->kShape.num_ranks) {
        rank = 0;
        this->Open(++cluster, this->kShape.num_ranks);
      }
      others.push_back(this->Launch(cluster, rank++, unit, slot, 0, 1));
    }
    this->Ask(victim, 1, ClusterOp::kArriveRelaxed);
    this->Ask(victim, 0, ClusterOp::kArriveRelaxed, 0x0000ffff);
    this->Ask(victim, 0, ClusterOp::kWait, 0x0000ffff);
    this->Quiet();
    const std::uint64_t begin = this->now();
    for (const ClusterOp op : {ClusterOp::kTrigger, ClusterOp::kArriveRelaxed, ClusterOp::kExit}) {
      for (const Cta& cta : others) {
        if (cta.unit != 0) {
          this->Ask(cta, 0, op);
        }
      }
    }
    bool asked = false;
    std::size_t next = 0;
    for (unsigned i = 0; i < 4 * this->kPlaces + delay && !this->HasFatalFailure(); ++i) {
      const std::uint64_t since = this->now() - begin;
      if (this->requests_[0].empty()) {
        if (triggers && since == start) {
          this->Ask(victim, 1, ClusterOp::kTrigger);
        } else if (!asked && since >= start + delay) {
          this->Ask(victim, 0, ClusterOp::kArriveRelaxed, 0xffff0000);
          asked = true;
        } else if (since > start) {
          while (next < others.size() && others[next].unit != 0) {
            ++next;
          }
          if (next < others.size()) {
            this->Ask(others[next++], 0, ClusterOp::kTrigger);
          }
        }
      }
      this->Step();
    }
    this->Quiet();
    auto& times = this->Of(victim, 0);
    return times.released - times.accepted;
  }
};
TYPED_TEST_SUITE(ClusterOrder, Units);

// Four groups of lanes of a warp: all 24 orders of their arrivals, and all 24 of their waits; half
// of the time the phase completes in between.
TYPED_TEST(ClusterOrder, FourGroupsOfLanesInEveryOrder) {
  this->Restart();
  this->Grid(0, 2);
  const auto ctas = this->Cluster(0, std::min(2U, this->kMostCtas));
  std::vector<typename TestFixture::Cta> rest(ctas.begin() + 1, ctas.end());
  constexpr std::uint32_t kGroups[] = {0x000000ff, 0x00010100, 0x7ffe0000, 0x8000fe00};
  std::array<unsigned, 4> arrivals{0, 1, 2, 3};
  unsigned phases = 0;
  do {
    std::array<unsigned, 4> waits{0, 1, 2, 3};
    do {
      const bool together = (phases & 1) != 0;
      for (unsigned w = 1; w < ctas[0].warps; ++w) {
        this->Ask(ctas[0], w, ClusterOp::kArrive);
      }
      if (!together) {
        this->AskAll(rest, ClusterOp::kArrive);
      }
      for (const unsigned group : arrivals) {
        this->Ask(ctas[0], 0, ClusterOp::kArriveRelaxed, kGroups[group]);
      }
      if (together || rest.empty()) {
        this->Step(static_cast<unsigned>(phases % 32));
      } else {
        this->Quiet();
      }
      for (const unsigned group : waits) {
        this->Ask(ctas[0], 0, ClusterOp::kWait, kGroups[group]);
      }
      if (together) {
        this->AskAll(rest, ClusterOp::kArrive);
      }
      this->Quiet();
      ++phases;
      ASSERT_EQ(this->Phases(), phases);
      this->ExpectNobodyWaits(ctas);
      for (unsigned w = 1; w < ctas[0].warps; ++w) {
        this->Ask(ctas[0], w, ClusterOp::kWait);
      }
      this->AskAll(rest, ClusterOp::kWait);
      this->Quiet();
      ASSERT_FALSE(this->HasFailure()) << "phase " << phases;
    } while (std::next_permutation(waits.begin(), waits.end()));
  } while (std::next_permutation(arrivals.begin(), arrivals.end()));
  EXPECT_EQ(phases, 576U);
}

// Some lanes of a warp, a warp, or a CTA exit before the arrival, after it, after its phase and
// after the wait; the others have come before, or come later.
TYPED_TEST(ClusterOrder, ExitsAtEveryStep) {
  const unsigned n = std::min(3U, this->kMostCtas);
  for (unsigned who = 0; who < 3; ++who) {
    for (unsigned step = 0; step < 4; ++step) {
      for (const bool first : {false, true}) {
        SCOPED_TRACE(who * 100 + step * 10 + first);
        this->Restart();
        this->Grid(0, n);
        const auto ctas = this->Cluster(0, n);
        const std::vector<typename TestFixture::Cta> rest(ctas.begin() + 1, ctas.end());
        const auto exit = [&] {
          for (unsigned w = 0; w < (who == 2 ? ctas[0].warps : 1); ++w) {
            this->Ask(ctas[0], w, ClusterOp::kExit, who == 0 ? 0x0f0f00f1 : kAllLanes);
          }
        };
        const bool survives = n > 1 || who == 0 || (who == 1 && ctas[0].warps > 1);
        for (unsigned phase = 0; phase < 2; ++phase) {
          for (unsigned now = 0; now < 4; ++now) {
            if (phase == 0 && now == step) {
              exit();
            }
            const bool arrives = now == 0, waits = now == 2;
            if (arrives && first) {
              this->AskAll(rest, ClusterOp::kArriveRelaxed);
            }
            if (arrives || waits) {
              this->AskAll({ctas[0]}, arrives ? ClusterOp::kArriveRelaxed : ClusterOp::kWait);
            }
            if (now == 1 && !first) {
              this->AskAll(rest, ClusterOp::kArriveRelaxed);
            }
            if (waits) {
              this->AskAll(rest, ClusterOp::kWait);
            }
            this->Quiet();
          }
        }
        if (survives) {
          EXPECT_EQ(this->Phases(), 2U);
        }
        this->ExpectNobodyWaits(ctas);
        ASSERT_FALSE(this->HasFailure());
      }
    }
  }
}

// The exit is what completes the phase: of lanes, of a warp, of a CTA, and of the last CTAs one by
// one.
TYPED_TEST(ClusterOrder, ExitsComplete) {
  for (unsigned last = 1; last < this->kMostCtas; ++last) {
    this->Restart();
    this->Grid(0, this->kMostCtas);
    const auto ctas = this->Cluster(0, this->kMostCtas);
    const std::vector<typename TestFixture::Cta> stay(ctas.begin(), ctas.begin() + last);
    this->AskAll(stay, ClusterOp::kArriveRelaxed);
    this->AskAll(stay, ClusterOp::kWait);
    this->Quiet();
    for (unsigned rank = last; rank < this->kMostCtas; ++rank) {
      EXPECT_EQ(this->Phases(), 0U);
      this->AskAll({ctas[rank]}, ClusterOp::kArriveRelaxed, 0x3);  // and wait for the others
      this->Quiet();
      EXPECT_EQ(this->Phases(), 0U);
      this->AskAll({ctas[rank]}, ClusterOp::kExit);
      this->Quiet();
    }
    EXPECT_EQ(this->Phases(), 1U);
    this->ExpectNobodyWaits(stay);
    ASSERT_FALSE(this->HasFailure()) << last << " CTAs stay";
  }
}

// A warp that has arrived exits, or waits, in any cycle around the completion of its phase; then
// comes another phase.
TYPED_TEST(ClusterOrder, ExitsAndWaitsAroundACompletion) {
  const unsigned n = std::min(2U, this->kMostCtas);
  for (const ClusterOp op : {ClusterOp::kExit, ClusterOp::kWait}) {
    for (unsigned offset = 0; offset < 12; ++offset) {
      for (const std::uint32_t lanes : {0xffffffffU, 0x00ffff00U}) {
        this->Restart();
        this->Grid(0, n);
        const auto ctas = this->Cluster(0, n);
        const auto& last = ctas.back();
        for (const auto& cta : ctas) {
          for (unsigned w = 0; w < cta.warps; ++w) {
            const bool is_last = cta.rank == last.rank && w + 1 == cta.warps;
            this->Ask(cta, w, ClusterOp::kArriveRelaxed, is_last ? 0x7fffffff : kAllLanes);
          }
        }
        this->Quiet();
        this->Ask(last, last.warps - 1, ClusterOp::kArriveRelaxed, 0x80000000);
        this->Step(offset + 1);
        this->Ask(ctas[0], 0, op, lanes);
        this->Quiet();
        this->AskAll(ctas, ClusterOp::kWait, op == ClusterOp::kExit ? kAllLanes : ~lanes);
        for (const auto& cta : ctas) {
          for (unsigned w = 0; op == ClusterOp::kWait && w < cta.warps; ++w) {
            if (cta.rank != 0 || w != 0) {
              this->Ask(cta, w, ClusterOp::kWait, lanes);
            }
          }
        }
        this->Quiet();
        this->ExpectNobodyWaits(ctas);
        this->AskAll(ctas, ClusterOp::kArriveRelaxed);
        this->AskAll(ctas, ClusterOp::kWait);
        this->Quiet();
        this->ExpectNobodyWaits(ctas);
        const bool survives = op == ClusterOp::kWait || lanes != kAllLanes || n + ctas[0].warps > 2;
        EXPECT_EQ(this->Phases(), survives ? 2U : 1U);
        ASSERT_FALSE(this->HasFailure()) << Name(op) << " after " << offset << " cycles";
      }
    }
  }
}

// Each warp arrives in the next phase as soon as it has been released.
TYPED_TEST(ClusterOrder, PhasesBackToBack) {
  const unsigned n = this->kMostCtas;
  this->Restart();
  this->Grid(0, n);
  const auto ctas = this->Cluster(0, n);
  constexpr unsigned kPhases = 50;
  std::vector<std::vector<unsigned>> done(n, std::vector<unsigned>(this->kWarpsOfCta));
  std::vector<std::vector<bool>> arrived(n, std::vector<bool>(this->kWarpsOfCta));
  const std::uint64_t begin = this->now();
  for (unsigned limit = 0; this->Phases() < kPhases; ++limit) {
    ASSERT_LT(limit, kPhases * (kRelease + 5 + this->kPlaces + this->kShape.num_warps));
    for (unsigned r = 0; r < n; ++r) {
      for (unsigned w = 0; w < this->kWarpsOfCta; ++w) {
        const auto& cta = ctas[r];
        const auto& queue = this->requests_[cta.unit];
        const bool queued = std::any_of(queue.begin(), queue.end(), [&](const auto& request) {
          return request.warp == cta.first + w;
        });
        if (!queued && this->Held(cta, w) == 0 &&
            !this->bench_.checker().IsUnderWay(cta.unit, cta.first + w)) {
          this->Ask(cta, w, arrived[r][w] ? ClusterOp::kWait : ClusterOp::kArriveRelaxed);
          arrived[r][w] = !arrived[r][w];
        }
      }
    }
    this->Step();
    ASSERT_FALSE(this->HasFatalFailure());
  }
  // Each phase: arrivals and waits of the warps of a unit, one per cycle, and the way to the hub.
  const unsigned requests = 2 * this->kWarpsOfCta * ((n - 1) / this->kShape.num_units + 1);
  EXPECT_LE(this->now() - begin, kPhases * (kRelease + 5 + requests + n));
}

// Clusters with CTAs on the same units, and CTAs of one cluster on one unit: a phase of one
// releases no warp of another.
TYPED_TEST(ClusterOrder, ClustersDoNotMix) {
  const unsigned clusters = std::min(this->kShape.num_clusters, this->kShape.num_ctas);
  const unsigned n = std::min(this->kShape.num_units, this->kShape.num_ranks);
  this->Restart();
  this->Grid(0, clusters * n);
  std::vector<std::vector<typename TestFixture::Cta>> all;
  for (unsigned c = 0; c < clusters; ++c) {
    all.push_back(this->Cluster(c, n, c * this->kShape.num_units));
  }
  for (unsigned round = 0; round < 2 * clusters; ++round) {
    for (const auto& ctas : all) {
      this->AskAll(ctas, ClusterOp::kArriveRelaxed, 0x7fffffff);
      this->AskAll(ctas, ClusterOp::kWait, 0x7fffffff);
    }
    this->Quiet();
    for (unsigned i = 0; i < clusters; ++i) {
      const unsigned c = (round * 3 + i) % clusters;
      const unsigned before = this->Phases(c);
      this->AskAll(all[c], ClusterOp::kArrive, 0x80000000);
      this->Quiet();
      EXPECT_EQ(this->Phases(c), before + 1);
      this->ExpectNobodyWaits(all[c]);
      this->AskAll(all[c], ClusterOp::kWait, 0x80000000);
      this->Quiet();
    }
    ASSERT_FALSE(this->HasFailure());
  }
  // All of a cluster on one unit, beside CTAs of another.
  this->Restart();
  this->Grid(0, this->kShape.num_ctas);
  const unsigned together = std::min(this->kShape.num_ctas, this->kShape.num_ranks);
  this->Open(0, together);
  std::vector<typename TestFixture::Cta> ctas;
  for (unsigned r = 0; r < together; ++r) {
    ctas.push_back(this->Launch(0, r, this->kShape.num_units - 1, together - 1 - r));
  }
  for (unsigned phase = 1; phase <= 4; ++phase) {
    this->AskAll(ctas, ClusterOp::kArrive);
    this->AskAll(ctas, ClusterOp::kWait);
    this->Quiet();
    EXPECT_EQ(this->Phases(), phase);
    this->ExpectNobodyWaits(ctas);
  }
}

// The last arrivals of all CTAs in one cycle, as far as a unit can: they share the way to the hub.
TYPED_TEST(ClusterOrder, AllArriveAtOnce) {
  for (unsigned n = 1; n <= this->kMostCtas; ++n) {
    this->Restart();
    this->Grid(0, n);
    const auto ctas = this->Cluster(0, n);
    for (const auto& cta : ctas) {
      for (unsigned w = 0; w < cta.warps; ++w) {
        this->Ask(cta, w, ClusterOp::kArriveRelaxed, w + 1 == cta.warps ? 0xffff : kAllLanes);
        this->Ask(cta, w, ClusterOp::kWait, w + 1 == cta.warps ? 0xffff : kAllLanes);
      }
    }
    this->Quiet();
    for (const auto& cta : ctas) {
      this->Ask(cta, cta.warps - 1, ClusterOp::kArriveRelaxed, 0xffff0000);
    }
    const std::uint64_t begin = this->now();
    this->Quiet();
    this->ExpectNobodyWaits(ctas);
    EXPECT_EQ(this->Of(ctas[0], 0).released, begin + kRelease + n - 1) << n << " CTAs";
  }
}

// The news of all CTAs come in the worst order, and all the time.
TYPED_TEST(ClusterOrder, WorstWaitForARelease) {
  std::uint64_t worst = 0;
  for (unsigned delay = 1; delay <= this->kShape.num_units + 6; ++delay) {
    for (unsigned start = 0; start <= this->kShape.num_units + 2; ++start) {
      for (const bool triggers : {false, true}) {
        worst = std::max(worst, this->WaitAmongNews(delay, start, triggers));
        ASSERT_FALSE(this->HasFailure());
      }
    }
  }
  // A unit has one news per cycle, and the hub takes one per cycle.
  const unsigned bound = this->kShape.num_units == 1 ? kRelease : kRelease + this->kPlaces - 1;
  EXPECT_EQ(worst, bound);
}

}  // namespace
}  // namespace muster::cluster
