// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// All consistent executions of a candidate.
#ifndef MUSTER_SIM_LITMUS_ENUMERATOR_H_
#define MUSTER_SIM_LITMUS_ENUMERATOR_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sim/litmus/axioms.h"
#include "sim/litmus/candidate.h"
#include "sim/litmus/execution.h"
#include "sim/litmus/strength.h"

namespace muster::litmus {

class Enumerator {
 public:
  // Returns whether to go on.
  using Visit = std::function<bool(const Execution&)>;
  // Told of an execution whose reads are complete, and that contradicts an axiom.
  using Refused = std::function<void(const Execution&, const Contradiction&)>;

  // Gives up when `may_go_on` says no.
  Enumerator(const Candidate& candidate, std::function<bool()> may_go_on)
      : candidate_(candidate),
        strength_(candidate),
        reads_from_(candidate.events().size()),
        may_go_on_(std::move(may_go_on)) {}

  // Visits the consistent executions, until a visit says to stop. Returns whether none did, and all
  // were seen.
  bool ForEach(const Visit& visit);

  // Visits no execution, but reports what contradicts the axioms, of those executions whose
  // values `passes` takes.
  void ForEachRefused(const std::function<bool(const std::vector<std::int64_t>&)>& passes,
                      const Refused& refused);

 private:
  // Chooses the write for each read from the given one on. Returns whether to go on.
  bool ChooseFrom(unsigned event);
  bool MayReadFrom(unsigned read, unsigned write) const;
  std::optional<std::int64_t> Value(unsigned index) const;
  // Whether no requirement of the path is known not to hold.
  bool MeetsRequirements() const;
  std::vector<std::int64_t> Values() const;
  // What the choices so far contradict, whatever the choices to come.
  std::optional<Contradiction> Contradicts() const;
  // Tries the meetings at barriers, the Fence-SC orders and the coherence orders.
  bool Complete();
  bool OrderFences(Execution* execution);
  bool OrderWrites(const Execution& execution);
  void Refuse(const Execution& execution, const Contradiction& contradiction);

  const Candidate& candidate_;
  Strength strength_;
  std::vector<std::optional<unsigned>> reads_from_;  // of each event
  std::function<bool()> may_go_on_;
  Visit visit_;
  std::function<bool(const std::vector<std::int64_t>&)> passes_;
  Refused refused_;  // or null, when executions are visited
};

// Coherence order as far as causality order and the initial contents decide it.
Relation LeastCoherence(const Execution& execution);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_ENUMERATOR_H_
