// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random small programs, and their PTX.
#ifndef MUSTER_TB_EXPLORE_RANDOM_PROGRAM_H_
#define MUSTER_TB_EXPLORE_RANDOM_PROGRAM_H_

#include <cstdint>
#include <map>
#include <string>

#include "tb/explore/small_program.h"

namespace muster::explore {

SmallProgram RandomProgram(std::uint64_t seed);
// Draws a program of two diverged lanes of a warp and sometimes another warp.
SmallProgram RandomLanes(std::uint64_t seed);

// Its words are the only variable in global memory, "words", in the order of WordOf.
struct Ptx {
  std::string text;
  std::string manifest;                 // of "program.ptx"
  std::map<std::uint32_t, Site> sites;  // by line
};
Ptx PtxOf(const SmallProgram& program);

}  // namespace muster::explore

#endif  // MUSTER_TB_EXPLORE_RANDOM_PROGRAM_H_
