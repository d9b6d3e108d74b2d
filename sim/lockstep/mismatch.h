// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The result of a failed check: the first difference in a run.
#ifndef MUSTER_SIM_LOCKSTEP_MISMATCH_H_
#define MUSTER_SIM_LOCKSTEP_MISMATCH_H_

#include <optional>
#include <string>

#include "sim/port/pins.h"

namespace muster::lockstep {

// The field of a mismatch that an assertion of the unit found: its sentence is `unit`, and `golden`
// says where it stands.
inline constexpr const char* kAssertion = "assertion";

struct Mismatch {
  std::string field;   // "release.value", "issue[1]"
  std::string unit;    // what the unit (or the driver) did
  std::string golden;  // what is right
  int cta = -1;        // the entry that it is about; -1: none
  int bar = -1;
  std::optional<MbPlace> place{};  // the word of shared memory that it is about
  int warp = -1;                   // the warp, of the warp scope or of an atomic
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_MISMATCH_H_
