// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Cover points of a clock that is off while the unit is idle: what waits in the unit meanwhile, and
// what turns the clock on.
#ifndef MUSTER_SIM_LOCKSTEP_IDLE_COVER_H_
#define MUSTER_SIM_LOCKSTEP_IDLE_COVER_H_

#include <array>
#include <cstdint>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/lockstep/cover_points.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

class IdleCover {
 public:
  IdleCover(const Config& config, CoverPoints* points);

  // Observes the pins of one cycle out of reset, and the golden model after it.
  void Observe(const Inputs& in, const Outputs& out, const golden::Model& model);
  // Forgets the run before.
  void NextRun() { off_ = mb_off_ = parked_ = 0; }

 private:
  void ObserveMbarriers(const Inputs& in, const Outputs& out);

  enum Port : unsigned { kIssue, kLifecycle, kExit, kMbIssue, kMbAsync, kMbRemote, kPorts };

  CoverPoints& points_;
  unsigned clock_off_ = 0;
  unsigned long_ = 0;
  unsigned warps_wait_ = 0;
  unsigned waits_parked_ = 0;
  std::array<unsigned, kPorts> ends_{};
  unsigned mb_clock_off_ = 0;
  unsigned cta_leaves_ = 0;
  std::array<unsigned, kPorts> mb_ends_{};
  std::uint64_t off_ = 0;     // cycles in a row, up to this one
  std::uint64_t mb_off_ = 0;  // likewise, of the mbarriers' clock alone
  std::uint64_t parked_ = 0;  // warps that wait at mbarriers
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_IDLE_COVER_H_
