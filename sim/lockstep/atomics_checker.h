// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Compares the atomics on shared memory with their golden model in every cycle: what is written,
// answered and refused, when, and what the block says of itself (rtl/atomics/README.md). The golden
// model is given the word that memory has at the commit, which the bank says, not the block.
#ifndef MUSTER_SIM_LOCKSTEP_ATOMICS_CHECKER_H_
#define MUSTER_SIM_LOCKSTEP_ATOMICS_CHECKER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/golden/atomics.h"
#include "sim/lockstep/atomics_dut.h"
#include "sim/lockstep/mismatch.h"
#include "sim/port/atomic_pins.h"

namespace muster::lockstep {

// Cycles in which the block could go on, at most, from an update's presentation to its acceptance,
// once its warp is drained, or from that of one of the other port which goes first: as many as the
// slowest update takes. And from there to its commit, with two others ahead of it.
constexpr unsigned LongestIssue(const AtomicsShape& shape) {
  return shape.floats >= 2 ? 11 : shape.floats == 1 ? 10 : 3;
}
constexpr unsigned LongestCommit(const AtomicsShape& shape) { return 3 * LongestIssue(shape); }

// The lower half of a value of 128 bits.
constexpr bool IsLower(const AtomicUpdate& update) {
  return update.size == AtomicSize::k128 && !update.upper;
}
// Whether the block has the operation, of this size.
bool Has(const AtomicsShape& shape, const AtomicUpdate& update);

class AtomicsChecker {
 public:
  explicit AtomicsChecker(const AtomicsShape& shape) : shape_(shape) {}

  void Reset();
  // The settled pins of one cycle, before its clock edge. Cycles in which nothing is presented and
  // nothing was active in the one before may be left out. False: they are wrong; see mismatch().
  bool Check(std::uint64_t cycle, const AtomicInputs& in, const AtomicOutputs& out);
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }
  bool Settled() const { return flights_.empty() && !response_ && !fault_; }

  // The update that committed in the cycle checked last, and what came of it.
  struct Committed {
    AtomicUpdate update;
    golden::AtomicEffects effects;
    unsigned latency = 0;  // cycles since its acceptance
    bool behind = false;   // it was accepted while another one of its word was under way
  };
  const std::optional<Committed>& committed() const { return committed_; }

  struct Counts {
    std::uint64_t updates = 0, answers = 0, faults = 0, behind = 0, drains = 0;
    unsigned longest_commit = 0, longest_issue = 0;  // cycles in which the block could go on
  };
  const Counts& counts() const { return counts_; }
  // The latest updates of the warp, a line each.
  std::vector<std::string> History(unsigned warp) const;

 private:
  struct Flight {
    AtomicUpdate update;
    std::uint64_t accepted = 0;
    unsigned could = 0;  // cycles in which it could have gone on
    bool behind = false;
    bool read = false;  // the bank has granted its read
  };
  struct Port {
    std::optional<AtomicUpdate> offered;  // presented and not accepted
    std::optional<AtomicUpdate> lower;    // accepted, and its upper half is not
    bool drained = false;                 // the warp of what is offered is
    unsigned could_issue = 0;  // cycles for which it could have been accepted, since the last one
    unsigned passed = 0;       // values of the other port that were accepted meanwhile
  };
  struct Record {
    std::uint64_t cycle = 0;
    AtomicUpdate update;
  };

  bool Wrong(const char* field, std::string unit, std::string golden, unsigned warp);
  bool IsRefused(const AtomicUpdate& update) const;
  bool CheckLevels(const AtomicInputs& in, const AtomicOutputs& out);
  bool CheckShown(const AtomicOutputs& out);
  bool CheckMemory(const AtomicInputs& in, const AtomicOutputs& out);
  bool CheckCommit(std::uint64_t cycle, const AtomicInputs& in, const AtomicOutputs& out);
  bool CheckIssue(std::uint64_t cycle, const AtomicInputs& in, const AtomicOutputs& out);
  bool CheckPort(std::uint64_t cycle, bool valid, const AtomicUpdate& update, bool ready,
                 std::uint64_t fence_ack, Port* port);
  bool CheckWaits(const AtomicInputs& in, const AtomicOutputs& out);

  const AtomicsShape shape_;
  std::deque<Flight> flights_;  // accepted and not committed
  bool reading_ = false;        // a read was granted and has not been answered
  std::optional<AtomicResponse> response_;
  std::optional<AtomicOutputs::Fault> fault_;  // of the commit in the cycle before
  bool lower_as_wanted_ = false;               // the lower half that committed last was
  Port own_;                                   // of the core's warps
  Port remote_;                                // of other CTAs
  bool asks_ = false;                          // a drain was not acknowledged in the cycle before
  bool accepted_ = false;                      // something, in this cycle
  std::optional<Mismatch> mismatch_;
  std::optional<Committed> committed_;
  Counts counts_;
  std::deque<Record> history_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_ATOMICS_CHECKER_H_
