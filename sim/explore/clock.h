// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What is known of a run at some point of it: of each thread, the latest event from which there is
// a way here. Clocks share what is the same, and the lanes of a warp that have gone together are
// one number.
#ifndef MUSTER_SIM_EXPLORE_CLOCK_H_
#define MUSTER_SIM_EXPLORE_CLOCK_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/explore/shared.h"
#include "sim/isa/warp_size.h"

namespace muster::explore {

// A thread of a CTA: its warp's number times the lanes of a warp, and its lane. What else has
// events, such as a barrier, is a warp of its own.
struct Thread {
  std::uint64_t cta = 0;
  std::uint32_t index = 0;
};
inline bool operator==(const Thread& a, const Thread& b) {
  return a.cta == b.cta && a.index == b.index;
}

// Events are numbered from 1 on, in the order of the run. 0: none.
using EventNumber = std::uint32_t;

inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

class Clock {
 public:
  // This event of a thread; or of all those that follow `first` in its warp by the bits of `lanes`.
  bool Knows(const Thread& first, EventNumber event, std::uint32_t lanes = 1) const;
  // Knows all that the other one knows.
  bool Covers(const Clock& other) const {
    return rows_.Is(other.rows_) || Covers(*rows_, *other.rows_);
  }
  void Join(const Clock& other) {
    if (!Covers(other)) {
      JoinNews(other);
    }
  }
  // The same with one that it is known not to cover.
  void JoinNews(const Clock& other);
  void Note(const Thread& first, EventNumber event, std::uint32_t lanes = 1);
  // One and the same, not only equal.
  bool Is(const Clock& other) const { return rows_.Is(other.rows_); }

 private:
  using Lanes = std::array<EventNumber, ptx::kWarpSize>;
  // Of a warp.
  struct Entry {
    EventNumber event = 0;            // of these lanes, ...
    std::uint32_t lanes = kAllLanes;  // ... which are one at least, ...
    EventNumber others = 0;           // ... and of all others, ...
    Shared<Lanes> apart;              // ... unless it is more than two numbers: event is the latest

    bool Knows(EventNumber wanted, std::uint32_t of) const;
    EventNumber Latest() const { return std::max(event, others); }
    bool Covers(const Entry& other) const;
    void Join(const Entry& other);
    void Note(const Entry& note);  // one of which the others know nothing
    const Lanes& Numbers(Lanes* space) const;
  };
  struct Row {
    std::vector<Entry> warps;
    EventNumber latest = 0;
  };
  struct OfCta {
    std::uint64_t cta = 0;
    Shared<Row> row;
  };
  using Rows = std::vector<OfCta>;  // in the order of the CTAs

  static bool Covers(const Row& a, const Row& b);
  static bool Covers(const Rows& a, const Rows& b);
  static void Join(Shared<Row>* row, const Shared<Row>& other);

  Shared<Rows> rows_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_CLOCK_H_
