// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/enumerator.h"

#include "sim/litmus/arithmetic.h"
#include "sim/litmus/barrier_meetings.h"
#include "sim/litmus/order_search.h"

namespace muster::litmus {

Relation LeastCoherence(const Execution& execution) {
  const auto& events = execution.candidate->events();
  Relation order(static_cast<unsigned>(events.size()));
  for (unsigned a = 0; a < events.size(); ++a) {
    for (unsigned b = 0; b < events.size(); ++b) {
      if (a != b && events[a].writes && events[b].writes && Meet(events[a], events[b]) &&
          (events[a].IsInitial() || execution.causality.Relates(a, b))) {
        order.Add(a, b);
      }
    }
  }
  return order.Closed();
}

bool Enumerator::ForEach(const Visit& visit) {
  visit_ = visit;
  return ChooseFrom(0);
}

void Enumerator::ForEachRefused(const std::function<bool(const std::vector<std::int64_t>&)>& passes,
                                const Refused& refused) {
  passes_ = passes;
  refused_ = refused;
  visit_ = [](const Execution& /*execution*/) { return true; };
  ChooseFrom(0);
}

bool Enumerator::ChooseFrom(unsigned event) {
  if (!may_go_on_()) {
    return false;
  }
  const auto& events = candidate_.events();
  while (event < events.size() && !events[event].reads) {
    ++event;
  }
  if (event == events.size()) {
    return Complete();
  }
  for (unsigned write = 0; write < events.size(); ++write) {
    if (!MayReadFrom(event, write)) {
      continue;
    }
    reads_from_[event] = write;
    const bool possible = MeetsRequirements() && (refused_ != nullptr || !Contradicts());
    const bool go_on = !possible || ChooseFrom(event + 1);
    reads_from_[event].reset();
    if (!go_on) {
      return false;
    }
  }
  return true;
}

bool Enumerator::MayReadFrom(unsigned read, unsigned write) const {
  const auto& events = candidate_.events();
  if (read == write || !events[write].writes || !Meet(events[read], events[write])) {
    return false;
  }
  Relation reads_from(static_cast<unsigned>(events.size()));
  reads_from.Add(write, read);
  // Two atomic operations that are strong relative to each other do not both follow one write.
  const bool atomic = events[read].writes;
  for (unsigned other = 0; other < events.size(); ++other) {
    if (!reads_from_[other]) {
      continue;
    }
    reads_from.Add(*reads_from_[other], other);
    if (refused_ == nullptr && atomic && *reads_from_[other] == write && events[other].writes &&
        strength_.morally_strong().Relates(read, other) && events[write].IsInitial()) {
      return false;
    }
  }
  return !FindThinAir(candidate_, candidate_.dependencies(), reads_from);
}

std::optional<std::int64_t> Enumerator::Value(unsigned index) const {
  const Expression& expression = candidate_.expressions()[index];
  switch (expression.kind) {
    case Expression::Kind::kRead: {
      const auto& write = reads_from_[expression.event];
      return write ? Value(candidate_.events()[*write].value) : std::nullopt;
    }
    case Expression::Kind::kOperation: {
      const auto a = Value(expression.a);
      const auto b = Value(expression.b);
      return a && b ? std::optional(Compute(expression.op, *a, *b)) : std::nullopt;
    }
    case Expression::Kind::kConstant:
      break;
  }
  return expression.constant;
}

bool Enumerator::MeetsRequirements() const {
  for (const Requirement& requirement : candidate_.requirements()) {
    const auto a = Value(requirement.a);
    const auto b = Value(requirement.b);
    if (a && b && Compare(requirement.comparison, *a, *b) != requirement.holds) {
      return false;
    }
  }
  return true;
}

std::vector<std::int64_t> Enumerator::Values() const {
  std::vector<std::int64_t> values;
  for (unsigned i = 0; i < candidate_.expressions().size(); ++i) {
    values.push_back(Value(i).value_or(0));
  }
  return values;
}

std::optional<Contradiction> Enumerator::Contradicts() const {
  Execution execution(candidate_, strength_);
  for (unsigned read = 0; read < reads_from_.size(); ++read) {
    if (reads_from_[read]) {
      execution.reads_from.Add(*reads_from_[read], read);
    }
  }
  if (const auto contradiction = CheckCausality(&execution)) {
    return contradiction;
  }
  execution.coherence = LeastCoherence(execution);
  return CheckCoherence(execution);
}

bool Enumerator::Complete() {
  Execution execution(candidate_, strength_);
  for (unsigned read = 0; read < reads_from_.size(); ++read) {
    if (reads_from_[read]) {
      execution.reads_from.Add(*reads_from_[read], read);
    }
  }
  execution.values = Values();
  if (!MeetsRequirements() || (passes_ && !passes_(execution.values))) {
    return true;
  }
  for (const Meetings& meetings : FindMeetings(candidate_, execution.values)) {
    execution.barriers = meetings.synchronizes;
    std::vector<Set> dependencies = candidate_.dependencies();
    for (unsigned i = 0; i < dependencies.size(); ++i) {
      dependencies[i] |= meetings.dependencies[i];
    }
    if (const auto write = FindThinAir(candidate_, dependencies, execution.reads_from)) {
      Refuse(execution, {Axiom::kNoThinAir, *write, *write});
      continue;
    }
    if (!OrderFences(&execution)) {
      return false;
    }
  }
  return true;
}

bool Enumerator::OrderFences(Execution* execution) {
  Relation pairs(static_cast<unsigned>(candidate_.events().size()));
  litmus::ForEach(strength_.fences_sc(), [&](unsigned fence) {
    pairs.AddAll(fence, strength_.morally_strong().After(fence) & strength_.fences_sc());
  });
  Relation order(pairs.events());
  litmus::ForEach(strength_.fences_sc(), [&](unsigned fence) {
    order.AddAll(fence, pairs.After(fence) & candidate_.program_order().After(fence));
  });
  const auto any = [](const Relation& /*order*/) { return true; };
  return ForEachOrder(order.Closed(), pairs, any, [&](const Relation& fence_sc) {
    execution->fence_sc = fence_sc;
    if (const auto contradiction = CheckCausality(execution)) {
      Refuse(*execution, *contradiction);
      return true;
    }
    return OrderWrites(*execution);
  });
}

bool Enumerator::OrderWrites(const Execution& execution) {
  const auto& events = candidate_.events();
  Relation pairs(static_cast<unsigned>(events.size()));
  for (unsigned a = 0; a < events.size(); ++a) {
    litmus::ForEach(strength_.morally_strong().After(a), [&](unsigned b) {
      if (events[a].writes && events[b].writes) {
        pairs.Add(a, b);
      }
    });
  }
  Execution ordered = execution;
  const auto may = [&](const Relation& coherence) {
    ordered.coherence = coherence;
    const auto contradiction = CheckCoherence(ordered);
    if (contradiction) {
      Refuse(ordered, *contradiction);
    }
    return !contradiction;
  };
  const Relation least = LeastCoherence(execution);
  if (!may(least)) {
    return true;
  }
  return ForEachOrder(least, pairs, may, [&](const Relation& coherence) {
    ordered.coherence = coherence;
    return visit_(ordered);
  });
}

void Enumerator::Refuse(const Execution& execution, const Contradiction& contradiction) {
  if (refused_) {
    refused_(execution, contradiction);
  }
}

}  // namespace muster::litmus
