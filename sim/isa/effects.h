// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The effects of an operation: the golden model produces them, and all other parts read them.
#ifndef MUSTER_SIM_ISA_EFFECTS_H_
#define MUSTER_SIM_ISA_EFFECTS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"

namespace muster {

// The effects of an operation on named barriers. The members are in order of their size, since
// there is one object for every operation of every run.
struct Effects {
  std::uint64_t released = 0;        // the warps that may run again; not a warp that never waited
  std::uint32_t released_value = 0;  // POPC: a count; AND, OR: 0 or 1
  std::uint32_t data = 0;            // Rd
  std::uint32_t word = 0;            // of the entry written, its state word afterwards
  std::uint32_t hazards = 0;         // a bit per Hazard

  FaultCause fault = FaultCause::kNone;    // other than kNone: refused, and nothing else is set
  BarKind released_kind = BarKind::kIdle;  // kSync: without a result
  bool responds = false;                   // B2R
  bool pred = false;                       // pu
  bool completed = false;                  // a generation of the entry below completed
  bool entry_written = false;  // an accepted arrival, an exit that completed, or R2B.BAR
  std::uint8_t cta = 0;        // of the entry written, or at which a wait finds its phase complete
  std::uint8_t bar = 0;
};

// The answer to the parked lanes of a warp.
struct MbAnswer {
  std::uint8_t warp = 0;
  std::uint32_t lanes = 0;
  bool complete = false;  // waitComplete
  MbReport report = 0;    // if complete, and it asked about the primary phase: that phase's
};

// The effects of an operation on mbarriers.
struct MbEffects {
  // By lane. A lane that is refused changes nothing; its token is 0 and its wait false.
  std::array<FaultCause, kMaxLanes> fault{};
  std::array<std::uint64_t, kMaxLanes> token{};  // arrivals that want one
  std::uint32_t complete = 0;                    // waits: the lanes that are answered true
  MbReport report = 0;       // waits for the primary phase: that of the phase, for those lanes
  std::uint32_t parked = 0;  // try_wait: the lanes that are answered later

  bool written = false;      // the word of the operation was updated
  std::uint64_t word = 0;    // what it is afterwards
  unsigned completions = 0;  // phases that completed

  std::vector<MbAnswer> answers;  // to warps parked before, in order of their slots
  std::uint32_t hazards = 0;      // a bit per Hazard
};

// Whether any lane is refused.
inline bool AnyRefused(const MbEffects& effects) {
  unsigned causes = 0;
  for (const FaultCause cause : effects.fault) {  // without a branch: one comparison for many lanes
    causes |= static_cast<unsigned>(cause);
  }
  return causes != 0;
}

}  // namespace muster

#endif  // MUSTER_SIM_ISA_EFFECTS_H_
