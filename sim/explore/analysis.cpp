// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Threads and what they know: fences, collectives, barriers, copies that are waited for.
#include "sim/explore/analysis.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

constexpr std::size_t kMostSuspicions = 1000;

}  // namespace

const char* Name(Kind kind) {
  constexpr const char* kNames[] = {"data_race",      "proxy_race",   "source_overwritten",
                                    "other_phase",    "late_wait",    "expected_bytes",
                                    "shared_barrier", "lifetime",     "unawaited",
                                    "deadlock",       "fault",        "diverged_aligned",
                                    "hazard",         "wrong_result", "differing_result"};
  return kNames[static_cast<unsigned>(kind)];
}

// ------------------------------------------------------------------------------------------------
// Threads
// ------------------------------------------------------------------------------------------------

Analysis::ThreadState& Analysis::StateOf(const Place& at, unsigned lane) {
  std::vector<ThreadState>& threads = threads_[at.cta];
  if (threads.empty()) {
    threads.resize(world_.launch().Warps() * kWarpSize);
  }
  return threads[at.warp * kWarpSize + lane];
}

// What a barrier is in a clock: a thread after those of its CTA.
Thread Analysis::PseudoOf(std::uint64_t cta) {
  return {cta, static_cast<std::uint32_t>(world_.launch().Warps() * kWarpSize) + pseudo_[cta]++};
}

EventNumber Analysis::EventAt(const Place& at) {
  last_ = at;
  last_.lanes = 0;
  return ++events_;
}

// What lanes know together, and have done themselves.
Known Analysis::Gather(const Place& at, EventNumber event) {
  Known known;
  ForEachBit(at.lanes, [&](unsigned lane) { known.Join(StateOf(at, lane).known); });
  known.Note(ThreadOf(at, 0), event, at.lanes);
  return known;
}

std::uint64_t Analysis::ClusterOf(std::uint64_t cta) const {
  const ptx::Launch& launch = world_.launch();
  auto point = ptx::PointOf(cta, launch.grid);
  for (unsigned i = 0; i < 3; ++i) {
    point[i] /= launch.cluster[i];
  }
  return ptx::LinearOf(point, launch.GridOfClusters());
}

bool Analysis::Includes(ptx::Scope scope, std::uint64_t a, std::uint64_t b) const {
  return a == b || scope >= ptx::Scope::kGpu ||
         (scope == ptx::Scope::kCluster && ClusterOf(a) == ClusterOf(b));
}

// What a relaxed write, or arrival, makes known: what was known at fences before it.
void Analysis::PublishRelaxed(const std::vector<Published>& fences, ptx::Scope scope,
                              std::uint64_t cta, Release* release) const {
  for (const Published& fence : fences) {
    Publish(&release->list, {std::min(fence.scope, scope), cta, fence.known});
  }
}

// The lanes see what was published.
void Analysis::Acquire(const Release& release, ptx::Scope scope, bool acquires, const Place& at) {
  ForEachBit(at.lanes, [&](unsigned lane) {
    ThreadState& state = StateOf(at, lane);
    state.known.must = Clock::Join(state.known.must, release.must);
    for (const Published& one : release.list) {
      state.known.must = Clock::Join(state.known.must, one.known.must);
      if (!BothInclude(one.scope, one.cta, scope, at.cta)) {
        continue;
      }
      if (acquires) {
        state.known.Join(one.known);
      } else {
        Publish(&state.pending, {std::min(one.scope, scope), one.cta, one.known});
      }
    }
  });
}

Side Analysis::SideOf(const Place& at, std::string what) const {
  return {at, world_.steps(), 0, std::move(what)};
}

void Analysis::Suspect(Suspicion suspicion) {
  if (suspicions_.size() < kMostSuspicions &&
      told_.insert({suspicion.kind, suspicion.first.at.pc, suspicion.second.at.pc}).second) {
    suspicions_.push_back(std::move(suspicion));
  }
}

// ------------------------------------------------------------------------------------------------
// Fences and collectives
// ------------------------------------------------------------------------------------------------

void Analysis::OnFence(const Place& at, const ptx::MemoryFence& fence) {
  const EventNumber event = EventAt(at);
  ForEachBit(at.lanes, [&](unsigned lane) {
    ThreadState& state = StateOf(at, lane);
    const Thread self = ThreadOf(at, lane);
    const ptx::Scope scope = fence.ordering.scope;
    if (fence.of_inits) {
      state.known.inits = Clock::With(state.known.inits, self, event);
      return;
    }
    if (fence.ordering.Acquires()) {
      for (const Published& one : state.pending) {
        if (BothInclude(one.scope, one.cta, scope, at.cta)) {
          state.known.Join(one.known);
        }
      }
    }
    const auto pass = [&](Clock::Pointer* proxy, ptx::Space space) {
      if (fence.async && (fence.space == ptx::Space::kGeneric || fence.space == space)) {
        *proxy = Clock::With(Clock::Join(*proxy, state.known.memory), self, event);
      }
    };
    pass(&state.known.async_global, ptx::Space::kGlobal);
    pass(&state.known.async_shared, ptx::Space::kShared);
    if (fence.sequential) {
      for (const Published& one : sequential_) {
        if (BothInclude(one.scope, one.cta, scope, at.cta)) {
          state.known.Join(one.known);
        }
      }
    }
    if (fence.ordering.Releases()) {
      Published published{scope, at.cta, state.known};
      published.known.Note(self, event);
      if (fence.sequential) {
        Publish(&sequential_, published);
      }
      const auto same = std::find_if(state.fences.begin(), state.fences.end(),
                                     [&](const Published& one) { return one.scope == scope; });
      if (same == state.fences.end()) {
        state.fences.push_back(std::move(published));
      } else {
        *same = std::move(published);
      }
    }
  });
}

// Of the collectives the text says that bar.warp.sync orders memory; the others only wait.
void Analysis::OnWarpSync(const Place& at, WarpOp op) {
  const Known known = Gather(at, EventAt(at));
  ForEachBit(at.lanes, [&](unsigned lane) {
    ThreadState& state = StateOf(at, lane);
    if (op == WarpOp::kSync) {
      state.known.Join(known);
    } else {
      state.known.must = Clock::Join(state.known.must, known.must);
    }
  });
}

// ------------------------------------------------------------------------------------------------
// Named barriers, and those of clusters
// ------------------------------------------------------------------------------------------------

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
    const Known known = Gather(at, event);
    Side side = SideOf(at, GoesOn(operation.kind) ? "arrives, and goes on" : "arrives, and waits");
    if (!Clock::Knows(known.must, barrier.self, barrier.completed)) {
      const bool same = barrier.warps.count(at.warp) != 0;
      Suspicion suspicion;
      suspicion.kind = same ? Kind::kOtherPhase : Kind::kSharedBarrier;
      suspicion.first = barrier.before;
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
    barrier.arrived.Join(known);
    barrier.now.insert(at.warp);
    barrier.awaited = barrier.awaited || !GoesOn(operation.kind);
    barrier.latest = std::move(side);
  }
  if (!effects.completed) {
    return;
  }
  if (!barrier.awaited && barrier.lone.step == 0) {
    barrier.lone = barrier.latest;
  }
  barrier.completed = ++events_;
  barrier.arrived.Note(barrier.self, barrier.completed);
  for (const Place& place : released) {
    ForEachBit(place.lanes,
               [&](unsigned lane) { StateOf(place, lane).known.Join(barrier.arrived); });
  }
  barrier.arrived = {};
  barrier.warps = std::move(barrier.now);
  barrier.now.clear();
  barrier.before = barrier.latest;
  barrier.awaited = false;
}

void Analysis::OnClusterArrive(const Place& at, std::uint64_t cluster, bool releases) {
  const EventNumber event = EventAt(at);
  ClusterState& state = clusters_[cluster];
  const Known known = Gather(at, event);
  state.now.must = Clock::Join(state.now.must, known.must);
  if (releases) {
    Publish(&state.now.list, {ptx::Scope::kCluster, at.cta, known});
    return;
  }
  ForEachBit(at.lanes, [&](unsigned lane) {
    const ThreadState& thread = StateOf(at, lane);
    PublishRelaxed(thread.fences, ptx::Scope::kCluster, at.cta, &state.now);
    Known inits;
    inits.inits = thread.known.inits;
    Publish(&state.now.list, {ptx::Scope::kCluster, at.cta, inits});
  });
}

void Analysis::OnClusterComplete(std::uint64_t cluster) {
  ClusterState& state = clusters_[cluster];
  state.done = std::move(state.now);
  state.now = {};
}

void Analysis::OnClusterWait(const Place& at, std::uint64_t cluster) {
  Acquire(clusters_[cluster].done, ptx::Scope::kCluster, true, at);
}

// ------------------------------------------------------------------------------------------------
// Transfers, and the end
// ------------------------------------------------------------------------------------------------

void Analysis::OnStart(const Place& at, std::uint64_t number, const ptx::Transfer& transfer) {
  const EventNumber event = EventAt(at);
  const unsigned lane = First(at.lanes);
  ThreadState& state = StateOf(at, lane);
  const bool bulk = world_.program().code[at.pc].op == ptx::Op::kBulk;
  Transfer& fresh = transfers_[number];
  fresh.at = at;
  fresh.step = world_.steps();
  fresh.known = Gather(at, event);
  ForEachBit(at.lanes, [&](unsigned each) {
    for (const Published& fence : StateOf(at, each).fences) {
      Publish(&fresh.fences, fence);
    }
  });
  fresh.async = bulk;
  fresh.reduces = transfer.kind == ptx::Transfer::Kind::kReduce;
  fresh.element = Bytes(transfer.type);
  fresh.arrives = transfer.kind == ptx::Transfer::Kind::kArrive;
  if (transfer.kind == ptx::Transfer::Kind::kRemote) {
    // It is the threads' own operation: who knows what they do next knows that it is done.
    ForEachBit(at.lanes, [&](unsigned each) {
      fresh.waited.push_back({ThreadOf(at, each), event, false});
    });
  }
  if (fresh.arrives) {
    for (const auto& [copy, group] : state.copies.started) {
      fresh.copies.push_back(copy);
    }
  } else if (transfer.groups != nullptr) {
    Copies& copies = bulk ? state.bulk_copies : state.copies;
    copies.started.emplace_back(number, copies.group);
  }
  if (transfer.to != nullptr && transfer.to->linear_id != at.cta) {
    sent_[transfer.to->linear_id].push_back(number);
  }
}

void Analysis::OnCopyGroup(const Place& at, ptx::CopyGroupOp op, bool bulk, std::uint64_t groups) {
  const EventNumber event = EventAt(at);
  ForEachBit(at.lanes, [&](unsigned lane) {
    ThreadState& state = StateOf(at, lane);
    Copies& copies = bulk ? state.bulk_copies : state.copies;
    if (op == ptx::CopyGroupOp::kCommit) {
      ++copies.group;
      return;
    }
    const bool all = op == ptx::CopyGroupOp::kWaitAll;
    const bool reading = op == ptx::CopyGroupOp::kWaitRead;
    auto& started = copies.started;
    for (const auto& [number, group] : started) {
      if (all || copies.group - group > groups) {
        transfers_[number].waited.push_back({ThreadOf(at, lane), event, reading});
      }
    }
    if (!reading) {
      started.erase(std::remove_if(started.begin(), started.end(),
                                   [&](const auto& copy) {
                                     return all || copies.group - copy.second > groups;
                                   }),
                    started.end());
    }
  });
}

void Analysis::OnExit(const Place& at) { exits_[at.cta] = SideOf(at, "exits"); }

// What others do with the CTA's memory must be known to one of its threads, which then has waited
// for it.
void Analysis::OnCtaEnd(std::uint64_t cta) {
  Clock::Pointer known;
  for (const ThreadState& state : threads_[cta]) {
    known = Clock::Join(known, state.known.must);
  }
  const auto suspect = [&](const Side& first, const char* what) {
    Suspicion suspicion;
    suspicion.kind = Kind::kLifetime;
    suspicion.first = first;
    suspicion.second = exits_[cta];
    suspicion.object.owner = cta;
    suspicion.why = what;
    Suspect(std::move(suspicion));
  };
  for (const auto& [thread, index] : visits_[cta]) {
    const Access& access = accesses_[index];
    if (!Clock::Knows(known, {thread.first, thread.second}, access.event)) {
      Side side{access.at, access.step, access.transfer, "accesses shared memory of another CTA"};
      side.at.lanes = 1U << thread.second % kWarpSize;
      suspect(side, "no thread of that CTA waits for it before the CTA has exited");
    }
  }
  for (const std::uint64_t number : sent_[cta]) {
    const Transfer& transfer = transfers_[number];
    const bool waited =
        std::any_of(transfer.waited.begin(), transfer.waited.end(), [&](const Waited& one) {
          return !one.reading && Clock::Knows(known, one.thread, one.event);
        });
    if (!waited) {
      suspect({transfer.at, transfer.step, number, "is done to shared memory of another CTA"},
              "no thread of that CTA waits for it before the CTA has exited");
    }
  }
}

// Barriers for which nobody ever waited.
void Analysis::Conclude() {
  const auto lone = [&](const Side& side, const Range& object, int bar) {
    Suspicion suspicion;
    suspicion.kind = Kind::kUnawaited;
    suspicion.first = suspicion.second = side;
    suspicion.object = object;
    suspicion.bar = bar;
    suspicion.why = "nobody waits for it";
    suspicion.of_memory_model = true;
    Suspect(std::move(suspicion));
  };
  for (const auto& [key, barrier] : barriers_) {
    if (barrier.lone.step != 0) {
      lone(barrier.lone, {key.first, 0, 0}, static_cast<int>(key.second));
    }
  }
  for (const auto& [key, object] : objects_) {
    if (object.arrived && !object.awaited) {
      lone(object.latest, {key.first, key.second, 8}, -1);
    }
  }
}

}  // namespace muster::explore
