// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Compares a warp scope with its golden model in every cycle: answers, arrivals and faults, the
// cycles in which they come, and what it says of itself (rtl/warp/README.md). It also checks that
// the core keeps the rules of the port.
#ifndef MUSTER_SIM_LOCKSTEP_WARP_CHECKER_H_
#define MUSTER_SIM_LOCKSTEP_WARP_CHECKER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/golden/warp_scope.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "sim/lockstep/mismatch.h"
#include "sim/lockstep/warp_dut.h"
#include "sim/port/warp_pins.h"

namespace muster::lockstep {

// Cycles from the acceptance of a collective whose members come together to its k-th answer, from
// 1.
unsigned WarpLatency(const WarpShape& shape, WarpOp op, unsigned k);

class WarpChecker {
 public:
  explicit WarpChecker(const WarpShape& shape);

  // All groups are lost, and all that was on its way.
  void Reset();
  // The settled pins of one cycle, before its clock edge. Cycles without an edge, in which nothing
  // is presented and nothing was active in the one before, may be left out. False: they are wrong;
  // see mismatch().
  bool Check(std::uint64_t cycle, const WarpInputs& in, const WarpOutputs& out);
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }

  const WarpShape& shape() const { return shape_; }
  const golden::WarpScope& model() const { return model_; }
  // Cycles from the acceptance of a request to its last answer, without evaluations.
  unsigned LongestWalk() const { return 3 * shape_.warp_size + 5; }
  // Whether all that is expected has come.
  bool Settled() const;
  bool SettledOf(unsigned warp) const;
  // Lanes that have come somewhere, and have not been let go.
  std::uint32_t held(unsigned warp) const { return held_[warp]; }

  // The request that was accepted in the cycle checked last, and what comes of it.
  struct Accepted {
    WarpRequest request;
    WarpEffects effects;
  };
  const std::optional<Accepted>& accepted() const { return accepted_; }

  struct Counts {
    std::uint64_t requests = 0;  // accepted
    std::uint64_t lanes = 0;     // that came to collectives and barriers with these
    std::uint64_t together = 0, joined = 0, by_exit = 0, several_by_exit = 0, arrivals = 0;
    std::uint64_t not_a_member = 0, barrier_mismatch = 0, mask_mismatch = 0, most_groups = 0;
  };
  const Counts& counts() const { return counts_; }
  // The latest requests of the warp, a line each.
  std::vector<std::string> History(unsigned warp) const;

 private:
  struct Expected {
    WarpRequest given;
    std::uint64_t accepted = 0, deadline = 0;
    bool together = false;
    bool refused = false;  // the fault is still to come
    FaultCause cause = FaultCause::kNone;
    std::vector<WarpAnswer> answers;  // still to come
    unsigned answered = 0;

    bool Done() const { return answers.empty() && !refused; }
  };

  bool Wrong(const char* field, std::string unit, std::string golden, unsigned warp);
  bool CheckQuiet(const WarpOutputs& out);
  bool CheckAnswer(std::uint64_t cycle, const WarpOutputs& out);
  bool CheckFault(std::uint64_t cycle, const WarpOutputs& out);
  bool CheckArrival(const WarpInputs& in, const WarpOutputs& out);
  bool CheckDeadlines(std::uint64_t cycle, const WarpInputs& in, const WarpOutputs& out);
  bool CheckRequest(std::uint64_t cycle, const WarpInputs& in, const WarpOutputs& out);
  void Accept(std::uint64_t cycle, const WarpRequest& presented);
  void Count(const WarpRequest& request, const WarpEffects& effects, bool together);
  Expected* Oldest();

  const WarpShape shape_;
  golden::WarpScope model_;
  std::deque<Expected> expected_;
  std::vector<WarpArrival> due_;
  std::uint64_t waited_ = 0;  // cycles in which a due arrival could have come, and nothing went on
  std::optional<WarpArrival> shown_;   // an arrival that is held
  std::optional<WarpInputs> offered_;  // what was presented and not accepted
  unsigned reads_ = 0;                 // still to be answered
  std::array<std::uint32_t, kMaxWarps> held_{};
  std::array<std::uint8_t, kMaxWarps> cta_{};
  std::uint64_t open_ = 0;  // warps that have groups
  std::optional<Mismatch> mismatch_;
  std::optional<Accepted> accepted_;
  Counts counts_;
  struct Record {
    std::uint64_t cycle = 0;
    WarpRequest request;
  };
  std::deque<Record> history_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_WARP_CHECKER_H_
