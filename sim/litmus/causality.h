// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Causality order: how accesses become visible across threads.
#ifndef MUSTER_SIM_LITMUS_CAUSALITY_H_
#define MUSTER_SIM_LITMUS_CAUSALITY_H_

#include "sim/litmus/candidate.h"
#include "sim/litmus/relation.h"
#include "sim/litmus/strength.h"

namespace muster::litmus {

// "A write W precedes a read R in observation order if R and W are morally strong and R reads the
// value written by W, or for some atomic operation Z, W precedes Z and Z precedes R in observation
// order."
Relation ObservationOrder(const Strength& strength, const Relation& reads_from);

// "A release pattern X synchronizes with an acquire pattern Y, if a write operation in X precedes a
// read operation in Y in observation order, and the first operation in X and the last operation in
// Y are morally strong."
Relation PatternSynchronization(const Strength& strength, const Relation& observation);

// Base causality order is the closure of program order and synchronization. The initial contents
// precede all.
Relation BaseCausality(const Candidate& candidate, const Relation& synchronizes);

// Proxy-preserved base causality order; see the README of this folder for its reading.
Relation PreservedCausality(const Candidate& candidate, const Relation& base);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_CAUSALITY_H_
