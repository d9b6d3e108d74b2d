// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Accesses to memory: which earlier ones they must be ordered after, and what strong ones tell.
#include <fmt/format.h>

#include <algorithm>

#include "sim/explore/analysis.h"
#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

// Accesses to a byte that are kept, of those that no other one follows.
constexpr std::size_t kMostPast = 1024;

std::string Describe(const char* does, unsigned size) {
  return fmt::format("{} {} byte{}", does, size, size == 1 ? "" : "s");
}

}  // namespace

std::uint32_t Analysis::NoteAccess(const Access& access) {
  accesses_.push_back(access);
  return static_cast<std::uint32_t>(accesses_.size() - 1);
}

// Whether an access of before is performed before this one, as the one who comes now sees it.
bool Analysis::IsOrdered(const Past& past, const Accessor& now) const {
  const Access& access = accesses_[past.access];
  const Access& mine = *now.access;
  if (access.transfer != 0) {
    const auto& waited = transfers_.at(access.transfer).waited;
    return access.transfer == mine.transfer ||
           std::any_of(waited.begin(), waited.end(), [&](const Waited& one) {
             const bool own = mine.transfer == 0 && one.thread == ThreadOf(mine.at, now.lane);
             return (!one.reading || access.role == Role::kRead) &&
                    (own || Clock::Knows(now.known->memory, one.thread, one.event));
           });
  }
  const Thread thread = ThreadOf(access.at, past.lane);
  if (mine.transfer == 0 && thread == ThreadOf(mine.at, now.lane)) {
    return true;
  }
  if (access.role == Role::kMakes && Clock::Knows(now.known->inits, thread, access.event)) {
    return true;
  }
  const bool by_proxy = mine.async && access.role != Role::kRead;
  const Clock::Pointer& proxy = now.global ? now.known->async_global : now.known->async_shared;
  if (Clock::Knows(by_proxy ? proxy : now.known->memory, thread, access.event)) {
    return true;
  }
  // "X precedes some operation Z in observation order, and Z precedes Y in base causality order."
  const auto observed = observed_.find({past.access, past.lane});
  return !by_proxy && observed != observed_.end() &&
         std::any_of(observed->second.begin(), observed->second.end(), [&](const Waited& one) {
           return (mine.transfer == 0 && one.thread == ThreadOf(mine.at, now.lane)) ||
                  Clock::Knows(now.known->memory, one.thread, one.event);
         });
}

bool Analysis::IsMorallyStrong(const Access& a, const Access& b) const {
  return a.ordering.IsStrong() && b.ordering.IsStrong() && a.size == b.size &&
         BothInclude(a.ordering.scope, a.at.cta, b.ordering.scope, b.at.cta);
}

void Analysis::Check(const Range& range, const Accessor& now) {
  shadow_.ForEach(range, [&](Shadow::Cell& cell) { CheckCell(&cell, range, now); });
}

// A strong read sees what the latest strong write has left.
void Analysis::Observe(const Shadow::Cell& cell, const Accessor& now) {
  const Role role = now.access->role;
  if (cell.writes.empty() || (role != Role::kRead && role != Role::kAtomic) ||
      !now.access->ordering.IsStrong() || now.access->transfer != 0) {
    return;
  }
  const Past& last = cell.writes.back();
  if (IsMorallyStrong(accesses_[last.access], *now.access) && !IsOrdered(last, now)) {
    observed_[{last.access, last.lane}].push_back(
        {ThreadOf(now.access->at, now.lane), now.access->event, false});
  }
}

void Analysis::CheckCell(Shadow::Cell* cell, const Range& range, const Accessor& now) {
  Observe(*cell, now);
  const bool reads = now.access->role == Role::kRead;
  const auto settle = [&](std::vector<Past>* pasts) {
    pasts->erase(std::remove_if(pasts->begin(), pasts->end(),
                                [&](const Past& past) {
                                  if (IsOrdered(past, now)) {
                                    return true;
                                  }
                                  const Access& access = accesses_[past.access];
                                  if (IsMorallyStrong(access, *now.access)) {
                                    return false;
                                  }
                                  // Two stores of one value: either is the last.
                                  if (access.role != Role::kWrite || now.changed) {
                                    Race(past, range, now);
                                  }
                                  return true;
                                }),
                 pasts->end());
  };
  const Past mine{now.index, static_cast<std::uint8_t>(now.lane)};
  if (!reads) {
    settle(&cell->writes);
    settle(&cell->reads);
    if (cell->writes.size() == kMostPast) {
      cell->writes.erase(cell->writes.begin());
    }
    cell->writes.push_back(mine);
    return;
  }
  for (const Past& past : cell->writes) {
    if (!IsOrdered(past, now) && !IsMorallyStrong(accesses_[past.access], *now.access)) {
      Race(past, range, now);
    }
  }
  // Those that this one follows are forgotten now and then.
  std::vector<Past>& pasts = cell->reads;
  const std::size_t size = pasts.size();
  constexpr std::size_t kFew = 4;
  if (size >= kFew && (size & (size - 1)) == 0) {
    pasts.erase(std::remove_if(pasts.begin(), pasts.end(),
                               [&](const Past& past) { return IsOrdered(past, now); }),
                pasts.end());
  } else if (size != 0) {
    const Past& last = pasts.back();
    if (accesses_[last.access].transfer == 0 && now.access->transfer == 0 &&
        ThreadOf(accesses_[last.access].at, last.lane) == ThreadOf(now.access->at, now.lane)) {
      pasts.pop_back();
    }
  }
  if (pasts.size() < kMostPast) {
    pasts.push_back(mine);
  }
}

void Analysis::Race(const Past& past, const Range& range, const Accessor& now) {
  const Access& a = accesses_[past.access];
  const Access& b = *now.access;
  const auto side = [](const Access& access, unsigned lane) {
    constexpr const char* kDoes[] = {"reads", "writes", "changes", "makes or ends an mbarrier in",
                                     "uses an mbarrier in"};
    Side one{access.at, access.step, access.transfer,
             Describe(kDoes[static_cast<unsigned>(access.role)], access.size)};
    one.at.lanes = 1U << lane;
    return one;
  };
  const bool of_object = a.role >= Role::kMakes || b.role >= Role::kMakes;
  const Thread thread = ThreadOf(a.at, past.lane);
  const bool must = a.transfer == 0 && Clock::Knows(now.known->must, thread, a.event);
  const bool visible =
      a.transfer == 0 && b.async && Clock::Knows(now.known->memory, thread, a.event);
  Suspicion suspicion;
  suspicion.kind = of_object                          ? Kind::kLifetime
                   : visible                          ? Kind::kProxyRace
                   : a.async && a.role == Role::kRead ? Kind::kSourceOverwritten
                                                      : Kind::kDataRace;
  suspicion.first = side(a, past.lane);
  suspicion.second = side(b, now.lane);
  suspicion.object = range;
  suspicion.of_memory_model = must || visible;
  suspicion.why =
      visible
          ? "the first is in the generic proxy and the second in the async proxy, and there is no "
            "fence.proxy.async between them"
      : must ? "the first comes before the second, but no release and acquire of a scope that "
               "includes both makes it visible"
      : a.transfer != 0 ? "nothing waits for the end of the first before the second"
                        : "no barrier, and no release that an acquire has seen, orders them";
  Suspect(std::move(suspicion));
}

void Analysis::OnAccess(const Place& at, const Range& range, ptx::Op op,
                        const ptx::Ordering& ordering, bool changed) {
  const unsigned lane = First(at.lanes);
  // The lanes and elements of one instruction are one event.
  const bool same =
      last_.cta == at.cta && last_.warp == at.warp && last_.pc == at.pc && last_.lanes != 0 &&
      (at.lanes > last_.lanes || (at.lanes == last_.lanes && range.address > last_address_));
  if (!same) {
    Access access;
    access.at = at;
    access.event = EventAt(at);
    access.step = world_.steps();
    access.role = op == ptx::Op::kLoad    ? Role::kRead
                  : op == ptx::Op::kStore ? Role::kWrite
                                          : Role::kAtomic;
    access.ordering = ordering;
    access.size = range.size;
    NoteAccess(access);
  }
  last_.lanes = at.lanes;
  last_address_ = range.address;
  const auto index = static_cast<std::uint32_t>(accesses_.size() - 1);
  Check(range, {&accesses_[index], index, lane, &StateOf(at, lane).known, changed,
                range.owner == kGlobal});
  if (range.owner != kGlobal && range.owner != at.cta) {
    const Thread thread = ThreadOf(at, lane);
    visits_[range.owner][{thread.cta, thread.index}] = index;
  }
  if (ordering.IsStrong() || (op == ptx::Op::kStore && !locations_.empty())) {
    Synchronize(at, range, op, ordering, accesses_[index].event);
  }
}

// "A release pattern on location M synchronizes with an acquire pattern on it that observes it."
void Analysis::Synchronize(const Place& at, const Range& range, ptx::Op op,
                           const ptx::Ordering& ordering, EventNumber event) {
  const std::uint64_t key = ObjectOf(range.owner, range.address);
  if (!ordering.IsStrong()) {
    locations_.erase(key);
    return;
  }
  Release& release = locations_[key];
  const unsigned lane = First(at.lanes);
  if (op != ptx::Op::kStore) {
    Acquire(release, ordering.scope, ordering.Acquires(), at);
  }
  if (op == ptx::Op::kLoad) {
    return;
  }
  // "A release operation on M followed by a strong write on M in program order" is a release, too.
  const std::uint32_t self = ThreadOf(at, lane).index + 1;
  if (op == ptx::Op::kStore) {
    release.list.erase(
        std::remove_if(release.list.begin(), release.list.end(),
                       [&](const Published& one) { return one.cta != at.cta || one.by != self; }),
        release.list.end());
    release.must = nullptr;
  }
  const ThreadState& state = StateOf(at, lane);
  Known known = state.known;
  known.Note(ThreadOf(at, lane), event);
  release.must = Clock::Join(release.must, known.must);
  if (ordering.Releases()) {
    Publish(&release.list, {ordering.scope, at.cta, known, self});
  } else {
    PublishRelaxed(state.fences, ordering.scope, at.cta, &release);
  }
}

// ------------------------------------------------------------------------------------------------
// Transfers
// ------------------------------------------------------------------------------------------------

void Analysis::AccessByTransfer(std::uint64_t number, const Range& range, bool writes) {
  const Transfer& transfer = transfers_[number];
  Access access;
  access.at = transfer.at;
  access.event = ++events_;
  access.step = transfer.step;
  access.transfer = number;
  access.role = !writes ? Role::kRead : transfer.reduces ? Role::kAtomic : Role::kWrite;
  access.async = transfer.async;
  access.size = range.size;
  if (writes && transfer.reduces) {
    access.ordering = {ptx::Order::kRelaxed, ptx::Scope::kGpu};
    access.size = transfer.element;
  }
  const std::uint32_t index = NoteAccess(access);
  last_.lanes = 0;
  Check(range, {&accesses_[index], index, First(transfer.at.lanes), &transfer.known, true,
                range.owner == kGlobal});
}

void Analysis::OnRead(std::uint64_t number, const Range& range) {
  AccessByTransfer(number, range, false);
}

void Analysis::OnWrite(std::uint64_t number, const Range& range) {
  AccessByTransfer(number, range, true);
}

}  // namespace muster::explore
