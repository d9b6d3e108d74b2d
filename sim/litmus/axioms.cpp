// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/axioms.h"

#include "sim/litmus/causality.h"

namespace muster::litmus {
namespace {

// Returns an event that precedes itself in the closure, if there is one.
std::optional<unsigned> OnCycle(const Relation& relation) {
  const Relation closed = relation.Closed();
  for (unsigned a = 0; a < closed.events(); ++a) {
    if (closed.Relates(a, a)) {
      return a;
    }
  }
  return std::nullopt;
}

// "A read R precedes an overlapping write W in communication order if R returns the value written
// by a write W' that precedes W in coherence order."
Relation FromReads(const Execution& execution) {
  Relation result(execution.coherence.events());
  for (unsigned write = 0; write < result.events(); ++write) {
    ForEach(execution.reads_from.After(write), [&](unsigned read) {
      result.AddAll(read, execution.coherence.After(write) & ~Of(read));
    });
  }
  return result;
}

// Returns a pair of `relation` whose reverse is in `order`.
std::optional<Contradiction> Against(Axiom axiom, const Relation& relation, const Relation& order) {
  for (unsigned a = 0; a < relation.events(); ++a) {
    for (Set after = relation.After(a); after != 0; after &= after - 1) {
      const auto b = static_cast<unsigned>(__builtin_ctzll(after));
      if (order.Relates(b, a)) {
        return Contradiction{axiom, a, b};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

const char* NameOf(Axiom axiom) {
  switch (axiom) {
    case Axiom::kCoherence:
      return "Coherence";
    case Axiom::kFenceSc:
      return "Fence-SC";
    case Axiom::kAtomicity:
      return "Atomicity";
    case Axiom::kNoThinAir:
      return "No Thin Air";
    case Axiom::kScPerLocation:
      return "Sequential Consistency Per Location";
    case Axiom::kCausality:
      break;
  }
  return "Causality";
}

std::optional<unsigned> FindThinAir(const Candidate& candidate,
                                    const std::vector<Set>& dependencies,
                                    const Relation& reads_from) {
  Relation feeds(reads_from.events());
  for (unsigned write = 0; write < reads_from.events(); ++write) {
    for (unsigned source = 0; source < reads_from.events(); ++source) {
      if (candidate.events()[write].writes &&
          (reads_from.After(source) & dependencies[write]) != 0) {
        feeds.Add(source, write);
      }
    }
  }
  return OnCycle(feeds);
}

std::optional<Contradiction> CheckCausality(Execution* execution) {
  const Candidate& candidate = *execution->candidate;
  const Strength& strength = *execution->strength;
  const Relation observation = ObservationOrder(strength, execution->reads_from);
  execution->synchronizes =
      PatternSynchronization(strength, observation) | execution->barriers | execution->fence_sc;
  execution->base = BaseCausality(candidate, execution->synchronizes);
  // A fence synchronizes with those after it in Fence-SC order: a contradiction is a cycle.
  for (unsigned fence = 0; fence < execution->base.events(); ++fence) {
    if (Has(strength.fences_sc(), fence) && execution->base.Relates(fence, fence)) {
      return Contradiction{Axiom::kFenceSc, fence, fence};
    }
  }
  const Relation preserved = PreservedCausality(candidate, execution->base);
  execution->causality = preserved | observation.Then(preserved);
  // "If a read R precedes an overlapping write W in causality order, then R cannot read from W."
  return Against(Axiom::kCausality, execution->reads_from, execution->causality);
}

std::optional<Contradiction> CheckCoherence(const Execution& execution) {
  const Candidate& candidate = *execution.candidate;
  const Relation& strong = execution.strength->morally_strong();
  for (unsigned a = 0; a < execution.coherence.events(); ++a) {
    if (execution.coherence.Relates(a, a)) {
      return Contradiction{Axiom::kCoherence, a, a};
    }
  }
  const Relation from_reads = FromReads(execution);
  // "If a write W precedes an overlapping read R in causality order, then R cannot read from any
  // write W' that precedes W in coherence order."
  if (const auto pair = Against(Axiom::kCausality, from_reads, execution.causality)) {
    return pair;
  }
  // An atomic operation A and a morally strong write W: A does not read from a write before W, and
  // follow W, in coherence order.
  for (unsigned a = 0; a < from_reads.events(); ++a) {
    if (candidate.events()[a].reads && candidate.events()[a].writes) {
      const Set between = from_reads.After(a) & strong.After(a);
      for (Set writes = between; writes != 0; writes &= writes - 1) {
        const auto write = static_cast<unsigned>(__builtin_ctzll(writes));
        if (execution.coherence.Relates(write, a)) {
          return Contradiction{Axiom::kAtomicity, a, write};
        }
      }
    }
  }
  const Relation communication = (execution.reads_from | execution.coherence | from_reads) & strong;
  const auto cycle = OnCycle(communication | execution.strength->program_order_per_location());
  return cycle ? std::optional(Contradiction{Axiom::kScPerLocation, *cycle, *cycle}) : std::nullopt;
}

}  // namespace muster::litmus
