// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Named barriers and cluster barriers: what they order, and which threads pass them after others
// have exited.
#include <algorithm>
#include <utility>

#include "sim/explore/analysis.h"
#include "sim/isa/bits.h"

namespace muster::explore {

void Analysis::OnArrive(const Place& at, const Operation& operation, const Effects& effects,
                        const std::vector<Place>& released) {
  const EventNumber event = EventAt(at);
  const bool arrives = IsArrival(operation.kind);
  const unsigned bar = arrives ? operation.bar : effects.bar;
  const auto [found, fresh] = barriers_.try_emplace({at.cta, bar});
  Barrier& barrier = found->second;
  if (fresh) {
    barrier.self = PseudoOf(at.cta);
  }
  if (arrives) {
    const Shared<Known> known = Gather(at, event);
    const Side side =
        SideOf(at, {GoesOn(operation.kind) ? "arrives, and goes on" : "arrives, and waits"});
    // Lanes of a warp that arrive apart are gathered into one arrival, or are a hazard of their
    // own.
    Place whole_warp = at;
    whole_warp.lanes = kAllLanes;
    const Arrived* const before = known->must.Knows(barrier.self, barrier.completed)
                                      ? nullptr
                                      : Unknown(barrier.completes, whole_warp, known->must);
    if (before != nullptr) {
      const bool same = (barrier.warps >> at.warp & 1) != 0;
      Suspicion suspicion;
      suspicion.kind = same ? Kind::kOtherPhase : Kind::kSharedBarrier;
      suspicion.first = before->side;
      suspicion.second = side;
      suspicion.object.owner = at.cta;
      suspicion.bar = static_cast<int>(bar);
      suspicion.why =
          same ? "the warp has not waited for the generation before, and nothing tells it "
                 "that it is complete"
               : "another group of warps used the barrier before, and nothing tells this "
                 "one that they are done";
      Suspect(std::move(suspicion));
    }
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
  if (!barrier.awaited && barrier.lone.step == 0) {
    barrier.lone = barrier.latest;
  }
  NoteLeavers(leavers_[at.cta], barrier.arrivals, operation.count == 0, static_cast<int>(bar));
  barrier.completed = ++events_;
  barrier.arrived.Own().Note(barrier.self, barrier.completed, kAllLanes);
  for (const Place& place : released) {
    Teach(place, [&](ThreadState* state, std::uint32_t /*lanes*/) {
      Learn(&state->known, barrier.arrived);
    });
  }
  barrier.arrived = {};
  barrier.warps = std::exchange(barrier.now, 0);
  barrier.completes = std::exchange(barrier.arrivals, {});
  barrier.awaited = false;
}

// Reports threads that exited before others pass a barrier of all warps, or of the warps that have
// arrived. A thread that arrived there and exited afterwards is not reported.
void Analysis::NoteLeavers(const std::vector<Arrived>& leavers,
                           const std::vector<Arrived>& arrivals, bool of_all, int bar) {
  if (arrivals.empty()) {
    return;
  }
  const Side& passes = arrivals.back().side;
  if (!IsNews(Kind::kPassedWithout, passes.at, passes.at)) {
    return;
  }
  Suspicion note;
  note.kind = Kind::kPassedWithout;
  note.first = note.second = passes;
  note.object.owner = passes.at.cta;
  note.bar = bar;
  note.why = "it waits for threads that have not exited";
  note.of_memory_model = true;
  for (const Arrived& left : leavers) {
    const auto own = std::find_if(arrivals.begin(), arrivals.end(), [&](const Arrived& one) {
      return one.side.at.cta == left.side.at.cta && one.side.at.warp == left.side.at.warp;
    });
    if (own == arrivals.end() ? of_all : left.event < own->event) {
      note.without.push_back(left.side.at);
    }
  }
  if (!note.without.empty()) {
    Suspect(std::move(note));
  }
}

void Analysis::OnClusterArrive(const Place& at, std::uint64_t cluster, bool releases) {
  const EventNumber event = EventAt(at);
  ClusterState& state = clusters_[cluster];
  const Shared<Known> known = Gather(at, event);
  state.arrivals.push_back({SideOf(at, {"arrives"}), event});
  state.now.must.Join(known->must);
  if (releases) {
    Publish(&state.now.list, {ptx::Scope::kCluster, at.cta, known});
    return;
  }
  PublishRelaxed(FencesOf(at), ptx::Scope::kCluster, &state.now);
  Shared<Known> inits;
  inits.Own().inits = known->inits;
  Publish(&state.now.list, {ptx::Scope::kCluster, at.cta, inits});
}

void Analysis::OnClusterComplete(std::uint64_t cluster) {
  ClusterState& state = clusters_[cluster];
  std::vector<Arrived> leavers;
  for (const auto& [cta, left] : leavers_) {
    if (ClusterOf(cta) == cluster) {
      leavers.insert(leavers.end(), left.begin(), left.end());
    }
  }
  NoteLeavers(leavers, state.arrivals, true, -1);
  state.arrivals.clear();
  state.done = std::move(state.now);
  state.now = {};
}

void Analysis::OnClusterWait(const Place& at, std::uint64_t cluster) {
  Acquire(clusters_[cluster].done, ptx::Scope::kCluster, true, at);
}

// Whoever knows the end of a thread's launch knows the end of the transfers that it has started.
void Analysis::OnLaunchEnd(std::size_t launch) {
  const EventNumber event = launch_ends_[launch] = ++events_;
  for (auto& [number, transfer] : transfers_) {
    if (world_.launch().IndexOfCta(transfer.at.cta) == launch) {
      transfer.waited.push_back({ThreadOf(transfer.at, First(transfer.at.lanes)), event, false});
    }
  }
}

// All that the launches have done is visible, whichever proxy has done it or is to use it.
void Analysis::OnLaunchWait(const Place& at, std::size_t launch) {
  EventAt(at);
  Clock all;
  for (const auto& [ended, event] : launch_ends_) {
    const ptx::Launch& of = world_.launch().At(ended);
    for (std::uint64_t cta = of.first_cta; ended < launch && cta < of.first_cta + of.Ctas();
         ++cta) {
      for (std::uint32_t warp = 0; warp < of.Warps(); ++warp) {
        all.Note({cta, warp * kWarpSize}, event, kAllLanes);
      }
    }
  }
  Teach(at, [&](ThreadState* state, std::uint32_t /*lanes*/) {
    Known& known = state->known.Own();
    for (Clock Known::*const clock :
         {&Known::memory, &Known::async_global, &Known::async_shared, &Known::released,
          &Known::maps, &Known::inits, &Known::must}) {
      (known.*clock).Join(all);
    }
  });
}

}  // namespace muster::explore
