// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Warp collectives: what lanes that meet at one learn of each other, and which meetings would order
// memory if collectives did. By the PTX text, bar.warp.sync is the only one that does.
#ifndef MUSTER_SIM_EXPLORE_MEETINGS_H_
#define MUSTER_SIM_EXPLORE_MEETINGS_H_

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/explore/suspicion.h"
#include "sim/explore/threads.h"

namespace muster::explore {

// Whether collectives other than bar.warp.sync order the memory of their members. PTX does not
// promise that they do; libraries rely on it.
struct Collectives {
  bool order = false;                     // all collectives order memory
  std::set<std::uint32_t> order_at = {};  // collectives at these instructions order memory
  bool are_told = false;                  // a race names the collective that would order it
};

// A collective that did not order memory, with what its members knew together.
struct Meeting {
  Collective what;
  EventNumber event = 0;
  Shared<Known> known;
};

class Meetings {
 public:
  Meetings(Collectives collectives, Threads* threads)
      : collectives_(std::move(collectives)), threads_(*threads) {}

  void Meet(const Place& at, WarpOp op) {
    const EventNumber event = threads_.NewEvent();
    const Shared<Known> known = threads_.Gather(at, event);
    if (op == WarpOp::kSync || collectives_.order || collectives_.order_at.count(at.pc) != 0) {
      threads_.Learn(at, known);
      return;
    }
    if (collectives_.are_told) {
      told_.push_back({{at, op}, event, known});
    }
    threads_.LearnMust(at, known->must);
  }
  // In the order of the run; empty if no race is to name them.
  const std::vector<Meeting>& told() const { return told_; }

 private:
  const Collectives collectives_;
  Threads& threads_;
  std::vector<Meeting> told_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_MEETINGS_H_
