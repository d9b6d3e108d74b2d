// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Follows one run with vector clocks, by the PTX memory model. Reports which of its events could
// have come in another order, and what could follow from that. Distinguishes events whose stores a
// thread sees (release and acquire at a scope that includes both threads, barriers, copies that
// have been waited for) from events that must have happened, though nothing makes their stores
// visible. Observes a run, and does not steer it.
#ifndef MUSTER_SIM_EXPLORE_ANALYSIS_H_
#define MUSTER_SIM_EXPLORE_ANALYSIS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/explore/known.h"
#include "sim/explore/observer.h"
#include "sim/explore/shadow.h"
#include "sim/explore/shared.h"
#include "sim/explore/suspicion.h"
#include "sim/explore/world.h"
#include "sim/isa/bits.h"

namespace muster::explore {

// Whether collectives other than bar.warp.sync order the memory of their members. PTX does not
// promise that they do; libraries rely on it.
struct Collectives {
  bool order = false;                     // all collectives order memory
  std::set<std::uint32_t> order_at = {};  // collectives at these instructions order memory
  bool are_told = false;                  // a race names the collective that would order it
};

class Analysis : public Observer {
 public:
  explicit Analysis(const World& world, Collectives collectives = {})
      : world_(world), collectives_(std::move(collectives)) {}

  // The first suspicion of each kind and pair of instructions, up to a limit.
  const std::vector<Suspicion>& suspicions() const { return suspicions_; }
  // Call when the run has ended: adds suspicions that concern the whole run.
  void Conclude();

  void OnAccess(const Place& at, const Range& range, ptx::Op op, const ptx::Ordering& ordering,
                bool changed) override;
  void OnTensorAccess(const Place& at, const Range& range, bool writes) override;
  void OnFence(const Place& at, const ptx::MemoryFence& fence) override;
  void OnWarpSync(const Place& at, WarpOp op) override;
  void OnWholeWarp(const Place& at) override;
  void OnArrive(const Place& at, const Operation& operation, const Effects& effects,
                const std::vector<Place>& released) override;
  void OnClusterArrive(const Place& at, std::uint64_t cluster, bool releases) override;
  void OnClusterComplete(std::uint64_t cluster) override;
  void OnClusterWait(const Place& at, std::uint64_t cluster) override;
  void OnLaunchEnd(std::size_t launch) override;
  void OnLaunchWait(const Place& at, std::size_t launch) override;
  void OnCtaEnd(std::uint64_t cta) override;
  void OnMbarrier(const Place& at, std::uint64_t owner, const MbOperation& operation,
                  const ptx::Mbarrier* instruction, const MbEffects& effects,
                  std::uint64_t of) override;
  void OnStart(const Place& at, std::uint64_t number, const ptx::Transfer& transfer) override;
  void OnRead(std::uint64_t number, const std::vector<Range>& ranges) override;
  void OnWrite(std::uint64_t number, const std::vector<Range>& ranges) override;
  void OnCopyGroup(const Place& at, ptx::CopyGroupOp op, bool bulk, std::uint64_t groups) override;
  void OnProductGroup(const Place& at, const ptx::WarpgroupOrder& order) override;
  void OnExit(const Place& at) override;

 private:
  enum class Role : std::uint8_t { kRead, kWrite, kAtomic, kMakes, kMbarrier };

  // An access to memory by lanes of a warp or by a transfer.
  struct Access {
    Place at;
    EventNumber event = 0;
    std::uint64_t step = 0;
    std::uint64_t transfer = 0;
    Role role = Role::kRead;
    bool async = false;   // in the async proxy
    bool of_map = false;  // in the tensormap proxy
    ptx::Ordering ordering;
    unsigned size = 0;  // of an element
    Place at_fresh;     // the lanes' latest wait, if that was for the phase before the first
  };
  struct Copies {
    std::uint32_t group = 0;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> started;  // number and group
  };
  // A thread's latest fences, by kind. The thread publishes its own events up to them, too.
  struct Passed {
    EventNumber async_global = 0;
    EventNumber async_shared = 0;
    EventNumber released = 0;
    EventNumber maps = 0;
    EventNumber inits = 0;

    void Note(const Thread& first, std::uint32_t lanes, Known* known) const;
  };
  // The latest releasing fence of a scope, with what the thread knew of others at that point.
  struct Fence {
    ptx::Scope scope = ptx::Scope::kSystem;
    Shared<Known> known;
    EventNumber event = 0;
    Passed passed;

    // Returns `known` with the lanes' own events up to the fence.
    Shared<Known> With(const Thread& first, std::uint32_t lanes) const;
  };
  // State that most threads do not need.
  struct Extras {
    std::vector<Fence> fences;       // what a relaxed write publishes
    std::vector<Published> pending;  // what a fence acquires
    Passed passed;
    Copies copies;
    Copies bulk_copies;
    Copies tensor_operations;
  };
  // Lanes of a warp that have always executed together share both members.
  struct ThreadState {
    Shared<Known> known;  // of the others
    Shared<Extras> extras;

    bool Is(const ThreadState& other) const {
      return known.Is(other.known) && extras.Is(other.extras);
    }
  };
  // The event with which a thread's wait for a transfer ends. Events ordered after it are ordered
  // after the transfer.
  struct Waited {
    Thread thread;
    EventNumber event = 0;
    bool reading = false;  // its reading only
  };
  struct Transfer {
    Place at;
    std::uint64_t step = 0;
    Shared<Known> known;  // when it was started
    std::vector<Published> fences;
    bool async = false;
    bool of_tensor_core = false;
    bool reduces = false;
    unsigned element = 1;  // bytes
    bool arrives = false;
    std::vector<std::uint64_t> copies;  // that an arrive-on waits for
    std::vector<Waited> waited;
  };
  struct Release {
    std::vector<Published> list;
    Clock must;
  };
  // Lanes that arrived together, or exited together.
  struct Arrived {
    Side side;
    EventNumber event = 0;
  };
  struct Barrier {
    Shared<Known> arrived;
    std::vector<Arrived> arrivals;   // of this generation
    std::vector<Arrived> completes;  // of the latest one
    Thread self;
    EventNumber completed = 0;  // the event of the latest generation's end
    std::uint64_t warps = 0;    // of the latest generation
    std::uint64_t now = 0;
    Side latest;                // arrival
    bool awaited = false;       // this generation
    bool ever_awaited = false;  // or another one
    Side lone;                  // an arrival of a generation for which no warp waited
  };
  struct Object {
    Thread self;
    EventNumber completed = 0;
    Release now;                                      // of the phase that runs
    Release done;                                     // of the phase before
    std::vector<std::uint64_t> transfers;             // of the phase that runs
    std::vector<Arrived> arrivals;                    // likewise
    std::vector<Arrived> completes;                   // the phase before
    std::vector<std::pair<EventNumber, Side>> waits;  // for the phase before
    Side made;
    Side latest;
    bool awaited = false;
    bool arrived = false;
    std::optional<Past> init;  // the latest
  };
  struct ClusterState {
    Release now;
    Release done;
    std::vector<Arrived> arrivals;  // of the phase that runs
  };

  // analysis.cpp
  Thread ThreadOf(const Place& at, unsigned lane) const {
    return {at.cta, at.warp * kWarpSize + lane};
  }
  ThreadState* LanesOf(const Place& at);
  ThreadState& StateOf(const Place& at, unsigned lane) { return LanesOf(at)[lane]; }
  // Calls f(state, lanes) for each group of lanes that share their state.
  template <typename F>
  void ForEachState(const Place& at, F f);
  // Calls f(state, lanes) likewise, and stores the changed state for each of these lanes.
  template <typename F>
  void Teach(const Place& at, F change);
  Thread PseudoOf(std::uint64_t cta);
  EventNumber EventAt(const Place& at);
  Shared<Known> Gather(const Place& at, EventNumber event);
  std::uint64_t ClusterOf(std::uint64_t cta) const;
  bool Includes(ptx::Scope scope, std::uint64_t a, std::uint64_t b) const;
  bool BothInclude(ptx::Scope of_a, std::uint64_t a, ptx::Scope of_b, std::uint64_t b) const {
    return Includes(of_a, a, b) && Includes(of_b, b, a);
  }
  const Arrived* Unknown(const std::vector<Arrived>& arrivals, const Place& at,
                         const Clock& must) const;
  bool HasWaited(std::uint64_t transfer, const Clock& must, bool reading) const;
  void AcquireMust(const Release& release, const Place& at);
  void Acquire(const Release& release, ptx::Scope scope, bool acquires, const Place& at);
  std::vector<Published> FencesOf(const Place& at);
  static void PublishRelaxed(const std::vector<Published>& fences, ptx::Scope scope,
                             Release* release);
  Side SideOf(const Place& at, const ActionText& action) const {
    return {at, world_.steps(), 0, action};
  }
  bool IsNews(Kind kind, const Place& first, const Place& second) const;
  void Suspect(Suspicion suspicion);
  void NoteLeavers(const std::vector<Arrived>& leavers, const std::vector<Arrived>& arrivals,
                   bool of_all, int bar);

  // analysis_memory.cpp
  struct Accessor {
    const Access* access = nullptr;
    std::uint32_t index = 0;
    std::uint32_t lanes = 0;  // one lane; for an mbarrier operation, lanes that know the same
    const Known* known = nullptr;
    bool changed = true;  // a write stores another value than was there
    bool global = false;  // memory
  };
  std::uint32_t NoteAccess(const Access& access);
  static bool IsOwn(const Access& access, const Past& past, const Accessor& now) {
    return access.transfer == 0 && now.access->transfer == 0 && past.lanes == now.lanes &&
           access.at.warp == now.access->at.warp && access.at.cta == now.access->at.cta;
  }
  bool IsOrdered(const Past& past, const Accessor& now) const;
  bool IsPipelined(const Access& a, const Access& b) const;
  bool IsMorallyStrong(const Access& a, const Access& b) const;
  void Check(const Range& range, const Accessor& now) {
    shadow_.ForEach(range, [&](Shadow::Cell& cell) { CheckCell(&cell, range, now); });
  }
  bool IsAfter(const Thread& thread, EventNumber event, const Accessor& now) const;
  bool HasSeen(const Past& past, const Accessor& now) const;
  bool Sees(const Past& last, const Accessor& now) const;
  void CheckCell(Shadow::Cell* cell, const Range& range, const Accessor& now);
  void Append(Pasts* pasts, const Accessor& now);
  void Race(const Past& past, const Range& range, const Accessor& now);
  void NameFreshWait(const char* which, const Place& wait, Suspicion* suspicion) const;
  std::string WhatIsMissed(const Thread& first, const Access& access, const Accessor& now) const;
  std::vector<Collective> WouldOrder(const Past& past, const Accessor& now) const;
  void Synchronize(const Place& at, const Range& range, ptx::Op op, const ptx::Ordering& ordering,
                   EventNumber event);
  void AccessByTransfer(std::uint64_t number, const std::vector<Range>& ranges, bool writes,
                        bool of_map = false);

  // analysis_mbarrier.cpp
  void CheckWord(const Object& object, const Place& at, const Range& word,
                 const MbOperation& operation, EventNumber event, std::uint64_t of);
  void NoteFresh(const Object& object, const Side& waits, const Range& word);
  void CheckPhase(const Object& object, const Place& at, const Range& word,
                  const MbOperation& operation, std::uint64_t of);
  void Complete(Object* object, const Range& word, EventNumber event);

  const World& world_;
  const Collectives collectives_;
  // Collectives that did not order memory, with what their members knew together. Kept only if
  // races name them.
  struct Meeting {
    Collective what;
    EventNumber event = 0;
    Shared<Known> known;
  };
  std::vector<Meeting> meetings_;
  std::vector<Suspicion> suspicions_;
  std::set<std::tuple<Kind, std::uint32_t, std::uint32_t>> told_;
  EventNumber events_ = 0;
  std::unordered_map<std::uint64_t, std::vector<ThreadState>> threads_;  // by CTA
  std::vector<ThreadState>* latest_threads_ = nullptr;                   // of this one:
  std::uint64_t latest_cta_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> pseudo_;  // by CTA: barriers so far
  std::vector<Access> accesses_;
  bool reads_strong_ = false;  // the latest read observed a strong write
  Place last_;                 // of the latest access
  std::uint64_t last_address_ = 0;
  Shadow shadow_;
  // For each strong write, the threads that have observed it and from which event on.
  struct Seen {
    Thread by;
    EventNumber event = 0;
    std::uint32_t next = 0;
  };
  std::vector<Seen> seen_{1};
  std::unordered_map<std::uint64_t, Release> locations_;  // of strong writes
  // Releases that an acquire has seen and, for a scope that is too small, not taken: the latest of
  // each warp and instruction.
  struct Missed {
    Place at;  // of the acquire
    ptx::Scope scope = ptx::Scope::kCta;
    bool of_release = false;  // it is the release's scope that is too small
    Shared<Known> known;
  };
  std::map<std::tuple<std::uint64_t, unsigned, std::uint32_t>, Missed> missed_;
  std::vector<Published> sequential_;  // fence.sc
  std::map<std::pair<std::uint64_t, unsigned>, Barrier> barriers_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Object> objects_;
  // By warp, the lanes whose latest wait was for the phase before the first one of an mbarrier.
  std::map<std::pair<std::uint64_t, unsigned>, Place> at_fresh_;
  std::map<std::uint64_t, ClusterState> clusters_;
  std::map<std::size_t, EventNumber> launch_ends_;
  std::map<std::pair<std::uint64_t, unsigned>, Copies> products_;  // by warp
  std::unordered_map<std::uint64_t, Transfer> transfers_;
  // By owner of the memory: the latest access of each thread of other CTAs, and the transfers that
  // other CTAs have sent.
  std::map<std::uint64_t, std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t>> visits_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> sent_;
  std::map<std::uint64_t, std::vector<Arrived>> leavers_;  // exits of threads, by CTA
};

template <typename F>
void Analysis::ForEachState(const Place& at, F f) {
  ThreadState* const states = LanesOf(at);
  for (std::uint32_t rest = at.lanes; rest != 0;) {
    ThreadState& first = states[First(rest)];
    std::uint32_t lanes = 0;
    while (rest != 0 && states[First(rest)].Is(first)) {
      lanes |= rest & -rest;
      rest &= rest - 1;
    }
    f(&first, lanes);
  }
}

template <typename F>
void Analysis::Teach(const Place& at, F change) {
  ThreadState* const states = LanesOf(at);
  ForEachState(at, [&](ThreadState* first, std::uint32_t lanes) {
    ThreadState state = std::move(*first);
    change(&state, lanes);
    ForEachBit(lanes, [&](unsigned lane) { states[lane] = state; });
  });
}

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_ANALYSIS_H_
