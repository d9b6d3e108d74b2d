// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random programs of a CTA that always come to an end: what each of its warps does, step by step.
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
  int behind = -1;      // the gate that must be open before this
};

struct Program {
  unsigned warps = 0;
  unsigned gates = 0;
  std::array<std::vector<Step>, kMaxWarps> steps;
};

struct ProgramOptions {
  unsigned warps = 1;
  unsigned episodes = 10;    // how often some of the warps meet
  bool timing_shows = true;  // results may depend on who comes first
};

// A program that stays within what the configuration can do.
//
// It cannot deadlock: it is a sequence of episodes, each a barrier and those who arrive at it, and
// each warp goes through its own in this sequence. So the first episode that is not over always has
// all that it needs on the way. A barrier id is used again only by warps that know the episode
// before to be over: they waited there, or heard of it at another barrier since.
Program MakeProgram(const Config& config, const ProgramOptions& options, Random* random);

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_PROGRAM_H_
