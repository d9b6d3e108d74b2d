// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs programs on a unit, many of them, and makes one that fails as short as it gets.
#ifndef MUSTER_TB_ADAPTERS_RUN_H_
#define MUSTER_TB_ADAPTERS_RUN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tb/adapters/adapter.h"
#include "tb/adapters/checker.h"
#include "tb/adapters/traffic.h"

namespace muster::adapters {

struct Result {
  Failure failure;
  Tally tally;
  unsigned cycles = 0;
  unsigned steps = 0;                                   // that took effect
  std::vector<std::pair<unsigned, std::string>> trace;  // cycle and event
};

// `record`: the events, too.
Result Execute(const Program& program, Adapter* adapter, bool record);

// The parts of a program that the command line can name: which steps, and whether they are delayed.
void Keep(const std::vector<unsigned>& ids, const Features& features, Program* program);
void DropDelays(Program* program);

struct Shortest {
  Program program;
  bool without_delays = false;
  unsigned runs = 0;  // that it took
};
// Removes what the failure does without: then no step, and no two, can be removed any more.
Shortest Shrink(const Program& program, Wrong wrong, Adapter* adapter);

struct Outcome {
  Failure failure;
  Tally tally;
  std::uint64_t first = 0;  // seed that fails
  std::uint64_t seed = 0;   // of the shortest trace
  std::uint64_t programs = 0, cycles = 0, steps = 0;
  std::size_t drawn = 0;  // steps of the program that failed
  Shortest shortest;
  Result last;  // of the shortest program

  bool passed() const { return failure.wrong == Wrong::kNothing; }
};
// Programs of these seeds, up to the first that fails; of it and a few more that fail likewise, the
// one that becomes the shortest is reported. Units or features that leave nothing to test are
// refused: that is a failure, too.
Outcome Regress(std::uint64_t first_seed, std::uint64_t last_seed, Adapter* adapter);

// A failure, its shortest trace, and the command that repeats it: `command` and what it needs
// besides.
std::string Report(const Outcome& outcome, const std::string& command);

}  // namespace muster::adapters

#endif  // MUSTER_TB_ADAPTERS_RUN_H_
