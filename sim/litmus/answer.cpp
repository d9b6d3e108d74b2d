// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/answer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/litmus/enumerator.h"
#include "sim/litmus/paths.h"

namespace muster::litmus {
namespace {

using Clock = std::chrono::steady_clock;
using End = Path::End;

constexpr std::size_t kMostStates = 100'000;
constexpr std::uint64_t kMostSteps = 100'000;  // in the search for why an outcome is forbidden

// The registers when all threads of an execution have ended.
Finals RegistersAt(const Candidate& candidate, const std::vector<std::int64_t>& values) {
  Finals finals;
  for (unsigned thread = 0; thread < candidate.ends().size(); ++thread) {
    finals.registers.emplace_back();
    for (const unsigned expression : candidate.finals(thread)) {
      finals.registers.back().push_back(values[expression]);
    }
  }
  finals.memory.resize(candidate.test().memory.size());
  return finals;
}

// The writes of a word of memory that no other follows in coherence order.
std::vector<unsigned> LastWrites(const Execution& execution, unsigned memory) {
  std::vector<unsigned> last;
  const auto& events = execution.candidate->events();
  for (unsigned i = 0; i < events.size(); ++i) {
    if (events[i].writes && events[i].memory == memory && execution.coherence.After(i) == 0) {
      last.push_back(i);
    }
  }
  return last;
}

class Solver {
 public:
  Solver(const Test& test, const Options& options)
      : test_(test),
        options_(options),
        deadline_(Clock::now() + std::chrono::seconds(options.seconds)) {}

  Answer Solve() {
    std::vector<std::pair<unsigned, unsigned>> named;
    test_.condition.AddRegisters(&named);
    if (test_.filter) {
      test_.filter->AddRegisters(&named);
    }
    for (unsigned i = 0; i < test_.threads.size(); ++i) {
      std::vector<unsigned> registers;
      for (const auto& [thread, reg] : named) {
        if (thread == i) {
          registers.push_back(reg);
        }
      }
      paths_.push_back(FindPaths(test_.threads[i], registers, options_.rounds));
      answer_.cut = answer_.cut || paths_.back().cut;
    }
    const bool loops = std::any_of(paths_.begin(), paths_.end(), [](const Paths& paths) {
      return paths.cut || std::any_of(paths.paths.begin(), paths.paths.end(),
                                      [](const Path& path) { return path.end == End::kSpins; });
    });
    ForEachCandidate(&Solver::SeeEnding);
    ForEachCandidate(&Solver::SeeStuck);
    if (loops && !answer_.stuck) {
      answer_.lasso = Interleave(test_, kMostStates).lasso;
    }
    if (!answer_.outcome && !answer_.out_of_time) {
      ForEachCandidate(&Solver::SeeRefused);
    }
    return std::move(answer_);
  }

 private:
  using See = bool (Solver::*)(const std::shared_ptr<const Candidate>& candidate);

  // Calls a function with each combination of paths, until it returns false.
  void ForEachCandidate(See see) {
    std::vector<const Path*> chosen;
    Choose(see, &chosen);
  }

  bool Choose(See see, std::vector<const Path*>* chosen) {
    if (chosen->size() == paths_.size()) {
      const auto candidate = std::make_shared<const Candidate>(test_, *chosen);
      if (!candidate->fits()) {
        answer_.cut = true;
        return true;
      }
      return (this->*see)(candidate);
    }
    for (const Path& path : paths_[chosen->size()].paths) {
      chosen->push_back(&path);
      const bool go_on = Choose(see, chosen);
      chosen->pop_back();
      if (!go_on) {
        return false;
      }
    }
    return true;
  }

  bool IsInTime() {
    answer_.out_of_time = answer_.out_of_time || Clock::now() > deadline_;
    return !answer_.out_of_time;
  }

  static bool AllEnd(const Candidate& candidate) {
    return std::all_of(candidate.ends().begin(), candidate.ends().end(),
                       [](End end) { return end == End::kEnds; });
  }

  bool SeeEnding(const std::shared_ptr<const Candidate>& candidate) {
    if (!AllEnd(*candidate)) {
      return true;
    }
    Enumerator enumerator(*candidate, [this] { return IsInTime(); });
    return enumerator.ForEach([&](const Execution& execution) {
      ++answer_.executions;
      answer_.ends = true;
      SeeOutcome(candidate, execution);
      SeeRace(candidate, execution);
      return !(answer_.outcome && answer_.race);
    });
  }

  bool SeeStuck(const std::shared_ptr<const Candidate>& candidate) {
    if (AllEnd(*candidate)) {
      return true;
    }
    Enumerator enumerator(*candidate, [this] { return IsInTime(); });
    return enumerator.ForEach([&](const Execution& execution) {
      ++answer_.executions;
      SeeRace(candidate, execution);
      if (!answer_.stuck && IsFair(execution)) {
        answer_.stuck = WitnessOf(candidate, execution);
      }
      return !(answer_.stuck && answer_.race);
    });
  }

  bool SeeRefused(const std::shared_ptr<const Candidate>& candidate) {
    if (!AllEnd(*candidate)) {
      return true;
    }
    Enumerator enumerator(*candidate,
                          [this] { return ++steps_ < kMostSteps && Clock::now() < deadline_; });
    enumerator.ForEachRefused(
        [&](const std::vector<std::int64_t>& values) {
          return IsAsked(RegistersAt(*candidate, values)) != false;
        },
        [&](const Execution& execution, const Contradiction& contradiction) {
          Refusal& refusal = answer_.refusals[contradiction.axiom];
          if (refusal.executions++ == 0) {
            refusal.first = WitnessOf(candidate, execution);
            refusal.contradiction = contradiction;
          }
        });
    return steps_ < kMostSteps;
  }

  // Whether the contents are the outcome that the test asks for.
  std::optional<bool> IsAsked(const Finals& finals) const {
    const auto passes = test_.filter ? test_.filter->In(finals) : true;
    if (passes == false) {
      return false;
    }
    const auto holds = test_.condition.In(finals);
    const bool asked = test_.quantifier != Test::Quantifier::kForall;
    return holds == !asked ? false : passes && holds ? std::optional(true) : std::nullopt;
  }

  void SeeOutcome(const std::shared_ptr<const Candidate>& candidate, const Execution& execution) {
    if (answer_.outcome) {
      return;
    }
    Finals finals = RegistersAt(*candidate, execution.values);
    if (ChooseMemory(execution, 0, &finals)) {
      answer_.outcome = WitnessOf(candidate, execution);
      for (const auto& contents : finals.memory) {
        answer_.outcome->memory.push_back(*contents);
      }
    }
  }

  // Tries each last write of each word of memory: those in a race are not ordered.
  bool ChooseMemory(const Execution& execution, unsigned memory, Finals* finals) {
    if (memory == finals->memory.size()) {
      return IsAsked(*finals) == true;
    }
    for (const unsigned write : LastWrites(execution, memory)) {
      finals->memory[memory] = execution.values[execution.candidate->events()[write].value];
      if (ChooseMemory(execution, memory + 1, finals)) {
        return true;
      }
    }
    return false;
  }

  // "Two conflicting memory operations are said to be in a data-race if they are not related in
  // causality order and they are not morally strong."
  void SeeRace(const std::shared_ptr<const Candidate>& candidate, const Execution& execution) {
    if (answer_.race) {
      return;
    }
    const auto& events = candidate->events();
    for (unsigned a = 0; a < events.size(); ++a) {
      for (unsigned b = a + 1; b < events.size(); ++b) {
        if (!events[a].IsInitial() && Meet(events[a], events[b]) &&
            (events[a].writes || events[b].writes) && !execution.causality.Relates(a, b) &&
            !execution.causality.Relates(b, a) &&
            !execution.strength->morally_strong().Relates(a, b)) {
          answer_.race = WitnessOf(candidate, execution);
          answer_.race->a = a;
          answer_.race->b = b;
          return;
        }
      }
    }
  }

  // Whether the threads that spin can do so for ever. A read that spins comes to see each write of
  // which it is morally strong. A weak one may not: "the effects of this instruction can only
  // become visible to other threads when synchronization is established by other means".
  bool IsFair(const Execution& execution) const {
    const Candidate& candidate = *execution.candidate;
    for (unsigned thread = 0; thread < candidate.ends().size(); ++thread) {
      for (unsigned write = 0; write < candidate.events().size(); ++write) {
        for (Set reads = execution.reads_from.After(write) & candidate.spin(thread); reads != 0;
             reads &= reads - 1) {
          const auto read = static_cast<unsigned>(__builtin_ctzll(reads));
          if ((execution.coherence.After(write) & execution.strength->morally_strong().After(read) &
               ~Of(read)) != 0) {
            return false;
          }
        }
      }
    }
    return true;
  }

  static Witness WitnessOf(const std::shared_ptr<const Candidate>& candidate,
                           const Execution& execution) {
    Witness witness;
    witness.candidate = candidate;
    witness.strength = std::make_shared<const Strength>(*candidate);
    witness.execution = execution;
    witness.execution->strength = witness.strength.get();
    return witness;
  }

  const Test& test_;
  const Options& options_;
  Clock::time_point deadline_;
  std::vector<Paths> paths_;
  std::uint64_t steps_ = 0;  // in the search for reasons
  Answer answer_;
};

}  // namespace

Answer Solve(const Test& test, const Options& options) { return Solver(test, options).Solve(); }

bool Holds(const Test& test, const Answer& answer) {
  return answer.outcome.has_value() == (test.quantifier == Test::Quantifier::kExists);
}

std::vector<std::string> Verdict(const Answer& answer) {
  std::vector<std::string> words{answer.outcome      ? "allowed"
                                 : answer.complete() ? "forbidden"
                                                     : "undecided"};
  if (answer.race) {
    words.emplace_back("race");
  }
  if (answer.stuck || answer.lasso) {
    words.emplace_back("may not end");
  }
  return words;
}

}  // namespace muster::litmus
