// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Finds out what other orders of a launch's events can lead to: predicts along some runs, exhausts
// all orders if possible, and drives the remaining suspicions to a witness. Knows what a bad end is
// from its caller alone, and nothing of reports.
#ifndef MUSTER_SIM_EXPLORE_EXPLORER_H_
#define MUSTER_SIM_EXPLORE_EXPLORER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/explore/analysis.h"
#include "sim/explore/exhaust.h"
#include "sim/explore/suspicion.h"
#include "sim/explore/trace.h"
#include "sim/explore/world.h"
#include "sim/ptx/simt/random.h"

namespace muster::explore {

// A bad end of an order.
struct BadEnd {
  Kind kind = Kind::kDeadlock;
  std::string what;         // "fault:count_mismatch", "out[3] is 0, not 7"
  std::optional<Place> at;  // where, if it has a place
};

struct ExplorerOptions {
  std::uint64_t seed = 1;
  std::uint64_t bound = ~std::uint64_t{0};  // classes of orders; 0: no search
  std::uint64_t predictions = 24;           // runs to follow with vector clocks
  std::uint64_t attempts = 200;             // runs to find a witness of a suspicion
  unsigned jobs = 1;                        // orders at a time
  bool until_finding = false;               // the first finding is enough, and a race beside it
  // Asked often: whether that share of the time is over and what has it must stop.
  std::function<bool(double share)> is_over;
  // Called now and then with the progress.
  std::function<void(const std::string& doing, std::uint64_t count)> progress;
  // Called with each finding at once.
  std::function<void(const Suspicion& what)> found;
};

struct Finding {
  Suspicion what;
  std::string ending;            // how the witness ends: "completes", "deadlock" or others
  bool is_bad = false;           // the end is not what the manifest expects
  std::vector<ptx::Turn> turns;  // the schedule of the witness
  std::size_t needed = 0;        // how many of its turns must happen
  std::vector<ptx::Turn> pair;   // its two events, in their order there; empty: it is a bad end
  bool is_minimal = false;       // each of its turns is needed
  // Of a deadlock that has run on the unit: what each barrier lacks, as the run says.
  std::vector<std::string> lacks = {};
  std::vector<std::string> hints = {};  // of a deadlock: what findings beside it say may be wrong
  std::vector<Place> standing;          // where the threads stand at its end
};
struct Unconfirmed {
  Suspicion what;
  std::string tried;             // what was tried to confirm it, and the result
  std::vector<ptx::Turn> turns;  // of the order that came nearest to that
  std::size_t needed = 0;
};

struct Explored {
  std::vector<Finding> findings;
  std::vector<Unconfirmed> suspicions;
  std::vector<Suspicion> lints;
  bool complete = false;  // every order was seen
  // The search ended early: it had reversed steps at each two instructions that conflict, and had
  // seen nothing new for long.
  bool settled = false;
  // Effects that differ between runs and that no step of the world stands for. If there are any,
  // the search is not complete.
  std::vector<LeftOut> left_out;
  std::uint64_t classes = 0;
  std::uint64_t runs = 0;  // runs beside the search
};

class Explorer {
 public:
  // `judge` returns what is wrong with how an order has ended. Empty: nothing.
  using Judge = std::function<std::vector<BadEnd>(const World&)>;

  using MakeWorld = std::function<std::unique_ptr<World>()>;

  Explorer(MakeWorld make_world, ExplorerOptions options, Judge judge);

  Explored Run();

 private:
  // A suspicion to be confirmed, and a run that led to it.
  struct Lead {
    Suspicion what;
    ptx::Turn first;
    ptx::Turn second;
  };
  using Key = std::tuple<Kind, std::uint32_t, std::uint32_t>;

  bool IsOver(double share) const { return options_.is_over && options_.is_over(share); }
  bool IsOver() const { return IsOver(1); }
  // Leaves time for what has been found so far: to drive suspicions to a witness, to run witnesses
  // on the unit, and to shrink them.
  bool IsSearchOver() const {
    constexpr double kShare = 0.6;
    return IsOver(leads_.empty() && explored_.findings.empty() ? 1 : kShare);
  }
  bool IsDrivingOver() const {
    constexpr double kShare = 0.8;
    return IsOver(kShare);
  }
  bool IsEnough() const { return options_.until_finding && !explored_.findings.empty(); }
  // Whether to leave the current order before its end.
  bool IsLeft() const {
    constexpr std::uint64_t kMostSteps = 4'000'000;
    constexpr std::uint64_t kAskEach = 1024;  // steps
    return world_.steps() >= kMostSteps || (world_.steps() % kAskEach == kAskEach - 1 && IsOver());
  }
  void Say(const std::string& doing, std::uint64_t count) const {
    if (options_.progress) {
      options_.progress(doing, count);
    }
  }
  static std::pair<Kind, std::string> EndOf(const BadEnd& end);
  static Key KeyOf(const Suspicion& suspicion);
  const Actor& Choose(const std::vector<Actor>& enabled, ptx::Random* random);
  void Predict();
  Exhausted SeeOrders(ExhaustOptions options, unsigned jobs,
                      const std::function<bool()>& is_settled);
  void Exhaust();
  void TakeOrder(const Order& order);
  bool IsShown(const Lead& lead);
  void Witness(const Lead& lead);
  // Runs one order in which `first` waits for `second`. Returns whether `second` came first.
  bool RunReversed(const Lead& lead, std::uint64_t seed, Trace* trace);
  void Conclude(const World& world, const Trace& trace);
  void Take(const World& world, const std::vector<Suspicion>& suspicions, const Trace& trace,
            const std::vector<Actor>& actors);
  bool MayBeNote(const Suspicion& suspicion) const;
  void LeaveOpen(const Suspicion& race);
  std::vector<Suspicion> TakeNotes(const std::vector<Suspicion>& suspicions,
                                   const std::vector<Actor>& actors);
  // Repeats the run and returns its unordered events.
  std::vector<Suspicion> Follow(const std::vector<Actor>& actors, const Collectives& collectives);
  std::string TriedText(std::uint64_t attempts, std::uint64_t reversals,
                        const std::string& end) const;
  void AddFinding(const World& world, const Suspicion& what, const Trace& trace,
                  std::vector<ptx::Turn> pair);
  void Add(Finding finding);

  const MakeWorld make_world_;
  const std::unique_ptr<World> own_world_;
  World& world_;
  ExplorerOptions options_;
  Judge judge_;
  Explored explored_;
  std::unique_ptr<World> other_world_;  // for repeated runs
  std::map<Key, Lead> leads_;
  std::set<Key> found_;
  std::set<std::pair<Kind, std::string>> ends_;
  double latest_news_ = 0;  // of the search, in seconds of the processor
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_EXPLORER_H_
