// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The lockstep check of a whole GPC: in every cycle each unit, the atomics and the warp scope
// beside it, and the cluster scope with the checkers that they have alone, and what passes between
// them inside.
#ifndef MUSTER_SIM_LOCKSTEP_GPC_H_
#define MUSTER_SIM_LOCKSTEP_GPC_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/lockstep/atomics_checker.h"
#include "sim/lockstep/cluster_checker.h"
#include "sim/lockstep/gpc_crossing.h"
#include "sim/lockstep/gpc_dut.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/warp_checker.h"
#include "sim/port/driver.h"

namespace muster::lockstep {

// The checkers of a run, for whoever drives or observes it.
struct GpcChecks {
  explicit GpcChecks(const GpcShape& shape)
      : warps(shape.cluster.num_units, WarpChecker(shape.warps)),
        atomics(shape.atomics ? shape.cluster.num_units : 0,
                AtomicsChecker(shape.atomics.value_or(AtomicsShape{}))),
        crossings(shape.cluster.num_units, GpcCrossingChecker(shape.unit.smem_bytes)),
        cluster(shape.cluster) {}

  std::vector<WarpChecker> warps;
  std::vector<AtomicsChecker> atomics;
  std::vector<GpcCrossingChecker> crossings;
  ClusterChecker cluster;
};

// The cores and the scheduler around a GPC.
class GpcDriver {
 public:
  GpcDriver() = default;
  GpcDriver(const GpcDriver&) = delete;
  GpcDriver& operator=(const GpcDriver&) = delete;
  virtual ~GpcDriver() = default;

  // At the start of a cycle: sets `reset` and the pins of the scopes. *pins holds those of the
  // cycle before. Then Drive of each unit's driver is called, for the pins of the unit, and in a
  // reset for Inputs::reset.
  virtual void Drive(std::uint64_t cycle, GpcPins* pins) = 0;
  virtual Driver* unit(unsigned u) = 0;
  // The pins have settled: sets inputs that depend on outputs in the same cycle. Returns whether
  // any has changed.
  virtual bool Wire(GpcPins* pins) = 0;
  // The cycle is over, and was right.
  virtual void Observe(std::uint64_t cycle, const GpcPins& pins) = 0;
  // From now on nothing new begins, and what is under way comes to its end.
  virtual void Finish() = 0;
  virtual bool Finished() const = 0;
};

// Makes the driver of a run.
using MakeGpcDriver =
    std::function<std::unique_ptr<GpcDriver>(const GpcShape& shape, const GpcChecks& checks)>;

// Runs the GPC of this program from reset until max_cycles have run and what was under way then is
// done, or to the first mismatch. Of the options `min_commits`, `checked`, `cover` and the
// makers have no effect.
Result RunGpc(const MakeGpcDriver& make_driver, const Options& options);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_GPC_H_
