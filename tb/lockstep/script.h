// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Directed stimulus: which operation is presented at which port and when, and its outcome, cycle by
// cycle.
#ifndef MUSTER_TB_LOCKSTEP_SCRIPT_H_
#define MUSTER_TB_LOCKSTEP_SCRIPT_H_

#include <array>
#include <cstdint>
#include <deque>
#include <ostream>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/lockstep.h"
#include "sim/port/driver.h"
#include "sim/port/pins.h"
#include "tb/lockstep/fields.h"

namespace muster {

void PrintTo(const Config& config, std::ostream* out);  // GoogleTest names a test by it

}  // namespace muster

namespace muster::lockstep {

// The configurations for which this program has a unit, if they are large enough for the scripts:
// eight warps, two CTAs. The regression takes all.
std::vector<Config> BuiltConfigs();
std::vector<Config> With(bool Config::*feature);  // those of them that have it

std::uint64_t FirstWarps(unsigned count);

// An arrival of a warp of CTA 0 with all its lanes; `warps`: how many are expected, 0: all live.
Operation Arrival(OpKind kind, unsigned warp, unsigned bar, unsigned warps);
Operation InCta(unsigned cta, Operation operation);
Operation WithPredicates(std::uint32_t predicates, Operation operation);
Operation Exit(unsigned warp);
Operation Launch(unsigned cta, std::uint64_t warps);
Operation Open(unsigned cta, unsigned size);
Operation Join(unsigned cta, unsigned warp, std::uint32_t lanes = kAllLanes);
Operation Leave(OpKind kind, unsigned cta);  // suspend or end
Operation Read(OpKind kind, unsigned warp, unsigned bar = 0);
Operation Write(OpKind kind, unsigned warp, unsigned bar, std::uint32_t word);

// A script is a sequence of scenes. A scene begins when no operation of the one before is left in
// the unit; cycles are counted from there. An operation is presented as soon as it is due, its port
// is free and the operations before it at that port have been accepted. A script can run once.
class Script : public Driver {
 public:
  using Id = std::size_t;

  explicit Script(const Config& config) : config_(config) {}

  Id Issue(unsigned port, const Operation& operation, std::uint64_t from = 0);
  // At the lifecycle port; an exit at its own.
  Id Lifecycle(const Operation& operation, std::uint64_t from = 0);
  Id Launch(unsigned cta, std::uint64_t warps);  // a scene of its own
  // Does not present it before the cycle after the commit of `first`.
  void After(Id first, Id then) { acts_[then].after = first; }
  // From that cycle on, these warps have a memory access outstanding that is not performed.
  void Accessing(std::uint64_t warps, std::uint64_t from = 0);
  // From that cycle on, responses are taken, or are not.
  void Taking(bool responses, std::uint64_t from);
  void NextScene() { scenes_.emplace_back(); }

  // Runs the script under lockstep. A mismatch, or an operation that never commits, is a failure.
  void Run();

  // The cycles in which it was first presented, accepted and committed, and its effects.
  std::uint64_t Presented(Id id) const { return acts_[id].presented; }
  std::uint64_t Accepted(Id id) const { return acts_[id].accepted; }
  std::uint64_t Committed(Id id) const { return acts_[id].committed; }
  const Effects& EffectsOf(Id id) const { return acts_[id].effects; }

  // The events at the pins, with their cycles.
  struct Release {
    std::uint64_t cycle;
    std::uint64_t warps;
    BarKind kind;
    unsigned value;
  };
  struct Response {
    std::uint64_t cycle;
    unsigned warp;
    std::uint32_t data;
    bool pred;
  };
  const std::vector<Release>& releases() const { return releases_; }
  const std::vector<Response>& responses() const { return responses_; }
  bool Idle(std::uint64_t cycle) const { return idle_.at(cycle); }  // the unit was, in that cycle
  std::uint64_t fenced() const { return fenced_; }  // warps of which a drain was requested

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override;

 private:
  static constexpr Id kNone = ~Id{0};
  static constexpr unsigned kLifecycle = kMaxIssue;  // ports after the issue ports
  static constexpr unsigned kExit = kMaxIssue + 1;

  struct Act {
    Operation operation;
    std::uint64_t from = 0;
    Id after = kNone;
    std::uint64_t presented = 0;
    std::uint64_t accepted = 0;
    std::uint64_t committed = 0;
    Effects effects;
  };
  struct Change {  // of a level
    std::uint64_t from;
    std::uint64_t level;
  };
  struct Scene {
    std::array<std::deque<Id>, kMaxIssue + 2> ports;
    std::deque<Change> accessing;
    std::deque<Change> taking;
  };

  Id Add(unsigned port, const Operation& operation, std::uint64_t from);
  void Look(std::uint64_t cycle, const Outputs& seen, const Inputs& inputs);
  bool Over() const;
  // Those of its port, or of its warp, between valid and commit.
  std::deque<Id>& Flying(const Operation& operation);
  bool Present(unsigned port, std::uint64_t now, bool valid, bool ready, Operation* operation);

  const Config config_;
  std::vector<Act> acts_;
  std::deque<Scene> scenes_ = std::deque<Scene>(1);
  std::uint64_t scene_from_ = 0;
  std::uint64_t quiet_ = 0;  // cycles since something was going on
  std::array<std::deque<Id>, kMaxIssue + 2> presented_;
  std::array<std::deque<Id>, kMaxWarps> flying_;  // accepted, by warp
  std::deque<Id> flying_lifecycle_;
  std::deque<Id> flying_exits_;
  std::uint64_t accessing_ = 0;
  bool taking_ = true;
  std::vector<Release> releases_;
  std::vector<Response> responses_;
  std::uint64_t fenced_ = 0;
  std::vector<bool> idle_;  // by cycle
};

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_SCRIPT_H_
