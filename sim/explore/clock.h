// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A vector clock: for each thread, its latest event that is ordered before a point of the run.
// Clocks share equal parts, and lanes of a warp that have executed together share one number. Knows
// nothing of why events are ordered.
#ifndef MUSTER_SIM_EXPLORE_CLOCK_H_
#define MUSTER_SIM_EXPLORE_CLOCK_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/explore/shared.h"
#include "sim/isa/warp_size.h"

namespace muster::explore {

// A thread of a CTA: its warp times the warp size, plus its lane. A barrier, which has events too,
// is a warp of its own.
struct Thread {
  std::uint64_t cta = 0;
  std::uint32_t index = 0;
};
inline bool operator==(const Thread& a, const Thread& b) {
  return a.cta == b.cta && a.index == b.index;
}

// Numbers of events, from 1 on, in the order of the run. 0: no event.
using EventNumber = std::uint32_t;

inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

class Clock {
 public:
  // Whether this clock knows the event of the thread, or of each thread at `first` plus a bit of
  // `lanes`.
  bool Knows(const Thread& first, EventNumber event, std::uint32_t lanes = 1) const;
  // Whether this clock knows all that the other one knows.
  bool Covers(const Clock& other) const {
    return rows_.Is(other.rows_) || Covers(*rows_, *other.rows_);
  }
  void Join(const Clock& other) {
    if (!Covers(other)) {
      JoinNews(other);
    }
  }
  // Joins a clock that this one is known not to cover.
  void JoinNews(const Clock& other);
  void Note(const Thread& first, EventNumber event, std::uint32_t lanes = 1);
  // Whether both share the same storage.
  bool Is(const Clock& other) const { return rows_.Is(other.rows_); }

 private:
  using Lanes = std::array<EventNumber, ptx::kWarpSize>;
  // The events of a warp's lanes.
  struct Entry {
    EventNumber event = 0;            // the latest event of `lanes`
    std::uint32_t lanes = kAllLanes;  // at least one
    EventNumber others = 0;           // the latest event of all other lanes
    // By lane, if there are more than two numbers; `event` is then the latest.
    Shared<Lanes> apart;

    bool Knows(EventNumber wanted, std::uint32_t of) const;
    EventNumber Latest() const { return std::max(event, others); }
    bool Covers(const Entry& other) const;
    void Join(const Entry& other);
    void Note(const Entry& note);  // an event that no other lane knows
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
  using Rows = std::vector<OfCta>;  // ordered by CTA

  static bool Covers(const Row& a, const Row& b);
  static bool Covers(const Rows& a, const Rows& b);
  static void Join(Shared<Row>* row, const Shared<Row>& other);

  Shared<Rows> rows_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_CLOCK_H_
