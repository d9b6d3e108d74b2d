// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/threads.h"

#include <algorithm>

namespace muster::explore {

Threads::State* Threads::LanesOf(const Place& at) {
  if (latest_states_ == nullptr || latest_cta_ != at.cta) {
    latest_states_ = &states_[at.cta];
    latest_cta_ = at.cta;
    if (latest_states_->empty()) {
      latest_states_->resize(launch_.MaxWarps() * kWarpSize);
    }
  }
  return &(*latest_states_)[std::size_t{at.warp} * kWarpSize];
}

// Pseudo-threads are numbered as warps after those of the CTA.
Thread Threads::NewPseudo(std::uint64_t cta) {
  return {cta, (static_cast<std::uint32_t>(launch_.MaxWarps()) + pseudo_[cta]++) * kWarpSize};
}

std::uint64_t Threads::ClusterOf(std::uint64_t cta) const {
  const ptx::Launch& launch = launch_.OfCta(cta);
  auto point = ptx::PointOf(cta - launch.first_cta, launch.grid);
  for (unsigned i = 0; i < 3; ++i) {
    point[i] /= launch.cluster[i];
  }
  return launch.first_cluster + ptx::LinearOf(point, launch.GridOfClusters());
}

bool Threads::Includes(ptx::Scope scope, std::uint64_t a, std::uint64_t b) const {
  return a == b || scope >= ptx::Scope::kGpu ||
         (scope == ptx::Scope::kCluster && ClusterOf(a) == ClusterOf(b));
}

// ------------------------------------------------------------------------------------------------
// What threads know
// ------------------------------------------------------------------------------------------------

Shared<Known> Threads::Gather(const Place& at, EventNumber event) {
  Known known;
  ForEachState(at, [&](State* state, std::uint32_t /*lanes*/) { known.Join(*state->known); });
  known.Note(ThreadOf(at, 0), event, at.lanes);
  ForEachState(at, [&](State* state, std::uint32_t lanes) {
    state->fences->passed.Note(ThreadOf(at, 0), lanes, &known);
  });
  Shared<Known> shared;
  shared.Own() = std::move(known);
  return shared;
}

Clock Threads::MustOf(std::uint64_t cta) const {
  Clock known;
  if (const auto states = states_.find(cta); states != states_.end()) {
    for (const State& state : states->second) {
      known.Join(state.known->must);
    }
  }
  return known;
}

void Threads::Learn(const Place& at, const Shared<Known>& news) {
  Teach(at, [&](State* state, std::uint32_t /*lanes*/) { explore::Learn(&state->known, news); });
}

void Threads::LearnMust(const Place& at, const Clock& must) {
  Teach(at, [&](State* state, std::uint32_t /*lanes*/) { state->known.Own().must.Join(must); });
}

void Threads::LearnAll(const Place& at, const Clock& events) {
  Teach(at, [&](State* state, std::uint32_t /*lanes*/) {
    Known& known = state->known.Own();
    for (Clock Known::*const clock :
         {&Known::memory, &Known::async_global, &Known::async_shared, &Known::released,
          &Known::maps, &Known::inits, &Known::must}) {
      (known.*clock).Join(events);
    }
  });
}

const Clock& Threads::NoteOwn(const Place& at, unsigned lane, EventNumber event) {
  Clock& must = LanesOf(at)[lane].known.Own().must;
  must.Note(ThreadOf(at, lane), event);
  return must;
}

// ------------------------------------------------------------------------------------------------
// Fences
// ------------------------------------------------------------------------------------------------

void Threads::Passed::Note(const Thread& first, std::uint32_t lanes, Known* known) const {
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

Shared<Known> Threads::Released::With(const Thread& first, std::uint32_t lanes) const {
  Shared<Known> with = known;
  with.Own().Note(first, event, lanes);
  passed.Note(first, lanes, &with.Own());
  return with;
}

void Threads::Fence(const Place& at, const ptx::MemoryFence& fence, EventNumber event) {
  const ptx::Scope scope = fence.ordering.scope;
  const auto learn = [&](const std::vector<Published>& list, State* state) {
    for (const Published& one : list) {
      if (BothInclude(one.scope, one.cta, scope, at.cta)) {
        explore::Learn(&state->known, one.known);
      }
    }
  };
  std::vector<Published> sequential;
  Teach(at, [&](State* state, std::uint32_t lanes) {
    if (fence.of_inits) {
      state->fences.Own().passed.inits = event;
      return;
    }
    if (fence.ordering.Acquires()) {
      learn(state->fences->pending, state);
    }
    const auto pass = [&](Clock Known::*proxy, EventNumber Passed::*passed, ptx::Space space) {
      if (fence.async && (fence.space == ptx::Space::kGeneric || fence.space == space)) {
        Known& known = state->known.Own();
        (known.*proxy).Join(known.memory);
        state->fences.Own().passed.*passed = event;
      }
    };
    pass(&Known::async_global, &Passed::async_global, ptx::Space::kGlobal);
    pass(&Known::async_shared, &Passed::async_shared, ptx::Space::kShared);
    // Of the addresses that it names: here, of all tensor maps.
    if (fence.of_maps) {
      Known& known = state->known.Own();
      Passed& passed = state->fences.Own().passed;
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
      Released fresh{scope, state->known, event, state->fences->passed};
      if (fence.sequential) {
        Publish(&sequential, {scope, at.cta, fresh.With(ThreadOf(at, 0), lanes)});
      }
      std::vector<Released>& released = state->fences.Own().released;
      const auto same = std::find_if(released.begin(), released.end(),
                                     [&](const Released& one) { return one.scope == scope; });
      if (same == released.end()) {
        released.push_back(std::move(fresh));
      } else {
        *same = std::move(fresh);
      }
    }
  });
  for (const Published& one : sequential) {
    Publish(&sequential_, one);
  }
}

// ------------------------------------------------------------------------------------------------
// Release and acquire
// ------------------------------------------------------------------------------------------------

std::vector<Published> Threads::FencesOf(const Place& at) {
  std::vector<Published> fences;
  ForEachState(at, [&](State* state, std::uint32_t lanes) {
    for (const Released& fence : state->fences->released) {
      Publish(&fences, {fence.scope, at.cta, fence.With(ThreadOf(at, 0), lanes)});
    }
  });
  return fences;
}

void Threads::PublishRelaxed(const std::vector<Published>& fences, ptx::Scope scope,
                             Release* release) {
  for (const Published& fence : fences) {
    Publish(&release->list, {std::min(fence.scope, scope), fence.cta, fence.known});
  }
}

// One clock holds these events for all lanes.
void Threads::AcquireMust(const Release& release, const Place& at) {
  ForEachState(at, [&](State* first, std::uint32_t lanes) {
    if (first->known->must.Covers(release.must)) {
      return;
    }
    State state = std::move(*first);
    state.known.Own().must.JoinNews(release.must);
    State* const states = LanesOf(at);
    ForEachBit(lanes, [&](unsigned lane) { states[lane] = state; });
  });
}

void Threads::Acquire(const Release& release, ptx::Scope scope, bool acquires, const Place& at) {
  AcquireMust(release, at);
  if (release.list.empty()) {
    return;
  }
  Teach(at, [&](State* state, std::uint32_t /*lanes*/) {
    for (const Published& one : release.list) {
      if (!BothInclude(one.scope, one.cta, scope, at.cta)) {
        const bool of_release = !Includes(one.scope, one.cta, at.cta);
        missed_[{at.cta, at.warp, at.pc}] = {at, of_release ? one.scope : scope, of_release,
                                             one.known};
        continue;
      }
      if (acquires) {
        explore::Learn(&state->known, one.known);
      } else {
        Publish(&state->fences.Own().pending, {std::min(one.scope, scope), one.cta, one.known});
      }
    }
  });
}

const Missed* Threads::MissedBy(const Place& at, std::uint32_t lanes, const Thread& thread,
                                EventNumber event) const {
  const auto found = std::find_if(missed_.begin(), missed_.end(), [&](const auto& one) {
    const Missed& missed = one.second;
    return missed.at.cta == at.cta && missed.at.warp == at.warp && (missed.at.lanes & lanes) != 0 &&
           missed.known->memory.Knows(thread, event);
  });
  return found == missed_.end() ? nullptr : &found->second;
}

}  // namespace muster::explore
