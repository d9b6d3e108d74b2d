// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/locations.h"

#include <algorithm>

#include "sim/explore/object_access.h"
#include "sim/isa/bits.h"

namespace muster::explore {

// "A release pattern on location M synchronizes with an acquire pattern on it that observes it."
void Locations::Access(const Place& at, const Range& range, ptx::Op op,
                       const ptx::Ordering& ordering, EventNumber event) {
  const std::uint64_t key = ObjectOf(range.owner, range.address);
  if (!ordering.IsStrong()) {
    if (op == ptx::Op::kStore) {
      releases_.erase(key);
    } else if (const auto found = releases_.find(key); found != releases_.end()) {
      // It has happened before, though its stores are not visible.
      threads_.AcquireMust(found->second, at);
    }
    return;
  }
  Release& release = releases_[key];
  const unsigned lane = First(at.lanes);
  if (op != ptx::Op::kStore) {
    threads_.Acquire(release, ordering.scope, ordering.Acquires(), at);
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
    release.must = threads_.KnownOf(at, lane).must;
    release.must.Note(ThreadOf(at, lane), event);
  } else {
    // What it knows includes the release that it has just acquired. The two share one clock.
    release.must = threads_.NoteOwn(at, lane, event);
  }
  if (ordering.Releases()) {
    Publish(&release.list, {ordering.scope, at.cta, threads_.Gather(at, event), self});
  } else {
    Threads::PublishRelaxed(threads_.FencesOf(at), ordering.scope, &release);
  }
}

}  // namespace muster::explore
