// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Races in memory: keeps, for each byte, the accesses that a later one must be ordered after, and
// suspects those that are not. Takes what threads know and which transfers have been waited for as
// given, and does not learn from an access.
#ifndef MUSTER_SIM_EXPLORE_MEMORY_RACES_H_
#define MUSTER_SIM_EXPLORE_MEMORY_RACES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/explore/meetings.h"
#include "sim/explore/shadow.h"
#include "sim/explore/suspicions.h"
#include "sim/explore/threads.h"
#include "sim/explore/transfers.h"
#include "sim/explore/world.h"

namespace muster::explore {

enum class Role : std::uint8_t { kRead, kWrite, kAtomic, kMakes, kMbarrier };

// An access to memory by lanes of a warp or by a transfer.
struct Access {
  Place at;
  EventNumber event = 0;
  std::uint64_t step = 0;
  std::uint64_t transfer = 0;
  Role role = Role::kRead;
  Part part = Part::kAll;  // of the transfer
  bool async = false;      // in the async proxy
  bool of_map = false;     // in the tensormap proxy
  ptx::Ordering ordering;
  unsigned size = 0;      // of an element
  Place idle;             // the lanes' latest wait, if that was over at once (IdleWait)
  bool is_fresh = false;  // that wait
};

class MemoryRaces {
 public:
  MemoryRaces(const World& world, Threads* threads, const Transfers& transfers,
              const Meetings& meetings, Suspicions* suspicions)
      : world_(world),
        threads_(*threads),
        transfers_(transfers),
        meetings_(meetings),
        suspicions_(*suspicions) {}

  // One lane accesses one element. Returns the access, which it may share with others of its
  // instruction.
  std::uint32_t ByLane(const Place& at, const Range& range, ptx::Op op,
                       const ptx::Ordering& ordering, bool changed);
  // A warp accesses tensor memory: what it does together is told of its first lane.
  void ByWarp(const Place& at, const Range& range, bool writes);
  void ByTransfer(std::uint64_t number, const std::vector<Range>& ranges, bool writes,
                  bool of_map = false);
  // An operation on an mbarrier, as an access to its word: init and inval are writes, and all
  // others are atomic. Each use must be ordered after `init`, even if another ordered use comes
  // before it. `of`: as in Observer::OnMbarrier.
  std::uint32_t ByMbarrier(const Place& at, const Range& word, MbOp op, EventNumber event,
                           std::uint64_t of, const Past* init);
  // The lanes have waited at an mbarrier; `idle`: those for which it was over at once.
  void NoteWait(const Place& waits, std::uint32_t idle, bool is_fresh);
  // Lanes of the warp go on to something else than a wait at an mbarrier.
  void NoteAction(const Place& at) { of_warp_[{at.cta, at.warp}].acted = threads_.latest_event(); }
  bool HasActedSince(const Place& at, EventNumber event) const;

  const Access& At(std::uint32_t index) const { return accesses_[index]; }
  // Whether the latest read observed a strong write.
  bool has_read_strong() const { return has_read_strong_; }

 private:
  struct Accessor {
    const Access* access = nullptr;
    std::uint32_t index = 0;
    std::uint32_t lanes = 0;  // one lane; for an mbarrier operation, lanes that know the same
    const Known* known = nullptr;
    bool changed = true;  // a write stores another value than was there
    bool global = false;  // memory
  };
  // For each strong write, the threads that have observed it and from which event on.
  struct Seen {
    Thread by;
    EventNumber event = 0;
    std::uint32_t next = 0;
  };

  std::uint32_t Note(const Access& access);
  void Check(const Range& range, const Accessor& now) {
    shadow_.ForEach(range, [&](Shadow::Cell& cell) { CheckCell(&cell, range, now); });
  }
  void CheckCell(Shadow::Cell* cell, const Range& range, const Accessor& now);
  void Append(Pasts* pasts, const Accessor& now);

  static bool IsOwn(const Access& access, const Past& past, const Accessor& now) {
    return access.transfer == 0 && now.access->transfer == 0 && past.lanes == now.lanes &&
           access.at.warp == now.access->at.warp && access.at.cta == now.access->at.cta;
  }
  bool IsOrdered(const Past& past, const Accessor& now) const;
  bool IsPipelined(const Access& a, const Access& b) const;
  bool IsMorallyStrong(const Access& a, const Access& b) const;
  static bool IsAfter(const Thread& thread, EventNumber event, const Accessor& now);
  bool HasSeen(const Past& past, const Accessor& now) const;
  bool Sees(const Past& last, const Accessor& now) const;

  void Race(const Past& past, const Range& range, const Accessor& now);
  void NameIdleWait(const char* which, const Access& access, Suspicion* suspicion) const;
  std::string WhatIsMissed(const Thread& first, const Access& access, const Accessor& now) const;
  std::vector<Collective> WouldOrder(const Past& past, const Accessor& now) const;
  std::string PlaceOf(std::uint32_t pc) const {
    return world_.program().Place(world_.program().code[pc].line);
  }

  const World& world_;
  Threads& threads_;
  const Transfers& transfers_;
  const Meetings& meetings_;
  Suspicions& suspicions_;
  std::vector<Access> accesses_;
  Place last_;  // of the latest access by a lane
  std::uint64_t last_address_ = 0;
  EventNumber last_event_ = 0;
  bool has_read_strong_ = false;
  Shadow shadow_;
  std::vector<Seen> seen_{1};
  struct OfWarp {
    Place idle;  // lanes whose latest wait was over at once
    bool is_fresh = false;
    EventNumber acted = 0;
  };
  std::map<std::pair<std::uint64_t, unsigned>, OfWarp> of_warp_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_MEMORY_RACES_H_
