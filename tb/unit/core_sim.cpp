// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/core_sim.h"

#include <algorithm>

namespace muster {

void CoreSim::Complain(const std::string& what) {
  if (complaint_.empty()) {
    complaint_ = "cycle " + std::to_string(cycle_) + ": " + what;
  }
}

void CoreSim::Reset() {
  warps_.assign(options_.warps, Warp());
  slots_.assign(options_.slots, std::nullopt);
  slot_freed_at_.assign(options_.slots, 0);
  workgroups_.clear();
  begun_ = finished_;  // the workgroups in flight are made anew
  dispatching_.reset();
}

// All warps that have not left meet in every round, or some of them do. A warp leaves after its
// last meeting with others by number.
void CoreSim::Make(Workgroup* workgroup) {
  workgroup->size = 1 + Below(OneIn(3) ? 2 : options_.warps);
  const unsigned size = workgroup->size;
  const unsigned rounds = OneIn(4) ? 0 : Below(7);
  for (unsigned r = 0; r < size; ++r) {
    workgroup->leaves.push_back(options_.early_ends && OneIn(3) ? Below(rounds + 1) : rounds);
  }
  for (unsigned i = 0; i < rounds; ++i) {
    Round round;
    const bool all = !options_.counts || OneIn(2);
    for (unsigned r = 0; r < size; ++r) {
      const bool here = workgroup->leaves[r] > i;
      round.comes.push_back(here && (all || OneIn(2)));
      round.waits.push_back(all || OneIn(2));
      round.expected += round.comes[r] && !all ? 1 : 0;
    }
    if (!options_.whole_arrive && round.expected == size) {
      round.waits.assign(size, true);
    }
    workgroup->rounds.push_back(round);
  }
}

// A barrier opens when all warps that have not ended wait at it, those not dispatched yet among
// them; or when as many warps as it expects have arrived.
void CoreSim::Open(Workgroup* workgroup, bool by_end) {
  for (Round& round : workgroup->rounds) {
    const std::size_t needed =
        round.expected == 0 ? workgroup->size - workgroup->ended : round.expected;
    if (round.opened || round.arrived == 0 || round.arrived != needed) {
      continue;
    }
    round.opened = true;
    ++cover_.opened;
    cover_.opened_by_end += by_end ? 1 : 0;
    for (const unsigned w : round.waiting) {
      warps_[w].since = cycle_;
    }
  }
}

// A warp that waits, passes or was held runs again. All of a barrier do so in the same cycle.
void CoreSim::Run(unsigned w, std::uint64_t runs) {
  Warp& warp = warps_[w];
  const bool may = (runs >> w & 1) != 0;
  if (warp.state == State::kWaits) {
    Round& round = workgroups_[warp.workgroup].rounds[warp.round];
    if (!round.opened) {
      if (may) {
        Complain("warp " + std::to_string(w) + " runs before its barrier opens");
      }
      return;
    }
    for (const unsigned other : round.waiting) {
      if (((runs >> other & 1) != 0) != may) {
        Complain("warps " + std::to_string(w) + " and " + std::to_string(other) +
                 " of a barrier run in different cycles");
      }
    }
  }
  if (!may) {
    if (cycle_ - warp.since > options_.longest) {
      Complain("warp " + std::to_string(w) + " is held for too long");
    }
    return;
  }
  if (warp.state == State::kWaits) {
    cover_.slowest = std::max(cover_.slowest, cycle_ - warp.since);
  }
  if (warp.state == State::kHeld) {
    cover_.longest_held = std::max(cover_.longest_held, cycle_ - warp.since);
  } else {
    ++warp.round;
  }
  warp.state = State::kRuns;
  warp.ready_at = cycle_ + (OneIn(2) ? 0 : Below(OneIn(4) ? 60 : 8));
}

void CoreSim::Joined(unsigned warp) { --warps_[warp].to_join; }

void CoreSim::Held(unsigned warp) {
  warps_[warp].state = State::kHeld;
  warps_[warp].since = cycle_;
  ++cover_.held;
}

// One warp a cycle, of one workgroup until all of its warps have been dispatched.
void CoreSim::Dispatch(CoreRequest* request) {
  if (!dispatching_ && begun_ < options_.workgroups) {
    for (unsigned s = 0; s < options_.slots && !dispatching_; ++s) {
      if (!slots_[s] && (cycle_ / 512 % 2 == 0 || OneIn(8))) {
        workgroups_.emplace_back();
        Make(&workgroups_.back());
        workgroups_.back().slot = s;
        dispatching_ = static_cast<unsigned>(workgroups_.size()) - 1;
        slots_[s] = dispatching_;
        ++begun_;
        cover_.slot_at_once += slot_freed_at_[s] + 1 == cycle_ ? 1 : 0;
      }
    }
  }
  if (!dispatching_ || (cycle_ / 1024 % 2 == 1 && OneIn(2))) {
    return;
  }
  for (unsigned w = 0; w < options_.warps; ++w) {
    Warp& warp = warps_[w];
    if (warp.state != State::kFree) {
      continue;
    }
    Workgroup& workgroup = workgroups_[*dispatching_];
    request->dispatch = {w, workgroup.slot, workgroup.dispatched, workgroup.size};
    cover_.warp_at_once += warp.freed_at + 1 == cycle_ ? 1 : 0;
    warp.state = State::kRuns;
    warp.workgroup = *dispatching_;
    warp.rank = workgroup.dispatched++;
    warp.round = 0;
    warp.ready_at = cycle_ + 1 + (OneIn(2) ? 0 : Below(30));
    ++warp.to_join;
    ++dispatched_;
    if (workgroup.dispatched == workgroup.size) {
      for (const Round& round : workgroup.rounds) {
        cover_.waited_for_dispatch += round.opened || round.waiting.empty() ? 0 : 1;
      }
      dispatching_.reset();
    }
    return;
  }
}

// One warp a cycle reaches a barrier or its end.
void CoreSim::Control(std::uint64_t runs, CoreRequest* request) {
  const unsigned first = Below(options_.warps);
  for (unsigned i = 0; i < options_.warps; ++i) {
    const unsigned w = (first + i) % options_.warps;
    Warp& warp = warps_[w];
    if (warp.state != State::kRuns || warp.ready_at > cycle_) {
      continue;
    }
    if ((runs >> w & 1) == 0) {
      Complain("warp " + std::to_string(w) + " is held, and does not wait");
      continue;
    }
    Workgroup& workgroup = workgroups_[warp.workgroup];
    const unsigned last = workgroup.leaves[warp.rank];
    while (warp.round < last && !workgroup.rounds[warp.round].comes[warp.rank]) {
      ++warp.round;
    }
    request->warp = w;
    if (warp.round == last) {
      request->control = CoreRequest::Control::kEnd;
      cover_.ended_early += warp.to_join != 0 ? 1 : 0;
      for (unsigned r = 0; r < last; ++r) {
        const Round& round = workgroup.rounds[r];
        cover_.passed_and_ended += round.comes[warp.rank] && !round.opened ? 1 : 0;
      }
      warp.state = State::kFree;
      warp.freed_at = cycle_;
      ++workgroup.ended;
      Open(&workgroup, true);
      if (workgroup.ended == workgroup.size) {
        slots_[workgroup.slot].reset();
        slot_freed_at_[workgroup.slot] = cycle_;
        ++finished_;
      }
      return;
    }
    Round& round = workgroup.rounds[warp.round];
    request->control = CoreRequest::Control::kBarrier;
    request->bar = warp.round;
    request->expected = round.expected == 0 ? workgroup.size : round.expected;
    request->waits = round.waits[warp.rank];
    cover_.arrived_early += warp.to_join != 0 ? 1 : 0;
    cover_.passed += request->waits ? 0 : 1;
    warp.state = request->waits ? State::kWaits : State::kPasses;
    warp.since = cycle_;
    ++round.arrived;
    if (request->waits) {
      round.waiting.insert(w);
    }
    Open(&workgroup, false);
    return;
  }
}

CoreRequest CoreSim::Step(std::uint64_t runs) {
  CoreRequest request;
  ++cycle_;
  for (unsigned w = 0; w < options_.warps; ++w) {
    if (warps_[w].state == State::kWaits || warps_[w].state == State::kPasses ||
        warps_[w].state == State::kHeld) {
      Run(w, runs);
    }
  }
  Dispatch(&request);
  Control(runs, &request);
  const auto running = static_cast<unsigned>(std::count_if(
      slots_.begin(), slots_.end(), [](const auto& slot) { return slot.has_value(); }));
  cover_.most_workgroups = std::max(cover_.most_workgroups, running);
  return request;
}

}  // namespace muster
