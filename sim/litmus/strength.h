// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the instructions of a candidate alone decide: which events are strong relative to each
// other, and which form release and acquire patterns.
#ifndef MUSTER_SIM_LITMUS_STRENGTH_H_
#define MUSTER_SIM_LITMUS_STRENGTH_H_

#include <vector>

#include "sim/litmus/candidate.h"
#include "sim/litmus/relation.h"

namespace muster::litmus {

class Strength {
 public:
  explicit Strength(const Candidate& candidate);

  // "The operations are related in program order, or each operation is strong and specifies a scope
  // that includes the thread executing the other operation"; via the same proxy; and two memory
  // operations overlap completely.
  const Relation& morally_strong() const { return morally_strong_; }
  // Program order between accesses that overlap and use one proxy.
  const Relation& program_order_per_location() const { return program_order_per_location_; }
  Set fences_sc() const { return fences_sc_; }

  struct ReleasePattern {
    unsigned first = 0;
    unsigned write = 0;
  };
  struct AcquirePattern {
    unsigned read = 0;
    unsigned last = 0;
  };
  const std::vector<ReleasePattern>& releases() const { return releases_; }
  const std::vector<AcquirePattern>& acquires() const { return acquires_; }

 private:
  bool AreMorallyStrong(unsigned a, unsigned b) const;
  void FindPatterns();

  const Candidate& candidate_;
  Relation morally_strong_;
  Relation program_order_per_location_;
  Set fences_sc_ = 0;
  std::vector<ReleasePattern> releases_;
  std::vector<AcquirePattern> acquires_;
};

// Whether both access the same memory, by whatever address or proxy.
bool Meet(const Event& a, const Event& b);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_STRENGTH_H_
