// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The axioms of PTX's memory consistency model.
#ifndef MUSTER_SIM_LITMUS_AXIOMS_H_
#define MUSTER_SIM_LITMUS_AXIOMS_H_

#include <optional>
#include <vector>

#include "sim/litmus/execution.h"
#include "sim/litmus/relation.h"

namespace muster::litmus {

enum class Axiom { kCoherence, kFenceSc, kAtomicity, kNoThinAir, kScPerLocation, kCausality };

const char* NameOf(Axiom axiom);

// Two events that contradict an axiom.
struct Contradiction {
  Axiom axiom = Axiom::kCoherence;
  unsigned a = 0;
  unsigned b = 0;
};

// "No Thin Air": returns a write that depends on itself by way of reads and of what these depend
// on. `dependencies` has those reads for each event.
std::optional<unsigned> FindThinAir(const Candidate& candidate,
                                    const std::vector<Set>& dependencies,
                                    const Relation& reads_from);

// Checks what does not depend on coherence order. Fills in `synchronizes`, `base` and `causality`.
std::optional<Contradiction> CheckCausality(Execution* execution);

// Checks the rest, for a coherence order that is not complete: what contradicts an axiom goes on
// doing so when the order grows.
std::optional<Contradiction> CheckCoherence(const Execution& execution);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_AXIOMS_H_
