// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the runs of a small program come to, and the differences between what a naive enumerator and
// an exhaustive search find.
#ifndef MUSTER_TB_EXPLORE_OUTCOMES_H_
#define MUSTER_TB_EXPLORE_OUTCOMES_H_

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "tb/explore/small_program.h"

namespace muster::explore {

using Race = std::pair<Site, Site>;  // in ascending order

struct Outcomes {
  bool complete = true;  // false: there were more interleavings than allowed
  std::uint64_t interleavings = 0;
  bool deadlock = false;         // at least one interleaving deadlocks
  std::set<std::string> faults;  // faults of any interleaving: "count_mismatch"
  std::set<Words> completed;     // final words of the interleavings that complete
  std::set<Words> deadlocked;    // final words of the interleavings that deadlock
  std::set<Race> races;          // races of any interleaving
};

// Returns what one of two sets lacks, one on a line.
template <typename Set, typename Show>
std::string Differences(const char* what, const Set& naive, const Set& explored, const Show& show) {
  std::string text;
  for (const auto& one : naive) {
    if (explored.count(one) == 0) {
      text += fmt::format("{} that is not found: {}\n", what, show(one));
    }
  }
  for (const auto& one : explored) {
    if (naive.count(one) == 0) {
      text += fmt::format("{} that is not there: {}\n", what, show(one));
    }
  }
  return text;
}

// Returns the differences, one on a line. `races` are those that the search has found, or need not
// find; `list` is what a program consists of. A fault ends a run in any state, so that orders of
// one class may differ in their accesses.
inline std::string Differences(const Outcomes& naive, const Outcomes& explored,
                               const std::set<Race>& races, const char* list) {
  std::string text = explored.complete ? "" : "the search is not complete\n";
  if (naive.deadlock != explored.deadlock) {
    text += naive.deadlock ? "a deadlock that is not found\n" : "a deadlock that is not there\n";
  }
  const auto words = [](const Words& one) { return fmt::format("{:x}", fmt::join(one, " ")); };
  const auto cause = [](const std::string& one) { return one; };
  const auto race = [list](const Race& one) {
    return fmt::format("operation {} of {} {}, operation {} of {} {}", one.first.second, list,
                       one.first.first, one.second.second, list, one.second.first);
  };
  text += Differences("a fault", naive.faults, explored.faults, cause);
  text += Differences("words of a run", naive.completed, explored.completed, words);
  text += Differences("words of a deadlock", naive.deadlocked, explored.deadlocked, words);
  return naive.faults.empty() ? text + Differences("a race", naive.races, races, race) : text;
}

}  // namespace muster::explore

#endif  // MUSTER_TB_EXPLORE_OUTCOMES_H_
