// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/exits.h"

#include <algorithm>
#include <utility>

namespace muster::explore {

// A thread that arrived there and exited afterwards is not noted.
void Exits::NotePassed(const std::vector<Arrived>& leavers, const std::vector<Arrived>& arrivals,
                       bool of_all, int bar) {
  if (arrivals.empty()) {
    return;
  }
  const Side& passes = arrivals.back().side;
  if (!suspicions_.IsNews(Kind::kPassedWithout, passes.at, passes.at)) {
    return;
  }
  Suspicion note;
  note.kind = Kind::kPassedWithout;
  note.first = note.second = passes;
  note.object.owner = passes.at.cta;
  note.bar = bar;
  note.why = "it waits for threads that have not exited";
  note.of_memory_model = true;
  for (const Arrived& left : leavers) {
    const auto own = std::find_if(arrivals.begin(), arrivals.end(), [&](const Arrived& one) {
      return one.side.at.cta == left.side.at.cta && one.side.at.warp == left.side.at.warp;
    });
    if (own == arrivals.end() ? of_all : left.event < own->event) {
      note.without.push_back(left.side.at);
    }
  }
  if (!note.without.empty()) {
    suspicions_.Add(std::move(note));
  }
}

}  // namespace muster::explore
