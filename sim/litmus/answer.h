// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the memory model says of a litmus test: whether the outcome is allowed, whether there is a
// race, and whether all threads end.
#ifndef MUSTER_SIM_LITMUS_ANSWER_H_
#define MUSTER_SIM_LITMUS_ANSWER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/litmus/axioms.h"
#include "sim/litmus/execution.h"
#include "sim/litmus/interleavings.h"
#include "sim/litmus/test.h"

namespace muster::litmus {

struct Options {
  unsigned rounds = 2;  // of each loop, beyond the first
  unsigned seconds = 10;
};

// An execution, and the candidate that it refers to.
struct Witness {
  std::shared_ptr<const Candidate> candidate;
  std::shared_ptr<const Strength> strength;
  std::optional<Execution> execution;
  std::vector<std::int64_t> memory;  // final contents
  // Of a race, the two accesses.
  unsigned a = 0;
  unsigned b = 0;
};

struct Refusal {
  std::uint64_t executions = 0;  // with the outcome, that the axiom refuses
  Witness first;
  Contradiction contradiction;
};

struct Answer {
  // The outcome is the condition, or of "forall" its contrary.
  std::optional<Witness> outcome;
  std::optional<Witness> race;
  std::optional<Witness> stuck;  // threads that spin or are blocked
  std::optional<Lasso> lasso;    // threads that go round in a circle for ever
  bool ends = false;             // some execution ends
  bool out_of_time = false;
  bool cut = false;              // loops go on for longer than the rounds that were tried
  std::uint64_t executions = 0;  // consistent ones that were seen
  // By axiom, if the outcome is forbidden.
  std::map<Axiom, Refusal> refusals;

  bool complete() const { return !out_of_time && !cut; }
};

Answer Solve(const Test& test, const Options& options);

// Whether the test's condition holds, as its quantifier asks.
bool Holds(const Test& test, const Answer& answer);

// "allowed", "forbidden" or "undecided", then "race" and "may not end" if so.
std::vector<std::string> Verdict(const Answer& answer);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_ANSWER_H_
