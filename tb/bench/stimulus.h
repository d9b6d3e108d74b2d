// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The stimulus of the bench: one CTA whose warps arrive at a barrier, and an endless stream of
// arrivals. Both take their figures from the pins.
#ifndef MUSTER_TB_BENCH_STIMULUS_H_
#define MUSTER_TB_BENCH_STIMULUS_H_

#include <cstdint>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/port/driver.h"
#include "sim/port/pins.h"

namespace muster::bench {

inline constexpr unsigned kQuiet = 32;  // cycles in which any pipeline runs empty

// How a CTA of `warps` warps arrives at a barrier.
struct Gathering {
  unsigned warps = 1;
  bool last_alone = false;       // the last arrival comes when all others have long committed
  unsigned cycles_per_warp = 0;  // at least so far apart; 0: as many at once as there are ports
  bool drain = false;  // every warp has an access to drain, performed when it is asked for
};

// The cycles of what happened, counted from reset.
struct GatherTimes {
  std::uint64_t first = 0;     // the first arrival was accepted
  std::uint64_t last = 0;      // the last was
  std::uint64_t released = 0;  // the release register showed every warp
};

// Launches a CTA, lets its warps sync once, and ends when they are released. It does nothing that
// is not in every configuration.
class Gather : public lockstep::Driver {
 public:
  Gather(const Config& config, const Gathering& gathering)
      : config_(config), gathering_(gathering) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;

  const GatherTimes& times() const { return times_; }

 private:
  std::uint64_t All() const;
  void Accept(std::uint64_t cycle, const Outputs& seen, Inputs* inputs);
  void Present(std::uint64_t cycle, Inputs* inputs);

  const Config config_;
  const Gathering gathering_;
  GatherTimes times_;
  bool launched_ = false;
  unsigned presented_ = 0;
  unsigned accepted_ = 0;
  std::uint64_t next_ = 0;  // the earliest cycle for the next arrival
};

// Every warp of the unit arrives at one barrier, again and again, and never waits. The ports share
// the warps out.
class Stream : public lockstep::Driver {
 public:
  Stream(const Config& config, std::uint64_t cycles) : config_(config), cycles_(cycles) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override;

  double arrivals_per_cycle() const {
    return static_cast<double>(accepted_) / static_cast<double>(cycles_);
  }

 private:
  const Config config_;
  const std::uint64_t cycles_;
  bool launched_ = false;
  std::uint64_t from_ = 0;
  std::uint64_t accepted_ = 0;
};

}  // namespace muster::bench

#endif  // MUSTER_TB_BENCH_STIMULUS_H_
