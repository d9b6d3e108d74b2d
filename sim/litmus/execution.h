// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One execution: a candidate with all that is determined at runtime.
#ifndef MUSTER_SIM_LITMUS_EXECUTION_H_
#define MUSTER_SIM_LITMUS_EXECUTION_H_

#include <cstdint>
#include <vector>

#include "sim/litmus/candidate.h"
#include "sim/litmus/relation.h"
#include "sim/litmus/strength.h"

namespace muster::litmus {

struct Execution {
  Execution(const Candidate& its_candidate, const Strength& its_strength)
      : candidate(&its_candidate),
        strength(&its_strength),
        reads_from(static_cast<unsigned>(its_candidate.events().size())),
        barriers(reads_from),
        fence_sc(reads_from),
        synchronizes(reads_from),
        base(reads_from),
        causality(reads_from),
        coherence(reads_from) {}

  const Candidate* candidate;
  const Strength* strength;
  std::vector<std::int64_t> values;  // of each expression
  Relation reads_from;
  Relation barriers;      // synchronization by barriers
  Relation fence_sc;      // Fence-SC order
  Relation synchronizes;  // all of it
  Relation base;          // base causality order
  Relation causality;
  Relation coherence;
};

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_EXECUTION_H_
