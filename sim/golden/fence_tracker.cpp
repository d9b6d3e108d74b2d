// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/golden/fence_tracker.h"

#include <algorithm>

namespace muster::golden {
namespace {

bool Names(FenceTracker::Classes classes, unsigned of) { return (classes >> of & 1) != 0; }

}  // namespace

// "Without a request: no access of the warp is outstanding. With a request: all accesses that were
// outstanding in its first cycle are performed". In that cycle itself, these are all.
bool FenceTracker::Acknowledges(unsigned warp, bool requested, Classes classes) const {
  const Warp& of = warps_[warp];
  if (requested && of.waits) {
    return of.awaited.empty();
  }
  return std::none_of(of.accesses.begin(), of.accesses.end(),
                      [&](const Access& access) { return Names(classes, access.of); });
}

bool FenceTracker::HasRoom(unsigned warp, unsigned of) const {
  const Warp& there = warps_[warp];
  const auto same = std::count_if(
      there.accesses.begin(), there.accesses.end(),
      [&](const Access& access) { return access.of == of && access.period == there.periods[of]; });
  return same < most_;
}

bool FenceTracker::Begin(unsigned warp, unsigned of, std::uint64_t number, bool epoch) {
  Warp& there = warps_[warp];
  const std::uint64_t period = there.periods[of];
  const bool tells_apart =
      std::all_of(there.accesses.begin(), there.accesses.end(), [&](const Access& access) {
        return access.of != of || (access.epoch == epoch) == (access.period == period);
      });
  there.accesses.push_back({number, of, period, epoch});
  return tells_apart;
}

const FenceTracker::Access* FenceTracker::Find(unsigned warp, std::uint64_t number) const {
  const std::vector<Access>& accesses = warps_[warp].accesses;
  const auto found = std::find_if(accesses.begin(), accesses.end(),
                                  [&](const Access& access) { return access.number == number; });
  return found == accesses.end() ? nullptr : &*found;
}

void FenceTracker::End(unsigned warp, std::uint64_t number) {
  Warp& of = warps_[warp];
  of.accesses.erase(std::remove_if(of.accesses.begin(), of.accesses.end(),
                                   [&](const Access& access) { return access.number == number; }),
                    of.accesses.end());
  of.awaited.erase(std::remove(of.awaited.begin(), of.awaited.end(), number), of.awaited.end());
}

// What begins in the first cycle of a request is there by now, and waited for, too.
void FenceTracker::Request(unsigned warp, bool requested, Classes classes, bool acknowledged) {
  Warp& of = warps_[warp];
  if (!requested || acknowledged) {
    of.waits = false;
    of.awaited.clear();
    return;
  }
  if (of.waits) {
    return;
  }
  of.waits = true;
  for (const Access& access : of.accesses) {
    if (Names(classes, access.of)) {
      of.awaited.push_back(access.number);
    }
  }
  for (unsigned k = 0; k < of.periods.size(); ++k) {
    of.periods[k] += Names(classes, k) ? 1 : 0;
  }
}

}  // namespace muster::golden
