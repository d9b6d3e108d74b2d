// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the programs of the regression have in common: which seeds are run, in shards, where the
// results go, and what a single run leaves.
#ifndef MUSTER_TB_LOCKSTEP_REGRESS_PROGRAM_H_
#define MUSTER_TB_LOCKSTEP_REGRESS_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/regress_result.h"

namespace muster::lockstep {

// Of eight seeds in a row, two leave out clock edges of the unit, and two those of its mbarriers
// alone.
inline Gating GatingOf(std::uint64_t seed) {
  if (seed % 2 != 0) {
    return Gating::kNone;
  }
  return seed % 8 == 2 || seed % 8 == 4 ? Gating::kUnit : Gating::kMbarriers;
}

struct RegressOptions {
  std::string program;             // as a shell in this folder finds it
  std::vector<std::string> names;  // of the configurations; none: all that were built
  std::string seeds_text;
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 10;
  std::optional<std::uint64_t> only_seed;
  std::string shard_text;
  std::uint64_t shard = 1;  // of them only each shards-th, from this one on
  std::uint64_t shards = 1;
  std::vector<std::string> merge;
  std::string json;
  Options run;
};

// A program of the regression.
struct Regression {
  std::string description;
  Layout layout;
  // The names of what is run: all those that were asked for, or all that were built. Throws
  // std::runtime_error with a sentence if there is not such a one.
  std::function<std::vector<std::string>(const std::vector<std::string>&)> names;
  // Throws std::runtime_error if there is nothing of this name.
  std::function<std::unique_ptr<RegressResult>(const std::string& name)> make;
  // Runs a seed, and adds it.
  std::function<void(const RegressOptions& options, std::uint64_t seed, RegressResult*)> run;
};

// The program itself. Returns its exit code.
int Regress(int argc, char** argv, const Regression& regression);

}  // namespace muster::lockstep

#endif  // MUSTER_TB_LOCKSTEP_REGRESS_PROGRAM_H_
