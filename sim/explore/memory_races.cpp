// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/memory_races.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

// How many unordered accesses to a byte are kept.
constexpr std::size_t kMostPast = 1024;

}  // namespace

// ------------------------------------------------------------------------------------------------
// Order
// ------------------------------------------------------------------------------------------------

// Whether the earlier access is performed before the current one, by what the current accessor
// knows.
bool MemoryRaces::IsOrdered(const Past& past, const Accessor& now) const {
  const Access& access = accesses_[past.access];
  const Access& mine = *now.access;
  if (access.transfer != 0) {
    const auto& waited = transfers_.Of(access.transfer).waited;
    return access.transfer == mine.transfer || IsPipelined(access, mine) ||
           std::any_of(waited.begin(), waited.end(), [&](const Waited& one) {
             return one.IsFor(access.part) && IsAfter(one.thread, one.event, now);
           });
  }
  if (IsOwn(access, past, now)) {
    return true;
  }
  // A lane's own accesses are ordered by program order.
  const bool is_own_warp = mine.transfer == 0 && access.at.warp == mine.at.warp &&
                           access.at.cta == mine.at.cta && Ones(now.lanes) == 1;
  const std::uint32_t lanes = is_own_warp ? past.lanes & ~now.lanes : past.lanes;
  const Thread first = ThreadOf(access.at, 0);
  const bool by_proxy = (mine.async || mine.of_map) && access.role != Role::kRead;
  const Clock& clock = !by_proxy     ? now.known->memory
                       : mine.of_map ? now.known->maps
                       : now.global  ? now.known->async_global
                                     : now.known->async_shared;
  return clock.Knows(first, access.event, lanes) ||
         (access.role == Role::kMakes && now.known->inits.Knows(first, access.event, lanes)) ||
         (!by_proxy && HasSeen(past, now));
}

// Operations of tensor cores that one thread has started are done in their order.
bool MemoryRaces::IsPipelined(const Access& a, const Access& b) const {
  return b.transfer != 0 && a.at.cta == b.at.cta && a.at.warp == b.at.warp &&
         a.at.lanes == b.at.lanes && transfers_.Of(a.transfer).of_tensor_core &&
         transfers_.Of(b.transfer).of_tensor_core;
}

// Whether the accessor is that thread, after the event, or knows of the event.
bool MemoryRaces::IsAfter(const Thread& thread, EventNumber event, const Accessor& now) {
  const Place& at = now.access->at;
  return (now.access->transfer == 0 && thread.cta == at.cta &&
          thread.index / kWarpSize == at.warp && 1U << thread.index % kWarpSize == now.lanes) ||
         now.known->memory.Knows(thread, event);
}

// "X precedes some operation Z in observation order, and Z precedes Y in base causality order."
bool MemoryRaces::HasSeen(const Past& past, const Accessor& now) const {
  for (std::uint32_t i = past.observed; i != 0; i = seen_[i].next) {
    if (IsAfter(seen_[i].by, seen_[i].event, now)) {
      return true;
    }
  }
  return false;
}

bool MemoryRaces::IsMorallyStrong(const Access& a, const Access& b) const {
  return a.ordering.IsStrong() && b.ordering.IsStrong() && a.size == b.size &&
         threads_.BothInclude(a.ordering.scope, a.at.cta, b.ordering.scope, b.at.cta);
}

// A strong read observes the latest strong write.
bool MemoryRaces::Sees(const Past& last, const Accessor& now) const {
  const Role role = now.access->role;
  return (role == Role::kRead || role == Role::kAtomic) && now.access->ordering.IsStrong() &&
         now.access->transfer == 0 && IsMorallyStrong(accesses_[last.access], *now.access);
}

void MemoryRaces::CheckCell(Shadow::Cell* cell, const Range& range, const Accessor& now) {
  const Role role = now.access->role;
  if (role == Role::kMbarrier && cell->is_mbarrier) {
    Append(&cell->writes, now);  // atomic operations do not race with each other
    return;
  }
  cell->is_mbarrier = false;
  Past* const last = cell->writes.empty() ? nullptr : &cell->writes.back();
  const bool sees = last != nullptr && Sees(*last, now);
  if (role == Role::kRead) {
    has_read_strong_ = last != nullptr && accesses_[last->access].ordering.IsStrong();
    if (sees && !IsOrdered(*last, now)) {
      seen_.push_back(
          {ThreadOf(now.access->at, First(now.lanes)), now.access->event, last->observed});
      last->observed = static_cast<std::uint32_t>(seen_.size() - 1);
    }
    for (const Past& past : cell->writes) {
      if (!IsOrdered(past, now) && !IsMorallyStrong(accesses_[past.access], *now.access)) {
        Race(past, range, now);
      }
    }
    Append(&cell->reads, now);
    return;
  }
  const auto settle = [&](Pasts* pasts) {
    pasts->Remove([&](const Past& past) {
      if ((sees && &past == last) || IsOrdered(past, now)) {
        return true;
      }
      const Access& access = accesses_[past.access];
      if (IsMorallyStrong(access, *now.access)) {
        return false;
      }
      // Two stores of the same value: the result does not depend on which is the last.
      if (access.role != Role::kWrite || now.changed) {
        Race(past, range, now);
      }
      return true;
    });
  };
  settle(&cell->writes);
  settle(&cell->reads);
  cell->is_mbarrier = role == Role::kMbarrier && cell->writes.empty() && cell->reads.empty();
  cell->writes.push_back({now.index, now.lanes});
  cell->writes.Limit(kMostPast);
}

// Now and then removes accesses that the current one is ordered after, except weak accesses that it
// does not cover. Lanes that executed together share one record.
void MemoryRaces::Append(Pasts* pasts, const Accessor& now) {
  if (!pasts->empty() && pasts->back().access == now.index) {
    pasts->back().lanes |= now.lanes;
    return;
  }
  const auto stands_for = [&](const Past& past) {
    return !now.access->ordering.IsStrong() || accesses_[past.access].ordering.IsStrong();
  };
  if (pasts->IsLong()) {
    pasts->Remove([&](const Past& past) { return stands_for(past) && IsOrdered(past, now); });
    pasts->NoteLength();
  } else if (!pasts->empty() && IsOwn(accesses_[pasts->back().access], pasts->back(), now) &&
             stands_for(pasts->back())) {
    pasts->pop_back();
  }
  pasts->push_back({now.index, now.lanes});
  pasts->Limit(kMostPast);
}

// ------------------------------------------------------------------------------------------------
// Suspicions
// ------------------------------------------------------------------------------------------------

// Returns the latest collective between the two accesses whose members know the first one.
std::vector<Collective> MemoryRaces::WouldOrder(const Past& past, const Accessor& now) const {
  const std::vector<Meeting>& meetings = meetings_.told();
  const auto found = std::find_if(meetings.rbegin(), meetings.rend(), [&](const Meeting& meeting) {
    const Place& at = meeting.what.at;
    Accessor told = now;
    told.known = &*meeting.known;
    return now.known->must.Knows(ThreadOf(at, 0), meeting.event, at.lanes) && IsOrdered(past, told);
  });
  return found == meetings.rend() ? std::vector<Collective>() : std::vector{found->what};
}

// Tells of an acquire before the second access that has seen a release of the first, at a scope
// that is too small. Empty: there is none.
std::string MemoryRaces::WhatIsMissed(const Thread& first, const Access& access,
                                      const Accessor& now) const {
  const Missed* const missed =
      now.access->transfer != 0 ? nullptr
                                : threads_.MissedBy(now.access->at, now.lanes, first, access.event);
  if (missed == nullptr) {
    return "";
  }
  constexpr const char* kScopes[] = {".cta", ".cluster", ".gpu", ".sys"};
  const char* const scope = kScopes[static_cast<unsigned>(missed->scope)];
  return missed->of_release
             ? fmt::format(
                   "; {} has seen a release of it, but one of the scope {}, which does not "
                   "include that thread's CTA",
                   PlaceOf(missed->at.pc), scope)
             : fmt::format(
                   "; {} has seen a release of it, but acquires at the scope {}, which does "
                   "not include the CTA of the first",
                   PlaceOf(missed->at.pc), scope);
}

void MemoryRaces::Race(const Past& past, const Range& range, const Accessor& now) {
  const Access& a = accesses_[past.access];
  const Access& b = *now.access;
  const bool of_object = a.role >= Role::kMakes || b.role >= Role::kMakes;
  // Selects one lane, of several, whose access is not ordered before.
  unsigned lane = First(past.lanes);
  ForEachBit(past.lanes & (past.lanes - 1), [&](unsigned other) {
    const Past one{past.access, 1U << lane, past.observed};
    lane = IsOrdered(one, now) ? other : lane;
  });
  const Thread thread = ThreadOf(a.at, lane);
  const bool visible =
      a.transfer == 0 && (b.async || b.of_map) && now.known->memory.Knows(thread, a.event);
  Suspicion suspicion;
  suspicion.kind = of_object                                        ? Kind::kLifetime
                   : visible                                        ? Kind::kProxyRace
                   : (a.async || a.of_map) && a.role == Role::kRead ? Kind::kSourceOverwritten
                                                                    : Kind::kDataRace;
  if (!suspicions_.IsNews(suspicion.kind, a.at, b.at)) {
    return;
  }
  const bool must = a.transfer == 0 ? now.known->must.Knows(thread, a.event)
                                    : transfers_.HasWaited(a.transfer, now.known->must, a.part);
  const auto side = [](const Access& access, unsigned lane) {
    constexpr const char* kDoes[] = {"reads", "writes", "changes", "makes or ends an mbarrier in",
                                     "uses an mbarrier in"};
    Side one{access.at,
             access.step,
             access.transfer,
             {kDoes[static_cast<unsigned>(access.role)], "", access.size}};
    one.at.lanes = 1U << lane;
    return one;
  };
  suspicion.first = side(a, lane);
  suspicion.second = side(b, First(now.lanes));
  suspicion.first_event = a.event;
  suspicion.second_event = b.event;
  suspicion.object = range;
  suspicion.of_memory_model = must || visible;
  suspicion.collectives = WouldOrder({past.access, 1U << lane, past.observed}, now);
  suspicion.why =
      visible && b.of_map
          ? "the first is in the generic proxy and the second in the tensormap proxy, and there is "
            "no fence.proxy.tensormap that releases, and then one that acquires, between them"
      : visible
          ? "the first is in the generic proxy and the second in the async proxy, and there is no "
            "fence.proxy.async between them"
      : must ? "the first comes before the second, but no release and acquire of a scope that "
               "includes both makes it visible"
      : a.transfer != 0 ? "nothing waits for the end of the first before the second"
                        : "no barrier, and no release that an acquire has seen, orders them";
  if (must && a.transfer == 0) {
    suspicion.why += WhatIsMissed(thread, a, now);
  }
  if ((a.idle.lanes >> lane & 1) != 0) {
    NameIdleWait("first", a, &suspicion);
  } else if ((b.idle.lanes & now.lanes) != 0) {
    NameIdleWait("second", b, &suspicion);
  }
  suspicions_.Add(std::move(suspicion));
}

// The wait has not kept the lanes of that access from coming too early.
void MemoryRaces::NameIdleWait(const char* which, const Access& access,
                               Suspicion* suspicion) const {
  suspicion->why += fmt::format(
      "; the wait before the {}, at {}, was over at once: {}", which, PlaceOf(access.idle.pc),
      access.is_fresh ? "its mbarrier was fresh, and it waited for the phase before the first"
                      : "it waited for a phase for which its thread had waited before");
  suspicion->idle_wait = IdleWait{access.idle.pc, access.is_fresh};
}

// ------------------------------------------------------------------------------------------------
// Accesses
// ------------------------------------------------------------------------------------------------

std::uint32_t MemoryRaces::Note(const Access& access) {
  accesses_.push_back(access);
  const auto found = of_warp_.find({access.at.cta, access.at.warp});
  if (access.transfer == 0 && found != of_warp_.end()) {
    accesses_.back().idle = found->second.idle;
    accesses_.back().is_fresh = found->second.is_fresh;
  }
  return static_cast<std::uint32_t>(accesses_.size() - 1);
}

// All lanes and elements of an instruction share one event.
std::uint32_t MemoryRaces::ByLane(const Place& at, const Range& range, ptx::Op op,
                                  const ptx::Ordering& ordering, bool changed) {
  const bool same =
      !accesses_.empty() && last_event_ == threads_.latest_event() && last_.cta == at.cta &&
      last_.warp == at.warp && last_.pc == at.pc &&
      (at.lanes > last_.lanes || (at.lanes == last_.lanes && range.address > last_address_));
  if (!same) {
    Access access;
    access.at = at;
    access.event = threads_.NewEvent();
    access.step = world_.steps();
    access.role = op == ptx::Op::kLoad    ? Role::kRead
                  : op == ptx::Op::kStore ? Role::kWrite
                                          : Role::kAtomic;
    access.ordering = ordering;
    access.size = range.size;
    Note(access);
    NoteAction(at);
  }
  last_ = at;
  last_address_ = range.address;
  last_event_ = threads_.latest_event();
  const auto index = static_cast<std::uint32_t>(accesses_.size() - 1);
  Check(range, {&accesses_[index], index, at.lanes, &threads_.KnownOf(at, First(at.lanes)), changed,
                range.owner == kGlobal});
  return index;
}

void MemoryRaces::ByWarp(const Place& at, const Range& range, bool writes) {
  Access access;
  access.at = at;
  access.at.lanes = at.lanes & -at.lanes;
  access.event = threads_.NewEvent();
  access.step = world_.steps();
  access.role = writes ? Role::kWrite : Role::kRead;
  access.size = range.size;
  const std::uint32_t index = Note(access);
  NoteAction(at);
  Check(range, {&accesses_[index], index, access.at.lanes, &threads_.KnownOf(at, First(at.lanes)),
                true, false});
}

void MemoryRaces::ByTransfer(std::uint64_t number, const std::vector<Range>& ranges, bool writes,
                             bool of_map) {
  const Transfer& transfer = transfers_.Of(number);
  Access access;
  access.at = transfer.at;
  access.event = threads_.NewEvent();
  access.step = transfer.step;
  access.transfer = number;
  access.role = !writes ? Role::kRead : transfer.reduces ? Role::kAtomic : Role::kWrite;
  access.part = writes ? Part::kAll : transfers_.PartOf(number, ranges.front());
  // No thread accesses tensor memory otherwise.
  access.async = transfer.async && !of_map && !IsTensorMemory(ranges.front().owner);
  access.of_map = of_map;
  access.size =
      std::accumulate(ranges.begin(), ranges.end(), 0U,
                      [](unsigned size, const Range& range) { return size + range.size; });
  if (writes && transfer.reduces) {
    access.ordering = {ptx::Order::kRelaxed, ptx::Scope::kGpu};
    access.size = transfer.element;
  }
  const std::uint32_t index = Note(access);
  for (const Range& range : ranges) {
    Check(range, {&accesses_[index], index, transfer.at.lanes, &*transfer.known, true,
                  range.owner == kGlobal});
  }
}

std::uint32_t MemoryRaces::ByMbarrier(const Place& at, const Range& word, MbOp op,
                                      EventNumber event, std::uint64_t of, const Past* init) {
  const bool makes = op == MbOp::kInit || op == MbOp::kInval;
  Access access;
  access.at = at;
  access.event = event;
  access.step = of != 0 ? transfers_.Of(of).step : world_.steps();
  access.transfer = of;
  access.role = makes ? Role::kMakes : Role::kMbarrier;
  access.ordering.order = makes ? ptx::Order::kWeak : ptx::Order::kRelaxed;
  access.size = word.size;
  const std::uint32_t index = Note(access);
  const auto check = [&](const Known& known, std::uint32_t lanes) {
    const Accessor now{&accesses_[index], index, lanes, &known, true, false};
    if (!makes && init != nullptr && !IsOrdered(*init, now)) {
      Race(*init, word, now);
    }
    Check(word, now);
  };
  if (of != 0) {
    check(*transfers_.Of(of).known, at.lanes);
  } else {
    threads_.ForEachKnown(at, check);
  }
  return index;
}

void MemoryRaces::NoteWait(const Place& waits, std::uint32_t idle, bool is_fresh) {
  OfWarp& warp = of_warp_[{waits.cta, waits.warp}];
  warp.idle.lanes = (warp.idle.lanes & ~waits.lanes) | idle;
  if (idle != 0) {
    warp.idle.pc = waits.pc;
    warp.is_fresh = is_fresh;
  }
}

bool MemoryRaces::HasActedSince(const Place& at, EventNumber event) const {
  const auto found = of_warp_.find({at.cta, at.warp});
  return found != of_warp_.end() && found->second.acted > event;
}

}  // namespace muster::explore
