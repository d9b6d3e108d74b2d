// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What threads know of each other through fences, collectives and copies that they wait for.
#include "sim/explore/analysis.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

constexpr std::size_t kMostSuspicions = 1000;

}  // namespace

std::string ActionText::Text() const {
  return bytes == 0 ? fmt::format("{}{}", does, what)
                    : fmt::format("{} {} byte{}", does, bytes, bytes == 1 ? "" : "s");
}

const char* Name(Kind kind) {
  constexpr const char* kNames[] = {"data_race",      "proxy_race",      "source_overwritten",
                                    "other_phase",    "late_wait",       "expected_bytes",
                                    "shared_barrier", "lifetime",        "collective_order",
                                    "unawaited",      "before_first",    "passed_without",
                                    "deadlock",       "fault",           "hazard",
                                    "wrong_result",   "differing_result"};
  return kNames[static_cast<unsigned>(kind)];
}

// ------------------------------------------------------------------------------------------------
// Threads
// ------------------------------------------------------------------------------------------------

// Returns the states of the warp's lanes.
Analysis::ThreadState* Analysis::LanesOf(const Place& at) {
  if (latest_threads_ == nullptr || latest_cta_ != at.cta) {
    latest_threads_ = &threads_[at.cta];
    latest_cta_ = at.cta;
    if (latest_threads_->empty()) {
      latest_threads_->resize(world_.launch().MaxWarps() * kWarpSize);
    }
  }
  return &(*latest_threads_)[std::size_t{at.warp} * kWarpSize];
}

// Returns the pseudo-warp that stands for a barrier in clocks. It is numbered after the warps of
// its CTA.
Thread Analysis::PseudoOf(std::uint64_t cta) {
  return {cta,
          (static_cast<std::uint32_t>(world_.launch().MaxWarps()) + pseudo_[cta]++) * kWarpSize};
}

EventNumber Analysis::EventAt(const Place& at) {
  last_ = at;
  last_.lanes = 0;
  return ++events_;
}

// Returns the union of what the lanes know, with their own events.
Shared<Known> Analysis::Gather(const Place& at, EventNumber event) {
  Known known;
  ForEachState(at, [&](ThreadState* state, std::uint32_t /*lanes*/) { known.Join(*state->known); });
  known.Note(ThreadOf(at, 0), event, at.lanes);
  ForEachState(at, [&](ThreadState* state, std::uint32_t lanes) {
    state->extras->passed.Note(ThreadOf(at, 0), lanes, &known);
  });
  Shared<Known> shared;
  shared.Own() = std::move(known);
  return shared;
}

void Analysis::Passed::Note(const Thread& first, std::uint32_t lanes, Known* known) const {
  const auto note = [&](Clock* clock, EventNumber event) {
    if (event != 0) {
      clock->Note(first, event, lanes);
    }
  };
  note(&known->async_global, async_global);
  note(&known->async_shared, async_shared);
  note(&known->released, released);
  note(&known->maps, maps);
  note(&known->inits, inits);
}

Shared<Known> Analysis::Fence::With(const Thread& first, std::uint32_t lanes) const {
  Shared<Known> with = known;
  with.Own().Note(first, event, lanes);
  passed.Note(first, lanes, &with.Own());
  return with;
}

std::uint64_t Analysis::ClusterOf(std::uint64_t cta) const {
  const ptx::Launch& launch = world_.launch().OfCta(cta);
  auto point = ptx::PointOf(cta - launch.first_cta, launch.grid);
  for (unsigned i = 0; i < 3; ++i) {
    point[i] /= launch.cluster[i];
  }
  return launch.first_cluster + ptx::LinearOf(point, launch.GridOfClusters());
}

bool Analysis::Includes(ptx::Scope scope, std::uint64_t a, std::uint64_t b) const {
  return a == b || scope >= ptx::Scope::kGpu ||
         (scope == ptx::Scope::kCluster && ClusterOf(a) == ClusterOf(b));
}

// Returns what relaxed writes or arrivals of these lanes publish, because of fences before them.
std::vector<Published> Analysis::FencesOf(const Place& at) {
  std::vector<Published> fences;
  ForEachState(at, [&](ThreadState* state, std::uint32_t lanes) {
    for (const Fence& fence : state->extras->fences) {
      Publish(&fences, {fence.scope, at.cta, fence.With(ThreadOf(at, 0), lanes)});
    }
  });
  return fences;
}

// Publishes, with a relaxed write or arrival, what the fences before it have released.
void Analysis::PublishRelaxed(const std::vector<Published>& fences, ptx::Scope scope,
                              Release* release) {
  for (const Published& fence : fences) {
    Publish(&release->list, {std::min(fence.scope, scope), fence.cta, fence.known});
  }
}

// The lanes learn that all published events must have happened. One clock holds these events.
void Analysis::AcquireMust(const Release& release, const Place& at) {
  ForEachState(at, [&](ThreadState* first, std::uint32_t lanes) {
    if (first->known->must.Covers(release.must)) {
      return;
    }
    ThreadState state = std::move(*first);
    state.known.Own().must.JoinNews(release.must);
    ThreadState* const states = LanesOf(at);
    ForEachBit(lanes, [&](unsigned lane) { states[lane] = state; });
  });
}

// The lanes learn what was published: its stores are visible to them.
void Analysis::Acquire(const Release& release, ptx::Scope scope, bool acquires, const Place& at) {
  AcquireMust(release, at);
  if (release.list.empty()) {
    return;
  }
  Teach(at, [&](ThreadState* state, std::uint32_t /*lanes*/) {
    for (const Published& one : release.list) {
      if (!BothInclude(one.scope, one.cta, scope, at.cta)) {
        const bool of_release = !Includes(one.scope, one.cta, at.cta);
        missed_[{at.cta, at.warp, at.pc}] = {at, of_release ? one.scope : scope, of_release,
                                             one.known};
        continue;
      }
      if (acquires) {
        Learn(&state->known, one.known);
      } else {
        Publish(&state->extras.Own().pending, {std::min(one.scope, scope), one.cta, one.known});
      }
    }
  });
}

// Returns the latest arrival of a phase that need not come before this event, or null. An event
// that comes after all arrivals comes after the end of the phase, whichever arrival is the last.
const Analysis::Arrived* Analysis::Unknown(const std::vector<Arrived>& arrivals, const Place& at,
                                           const Clock& must) const {
  const auto unknown = std::find_if(arrivals.rbegin(), arrivals.rend(), [&](const Arrived& one) {
    const Place& its = one.side.at;
    const bool is_own = its.cta == at.cta && its.warp == at.warp;
    return one.side.transfer != 0 ? !HasWaited(one.side.transfer, must, false)
                                  : !must.Knows(ThreadOf(its, 0), one.event,
                                                is_own ? its.lanes & ~at.lanes : its.lanes);
  });
  return unknown == arrivals.rend() ? nullptr : &*unknown;
}

// Whether `must` orders the end of the transfer, or of its reading, before what comes next.
bool Analysis::HasWaited(std::uint64_t transfer, const Clock& must, bool reading) const {
  const std::vector<Waited>& waited = transfers_.at(transfer).waited;
  return std::any_of(waited.begin(), waited.end(), [&](const Waited& one) {
    return (!one.reading || reading) && must.Knows(one.thread, one.event);
  });
}

bool Analysis::IsNews(Kind kind, const Place& first, const Place& second) const {
  return suspicions_.size() < kMostSuspicions && told_.count({kind, first.pc, second.pc}) == 0;
}

void Analysis::Suspect(Suspicion suspicion) {
  if (IsNews(suspicion.kind, suspicion.first.at, suspicion.second.at)) {
    told_.insert({suspicion.kind, suspicion.first.at.pc, suspicion.second.at.pc});
    suspicions_.push_back(std::move(suspicion));
  }
}

// ------------------------------------------------------------------------------------------------
// Fences and collectives
// ------------------------------------------------------------------------------------------------

void Analysis::OnFence(const Place& at, const ptx::MemoryFence& fence) {
  const EventNumber event = EventAt(at);
  const ptx::Scope scope = fence.ordering.scope;
  const auto learn = [&](const std::vector<Published>& list, ThreadState* state) {
    for (const Published& one : list) {
      if (BothInclude(one.scope, one.cta, scope, at.cta)) {
        Learn(&state->known, one.known);
      }
    }
  };
  std::vector<Published> sequential;
  Teach(at, [&](ThreadState* state, std::uint32_t lanes) {
    if (fence.of_inits) {
      state->extras.Own().passed.inits = event;
      return;
    }
    if (fence.ordering.Acquires()) {
      learn(state->extras->pending, state);
    }
    const auto pass = [&](Clock Known::*proxy, EventNumber Passed::*passed, ptx::Space space) {
      if (fence.async && (fence.space == ptx::Space::kGeneric || fence.space == space)) {
        Known& known = state->known.Own();
        (known.*proxy).Join(known.memory);
        state->extras.Own().passed.*passed = event;
      }
    };
    pass(&Known::async_global, &Passed::async_global, ptx::Space::kGlobal);
    pass(&Known::async_shared, &Passed::async_shared, ptx::Space::kShared);
    // Of the addresses that it names: here, of all tensor maps.
    if (fence.of_maps) {
      Known& known = state->known.Own();
      Passed& passed = state->extras.Own().passed;
      if (fence.ordering.Releases()) {
        known.released.Join(known.memory);
        passed.released = event;
      } else {
        known.maps.Join(known.released);
        passed.maps = passed.released;
      }
    }
    if (fence.sequential) {
      learn(sequential_, state);
    }
    if (fence.ordering.Releases()) {
      Fence fresh{scope, state->known, event, state->extras->passed};
      if (fence.sequential) {
        Publish(&sequential, {scope, at.cta, fresh.With(ThreadOf(at, 0), lanes)});
      }
      std::vector<Fence>& fences = state->extras.Own().fences;
      const auto same = std::find_if(fences.begin(), fences.end(),
                                     [&](const Fence& one) { return one.scope == scope; });
      if (same == fences.end()) {
        fences.push_back(std::move(fresh));
      } else {
        *same = std::move(fresh);
      }
    }
  });
  for (const Published& one : sequential) {
    Publish(&sequential_, one);
  }
}

// By the PTX text, bar.warp.sync is the only collective that orders memory. The others only wait.
void Analysis::OnWarpSync(const Place& at, WarpOp op) {
  const EventNumber event = EventAt(at);
  const Shared<Known> known = Gather(at, event);
  const bool orders =
      op == WarpOp::kSync || collectives_.order || collectives_.order_at.count(at.pc) != 0;
  if (!orders && collectives_.are_told) {
    meetings_.push_back({{at, op}, event, known});
  }
  Teach(at, [&](ThreadState* state, std::uint32_t /*lanes*/) {
    if (orders) {
      Learn(&state->known, known);
    } else {
      state->known.Own().must.Join(known->must);
    }
  });
}

// ".sync ... causes the executing thread to wait until all threads in the warp execute the same
// instruction before resuming execution", and orders no memory.
void Analysis::OnWholeWarp(const Place& at) {
  const Shared<Known> known = Gather(at, EventAt(at));
  Teach(at, [&](ThreadState* state, std::uint32_t /*lanes*/) {
    state->known.Own().must.Join(known->must);
  });
}

// ------------------------------------------------------------------------------------------------
// Transfers, and the end
// ------------------------------------------------------------------------------------------------

void Analysis::OnStart(const Place& at, std::uint64_t number, const ptx::Transfer& transfer) {
  const EventNumber event = EventAt(at);
  const unsigned lane = First(at.lanes);
  const ptx::Op op = world_.program().code[at.pc].op;
  const bool bulk = ptx::IsBulk(op);

  const bool multiplies = transfer.kind == ptx::Transfer::Kind::kProduct;
  Transfer& fresh = transfers_[number];
  fresh.at = at;
  fresh.step = world_.steps();
  fresh.known = Gather(at, event);
  fresh.fences = FencesOf(at);
  fresh.of_tensor_core = transfer.kind == ptx::Transfer::Kind::kTensor;
  fresh.async = bulk || multiplies || fresh.of_tensor_core;

  fresh.reduces = transfer.kind == ptx::Transfer::Kind::kReduce;
  fresh.element = Bytes(transfer.type);
  fresh.arrives = transfer.kind == ptx::Transfer::Kind::kArrive;
  if (transfer.kind == ptx::Transfer::Kind::kRemote) {
    // The threads do this operation themselves: an event ordered after their next event is ordered
    // after the operation, too.
    ForEachBit(at.lanes, [&](unsigned each) {
      fresh.waited.push_back({ThreadOf(at, each), event, false});
    });
  }
  if (fresh.arrives) {
    const Extras& extras = *StateOf(at, lane).extras;
    const Copies& copies = op == ptx::Op::kTensorCommit ? extras.tensor_operations : extras.copies;
    for (const auto& [copy, group] : copies.started) {
      fresh.copies.push_back(copy);
    }
  } else if (multiplies) {
    Copies& products = products_[{at.cta, at.warp}];
    products.started.emplace_back(number, products.group);
  } else if (transfer.groups != nullptr) {
    Extras& extras = StateOf(at, lane).extras.Own();
    Copies& copies = fresh.of_tensor_core ? extras.tensor_operations
                     : bulk               ? extras.bulk_copies
                                          : extras.copies;
    copies.started.emplace_back(number, copies.group);
  }
  if (transfer.map) {
    AccessByTransfer(number, {{kGlobal, *transfer.map, ptx::kTensorMapBytes}}, false, true);
  }
  if (transfer.to != nullptr && transfer.to->linear_id != at.cta) {
    sent_[transfer.to->linear_id].push_back(number);
  }
}

void Analysis::OnCopyGroup(const Place& at, ptx::CopyGroupOp op, bool bulk, std::uint64_t groups) {
  const EventNumber event = EventAt(at);
  ForEachBit(at.lanes, [&](unsigned lane) {
    Extras& extras = StateOf(at, lane).extras.Own();
    Copies& copies = bulk ? extras.bulk_copies : extras.copies;
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

void Analysis::OnProductGroup(const Place& at, const ptx::WarpgroupOrder& order) {
  Copies& products = products_[{at.cta, at.warp}];
  if (order.op != ptx::WarpgroupOp::kWait) {
    products.group += order.op == ptx::WarpgroupOp::kCommit ? 1 : 0;
    return;
  }
  const EventNumber event = EventAt(at);
  auto& started = products.started;
  started.erase(
      std::remove_if(
          started.begin(), started.end(),
          [&](const auto& product) {
            if (products.group - product.second <= order.groups) {
              return false;
            }
            ForEachBit(at.lanes, [&](unsigned lane) {
              transfers_[product.first].waited.push_back({ThreadOf(at, lane), event, false});
            });
            return true;
          }),
      started.end());
}

void Analysis::OnExit(const Place& at) {
  leavers_[at.cta].push_back({SideOf(at, {"exits"}), ++events_});
}

// Accesses by other CTAs to this CTA's memory must be ordered before its end: one of its threads
// has waited for each of them.
void Analysis::OnCtaEnd(std::uint64_t cta) {
  Clock known;
  for (const ThreadState& state : threads_[cta]) {
    known.Join(state.known->must);
  }
  const auto suspect = [&](const Side& first, const char* what) {
    Suspicion suspicion;
    suspicion.kind = Kind::kLifetime;
    suspicion.first = first;
    suspicion.second = leavers_[cta].back().side;
    suspicion.object.owner = cta;
    suspicion.why = what;
    Suspect(std::move(suspicion));
  };
  for (const auto& [thread, index] : visits_[cta]) {
    const Access& access = accesses_[index];
    if (!known.Knows({thread.first, thread.second}, access.event)) {
      Side side{access.at, access.step, access.transfer, {"accesses shared memory of another CTA"}};
      side.at.lanes = 1U << thread.second % kWarpSize;
      suspect(side, "no thread of that CTA waits for it before the CTA has exited");
    }
  }
  for (const std::uint64_t number : sent_[cta]) {
    const Transfer& transfer = transfers_[number];
    const bool waited = std::any_of(
        transfer.waited.begin(), transfer.waited.end(),
        [&](const Waited& one) { return !one.reading && known.Knows(one.thread, one.event); });
    if (!waited) {
      suspect({transfer.at, transfer.step, number, {"is done to shared memory of another CTA"}},
              "no thread of that CTA waits for it before the CTA has exited");
    }
  }
}

// Reports barriers for which no thread ever waited. In a deadlock threads may still wait there, or
// have not come to it.
void Analysis::Conclude() {
  if (world_.end() == World::End::kDeadlock) {
    return;
  }
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
    if (barrier.lone.step != 0 && !barrier.ever_awaited) {
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
