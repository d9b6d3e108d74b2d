// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The rules of the handshakes. The unit decides when an operation is accepted, drained and
// committed; the monitor checks that it keeps the rules and the published waits, and derives which
// operations commit.
#ifndef MUSTER_SIM_LOCKSTEP_MONITOR_H_
#define MUSTER_SIM_LOCKSTEP_MONITOR_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/mismatch.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

// The operations that commit in one cycle, in order.
struct Commits {
  struct About {
    std::uint8_t port = 0;       // after the issue ports: the lifecycle port, the exit port
    bool parked = false;         // its drain was not acknowledged as it was accepted
    std::uint64_t accepted = 0;  // in this cycle
  };
  unsigned count = 0;
  std::array<Operation, kMaxIssue> operations;
  std::array<About, kMaxIssue> about;
};

class Monitor {
 public:
  // `start`: the first cycle out of reset.
  explicit Monitor(const Config& config, std::uint64_t start = 0);

  // Observes the settled pins of one cycle. Returns false if a rule is broken; see mismatch().
  bool Check(std::uint64_t cycle, const Inputs& in, const Outputs& out);

  const Commits& commits() const { return commits_; }
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }
  const Waits& waits() const { return waits_; }
  // No operation is presented, or between acceptance and commit.
  bool Idle() const {
    return pending_ == 0 && held_ == 0 && lifecycle_.count == 0 && exits_.count == 0;
  }

 private:
  // An operation of a warp between acceptance and commit.
  struct Pending {
    Operation operation;
    Commits::About about;
    std::uint64_t since = 0;  // counted_ when it was accepted, or drained if later
  };

  // An operation of the lifecycle port or the exit port between valid and commit.
  struct Lifecycle {
    Operation operation;
    std::uint64_t awaited = 0;  // warps with an operation on its way that it waits for
    std::uint64_t wait = 0;     // cycles since the last of these committed
    std::uint64_t accepted = 0;
  };

  // Such a port.
  struct LifecyclePort {
    const char* name;     // in reports
    const char* pins;     // as they begin
    const char* commits;  // the pin that shows a commit
    unsigned number;      // after the issue ports
    unsigned count = 0;   // oldest first; the latest is not accepted yet if held
    bool held = false;
    std::array<Lifecycle, 2> operations = {};
  };

  // The bit of a warp's slot. A warp number that the unit lacks may share the slot of a warp that
  // it has: only one operation of the two is on its way at a time. A slot without a warp has no
  // pins: it has no outstanding accesses, and no output shows that it is busy.
  std::uint64_t Bit(unsigned warp) const { return std::uint64_t{1} << (warp & warp_mask_); }

  bool CheckIssue(std::uint64_t cycle, const Inputs& in, const Outputs& out);
  bool Accept(std::uint64_t cycle, unsigned port, const Inputs& in);
  bool CheckLifecycle(std::uint64_t cycle, bool valid, bool ready, const Operation& operation,
                      LifecyclePort* port);
  bool TakeCommits(const Outputs& out);
  bool TakeCommit(LifecyclePort* port);
  bool Present(const Operation& operation, LifecyclePort* port);
  // Check that no wait is too long. Each checks the operations that still wait after this cycle.
  bool CheckPending();
  bool CheckWaits(LifecyclePort* port);
  Wait WaitOf(const Pending& pending) const {
    return pending.about.parked ? kDrainWait : kCommitWait;
  }
  bool CountWait(Wait wait, std::uint64_t cycles, unsigned port, const Operation& operation);
  [[gnu::cold]] bool Fail(std::string field, std::string unit, std::string rule);

  const Config config_;
  const Bounds bounds_;
  const unsigned warp_mask_;
  const std::uint64_t warps_;         // those that the unit has
  const std::uint64_t counted_from_;  // cycle: the unit has got ready
  Commits commits_;
  std::optional<Mismatch> mismatch_;
  Waits waits_{};

  // Cycles that count as waits: those after the start in which no response is held up.
  std::uint64_t counted_ = 0;
  bool counts_ = false;  // this one

  // Issue ports: operations that wait for ready.
  unsigned held_ = 0;
  std::array<Operation, kMaxIssue> held_operation_;
  std::array<std::uint64_t, kMaxIssue> held_cycles_{};

  // Warps with an operation between acceptance and commit, and those of them not yet drained.
  std::uint64_t pending_ = 0;
  std::uint64_t undrained_ = 0;
  std::array<Pending, kMaxWarps> table_;
  std::uint64_t latest_good_ = 0;  // none of them is late while counted_ is no more than this

  bool response_held_ = false;  // in the cycle before

  LifecyclePort lifecycle_;
  LifecyclePort exits_;
};

// Returns an output that a unit in reset shows and must not, once a clock edge has passed; nothing
// if all outputs are quiet.
std::optional<Mismatch> LoudInReset(const Outputs& out);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_MONITOR_H_
