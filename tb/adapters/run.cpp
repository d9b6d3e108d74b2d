// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/adapters/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/operation.h"
#include "tb/adapters/adapter.h"
#include "tb/adapters/checker.h"
#include "tb/adapters/traffic.h"

namespace muster::adapters {
namespace {

constexpr unsigned kMostCycles = 20000;
// A failure is shortened in so many programs that fail likewise, of so many seeds.
constexpr unsigned kFailures = 8, kMoreSeeds = 400;
constexpr std::size_t kPairsUpTo = 30;  // steps, of which two are removed at once
constexpr unsigned kQuiet = 8;  // cycles after the last event, in which nothing may happen any more

// One run. Warps, and the sources of what comes to an mbarrier from elsewhere, carry out their
// operations one after the other; a warp goes on when it has been released and answered.
class Runner {
 public:
  Runner(const Program& program, Adapter* adapter, bool record)
      : adapter_(*adapter), features_(adapter->features()), checker_(features_), record_(record) {
    for (const Step& step : program.steps) {
      actors_[ActorOf(step)].steps.push_back(&step);
      by_id_[step.id] = &step;
    }
    checker_.Start(program);
    adapter_.Reset();
  }

  Result Go() {
    unsigned quiet = 0;
    for (; run_.cycles < kMostCycles && quiet <= features_.release_within + kQuiet; ++run_.cycles) {
      std::array<const Step*, kPorts> presented{};
      for (unsigned port = 0; port < kPorts; ++port) {
        Present(static_cast<Port>(port));
        presented[port] = ports_[port].step;
      }
      Seen seen;
      adapter_.Cycle(presented, &seen);
      if (!Take(seen) || !CheckWaits() || !checker_.EndOfCycle(run_.cycles, &adapter_)) {
        break;
      }
      for (auto& [key, actor] : actors_) {
        if (!IsIdle(key, actor)) {
          actor.busy_until = run_.cycles + 1;
        }
      }
      quiet = IsActive() ? 0 : quiet + 1;
    }
    run_.failure = checker_.failure();
    run_.tally = checker_.tally();
    return std::move(run_);
  }

 private:
  struct Actor {
    std::vector<const Step*> steps;
    std::size_t next = 0;
    bool under_way = false;  // the step before `next`: presented, or accepted and without effect
    unsigned busy_until = 0;
  };
  struct AtPort {
    const Step* step = nullptr;
    unsigned since = 0;  // presented, and legal
    bool held = false;   // by the unit, rightly
  };
  using Key = std::pair<unsigned, unsigned>;  // the port; a warp, or an mbarrier of all CTAs

  static Key ActorOf(const Step& step) {
    if (step.port == Port::kLifecycle) {
      return {static_cast<unsigned>(step.port), 0};
    }
    return {static_cast<unsigned>(step.port),
            step.port == Port::kWarps ? step.warp() : step.cta() << 16 | step.index()};
  }
  bool IsIdle(const Key& key, const Actor& actor) const {
    return !actor.under_way &&
           (key.first != static_cast<unsigned>(Port::kWarps) || checker_.IsIdle(key.second));
  }

  // All but this one that are presented, or accepted and without effect.
  std::vector<const Step*> UnderWay(const Step* but) const {
    std::vector<const Step*> all;
    for (const AtPort& port : ports_) {
      if (port.step != nullptr && port.step != but) {
        all.push_back(port.step);
      }
    }
    for (const auto& [id, since] : inside_) {
      all.push_back(by_id_.at(id));
    }
    return all;
  }

  bool MayGo(const Step& step) const {
    return IsLegal(features_, step, checker_.core(), checker_.words(), UnderWay(&step));
  }
  bool IsHeldNow(const Step& step) const {
    return IsHeld(features_, step, checker_.core(), checker_.words(), UnderWay(&step));
  }

  // The next step of a warp or source, if that is idle and the step may go.
  const Step* NextOf(const Key& key, const Actor& actor) const {
    if (actor.next == actor.steps.size() || !IsIdle(key, actor)) {
      return nullptr;
    }
    const Step* const step = actor.steps[actor.next];
    return MayGo(*step) || IsHeldNow(*step) ? step : nullptr;
  }

  void Present(Port port) {
    AtPort& at = ports_[static_cast<unsigned>(port)];
    if (at.step == nullptr) {
      Actor* chosen = nullptr;
      for (auto& [key, actor] : actors_) {
        if (key.first != static_cast<unsigned>(port)) {
          continue;
        }
        const Step* const step = NextOf(key, actor);
        if (step != nullptr && run_.cycles >= actor.busy_until + step->delay &&
            (at.step == nullptr || step->id < at.step->id)) {
          at.step = step;
          chosen = &actor;
        }
      }
      if (at.step == nullptr) {
        return;
      }
      ++chosen->next;
      presented_[at.step->id] = run_.cycles;
      chosen->under_way = true;
      at.since = run_.cycles;
      at.held = false;
      if (!at.step->at_word &&
          at.step->named.kind == OpKind::kWait) {  // for the phase that it was told
        Step& wait = waits_[at.step->id];
        wait = *at.step;
        wait.named.operand = checker_.PhaseTold(wait.warp(), wait.named.bar) ? 1 : 0;
        by_id_[wait.id] = at.step = &wait;
      }
    }
    at.held = IsHeldNow(*at.step);
    if (at.held && run_.cycles == at.since) {
      checker_.CountHeld();
    }
    if (!MayGo(*at.step)) {
      at.since = run_.cycles;
    }
  }

  bool Take(const Seen& seen) {
    for (const AtPort& port : ports_) {
      if (port.step != nullptr && presented_.at(port.step->id) == run_.cycles &&
          !Contains(seen.effective, port.step->id)) {
        Note([&] { return "is presented: " + Describe(*port.step, features_); });
      }
    }
    for (unsigned port = 0; port < kPorts; ++port) {
      if (seen.accepted[port] && ports_[port].step != nullptr) {
        inside_[ports_[port].step->id] = run_.cycles;
        ports_[port].step = nullptr;
      }
    }
    for (const unsigned id : seen.effective) {
      const Step& step = *by_id_.at(id);
      inside_.erase(id);
      actors_[ActorOf(step)].under_way = false;
      ++run_.steps;
      Note([&] {
        return (presented_[id] == run_.cycles ? "" : "takes effect: ") + Describe(step, features_);
      });
      if (!checker_.Effect(run_.cycles, step)) {
        return false;
      }
    }
    for (const Seen::Answer& answer : seen.answers) {
      Note([&] {
        return fmt::format("warp {} is told phase {}", answer.warp, answer.phase ? 1 : 0);
      });
      if (!checker_.Answer(run_.cycles, answer)) {
        return false;
      }
    }
    for (const Seen::Release& release : seen.releases) {
      Note([&] { return fmt::format("warp {} is released", release.warp); });
      if (!checker_.Release(run_.cycles, release)) {
        return false;
      }
    }
    return std::all_of(seen.refused.begin(), seen.refused.end(), [&](unsigned warp) {
      Note([&] { return fmt::format("an operation of warp {} is reported", warp); });
      return checker_.Refused(run_.cycles, warp);
    });
  }

  bool CheckWaits() {
    const unsigned within = features_.accept_within;
    for (const AtPort& port : ports_) {
      if (port.step != nullptr && run_.cycles - port.since >= within) {
        return checker_.Late(run_.cycles, *port.step, "accepted", within);
      }
    }
    for (const auto& [id, since] : inside_) {
      if (run_.cycles - since > within) {
        return checker_.Late(run_.cycles, *by_id_.at(id), "carried out", within);
      }
    }
    return true;
  }

  // Something is going on, or will.
  bool IsActive() const {
    if (!inside_.empty() || !checker_.NothingIsDue()) {
      return true;
    }
    for (const AtPort& port : ports_) {
      if (port.step != nullptr && !port.held) {
        return true;
      }
    }
    return std::any_of(actors_.begin(), actors_.end(), [&](const auto& entry) {
      return NextOf(entry.first, entry.second) != nullptr &&
             ports_[entry.first.first].step == nullptr;
    });
  }

  static bool Contains(const std::vector<unsigned>& list, unsigned id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }

  template <typename Text>
  void Note(Text text) {
    if (record_) {
      run_.trace.emplace_back(run_.cycles, text());
    }
  }

  Adapter& adapter_;
  const Features features_;
  Checker checker_;
  const bool record_;
  Result run_;
  std::map<Key, Actor> actors_;
  std::map<unsigned, const Step*> by_id_;
  std::map<unsigned, Step> waits_;  // with the phase that they wait for
  std::array<AtPort, kPorts> ports_;
  std::map<unsigned, unsigned> presented_;  // id and cycle
  std::map<unsigned, unsigned> inside_;     // accepted, without effect: likewise
};

Failure Vacuous(std::string expected, std::string got) {
  return {Wrong::kVacuous, 0, "all programs", std::move(expected), std::move(got)};
}

}  // namespace

Result Execute(const Program& program, Adapter* adapter, bool record) {
  return Runner(program, adapter, record).Go();
}

void Keep(const std::vector<unsigned>& ids, const Features& features, Program* program) {
  const std::set<unsigned> kept(ids.begin(), ids.end());
  auto& steps = program->steps;
  steps.erase(std::remove_if(steps.begin(), steps.end(),
                             [&](const Step& step) { return kept.count(step.id) == 0; }),
              steps.end());
  Fit(features, program);
}

void DropDelays(Program* program) {
  for (Step& step : program->steps) {
    step.delay = 0;
  }
}

Shortest Shrink(const Program& program, Wrong wrong, Adapter* adapter) {
  Shortest best{program};
  const auto fails = [&](Program tried) {
    ++best.runs;
    if (Execute(tried, adapter, false).failure.wrong != wrong) {
      return false;
    }
    best.program = std::move(tried);
    return true;
  };
  // Without `count` steps from the first index on, and without the other one.
  const auto fails_without = [&](std::size_t from, std::size_t count, std::size_t other) {
    Program tried = best.program;
    tried.steps.clear();
    for (std::size_t i = 0; i < best.program.steps.size(); ++i) {
      if ((i < from || i >= from + count) && i != other) {
        tried.steps.push_back(best.program.steps[i]);
      }
    }
    Fit(adapter->features(), &tried);
    return fails(std::move(tried));
  };
  const auto drop_delays = [&] {
    Program prompt = best.program;
    DropDelays(&prompt);
    best.without_delays = best.without_delays || fails(std::move(prompt));
  };
  drop_delays();
  for (std::size_t part = best.program.steps.size() / 2; part != 0;) {
    bool removed = false;
    for (std::size_t from = 0; from < best.program.steps.size();) {
      if (fails_without(from, part, best.program.steps.size())) {
        removed = true;
      } else {
        from += part;
      }
    }
    const bool pairs = part == 1 && !removed && best.program.steps.size() <= kPairsUpTo;
    for (std::size_t i = 0; pairs && !removed && i < best.program.steps.size(); ++i) {
      for (std::size_t j = i + 1; !removed && j < best.program.steps.size(); ++j) {
        removed = fails_without(i, 1, j);
      }
    }
    part = part == 1 ? (removed ? 1 : 0) : part / 2;
  }
  drop_delays();
  return best;
}

Outcome Regress(std::uint64_t first_seed, std::uint64_t last_seed, Adapter* adapter) {
  const Features& features = adapter->features();
  Outcome outcome;
  if (features.warps < 2) {
    outcome.failure =
        Vacuous("two warps at least", "one warp alone, which never waits: that tests nothing");
    return outcome;
  }
  if (features.barriers != 0 && !features.all_warps && !features.counts) {
    outcome.failure = Vacuous("all_warps or counts", "named barriers of no form");
    return outcome;
  }
  unsigned failed = 0;
  for (std::uint64_t seed = first_seed; seed <= last_seed && failed < kFailures; ++seed) {
    const Program program = Draw(features, seed);
    const Result run = Execute(program, adapter, false);
    if (failed == 0) {
      ++outcome.programs;
      outcome.cycles += run.cycles;
      outcome.steps += run.steps;
      outcome.tally.Add(run.tally);
    } else if (seed - outcome.first > kMoreSeeds) {
      break;
    }
    if (run.failure.wrong == Wrong::kNothing ||
        (failed != 0 && run.failure.wrong != outcome.failure.wrong)) {
      continue;
    }
    Shortest shortest = Shrink(program, run.failure.wrong, adapter);
    if (failed == 0) {
      outcome.first = seed;
    }
    if (failed == 0 || shortest.program.steps.size() < outcome.shortest.program.steps.size()) {
      outcome.seed = seed;
      outcome.drawn = program.steps.size();
      outcome.shortest = std::move(shortest);
      outcome.last = Execute(outcome.shortest.program, adapter, true);
      outcome.failure = outcome.last.failure;
      if (outcome.failure.wrong == Wrong::kNothing) {
        outcome.failure = run.failure;
        outcome.failure.got +=
            ", but not again: a reset does not bring the unit into the same state";
      }
    }
    ++failed;
  }
  if (failed != 0) {
    return outcome;
  }
  const std::string missing = outcome.tally.Missing(features);
  if (!missing.empty()) {
    outcome.failure = Vacuous("all that the unit has is tested", missing);
  }
  return outcome;
}

std::string Report(const Outcome& outcome, const std::string& command) {
  const Failure& failure = outcome.failure;
  if (failure.wrong == Wrong::kVacuous) {
    return fmt::format("{}: {}\n", Name(failure.wrong), failure.got);
  }
  std::string text = fmt::format(
      "{}, seed {}, cycle {}: {}\n  expected: {}\n  got:      {}\nshortest trace, {} of {} "
      "operations ({} runs):\n",
      Name(failure.wrong), outcome.seed, failure.cycle, failure.where, failure.expected,
      failure.got, outcome.shortest.program.steps.size(), outcome.drawn, outcome.shortest.runs);
  for (const auto& [cycle, event] : outcome.last.trace) {
    text += fmt::format("  cycle {:3}  {}\n", cycle, event);
  }
  std::vector<unsigned> ids;
  for (const Step& step : outcome.shortest.program.steps) {
    ids.push_back(step.id);
  }
  return text + fmt::format("again: {} --seeds {} --keep {}{}\n", command, outcome.seed,
                            fmt::join(ids, ","),
                            outcome.shortest.without_delays ? " --no-delays" : "");
}

}  // namespace muster::adapters
