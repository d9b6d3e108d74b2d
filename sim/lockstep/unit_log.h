// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The log of one unit: writes what has committed, with the effects by the golden model and the
// place in the program. Knows the format's writer and the driver's lines, and checks nothing.
#ifndef MUSTER_SIM_LOCKSTEP_UNIT_LOG_H_
#define MUSTER_SIM_LOCKSTEP_UNIT_LOG_H_

#include <cstdint>
#include <string>

#include "sim/isa/config.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/mb_checker.h"
#include "sim/lockstep/monitor.h"
#include "sim/log/log.h"
#include "sim/tlm/barrier_extension.h"

namespace muster::lockstep {

class UnitLog {
 public:
  // `number`: of the unit in a run of several, or -1. The options must outlive this object.
  UnitLog(const Config& config, const Options& options, int number);

  void WriteReset(std::uint64_t cycle) { writer_.WriteReset(cycle); }
  void Write(std::uint64_t cycle, const Commits& commits, const MbChecker& mb_checker,
             const tlm::BarrierExtension& done, const Driver& driver);
  // Returns a sentence if the file could not be written, or an empty text.
  std::string Close() { return writer_.Close() ? "" : writer_.error(); }

 private:
  std::string PlaceOf(std::uint32_t line) const;

  const Options& options_;
  log::LogWriter writer_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_UNIT_LOG_H_
