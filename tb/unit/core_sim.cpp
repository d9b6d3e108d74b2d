// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/core_sim.h"

#include <algorithm>

namespace muster {
namespace {

constexpr unsigned kBarriers = 16;  // of a workgroup

}  // namespace

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

// All warps that have not left meet in a round, or some of them do.
void CoreSim::Make(Workgroup* workgroup) {
  workgroup->size = 1 + Below(OneIn(3) ? 2 : options_.warps);
  const unsigned rounds = OneIn(4) ? 0 : Below(7);
  for (unsigned r = 0; r < workgroup->size; ++r) {
    workgroup->leaves.push_back(options_.early_ends && OneIn(3) ? Below(rounds + 1) : rounds);
  }
  workgroup->rounds.resize(rounds);
  for (unsigned i = 1; i < rounds; ++i) {
    workgroup->rounds[i].again = options_.counts && OneIn(2);
  }
  for (unsigned i = 0; i < rounds; ++i) {
    MakeRound(i, workgroup);
  }
  ChooseBarriers(workgroup);
  workgroup->steps.resize(workgroup->size);
  for (unsigned r = 0; r < workgroup->size; ++r) {
    MakeSteps(r, workgroup);
  }
}

// Warps that meet again in the next round have waited for this one before that.
void CoreSim::MakeRound(unsigned index, Workgroup* workgroup) {
  Round& round = workgroup->rounds[index];
  const bool last = index + 1 == workgroup->rounds.size();
  const bool once_more = !last && workgroup->rounds[index + 1].again;
  const Round* before = round.again ? &workgroup->rounds[index - 1] : nullptr;
  round.all = !options_.counts || (before != nullptr ? before->all : OneIn(2));
  const bool everybody = OneIn(3);
  std::vector<bool> comes;
  for (unsigned r = 0; r < workgroup->size; ++r) {
    const bool met = before != nullptr ? Waits(before->parts[r]) : everybody || OneIn(2);
    comes.push_back(workgroup->leaves[r] > index && (round.all || met));
    round.expected += comes[r] ? 1 : 0;
  }
  const bool uniform = round.all || (!options_.whole_arrive && round.expected == workgroup->size);
  const bool sync = round.all || OneIn(2);
  for (unsigned r = 0; r < workgroup->size; ++r) {
    Part part = once_more
                    ? (workgroup->leaves[r] > index + 1 ? Part::kArriveAndWait : Part::kArrive)
                    : (OneIn(2) ? Part::kArriveAndWait : Part::kArrive);
    if (uniform ? sync : OneIn(2)) {
      part = Part::kSync;
    }
    round.parts.push_back(comes[r] ? part : Part::kAbsent);
  }
}

// A barrier is used again where no warp can arrive before its last round is over, and none can miss
// the end of that by waiting too late.
void CoreSim::ChooseBarriers(Workgroup* workgroup) {
  const auto may_follow = [workgroup](const Round& before, const Round& after) {
    bool may = true;
    for (unsigned r = 0; r < workgroup->size; ++r) {
      const bool comes = after.parts[r] != Part::kAbsent;
      may = may && (comes ? Waits(before.parts[r]) : before.parts[r] != Part::kArriveAndWait);
    }
    return may;
  };
  std::vector<unsigned> latest;  // rounds, by barrier
  const unsigned first = Below(kBarriers);
  for (unsigned i = 0; i < workgroup->rounds.size(); ++i) {
    Round& round = workgroup->rounds[i];
    unsigned b = 0;
    while (b < latest.size() && (OneIn(4) || !may_follow(workgroup->rounds[latest[b]], round))) {
      ++b;
    }
    if (b == latest.size()) {
      latest.push_back(i);
    } else {
      round.phase = !workgroup->rounds[latest[b]].phase;
      latest[b] = i;
    }
    round.bar = (first + b) % kBarriers;
  }
}

// The wait for an arrival comes up to three rounds later, and before the warp's next arrival at
// that barrier.
void CoreSim::MakeSteps(unsigned rank, Workgroup* workgroup) {
  struct Wait {
    unsigned round, before;
  };
  std::vector<Action>& steps = workgroup->steps[rank];
  std::deque<Wait> waits;
  const auto flush = [&](const auto& due) {
    for (auto wait = waits.begin(); wait != waits.end();) {
      if (due(*wait)) {
        steps.push_back({CoreRequest::Control::kWait, wait->round});
        wait = waits.erase(wait);
      } else {
        ++wait;
      }
    }
  };
  for (unsigned i = 0; i < workgroup->leaves[rank]; ++i) {
    const Part part = workgroup->rounds[i].parts[rank];
    if (part == Part::kAbsent) {
      continue;
    }
    flush([&](const Wait& wait) {
      return wait.before <= i || workgroup->rounds[wait.round].bar == workgroup->rounds[i].bar;
    });
    steps.push_back(
        {part == Part::kSync ? CoreRequest::Control::kSync : CoreRequest::Control::kArrive, i});
    if (part == Part::kArriveAndWait) {
      waits.push_back({i, i + 1 + Below(3)});
    }
  }
  flush([](const Wait& /*wait*/) { return true; });
}

CoreSim::Round& CoreSim::RoundOf(const Warp& warp) {
  Workgroup& workgroup = workgroups_[warp.workgroup];
  return workgroup.rounds[workgroup.steps[warp.rank][warp.step].round];
}

// A barrier opens when all warps that have not ended wait at it, those not dispatched yet among
// them; or when as many warps as it expects have arrived.
void CoreSim::Open(Workgroup* workgroup, bool by_end) {
  for (Round& round : workgroup->rounds) {
    const std::size_t needed = round.all ? workgroup->size - workgroup->ended : round.expected;
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
    Round& round = RoundOf(warp);
    if (!round.opened) {
      if (may) {
        Complain("warp " + std::to_string(w) + " runs before its barrier opens");
      }
      return;
    }
    for (const unsigned other : round.waiting) {
      if (warp.waits_with_all && ((runs >> other & 1) != 0) != may) {
        Complain("warps " + std::to_string(w) + " and " + std::to_string(other) +
                 " of a barrier run in different cycles");
      }
    }
  }
  if (may && warp.state == State::kPasses && !warp.answered) {
    Complain("warp " + std::to_string(w) + " runs before it is answered the phase");
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
    ++warp.step;
  }
  warp.state = State::kRuns;
  warp.ready_at = cycle_ + (OneIn(2) ? 0 : Below(OneIn(4) ? 60 : 8));
}

void CoreSim::Joined(unsigned warp) { --warps_[warp].to_join; }

void CoreSim::Answered(const CoreAnswer& answer) {
  Warp& warp = warps_[answer.warp];
  if (warp.state != State::kPasses || warp.answered) {
    Complain("warp " + std::to_string(answer.warp) + " is answered, and has not arrived");
  } else if (RoundOf(warp).phase != answer.phase) {
    Complain("warp " + std::to_string(answer.warp) + " is answered another phase");
  } else {
    const unsigned round = workgroups_[warp.workgroup].steps[warp.rank][warp.step].round;
    warp.phases |= answer.phase ? 1U << round : 0;
    warp.answered = true;
    cover_.odd += answer.phase ? 1 : 0;
  }
}

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
    warp.step = warp.phases = 0;
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
    request->warp = w;
    if (warp.step == workgroups_[warp.workgroup].steps[warp.rank].size()) {
      End(w, request);
    } else {
      Present(w, request);
    }
    return;
  }
}

void CoreSim::End(unsigned w, CoreRequest* request) {
  Warp& warp = warps_[w];
  Workgroup& workgroup = workgroups_[warp.workgroup];
  request->control = CoreRequest::Control::kEnd;
  cover_.ended_early += warp.to_join != 0 ? 1 : 0;
  for (const Round& round : workgroup.rounds) {
    const bool passed = round.parts[warp.rank] == Part::kArrive;
    cover_.passed_and_ended += passed && !round.opened ? 1 : 0;
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
}

// A warp reaches a barrier. Its requests and those of others are carried out in their order.
void CoreSim::Present(unsigned w, CoreRequest* request) {
  Warp& warp = warps_[w];
  Workgroup& workgroup = workgroups_[warp.workgroup];
  const Action action = workgroup.steps[warp.rank][warp.step];
  Round& round = workgroup.rounds[action.round];
  request->control = action.control;
  request->bar = round.bar;
  request->expected = round.all ? workgroup.size : round.expected;
  request->phase = (warp.phases >> action.round & 1) != 0;
  cover_.arrived_early += warp.to_join != 0 ? 1 : 0;
  warp.since = cycle_;
  if (action.control == CoreRequest::Control::kArrive) {
    ++cover_.passed;
    warp.state = State::kPasses;
    warp.answered = false;
  } else {
    warp.state = State::kWaits;
    warp.waits_with_all = !round.opened;
    if (warp.waits_with_all) {
      round.waiting.insert(w);
    }
  }
  if (action.control == CoreRequest::Control::kWait) {
    ++(round.opened ? cover_.waited_late : cover_.waited);
  } else {
    ++round.arrived;
    Open(&workgroup, false);
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
