// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What is known of a run at some point of it: of each thread, the latest event from which there is
// a way here. A clock does not change once it is made, so that threads that met share one, and what
// is joined is only what differs.
#ifndef MUSTER_SIM_EXPLORE_CLOCK_H_
#define MUSTER_SIM_EXPLORE_CLOCK_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace muster::explore {

// A thread of a CTA, or something else of it that has events: a barrier.
struct Thread {
  std::uint64_t cta = 0;
  std::uint32_t index = 0;
};
inline bool operator==(const Thread& a, const Thread& b) {
  return a.cta == b.cta && a.index == b.index;
}

// Events are numbered from 1 on, in the order of the run. 0: none.
using EventNumber = std::uint32_t;

class Clock {
 public:
  using Pointer = std::shared_ptr<const Clock>;  // null: nothing is known

  static EventNumber Of(const Pointer& clock, Thread thread);
  static bool Knows(const Pointer& clock, Thread thread, EventNumber event) {
    return Of(clock, thread) >= event;
  }
  static Pointer Join(const Pointer& a, const Pointer& b);
  // The clock, and this event, at least, of a thread; or of those that follow `first` by the bits
  // of `lanes`.
  static Pointer With(const Pointer& clock, Thread first, EventNumber event,
                      std::uint32_t lanes = 1);

 private:
  using Row = std::vector<EventNumber>;  // by index in the CTA
  using Rows = std::vector<std::pair<std::uint64_t, std::shared_ptr<const Row>>>;

  static std::shared_ptr<const Row> JoinRows(const std::shared_ptr<const Row>& a,
                                             const std::shared_ptr<const Row>& b);

  Rows rows_;  // in the order of the CTAs
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_CLOCK_H_
