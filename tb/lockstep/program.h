// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random programs of a CTA that always terminate: the steps of each of its warps.
#ifndef MUSTER_TB_LOCKSTEP_PROGRAM_H_
#define MUSTER_TB_LOCKSTEP_PROGRAM_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "tb/lockstep/random.h"

namespace muster::lockstep {

struct Step {
  Operation operation;  // an issue operation or kExit; CTA and warp slots are left open
  int opens = -1;       // the gate that is open when this has committed
  int after = -1;       // the gate that must be open before this
};

struct Program {
  unsigned warps = 0;
  unsigned gates = 0;
  std::uint16_t split_bars = 0;  // for whose phases warps wait
  std::array<std::vector<Step>, kMaxWarps> steps;
};

struct ProgramOptions {
  unsigned warps = 1;
  unsigned episodes = 10;    // how often some of the warps meet
  bool timing_shows = true;  // results may depend on who comes first
};

// A program that stays within what the configuration can do.
//
// It cannot deadlock. It is a sequence of episodes, each of which is a barrier and the warps that
// arrive at it, and each warp executes its episodes in this order. So all arrivals that the first
// unfinished episode needs are always on their way. A barrier id is used again only by warps that
// know the episode before to be over: they waited there, or have since met a warp at another
// barrier that knows it.
//
// In a split phase, warps arrive and wait in a later step, with other episodes in between. Its id
// is used again when all warps have met after the last of these waits, so none of them comes late.
// A program knows the phase of each id, since each of its episodes completes a known number of
// generations.
Program MakeProgram(const Config& config, const ProgramOptions& options, Random* random);

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_PROGRAM_H_
