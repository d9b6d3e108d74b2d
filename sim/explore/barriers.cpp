// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/barriers.h"

#include <utility>

#include "sim/isa/bits.h"

namespace muster::explore {

// ------------------------------------------------------------------------------------------------
// Named barriers
// ------------------------------------------------------------------------------------------------

void NamedBarriers::Arrive(const Side& now, const Operation& operation, const Effects& effects,
                           const std::vector<Place>& released) {
  const EventNumber event = threads_.NewEvent();
  const Place& at = now.at;
  const bool arrives = IsArrival(operation.kind);
  const unsigned bar = arrives ? operation.bar : effects.bar;
  const auto [found, fresh] = barriers_.try_emplace({at.cta, bar});
  Barrier& barrier = found->second;
  if (fresh) {
    barrier.self = threads_.NewPseudo(at.cta);
  }
  if (arrives) {
    const Shared<Known> known = threads_.Gather(at, event);
    Side side = now;
    side.action = {GoesOn(operation.kind) ? "arrives, and goes on" : "arrives, and waits"};
    CheckGeneration(barrier, side, bar, known->must);
    Learn(&barrier.arrived, known);
    barrier.now |= Bit(at.warp);
    barrier.arrivals.push_back({side, event});
    barrier.awaited = barrier.awaited || !GoesOn(operation.kind);
    barrier.ever_awaited = barrier.ever_awaited || barrier.awaited;
    barrier.latest = side;
  }
  if (!effects.completed) {
    return;
  }
  if (!barrier.awaited) {
    barrier.lone = barrier.lone.step == 0 ? barrier.latest : barrier.lone;
    barrier.told.Join(barrier.arrived->must);
  }
  exits_.NotePassed(exits_.Of(at.cta), barrier.arrivals, operation.count == 0,
                    static_cast<int>(bar));
  barrier.completed = threads_.NewEvent();
  barrier.arrived.Own().Note(barrier.self, barrier.completed, kAllLanes);
  for (const Place& place : released) {
    threads_.Learn(place, barrier.arrived);
  }
  barrier.arrived = {};
  barrier.warps = std::exchange(barrier.now, 0);
  barrier.completes = std::exchange(barrier.arrivals, {});
  barrier.awaited = false;
}

// Whether the generation before is complete must be known to each arrival.
void NamedBarriers::CheckGeneration(const Barrier& barrier, const Side& side, unsigned bar,
                                    const Clock& must) {
  if (must.Knows(barrier.self, barrier.completed)) {
    return;
  }
  // Lanes of a warp that arrive apart are gathered into one arrival, or are a hazard of their own.
  Place whole_warp = side.at;
  whole_warp.lanes = kAllLanes;
  const Arrived* const before = transfers_.Unknown(barrier.completes, whole_warp, must);
  if (before == nullptr) {
    return;
  }
  const bool same = (barrier.warps >> side.at.warp & 1) != 0;
  Suspicion suspicion;
  suspicion.kind = same ? Kind::kOtherPhase : Kind::kSharedBarrier;
  suspicion.first = before->side;
  suspicion.second = side;
  suspicion.object.owner = side.at.cta;
  suspicion.bar = static_cast<int>(bar);
  suspicion.why = same ? "the warp has not waited for the generation before, and nothing tells it "
                         "that it is complete"
                       : "another group of warps used the barrier before, and nothing tells this "
                         "one that they are done";
  suspicions_.Add(std::move(suspicion));
}

void NamedBarriers::Conclude() {
  for (const auto& [key, barrier] : barriers_) {
    if (barrier.lone.step != 0 && !barrier.ever_awaited) {
      suspicions_.AddUnawaited(barrier.lone, {key.first, 0, 0}, static_cast<int>(key.second),
                               [&, &told = barrier.told](const Side& side, EventNumber event) {
                                 return transfers_.ComesBefore(side, event, told);
                               });
    }
  }
}

// ------------------------------------------------------------------------------------------------
// Cluster barriers
// ------------------------------------------------------------------------------------------------

void ClusterBarriers::Arrive(const Side& now, std::uint64_t cluster, bool releases) {
  const EventNumber event = threads_.NewEvent();
  const Place& at = now.at;
  Barrier& barrier = barriers_[cluster];
  const Shared<Known> known = threads_.Gather(at, event);
  Side side = now;
  side.action = {"arrives"};
  barrier.arrivals.push_back({side, event});
  barrier.now.must.Join(known->must);
  if (releases) {
    Publish(&barrier.now.list, {ptx::Scope::kCluster, at.cta, known});
    return;
  }
  Threads::PublishRelaxed(threads_.FencesOf(at), ptx::Scope::kCluster, &barrier.now);
  Shared<Known> inits;
  inits.Own().inits = known->inits;
  Publish(&barrier.now.list, {ptx::Scope::kCluster, at.cta, inits});
}

void ClusterBarriers::Complete(std::uint64_t cluster) {
  Barrier& barrier = barriers_[cluster];
  const std::vector<Arrived> leavers =
      exits_.OfEach([&](std::uint64_t cta) { return threads_.ClusterOf(cta) == cluster; });
  exits_.NotePassed(leavers, barrier.arrivals, true, -1);
  barrier.arrivals.clear();
  barrier.done = std::move(barrier.now);
  barrier.now = {};
}

void ClusterBarriers::Wait(const Place& at, std::uint64_t cluster) {
  threads_.Acquire(barriers_[cluster].done, ptx::Scope::kCluster, true, at);
}

}  // namespace muster::explore
