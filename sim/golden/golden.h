// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model of the named barriers: what is right, written from PTX ISA 9.7.13.1 and the BCU
// ISA. Sets of warps and integers; no cycles, and no structure borrowed from the hardware.
#ifndef MUSTER_SIM_GOLDEN_GOLDEN_H_
#define MUSTER_SIM_GOLDEN_GOLDEN_H_

#include <cstdint>

#include "sim/golden/operation.h"

namespace muster::golden {

// What one operation did. The members are in order of their size, for there is one of these for
// every operation of every run.
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
  bool completed = false;                  // a generation of the entry below turned
  bool entry_written = false;  // an accepted arrival, an exit that completed, or R2B.BAR
  std::uint8_t cta = 0;        // of the entry written
  std::uint8_t bar = 0;
};

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_GOLDEN_H_
