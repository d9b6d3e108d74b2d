// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random requests, against an oracle that counts threads one by one: it has a list of all threads
// that there will be, each with what it has done, and looks at all of them after each request.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/bits.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"

namespace muster::golden {
namespace {

using WarpName = std::pair<unsigned, unsigned>;  // unit, warp
using LanesOf = std::map<WarpName, std::uint32_t>;

enum class State : std::uint8_t { kIdle, kArrived, kWaits, kPassed, kExited };

struct Thread {
  unsigned cta = 0;  // its place in the list of CTAs
  unsigned warp = 0;
  unsigned lane = 0;
  State state = State::kIdle;
  bool at_grid = false;
};

struct Cta {
  CtaPlace place;
  unsigned cluster = 0;
  unsigned rank = 0;
  unsigned grid = 0;
  unsigned warps = 0;
  bool launched = false;
  bool ended = false;
  bool triggered = false;
};

LanesOf Collect(const std::vector<ClusterLanes>& all) {
  LanesOf lanes;
  for (const ClusterLanes& one : all) {
    EXPECT_EQ((lanes.count({one.unit, one.warp})), 0U);
    lanes[{one.unit, one.warp}] = one.lanes;
  }
  return lanes;
}

// Three grids, and four clusters of up to four CTAs, from the first launch to the last end.
class RandomGrids {
 public:
  RandomGrids(unsigned seed, ClusterScope* scope) : random_(seed), scope_(*scope) {}

  void Run(unsigned steps);

  static inline std::map<FaultCause, unsigned> faults;
  static inline unsigned phases = 0;
  static inline unsigned gos = 0;
  static inline unsigned releases = 0;
  static inline unsigned grid_releases = 0;

 private:
  static constexpr unsigned kGrids = 3;
  static constexpr unsigned kClusters = 4;
  static constexpr unsigned kUnits = 3;

  // What the oracle expects of one step.
  struct Expected {
    FaultCause fault = FaultCause::kNone;
    std::uint32_t at_fault = 0;
    std::uint32_t go = 0;
    LanesOf releases;
    LanesOf grid_releases;
  };

  unsigned Draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  void DrawGrids();
  void DrawThreads(unsigned cta, std::vector<unsigned>* next_warp);
  void OpenAll();

  void Launch(unsigned cta);
  void End(unsigned cta);
  void Request();
  void Flush();

  Thread* Find(CtaPlace place, unsigned warp, unsigned lane);
  Expected Predict(unsigned unit, const ClusterRequest& request);
  void Act(const ClusterRequest& request, Thread* thread, Expected* expected);
  void CompletePhase(unsigned cluster, Expected* expected);
  void ReleaseFromGrids(Expected* expected);
  bool HasGone(unsigned cta) const;
  void Compare(const ClusterEffects& effects, const Expected& expected);
  void CompareState();

  std::mt19937 random_;
  ClusterScope& scope_;
  std::vector<Thread> threads_;
  std::vector<Cta> ctas_;
  std::vector<unsigned> sizes_;      // of the clusters
  std::vector<unsigned> completed_;  // phases of the clusters
  std::uint32_t awaits_[kGrids] = {};
  bool over_[kGrids] = {};
  std::uint32_t launch_ = 0;
  std::uint32_t flush_ = 0;
};

void RandomGrids::DrawThreads(unsigned cta, std::vector<unsigned>* next_warp) {
  const unsigned full = Draw(2);
  for (unsigned i = 0; i < ctas_.at(cta).warps; ++i) {
    const unsigned warp = next_warp->at(ctas_.at(cta).place.unit)++;
    const std::uint32_t lanes = full != 0 ? 0xf : 1U << Draw(32) | 1U << Draw(32);
    ForEachBit(lanes, [&](unsigned lane) {
      threads_.push_back({cta, warp, lane, State::kIdle, false});
    });
  }
}

void RandomGrids::DrawGrids() {
  std::vector<unsigned> next_warp(kUnits);
  std::vector<unsigned> next_cta(kUnits);
  for (unsigned cluster = 0; cluster < kClusters; ++cluster) {
    sizes_.push_back(1 + Draw(4));
    for (unsigned rank = 0; rank < sizes_.back(); ++rank) {
      Cta cta;
      cta.place.unit = static_cast<std::uint8_t>(Draw(kUnits));
      cta.place.cta = static_cast<std::uint8_t>(next_cta.at(cta.place.unit)++);
      cta.cluster = cluster;
      cta.rank = rank;
      cta.grid = cluster % kGrids;
      cta.warps = 1 + Draw(3);
      ctas_.push_back(cta);
      DrawThreads(static_cast<unsigned>(ctas_.size() - 1), &next_warp);
    }
  }
  completed_.resize(kClusters);
}

void RandomGrids::OpenAll() {
  for (unsigned grid = 0; grid < kGrids; ++grid) {
    ClusterLife life;
    life.grid = static_cast<std::uint8_t>(grid);
    awaits_[grid] = Draw(1U << grid);  // of those before it
    life.awaits = static_cast<std::uint8_t>(awaits_[grid]);
    for (const Cta& cta : ctas_) {
      life.size += cta.grid == grid ? 1 : 0;
    }
    Compare(scope_.Step(life), {});
  }
  for (unsigned cluster = 0; cluster < kClusters; ++cluster) {
    ClusterLife life;
    life.op = ClusterLifeOp::kOpen;
    life.cluster = static_cast<std::uint8_t>(cluster);
    life.size = sizes_.at(cluster);
    Compare(scope_.Step(life), {});
  }
}

void RandomGrids::Launch(unsigned cta) {
  Cta& one = ctas_.at(cta);
  ClusterLife life;
  life.op = ClusterLifeOp::kLaunch;
  life.grid = static_cast<std::uint8_t>(one.grid);
  life.size = one.warps;
  life.cluster = static_cast<std::uint8_t>(one.cluster);
  life.rank = static_cast<std::uint8_t>(one.rank);
  life.unit = one.place.unit;
  life.cta = one.place.cta;
  ASSERT_TRUE(scope_.MayBePresented(life));
  one.launched = true;
  Compare(scope_.Step(life), {});
}

void RandomGrids::End(unsigned cta) {
  Cta& one = ctas_.at(cta);
  ClusterLife life;
  life.op = ClusterLifeOp::kEnd;
  life.unit = one.place.unit;
  life.cta = one.place.cta;
  Expected expected;
  if (!one.launched || one.ended) {
    expected.fault = FaultCause::kCtaNotResident;
  } else {
    one.ended = true;
    for (Thread& thread : threads_) {
      thread.state = thread.cta == cta ? State::kExited : thread.state;
      thread.at_grid = thread.at_grid && thread.cta != cta;
    }
    CompletePhase(one.cluster, &expected);
  }
  Compare(scope_.Step(life), expected);
}

Thread* RandomGrids::Find(CtaPlace place, unsigned warp, unsigned lane) {
  for (Thread& thread : threads_) {
    if (ctas_.at(thread.cta).place == place && thread.warp == warp && thread.lane == lane) {
      return &thread;
    }
  }
  return nullptr;
}

bool RandomGrids::HasGone(unsigned cta) const {
  return ctas_.at(cta).launched &&
         std::all_of(threads_.begin(), threads_.end(), [&](const Thread& thread) {
           return thread.cta != cta || thread.state == State::kExited;
         });
}

// What one thread does, when nothing is wrong.
void RandomGrids::Act(const ClusterRequest& request, Thread* thread, Expected* expected) {
  switch (request.op) {
    case ClusterOp::kArrive:
    case ClusterOp::kArriveRelaxed:
      thread->state = State::kArrived;
      break;
    case ClusterOp::kWait:
      expected->go |= thread->state == State::kPassed ? 1U << thread->lane : 0;
      thread->state = thread->state == State::kPassed ? State::kIdle : State::kWaits;
      break;
    case ClusterOp::kExit:
      thread->state = State::kExited;
      break;
    case ClusterOp::kTrigger:
      ctas_.at(thread->cta).triggered = true;
      break;
    case ClusterOp::kGridWait:
      thread->at_grid = true;
      break;
  }
}

RandomGrids::Expected RandomGrids::Predict(unsigned unit, const ClusterRequest& request) {
  const CtaPlace place = {static_cast<std::uint8_t>(unit), request.cta};
  Expected expected;
  std::vector<Thread*> acting;
  ForEachBit(request.lanes, [&](unsigned lane) {
    Thread* thread = Find(place, request.warp, lane);
    if (thread == nullptr || !ctas_.at(thread->cta).launched || ctas_.at(thread->cta).ended) {
      expected.fault = FaultCause::kCtaNotResident;
      expected.at_fault |= 1U << lane;
      return;
    }
    acting.push_back(thread);
    const bool arrives =
        request.op == ClusterOp::kArrive || request.op == ClusterOp::kArriveRelaxed;
    if (arrives && thread->state != State::kIdle) {
      expected.fault = FaultCause::kClusterArrivedTwice;
      expected.at_fault |= 1U << lane;
    } else if (request.op == ClusterOp::kWait && thread->state == State::kIdle) {
      expected.fault = FaultCause::kClusterWaitWithoutArrive;
      expected.at_fault |= 1U << lane;
    }
  });
  if (expected.fault != FaultCause::kNone || acting.empty()) {
    return expected;
  }
  for (Thread* thread : acting) {
    Act(request, thread, &expected);
  }
  CompletePhase(ctas_.at(acting.front()->cta).cluster, &expected);
  ReleaseFromGrids(&expected);
  return expected;
}

void RandomGrids::CompletePhase(unsigned cluster, Expected* expected) {
  unsigned arrived = 0;
  unsigned missing = 0;
  for (const Thread& thread : threads_) {
    if (ctas_.at(thread.cta).cluster == cluster && thread.state != State::kExited) {
      const bool has = thread.state == State::kArrived || thread.state == State::kWaits;
      ++(has ? arrived : missing);
    }
  }
  if (arrived == 0 || missing != 0) {
    return;
  }
  ++completed_.at(cluster);
  ++phases;
  for (Thread& thread : threads_) {
    const Cta& cta = ctas_.at(thread.cta);
    if (cta.cluster == cluster && thread.state == State::kWaits) {
      expected->releases[{cta.place.unit, thread.warp}] |= 1U << thread.lane;
      thread.state = State::kIdle;
    } else if (cta.cluster == cluster && thread.state == State::kArrived) {
      thread.state = State::kPassed;
    }
  }
}

void RandomGrids::ReleaseFromGrids(Expected* expected) {
  for (Thread& thread : threads_) {
    const Cta& cta = ctas_.at(thread.cta);
    if (thread.at_grid && awaits_[cta.grid] == 0) {
      expected->grid_releases[{cta.place.unit, thread.warp}] |= 1U << thread.lane;
      thread.at_grid = false;
    }
  }
}

void RandomGrids::Compare(const ClusterEffects& effects, const Expected& expected) {
  EXPECT_EQ(effects.fault, expected.fault);
  EXPECT_EQ(effects.at_fault, expected.at_fault);
  EXPECT_EQ(effects.go, expected.go);
  EXPECT_EQ(Collect(effects.releases), expected.releases);
  EXPECT_EQ(Collect(effects.grid_releases), expected.grid_releases);
  std::uint32_t launch = 0;
  std::uint32_t flush = 0;
  for (unsigned grid = 0; grid < kGrids; ++grid) {
    unsigned left = 0;
    unsigned running = 0;
    for (unsigned cta = 0; cta < ctas_.size(); ++cta) {
      if (ctas_.at(cta).grid == grid) {
        left += ctas_.at(cta).triggered || HasGone(cta) ? 0 : 1;
        running += HasGone(cta) ? 0 : 1;
      }
    }
    launch |= left == 0 && !over_[grid] ? 1U << grid : 0;
    flush |= running == 0 && !over_[grid] ? 1U << grid : 0;
  }
  EXPECT_EQ(effects.launches, launch & ~launch_);
  EXPECT_EQ(effects.flushes, flush & ~flush_);
  launch_ = launch;
  flush_ = flush;
  ++faults[effects.fault];
  gos += effects.go != 0 ? 1 : 0;
  releases += static_cast<unsigned>(effects.releases.size());
  grid_releases += static_cast<unsigned>(effects.grid_releases.size());
}

void RandomGrids::CompareState() {
  std::map<WarpName, ClusterWarp> warps;
  for (const Thread& thread : threads_) {
    const Cta& cta = ctas_.at(thread.cta);
    ClusterWarp& warp = warps[{cta.place.unit, thread.warp}];
    const std::uint32_t lane = 1U << thread.lane;
    const bool waits = thread.state == State::kWaits;
    warp.live |= thread.state != State::kExited ? lane : 0;
    warp.arrived |= thread.state == State::kArrived || waits ? lane : 0;
    warp.waiting |= waits ? lane : 0;
    warp.passed |= thread.state == State::kPassed ? lane : 0;
    warp.at_grid |= thread.at_grid ? lane : 0;
  }
  for (const auto& [name, warp] : warps) {
    const ClusterWarp* found = scope_.FindWarp(name.first, name.second);
    const ClusterWarp shown = found != nullptr ? *found : ClusterWarp();
    EXPECT_TRUE(found == nullptr || shown.live == warp.live);
    EXPECT_EQ(shown.arrived, warp.arrived);
    EXPECT_EQ(shown.waiting, warp.waiting);
    EXPECT_EQ(shown.passed, warp.passed);
    EXPECT_EQ(shown.at_grid, warp.at_grid);
  }
  for (unsigned cta = 0; cta < ctas_.size(); ++cta) {
    const Cta& one = ctas_.at(cta);
    EXPECT_EQ(scope_.Place(one.cluster, one.rank).has_value(), one.launched && !HasGone(cta));
  }
  for (unsigned cluster = 0; cluster < kClusters; ++cluster) {
    EXPECT_EQ(scope_.Phases(cluster), completed_.at(cluster));
  }
  EXPECT_EQ(scope_.Launches() & scope_.GridsInFlight(), launch_);
  EXPECT_EQ(scope_.Flushes(), flush_);
}

// Some lanes, or all that can, of the warp of any thread.
void RandomGrids::Request() {
  const Thread& chosen = threads_.at(Draw(static_cast<unsigned>(threads_.size())));
  const Cta& cta = ctas_.at(chosen.cta);
  std::uint32_t live = 0;
  std::uint32_t can = 0;
  std::uint32_t passed = 0;
  std::uint32_t idle = 0;
  for (const Thread& thread : threads_) {
    if (thread.cta == chosen.cta && thread.warp == chosen.warp) {
      const std::uint32_t lane = 1U << thread.lane;
      live |= thread.state != State::kExited ? lane : 0;
      can |= thread.state != State::kExited && thread.state != State::kWaits && !thread.at_grid
                 ? lane
                 : 0;
      idle |= thread.state == State::kIdle ? lane : 0;
      passed |= thread.state == State::kPassed || thread.state == State::kArrived ? lane : 0;
    }
  }
  ClusterRequest request;
  request.warp = static_cast<std::uint8_t>(chosen.warp);
  request.cta = cta.place.cta;
  const unsigned kind = Draw(100);
  request.op = kind < 4    ? ClusterOp::kExit
               : kind < 7  ? ClusterOp::kTrigger
               : kind < 10 ? ClusterOp::kGridWait
               : kind < 55 ? static_cast<ClusterOp>(Draw(2))
                           : ClusterOp::kWait;
  if (Draw(40) != 0) {  // mostly those that may
    can &= request.op == ClusterOp::kWait ? passed : kind >= 10 ? idle : ~0U;
  }
  request.lanes = Draw(3) == 0 ? can & static_cast<std::uint32_t>(random_()) : can;
  request.live = request.op == ClusterOp::kExit ? live & ~request.lanes : live;
  ASSERT_TRUE(scope_.MayBePresented(cta.place.unit, request));
  const Expected expected = Predict(cta.place.unit, request);
  Compare(scope_.Step(cta.place.unit, request), expected);
}

void RandomGrids::Flush() {
  for (unsigned grid = 0; grid < kGrids; ++grid) {
    if ((flush_ >> grid & 1) != 0) {
      ASSERT_NE(scope_.Flushes() >> grid & 1, 0);
      over_[grid] = true;
      for (std::uint32_t& awaits : awaits_) {
        awaits &= ~(1U << grid);
      }
      Expected expected;
      ReleaseFromGrids(&expected);
      Compare(scope_.Flushed(grid), expected);
    }
  }
}

void RandomGrids::Run(unsigned steps) {
  DrawGrids();
  OpenAll();
  const auto size = static_cast<unsigned>(ctas_.size());
  for (unsigned i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    const unsigned cta = Draw(size);
    if (Draw(20) == 0 && !ctas_.at(cta).launched) {
      Launch(cta);
    } else if (Draw(150) == 0) {
      End(cta);
    } else if (Draw(30) == 0) {
      Flush();
    } else {
      Request();
    }
    CompareState();
  }
  for (unsigned cta = 0; cta < size && !::testing::Test::HasFailure(); ++cta) {
    if (!ctas_.at(cta).launched) {
      Launch(cta);
    }
    if (!ctas_.at(cta).ended) {
      End(cta);
    }
    CompareState();
  }
  Flush();
  EXPECT_EQ(scope_.GridsInFlight(), 0U);
}

TEST(GoldenClusterRandom, ThreadsCountedOneByOne) {
  for (unsigned seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    ClusterScope scope;  // whose slots are used twice
    RandomGrids(seed, &scope).Run(300);
    RandomGrids(seed + 1000, &scope).Run(300);
  }
  EXPECT_GT(RandomGrids::phases, 1500U);
  EXPECT_GT(RandomGrids::gos, 1000U);
  EXPECT_GT(RandomGrids::releases, 1000U);
  EXPECT_GT(RandomGrids::grid_releases, 200U);
  for (const FaultCause cause : {FaultCause::kCtaNotResident, FaultCause::kClusterArrivedTwice,
                                 FaultCause::kClusterWaitWithoutArrive}) {
    EXPECT_GT(RandomGrids::faults[cause], 200U) << Name(cause);
  }
}

}  // namespace
}  // namespace muster::golden
