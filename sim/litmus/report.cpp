// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace muster::litmus {
namespace {

using End = Path::End;
using nlohmann::ordered_json;

std::optional<unsigned> SourceOf(const Execution& execution, unsigned read) {
  for (unsigned write = 0; write < execution.reads_from.events(); ++write) {
    if (execution.reads_from.Relates(write, read)) {
      return write;
    }
  }
  return std::nullopt;
}

std::int64_t WrittenBy(const Execution& execution, unsigned write) {
  return execution.values[execution.candidate->events()[write].value];
}

const char* QuantifierName(Test::Quantifier quantifier) {
  switch (quantifier) {
    case Test::Quantifier::kExists:
      return "exists";
    case Test::Quantifier::kNotExists:
      return "~exists";
    case Test::Quantifier::kForall:
      break;
  }
  return "forall";
}

}  // namespace

std::string Report::Heading() const {
  std::string heading =
      fmt::format("{}: {}: {}\n", test_.file, test_.name, fmt::join(Verdict(answer_), ", "));
  if (answer_.out_of_time) {
    heading += "  not all executions were seen in the time\n";
  } else if (answer_.cut) {
    heading += "  longer rounds of the loops were not tried\n";
  }
  return heading;
}

std::string Report::Question() const {
  return fmt::format("{} ({}){}", QuantifierName(test_.quantifier), test_.condition.Text(),
                     test_.filter ? fmt::format(" where {}", test_.filter->Text()) : "");
}

std::string Report::MemoryName(unsigned memory) const {
  const auto found =
      std::find_if(test_.locations.begin(), test_.locations.end(),
                   [&](const Location& location) { return location.memory == memory; });
  return found->name;
}

std::string Report::EventText(const Witness& witness, unsigned event) const {
  const Event& what = witness.candidate->events()[event];
  if (what.IsInitial()) {
    return fmt::format("the initial contents of {}", MemoryName(what.memory));
  }
  return fmt::format("P{} {} (line {})", what.thread, what.instruction->text,
                     what.instruction->line);
}

// "reads 1 of line 7", "writes 2".
std::string Report::EffectText(const Execution& execution, unsigned event) const {
  const Event& what = execution.candidate->events()[event];
  std::string text;
  if (what.reads) {
    const unsigned source = SourceOf(execution, event).value_or(event);
    const Event& write = execution.candidate->events()[source];
    text = fmt::format("reads {}, {}", WrittenBy(execution, source),
                       write.IsInitial()
                           ? "the initial contents"
                           : fmt::format("of P{}, line {}", write.thread, write.instruction->line));
  }
  if (what.writes) {
    text += fmt::format("{}writes {}", text.empty() ? "" : "; ", WrittenBy(execution, event));
  }
  return text;
}

std::string Report::ExecutionText(const Witness& witness) const {
  const Execution& execution = *witness.execution;
  const auto& events = witness.candidate->events();
  std::size_t width = 0;
  for (const Event& event : events) {
    width = std::max(width, event.IsInitial() ? 0 : event.instruction->text.size());
  }
  std::string text;
  for (unsigned i = 0; i < events.size(); ++i) {
    if (!events[i].IsInitial()) {
      const std::string effect = EffectText(execution, i);
      std::string line =
          fmt::format("    P{} line {:3}  {:{}}  {}", events[i].thread, events[i].instruction->line,
                      events[i].instruction->text, width, effect);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
  }
  for (unsigned a = 0; a < events.size(); ++a) {
    ForEach(execution.synchronizes.After(a), [&](unsigned b) {
      text += fmt::format("    {} synchronizes with {}\n", EventText(witness, a),
                          EventText(witness, b));
    });
  }
  return text;
}

std::string Report::Reason(const Refusal& refusal) const {
  const Contradiction& contradiction = refusal.contradiction;
  const std::string a = EventText(refusal.first, contradiction.a);
  const std::string b = EventText(refusal.first, contradiction.b);
  switch (contradiction.axiom) {
    case Axiom::kCoherence:
      return a + " would precede itself in coherence order, of which causality order is a part";
    case Axiom::kFenceSc:
      return a + " would precede itself in Fence-SC order and causality order";
    case Axiom::kAtomicity:
      return fmt::format("{} would come between the read and the write of {}", b, a);
    case Axiom::kNoThinAir:
      return a + " would depend on itself";
    case Axiom::kScPerLocation:
      return a + " would precede itself in program order and morally strong communication order";
    case Axiom::kCausality:
      break;
  }
  return fmt::format("{} would precede {} in communication order, and follow it in causality order",
                     a, b);
}

std::string Report::StuckText() const {
  const Candidate& candidate = *answer_.stuck->candidate;
  std::vector<std::string> threads;
  for (unsigned thread = 0; thread < candidate.ends().size(); ++thread) {
    if (candidate.ends()[thread] == End::kBlocked) {
      const Event& barrier = candidate.events()[candidate.barriers(thread).back().event];
      threads.push_back(fmt::format("P{} waits at line {}", thread, barrier.instruction->line));
    } else if (candidate.ends()[thread] == End::kSpins) {
      const Set spin = candidate.spin(thread);
      threads.push_back(
          spin == 0 ? fmt::format("P{} spins", thread)
                    : fmt::format("P{} spins at line {}", thread,
                                  candidate.events()[__builtin_ctzll(spin)].instruction->line));
    }
  }
  return fmt::format("{}", fmt::join(threads, ", "));
}

std::string Report::LassoText() const {
  std::vector<std::string> threads;
  for (unsigned thread = 0; thread < answer_.lasso->circle.size(); ++thread) {
    const auto& circle = answer_.lasso->circle[thread];
    if (!circle.empty()) {
      threads.push_back(fmt::format("P{} goes round from line {} to line {}", thread,
                                    circle.front()->line, circle.back()->line));
    }
  }
  return fmt::format("{}", fmt::join(threads, ", "));
}

std::string Report::Text() const {
  std::string text = Heading();
  if (answer_.outcome) {
    text += fmt::format("  {}: {}\n", Question(),
                        test_.quantifier == Test::Quantifier::kForall ? "not in this execution"
                                                                      : "in this execution") +
            ExecutionText(*answer_.outcome);
    for (unsigned memory = 0; memory < test_.memory.size(); ++memory) {
      text += fmt::format("    {} = {} at the end\n", MemoryName(memory),
                          answer_.outcome->memory[memory]);
    }
  } else if (answer_.complete() && !answer_.ends) {
    text += fmt::format("  {}: no execution ends\n", Question());
  } else {
    text += fmt::format("  {}: {} of {} executions\n", Question(),
                        test_.quantifier == Test::Quantifier::kForall ? "in all" : "in none",
                        answer_.executions);
    if (answer_.ends && answer_.refusals.empty()) {
      text += fmt::format("    {}: no value that does not depend on itself gives it\n",
                          NameOf(Axiom::kNoThinAir));
    }
    for (const auto& [axiom, refusal] : answer_.refusals) {
      text += fmt::format("    {} forbids {}, such as this one:\n{}    but {}\n", NameOf(axiom),
                          refusal.executions, ExecutionText(refusal.first), Reason(refusal));
    }
  }
  if (answer_.race) {
    const Witness& race = *answer_.race;
    text +=
        fmt::format("  race: {} and {}: not related in causality order, and not morally strong\n",
                    EventText(race, race.a), EventText(race, race.b));
  }
  if (answer_.stuck) {
    text += fmt::format("  may not end: {}\n", StuckText()) + ExecutionText(*answer_.stuck);
  } else if (answer_.lasso) {
    text += fmt::format("  may not end: {}\n", LassoText());
  }
  return text;
}

ordered_json Report::ExecutionJson(const Witness& witness) const {
  const Execution& execution = *witness.execution;
  const auto& events = witness.candidate->events();
  ordered_json json = ordered_json::array();
  for (unsigned i = 0; i < events.size(); ++i) {
    if (events[i].IsInitial()) {
      continue;
    }
    ordered_json event{{"event", i},
                       {"thread", events[i].thread},
                       {"line", events[i].instruction->line},
                       {"instruction", events[i].instruction->text}};
    if (events[i].reads) {
      const unsigned source = SourceOf(execution, i).value_or(i);
      event["reads"] = WrittenBy(execution, source);
      event["from"] =
          events[source].IsInitial() ? ordered_json("initial contents") : ordered_json(source);
    }
    if (events[i].writes) {
      event["writes"] = WrittenBy(execution, i);
    }
    ForEach(execution.synchronizes.After(i),
            [&](unsigned to) { event["synchronizes_with"].push_back(to); });
    ForEach(execution.coherence.After(i),
            [&](unsigned to) { event["coherence_before"].push_back(to); });
    json.push_back(event);
  }
  return json;
}

ordered_json Report::Json() const {
  ordered_json json{{"muster", "litmus"},
                    {"file", test_.file},
                    {"name", test_.name},
                    {"question", Question()},
                    {"verdict", Verdict(answer_)},
                    {"holds", Holds(test_, answer_)},
                    {"complete", answer_.complete()},
                    {"executions", answer_.executions}};
  if (answer_.outcome) {
    json["execution"] = ExecutionJson(*answer_.outcome);
  }
  for (const auto& [axiom, refusal] : answer_.refusals) {
    json["forbidden_by"].push_back({{"axiom", NameOf(axiom)},
                                    {"reason", Reason(refusal)},
                                    {"executions", refusal.executions},
                                    {"execution", ExecutionJson(refusal.first)}});
  }
  if (answer_.race) {
    json["race"] = {
        {"between",
         {EventText(*answer_.race, answer_.race->a), EventText(*answer_.race, answer_.race->b)}},
        {"execution", ExecutionJson(*answer_.race)}};
  }
  if (answer_.stuck) {
    json["may_not_end"] = {{"threads", StuckText()}, {"execution", ExecutionJson(*answer_.stuck)}};
  } else if (answer_.lasso) {
    json["may_not_end"] = {{"threads", LassoText()}};
  }
  return json;
}

}  // namespace muster::litmus
