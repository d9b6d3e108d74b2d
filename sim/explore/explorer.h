// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// From one launch to what other orders of its events can come to: predict along some runs, exhaust
// if that is possible, and drive what is left to a witness.
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

// How an order ended, other than as it should.
struct BadEnd {
  Kind kind = Kind::kDeadlock;
  std::string what;         // "fault:count_mismatch", "out[3] is 0, not 7"
  std::optional<Place> at;  // if it is of one
};

struct ExplorerOptions {
  std::uint64_t seed = 1;
  std::uint64_t bound = ~std::uint64_t{0};  // classes of orders; 0: no search
  std::uint64_t predictions = 24;           // runs that are followed with vector clocks
  std::uint64_t attempts = 200;             // at a witness
  unsigned jobs = 1;                        // orders at a time
  // Asked often: whether the time is over.
  std::function<bool()> is_over;
  // Told now and then.
  std::function<void(const std::string& doing, std::uint64_t count)> progress;
};

struct Finding {
  Suspicion what;
  std::string ending;            // of the order that shows it: "completes", "deadlock", ...
  bool is_bad = false;           // that is not how it should end
  std::vector<ptx::Turn> turns;  // the witness, ...
  std::size_t needed = 0;        // ... of which so many come before the end
  std::vector<Place> standing;   // where the threads stand at its end
};
struct Unconfirmed {
  Suspicion what;
  std::string tried;  // to confirm it, and what came of that
};

struct Explored {
  std::vector<Finding> findings;
  std::vector<Unconfirmed> suspicions;
  std::vector<Suspicion> lints;
  bool complete = false;  // every order was seen
  // Of what no step of a world is, and which may differ between orders: sentences. Then it is not
  // complete.
  std::vector<std::string> left_out;
  std::uint64_t classes = 0;
  std::uint64_t runs = 0;  // beside these
};

class Explorer {
 public:
  // `judge`: what is wrong with how an order has ended, a list; empty: nothing.
  using Judge = std::function<std::vector<BadEnd>(const World&)>;

  using MakeWorld = std::function<std::unique_ptr<World>()>;

  Explorer(MakeWorld make_world, ExplorerOptions options, Judge judge);

  Explored Run();

 private:
  // A suspicion, and a run that led to it.
  struct Lead {
    Suspicion what;
    ptx::Turn first;
    ptx::Turn second;
  };
  using Key = std::tuple<Kind, std::uint32_t, std::uint32_t>;

  bool IsOver() const { return options_.is_over && options_.is_over(); }
  // Whether the order of now is to be left before its end.
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
  static Key KeyOf(const Suspicion& suspicion);
  const Actor& Choose(const std::vector<Actor>& enabled, ptx::Random* random);
  void Predict();
  void Exhaust();
  void TakeOrder(const Order& order);
  bool IsShown(const Lead& lead);
  void Witness(const Lead& lead);
  // One order in which `first` waits for `second`. Returns whether they came so.
  bool RunReversed(const Lead& lead, std::uint64_t seed, Trace* trace);
  void Conclude(const World& world, const Trace& trace);
  void Take(const World& world, const std::vector<Suspicion>& suspicions, const Trace& trace,
            const std::vector<Actor>& actors);
  bool MayBeNote(const Suspicion& suspicion) const;
  std::vector<Suspicion> TakeNotes(const std::vector<Suspicion>& suspicions,
                                   const std::vector<Actor>& actors);
  // The same run again: what nothing orders in it.
  std::vector<Suspicion> Follow(const std::vector<Actor>& actors, const Collectives& collectives);
  void AddFinding(const World& world, const Suspicion& what, const Trace& trace);

  const MakeWorld make_world_;
  const std::unique_ptr<World> own_world_;
  World& world_;
  ExplorerOptions options_;
  Judge judge_;
  Explored explored_;
  std::unique_ptr<World> other_world_;  // for runs that are followed again
  std::map<Key, Lead> leads_;
  std::set<Key> found_;
  std::set<std::pair<Kind, std::string>> ends_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_EXPLORER_H_
