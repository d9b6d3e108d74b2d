// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Dense traffic: legal operations of every kind that the configuration has, as many as the unit
// accepts. At least half of all cycles commit one.
#ifndef MUSTER_TB_BENCH_TRAFFIC_H_
#define MUSTER_TB_BENCH_TRAFFIC_H_

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/port/driver.h"
#include "sim/port/pins.h"
#include "tb/lockstep/random.h"

namespace muster::bench {

// CTAs whose warps meet at one barrier after another, end, and are launched again in another slot.
// In a round every warp may do something else first (read a state word or a result; most often
// nothing) and then arrives; warps that arrive without waiting run ahead of the others by up to
// four rounds. In the last round one warp exits instead.
class Traffic : public lockstep::Driver {
 public:
  Traffic(const Config& config, std::uint64_t seed);

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;  // for ever

 private:
  struct Cta {
    std::uint64_t warps = 0;  // slots, always the same ones
    unsigned size = 0;
    unsigned slot = 0;
    std::uint64_t program = 0;  // a seed
    unsigned rounds = 0;
    unsigned leaver = 0;  // the warp that exits instead of arriving in the last round
    unsigned exited = 0;  // warps
    bool restored = false;
  };

  struct Warp {
    unsigned cta = 0;
    unsigned index = 0;  // in the CTA
    unsigned step = 0;   // two a round
  };

  static unsigned Round(const Warp& warp) { return (warp.step - 1) / 2; }  // of its latest step

  void Launch(Cta* cta);
  void DriveIssue(const Outputs& seen, Inputs* inputs);
  void DriveLifecycle(const Outputs& seen, Inputs* inputs);
  void DriveExits(const Outputs& seen, Inputs* inputs);
  void CommitLifecycle();
  void Done(std::uint64_t warps);
  void Exit(unsigned warp);
  unsigned PickWarp(std::uint64_t companions);
  Operation Next(unsigned warp);
  bool Aside(Cta* cta, const Warp& warp, Operation* operation);
  void Arrive(const Cta& cta, const Warp& warp, Operation* operation);

  const Config config_;
  lockstep::Random random_;
  std::vector<Cta> ctas_;
  std::array<Warp, kMaxWarps> warps_;
  std::uint64_t free_slots_;

  // Sets of warps: those with an operation to issue; with one between acceptance and commit or,
  // where it waits, release.
  std::uint64_t ready_ = 0;
  std::uint64_t flying_ = 0;
  std::uint64_t waiting_ = 0;

  std::deque<Operation> requests_;  // of the CTA scheduler, not yet accepted, and
  std::deque<Operation> accepted_;  // not yet committed
  std::deque<Operation> exits_;     // likewise
  std::deque<Operation> exited_;
};

}  // namespace muster::bench

#endif  // MUSTER_TB_BENCH_TRAFFIC_H_
