// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A GPU core as the adapters' tests need it: a scheduler that dispatches workgroups warp by warp,
// runs each warp at once, uses warp slots and workgroup slots again in the next cycle, and presents
// a request when it likes. It knows when each barrier of such a core opens, and complains about a
// warp that runs before, or does not run soon after.
#ifndef TB_UNIT_CORE_SIM_H_
#define TB_UNIT_CORE_SIM_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace muster {

// What workgroups do.
struct CoreOptions {
  unsigned warps = 8;       // warp slots
  unsigned slots = 8;       // workgroup slots
  unsigned workgroups = 0;  // to run
  unsigned seed = 1;
  bool counts = false;       // barriers of some of the warps, and arrivals that do not wait at once
  bool early_ends = true;    // a warp may end while others still meet
  bool whole_arrive = true;  // at a barrier of all warps, some may wait at once, and others not
  unsigned longest = 6000;   // cycles for which a warp is held without need, at most
};

// What the core does in a cycle.
struct CoreRequest {
  struct Dispatch {
    unsigned warp, slot, rank, size;
  };
  // kSync arrives and waits at once, kArrive arrives and is answered the phase, kWait waits for it.
  enum class Control { kNone, kSync, kArrive, kWait, kEnd };

  std::optional<Dispatch> dispatch;
  Control control = Control::kNone;
  unsigned warp = 0;
  unsigned bar = 0;
  unsigned expected = 0;  // warps, of an arrival
  bool phase = false;     // of a wait
};

// The core is answered the phase of an arrival.
struct CoreAnswer {
  unsigned warp;
  bool phase;
};

// How often something that makes it hard has come about.
struct CoreCover {
  unsigned opened = 0;         // barriers
  unsigned opened_by_end = 0;  // barriers opened by the end of a warp that was not there
  unsigned waited_for_dispatch =
      0;                     // barriers at which a warp waited before the last one was dispatched
  unsigned passed = 0;       // arrivals that did not wait at once
  unsigned odd = 0;          // of these, those that were answered phase 1
  unsigned waited = 0;       // waits for a phase that had not completed
  unsigned waited_late = 0;  // waits for a phase that had completed
  unsigned passed_and_ended = 0;  // waits of a warp that ended before the barrier opened
  unsigned arrived_early = 0;     // arrivals of a warp that had not joined
  unsigned ended_early = 0;       // ends of a warp that had not joined
  unsigned held = 0;              // warps that were held at their dispatch
  unsigned slot_at_once = 0;      // workgroup slots used again in the cycle after the last end
  unsigned warp_at_once = 0;      // warp slots used again in the cycle after the end
  unsigned most_workgroups = 0;   // at the same time
  unsigned slowest = 0;       // cycles from the opening of a barrier to its warps' run, the most
  unsigned longest_held = 0;  // cycles from the dispatch of a held warp to its run, the most
};

class CoreSim {
 public:
  explicit CoreSim(const CoreOptions& options) : options_(options), random_(options.seed) {
    Reset();
  }

  // All workgroups in flight are lost; they begin anew.
  void Reset();

  // A cycle: `runs` are the warp slots whose warps may run in it. What the core does in it.
  CoreRequest Step(std::uint64_t runs);

  // Beside it: the unit accepts a join; the warp that is dispatched in this cycle is held; the
  // phase of an arrival.
  void Joined(unsigned warp);
  void Held(unsigned warp);
  void Answered(const CoreAnswer& answer);

  bool Done() const { return finished_ == options_.workgroups; }
  unsigned dispatched() const { return dispatched_; }  // warps
  const std::string& complaint() const { return complaint_; }
  const CoreCover& cover() const { return cover_; }
  unsigned cycle() const { return cycle_; }

 private:
  // One meeting of warps, and what each of them does there.
  enum class Part { kAbsent, kSync, kArrive, kArriveAndWait };  // it waits after other meetings
  struct Round {
    std::vector<Part> parts;  // by rank
    unsigned bar = 0;
    bool phase = false;     // of the barrier
    bool all = false;       // expects all warps that have not ended
    unsigned expected = 0;  // else so many
    bool again = false;     // the warps of the round before meet again
    unsigned arrived = 0;
    std::set<unsigned> waiting;  // warp slots
    bool opened = false;
  };
  struct Action {
    CoreRequest::Control control;  // kSync, kArrive or kWait
    unsigned round;
  };
  struct Workgroup {
    unsigned size = 0, slot = 0;
    unsigned dispatched = 0, ended = 0;
    std::vector<Round> rounds;
    std::vector<unsigned> leaves;            // by rank: it ends instead of this round
    std::vector<std::vector<Action>> steps;  // by rank
  };
  enum class State { kFree, kHeld, kRuns, kWaits, kPasses };
  struct Warp {
    State state = State::kFree;
    unsigned workgroup = 0, rank = 0;
    unsigned step = 0;            // the next one, or the one that it is at
    unsigned phases = 0;          // that it was answered, by round
    bool answered = false;        // at this step
    bool waits_with_all = false;  // of the round, as their release is still to come
    unsigned ready_at = 0;
    unsigned since = 0;     // the cycle in which its barrier opened, it arrived, or was held
    unsigned to_join = 0;   // dispatches that have not joined
    unsigned freed_at = 0;  // the cycle in which the last one ended
  };

  unsigned Below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  bool OneIn(unsigned n) { return Below(n) == 0; }
  void Complain(const std::string& what);
  static bool Waits(Part part) { return part == Part::kSync || part == Part::kArriveAndWait; }
  void Make(Workgroup* workgroup);
  void MakeRound(unsigned index, Workgroup* workgroup);
  void ChooseBarriers(Workgroup* workgroup);
  void MakeSteps(unsigned rank, Workgroup* workgroup);
  Round& RoundOf(const Warp& warp);
  void Dispatch(CoreRequest* request);
  void Control(std::uint64_t runs, CoreRequest* request);
  void Present(unsigned w, CoreRequest* request);
  void End(unsigned w, CoreRequest* request);
  void Run(unsigned w, std::uint64_t runs);
  void Open(Workgroup* workgroup, bool by_end);

  CoreOptions options_;
  std::mt19937 random_;
  std::vector<Warp> warps_;
  std::deque<Workgroup> workgroups_;
  std::vector<std::optional<unsigned>> slots_;  // the workgroup of each slot
  std::vector<unsigned> slot_freed_at_;
  unsigned begun_ = 0, finished_ = 0, dispatched_ = 0, cycle_ = 0;
  std::optional<unsigned> dispatching_;  // the workgroup of which warps are still to be dispatched
  CoreCover cover_;
  std::string complaint_;
};

}  // namespace muster

#endif  // TB_UNIT_CORE_SIM_H_
