// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The named barriers of CTAs, at which a thread of a litmus test counts as a warp does.
#ifndef MUSTER_SIM_LITMUS_BARRIER_TABLE_H_
#define MUSTER_SIM_LITMUS_BARRIER_TABLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/litmus/relation.h"
#include "sim/litmus/test.h"

namespace muster::litmus {

class BarrierTable {
 public:
  // Adds an arrival of the thread, as that member, at a barrier by its number. Without a count the
  // barrier is for all threads of the CTA: with `waits` for those that have not exited.
  void Arrive(const Test& test, unsigned thread, std::int64_t number,
              std::optional<std::int64_t> count, bool waits, unsigned member) {
    Entry& entry = entries_[{CtaOf(test, thread), number}];
    if (entry.arrived++ == 0) {
      entry.expected = count ? *count : waits ? 0 : ThreadsOfCta(test, CtaOf(test, thread));
    }
    entry.members |= Of(member);
  }

  struct Met {
    Set members = 0;
    bool for_all = false;  // of the CTA: those that have exited need not arrive
  };

  // Completes the barriers at which all have arrived. live(cta) is the number of threads that have
  // not exited.
  template <typename Live>
  std::vector<Met> Complete(const Live& live) {
    std::vector<Met> met;
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto& [cta, number] = entry->first;
      const std::int64_t expected =
          entry->second.expected != 0 ? entry->second.expected : live(cta);
      if (entry->second.arrived < expected) {
        ++entry;
        continue;
      }
      met.push_back({entry->second.members, entry->second.expected == 0});
      entry = entries_.erase(entry);
    }
    return met;
  }

  bool operator<(const BarrierTable& other) const { return entries_ < other.entries_; }

 private:
  // The arrivals of the present generation.
  struct Entry {
    std::int64_t arrived = 0;
    std::int64_t expected = 0;  // 0: all threads of the CTA that have not exited
    Set members = 0;
    bool operator<(const Entry& other) const {
      return std::tie(arrived, expected, members) <
             std::tie(other.arrived, other.expected, other.members);
    }
  };

  std::map<std::pair<unsigned, std::int64_t>, Entry> entries_;  // by CTA and number
};

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_BARRIER_TABLE_H_
