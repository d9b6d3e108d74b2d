// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/golden/visibility.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace muster::golden {
namespace {

constexpr std::size_t IndexOf(Visibility::Reach reach) { return static_cast<std::size_t>(reach); }

}  // namespace

Visibility::Reach Visibility::Distance(const Thread& a, const Thread& b) {
  return a.cta == b.cta ? Reach::kCta : a.cluster == b.cluster ? Reach::kCluster : Reach::kAll;
}

bool Visibility::Overlaps(const Write& write, const Place& place, unsigned bytes) {
  return write.place.memory == place.memory && write.place.address < place.address + bytes &&
         place.address < write.place.address + write.bytes;
}

const Visibility::Ids* Visibility::At(const Place& place) const {
  const auto found = blocks_.find(KeyOf(place));
  return found == blocks_.end() ? nullptr : &found->second;
}

void Visibility::Advance(std::uint64_t cycle) {
  cycle_ = cycle;
  while (!writes_.empty() && writes_.front().cycle + window_ < cycle) {
    const auto block = blocks_.find(KeyOf(writes_.front().place));
    if (block != blocks_.end() && !block->second.empty() && block->second.front() == first_) {
      block->second.erase(block->second.begin());
      if (block->second.empty()) {
        blocks_.erase(block);
      }
    }
    writes_.pop_front();
    ++first_;
  }
}

// ------------------------------------------------------------------------------------------------
// Stores
// ------------------------------------------------------------------------------------------------

void Visibility::Store(const Thread& thread, const Place& place, const std::uint8_t* before,
                       const std::uint8_t* after, unsigned bytes, std::uint32_t tag) {
  Write write;
  write.by = thread;
  write.place = place;
  write.bytes = bytes;
  write.cycle = cycle_;
  write.tag = tag;
  std::memcpy(write.before.data(), before, bytes);
  std::memcpy(write.after.data(), after, bytes);
  blocks_[KeyOf(place)].push_back(Next());
  threads_[thread.name].own.push_back(Next());
  writes_.push_back(std::move(write));
}

void Visibility::Settle(const Place& place, std::uint64_t bytes) {
  if (blocks_.empty()) {
    return;
  }
  const std::uint64_t last = (place.address + bytes - 1) / kBlock;
  for (std::uint64_t block = place.address / kBlock; block <= last; ++block) {
    const auto found = blocks_.find({place.memory, block});
    if (found == blocks_.end()) {
      continue;
    }
    Ids& ids = found->second;
    ids.erase(std::remove_if(ids.begin(), ids.end(),
                             [&](Point id) {
                               const Place& at = WriteOf(id).place;
                               return at.address < place.address + bytes &&
                                      place.address < at.address + WriteOf(id).bytes;
                             }),
              ids.end());
    if (ids.empty()) {
      blocks_.erase(found);
    }
  }
}

void Visibility::SettleAll() {
  first_ = Next();
  writes_.clear();
  blocks_.clear();
}

// ------------------------------------------------------------------------------------------------
// Causality order
// ------------------------------------------------------------------------------------------------

bool Visibility::Knows(const Thread& thread, const State& state, const Write& write) const {
  const std::size_t distance = IndexOf(Distance(thread, write.by));
  if (write.by.name == thread.name || write.released[distance] <= state.acquired[distance] ||
      std::find(write.seen.begin(), write.seen.end(), thread.name) != write.seen.end()) {
    return true;
  }
  return std::any_of(write.passed.begin(), write.passed.end(), [&](const Write::Passed& passed) {
    const std::uint64_t group = passed.reach == Reach::kCta ? thread.cta : thread.cluster;
    return passed.group == group && passed.time <= state.acquired[IndexOf(passed.reach)];
  });
}

// The thread, which knows the store, releases it. Whom it does not reach from there, though the
// scope has them, it reaches by the thread's own CTA or cluster.
void Visibility::Perform(const Thread& thread, Reach scope, Write* write) const {
  if (Distance(thread, write->by) <= scope) {
    for (std::size_t k = 0; k <= IndexOf(scope); ++k) {
      write->released[k] = std::min(write->released[k], now_);
    }
    return;
  }
  const std::uint64_t group = scope == Reach::kCta ? thread.cta : thread.cluster;
  const bool there = std::any_of(
      write->passed.begin(), write->passed.end(),
      [&](const Write::Passed& other) { return other.reach == scope && other.group == group; });
  if (!there) {
    write->passed.push_back({scope, group, now_});
  }
}

// Of the stores before that one. Those of the CTA that it has acquired are released to the CTA
// already; those from elsewhere, too, since what one thread of it has acquired its others acquire
// with it.
void Visibility::Release(const Thread& thread, Reach scope, Point before) {
  ++now_;
  State& state = threads_[thread.name];
  for (Ids* const ids : {&state.own, &state.seen}) {
    ids->erase(std::remove_if(ids->begin(), ids->end(),
                              [&](Point id) {
                                if (!IsThere(id)) {
                                  return true;
                                }
                                if (id < before) {
                                  Perform(thread, scope, &WriteOf(id));
                                }
                                return WriteOf(id).released[IndexOf(Reach::kAll)] != kNever;
                              }),
               ids->end());
  }
  for (Point id = first_; scope != Reach::kCta && id < std::min(before, Next()); ++id) {
    if (Knows(thread, state, WriteOf(id))) {
      Perform(thread, scope, &WriteOf(id));
    }
  }
}

void Visibility::ReleaseFence(const Thread& thread, Reach scope, Point before) {
  threads_[thread.name].fenced[IndexOf(scope)] = std::min(before, Next());
}

void Visibility::StrongWrite(const Thread& thread) {
  const auto found = threads_.find(thread.name);
  if (found == threads_.end()) {
    return;
  }
  for (const Reach scope : {Reach::kCta, Reach::kCluster, Reach::kAll}) {
    const Point before = std::exchange(found->second.fenced[IndexOf(scope)], 0);
    if (before != 0) {
      Release(thread, scope, before);
    }
  }
}

// What other threads of the CTA, or of the cluster, have acquired from further away comes with it.
void Visibility::AcquireFrom(const Thread& thread, Reach scope, std::uint64_t time) {
  State& state = threads_[thread.name];
  Times& cta = ctas_[thread.cta];
  Times& cluster = clusters_[thread.cluster];
  for (std::size_t k = 0; k < kReaches; ++k) {
    const std::uint64_t there = k <= IndexOf(scope)    ? time
                                : scope == Reach::kCta ? cta[k]
                                                       : cluster[k];
    state.acquired[k] = std::max(state.acquired[k], there);
    cta[k] = std::max(cta[k], state.acquired[k]);
    cluster[k] = std::max(cluster[k], state.acquired[k]);
  }
}

void Visibility::AcquireFence(const Thread& thread, Reach scope) {
  AcquireFrom(thread, scope, threads_[thread.name].strong_read);
}

void Visibility::SequentialFence(const Thread& thread, Reach scope, Point before) {
  Release(thread, scope, before);
  AcquireFrom(thread, scope, now_);
}

void Visibility::ProxyFence(const Thread& thread, Spaces spaces, Point before) {
  const State& state = threads_[thread.name];
  for (Point id = first_; id < std::min(before, Next()); ++id) {
    Write& write = WriteOf(id);
    const bool is_global = write.place.memory == 0;
    if (spaces != Spaces::kAll && is_global != (spaces == Spaces::kGlobal)) {
      continue;
    }
    write.proxied = write.proxied || Knows(thread, state, write);
  }
}

// ------------------------------------------------------------------------------------------------
// Loads
// ------------------------------------------------------------------------------------------------

// Whether memory holds what the latest stores have left: nothing else has written there.
bool Visibility::IsAsWritten(const Ids& ids, const Place& place, const std::uint8_t* now,
                             unsigned bytes) const {
  std::uint64_t covered = 0;
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    const Write& write = WriteOf(*id);
    for (unsigned k = 0; k < bytes; ++k) {
      const std::uint64_t byte = place.address + k - write.place.address;
      if (place.address + k < write.place.address || byte >= write.bytes ||
          (covered >> k & 1) != 0) {
        continue;
      }
      covered |= std::uint64_t{1} << k;
      if (write.after[byte] != now[k]) {
        return false;
      }
    }
  }
  return true;
}

template <typename Must>
std::vector<Visibility::Point> Visibility::PointsFrom(const Place& place, const std::uint8_t* now,
                                                      unsigned bytes, Must must) {
  std::vector<Point> points{0};
  const Ids* const ids = At(place);
  if (ids == nullptr) {
    return points;
  }
  if (!IsAsWritten(*ids, place, now, bytes)) {
    Settle(place, bytes);
    return points;
  }
  for (const Point id : *ids) {
    if (!Overlaps(WriteOf(id), place, bytes)) {
      continue;
    }
    if (must(WriteOf(id))) {
      points.clear();
    }
    points.push_back(id);
  }
  return points;
}

std::vector<Visibility::Point> Visibility::Points(const Thread& thread, const Place& place,
                                                  const std::uint8_t* now, unsigned bytes) {
  const State& state = threads_[thread.name];
  return PointsFrom(place, now, bytes,
                    [&](const Write& write) { return Knows(thread, state, write); });
}

std::vector<Visibility::Point> Visibility::ProxyPoints(const Thread& thread, const Place& place,
                                                       const std::uint8_t* now, unsigned bytes) {
  const State& state = threads_[thread.name];
  return PointsFrom(place, now, bytes, [&](const Write& write) {
    return write.proxied && Knows(thread, state, write);
  });
}

void Visibility::BytesAt(Point point, const Place& place, const std::uint8_t* now, unsigned bytes,
                         std::uint8_t* then) const {
  std::memcpy(then, now, bytes);
  const Ids* const ids = At(place);
  if (ids == nullptr) {
    return;
  }
  for (auto id = ids->rbegin(); id != ids->rend() && *id > point; ++id) {
    const Write& write = WriteOf(*id);
    for (unsigned k = 0; k < bytes; ++k) {
      const std::uint64_t byte = place.address + k - write.place.address;
      if (place.address + k >= write.place.address && byte < write.bytes) {
        then[k] = write.before[byte];
      }
    }
  }
}

void Visibility::See(const Thread& thread, Point point, const Place& place, unsigned bytes) {
  const Ids* const ids = At(place);
  if (ids == nullptr) {
    return;
  }
  State& state = threads_[thread.name];
  for (const Point id : *ids) {
    Write& write = WriteOf(id);
    if (id <= point && Overlaps(write, place, bytes) && !Knows(thread, state, write)) {
      write.seen.push_back(thread.name);
      state.seen.push_back(id);
    }
  }
}

}  // namespace muster::golden
