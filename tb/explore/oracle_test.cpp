// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random small programs: what Exhaust() finds in one order of each class is what the naive
// enumerator finds in all orders.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "sim/explore/exhaust.h"
#include "sim/explore/suspicion.h"
#include "sim/explore/world.h"
#include "sim/isa/config.h"
#include "sim/ptx/program/address.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/explore/naive.h"
#include "tb/explore/outcomes.h"
#include "tb/explore/random_program.h"

namespace muster::explore {
namespace {

constexpr std::uint64_t kMostInterleavings = 20'000;
constexpr std::uint64_t kSeeds = 1'000;
constexpr unsigned kShards = 4;

Words WordsOf(const ptx::Memory& memory) {
  const auto& bytes = memory.RegionAt(ptx::GenericAddress(ptx::kGlobalSegment, 0))->bytes;
  Words words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), 4 * words.size());
  return words;
}

// The outcomes of an exhaustive search, in the terms of the naive enumerator.
class Explored {
 public:
  explicit Explored(const SmallProgram& program) : ptx_(PtxOf(program)) {
    program_ = ptx::Link(*ptx::Parse("program.ptx", ptx_.text), "program");
    launch_.block = {ThreadsOf(program), 1, 1};
    launch_.shared_bytes = program_.static_shared;
    memory_.Set(ptx::kGlobalSegment, {"the file's .global variables", program_.global_image, true});
    World world(*FindConfig("default"), program_, launch_, memory_);
    const Exhausted exhausted =
        Exhaust(&world, {}, [this](const Order& order) { return Take(order); });
    outcomes_.complete = exhausted.complete;
    outcomes_.interleavings = exhausted.classes;
  }
  const Outcomes& outcomes() const { return outcomes_; }

 private:
  bool Take(const Order& order) {
    switch (order.world.end()) {
      case World::End::kCompletes:
        outcomes_.completed.insert(WordsOf(order.world.memory()));
        break;
      case World::End::kDeadlock:
        outcomes_.deadlock = true;
        outcomes_.deadlocked.insert(WordsOf(order.world.memory()));
        break;
      case World::End::kFault:
        outcomes_.faults.insert(order.world.faults().front().name);
        break;
      default:
        outcomes_.faults.insert("an order without an end");
    }
    for (const Suspicion& suspicion : order.suspicions) {
      if (suspicion.kind == Kind::kDataRace) {
        outcomes_.races.insert(
            std::minmax(SiteOf(suspicion.first.at), SiteOf(suspicion.second.at)));
      }
    }
    return true;
  }

  // An index beyond the program's operations, for what is none of them.
  Site SiteOf(const Place& at) const {
    const auto found = ptx_.sites.find(program_.code[at.pc].line);
    return found != ptx_.sites.end() ? found->second : Site{kMostWarps, program_.code[at.pc].line};
  }

  const Ptx ptx_;
  ptx::Program program_;
  ptx::Launch launch_;
  ptx::Memory memory_;
  Outcomes outcomes_;
};

// A wait at a barrier without a count, or for another lane, may end with the exit of others, which
// orders nothing. Then several accesses of one warp race with one of another, in every order; a run
// shows the latest of them.
bool ShowsTheLatestOnly(const SmallProgram& program) {
  return std::any_of(program.warps.begin(), program.warps.end(), [&](const auto& warp) {
    return std::any_of(warp.begin(), warp.end(), [&](const Operation& operation) {
      const bool is_named =
          operation.kind == Operation::Kind::kSync || operation.kind == Operation::Kind::kArrive;
      return (is_named && (operation.value == 0 || program.lanes_apart)) ||
             operation.kind == Operation::Kind::kWarpSync;
    });
  });
}

// Whether another operation writes the variable of these two and may hide one of them.
bool IsWrittenBeside(const SmallProgram& program, const Race& race) {
  const unsigned variable = program.warps[race.first.first][race.first.second].object;
  for (unsigned warp = 0; warp < program.warps.size(); ++warp) {
    for (unsigned i = 0; i < program.warps[warp].size(); ++i) {
      const Operation& other = program.warps[warp][i];
      const Site site{warp, i};
      if (Writes(other) && other.object == variable && site != race.first && site != race.second) {
        return true;
      }
    }
  }
  return false;
}

// Extends `found` by races of the same warps at the same variable, and by races that another write
// may hide.
std::set<Race> WithSameWarps(const SmallProgram& program, const std::set<Race>& all,
                             const std::set<Race>& found) {
  const auto key = [&program](const Race& race) {
    const unsigned variable = program.warps[race.first.first][race.first.second].object;
    return std::array{variable, race.first.first, race.second.first};
  };
  std::set<Race> result = found;
  for (const Race& race : all) {
    if (IsWrittenBeside(program, race) ||
        std::any_of(found.begin(), found.end(),
                    [&](const Race& other) { return key(other) == key(race); })) {
      result.insert(race);
    }
  }
  return result;
}

std::string Differences(const SmallProgram& program, const Outcomes& naive,
                        const Outcomes& explored) {
  return Differences(naive, explored,
                     ShowsTheLatestOnly(program)
                         ? WithSameWarps(program, naive.races, explored.races)
                         : explored.races,
                     "warp");
}

std::string Differences(const SmallProgram& program) {
  const Outcomes naive = EnumerateAll(program, kMostInterleavings);
  return naive.complete ? Differences(program, naive, Explored(program).outcomes()) : "";
}

// Reduces a program: removes operations as long as a difference remains.
SmallProgram Shrunk(SmallProgram program) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t warp = 0; warp < program.warps.size(); ++warp) {
      for (std::size_t i = 0; i < program.warps[warp].size(); ++i) {
        SmallProgram less = program;
        less.warps[warp].erase(less.warps[warp].begin() + static_cast<std::ptrdiff_t>(i));
        if (!Differences(less).empty()) {
          program = std::move(less);
          smaller = true;
          break;
        }
      }
    }
  }
  return program;
}

// Whether two warps use a variable, one of them writes it, and not both accesses are atomic.
bool HasConflict(const SmallProgram& program) {
  std::array<unsigned, kMostObjects> used{};
  std::array<unsigned, kMostObjects> written{};
  std::array<bool, kMostObjects> weak{};
  for (unsigned warp = 0; warp < program.warps.size(); ++warp) {
    for (const Operation& operation : program.warps[warp]) {
      if (IsAccess(operation)) {
        used[operation.object] |= 1U << warp;
        written[operation.object] |= Writes(operation) ? 1U << warp : 0;
        weak[operation.object] |= !IsStrong(operation);
      }
    }
  }
  for (unsigned i = 0; i < kMostObjects; ++i) {
    if (weak[i] && written[i] != 0 && (used[i] & (used[i] - 1)) != 0) {
      return true;
    }
  }
  return false;
}

using Count = std::map<std::string, unsigned>;

// Compares programs of a shard, and says how many there were of a kind.
Count CompareAll(SmallProgram (*random)(std::uint64_t), std::uint64_t shard) {
  Count count;
  for (std::uint64_t seed = shard; seed < kSeeds; seed += kShards) {
    const SmallProgram program = random(seed);
    const Outcomes naive = EnumerateAll(program, kMostInterleavings);
    if (!naive.complete) {
      ++count["skipped"];
      continue;
    }
    const Outcomes explored = Explored(program).outcomes();
    count["deadlock"] += naive.deadlock ? 1 : 0;
    count["deadlock in some orders"] += naive.deadlock && !naive.completed.empty() ? 1 : 0;
    count["race"] += naive.races.empty() ? 0 : 1;
    count["conflict without a race"] += naive.races.empty() && HasConflict(program) ? 1 : 0;
    count["several results"] += naive.completed.size() > 1 ? 1 : 0;
    count["fault"] += naive.faults.empty() ? 0 : 1;
    count["fewer classes"] += explored.interleavings < naive.interleavings ? 1 : 0;
    if (!Differences(program, naive, explored).empty()) {
      const SmallProgram small = Shrunk(program);
      const Ptx ptx = PtxOf(small);
      ADD_FAILURE() << "seed " << seed << "\n" << Differences(small) << ptx.text << ptx.manifest;
    }
  }
  return count;
}

class Oracle : public testing::TestWithParam<unsigned> {};

TEST_P(Oracle, RandomPrograms) {
  Count count = CompareAll(RandomProgram, GetParam());
  // The random programs must cover all kinds of ends.
  EXPECT_LE(count["skipped"], 10U);
  EXPECT_GE(count["race"], 50U);
  EXPECT_GE(count["conflict without a race"], 20U);
  EXPECT_GE(count["deadlock in some orders"], 5U);
  EXPECT_GE(count["fault"], 1U);
  EXPECT_GE(count["several results"], 50U);
  EXPECT_GE(count["fewer classes"], 150U);
}

TEST_P(Oracle, LanesApart) {
  Count count = CompareAll(RandomLanes, GetParam());
  EXPECT_LE(count["skipped"], 20U);
  EXPECT_GE(count["race"], 50U);
  EXPECT_GE(count["conflict without a race"], 20U);
  EXPECT_GE(count["deadlock in some orders"], 4U);
  EXPECT_GE(count["several results"], 50U);
}

// Programs of which the search has missed orders: a wait that comes after its phase, and after
// what others do, could have come before. In the last one a strong load follows the one that races.
TEST(OracleOf, OrdersOnceMissed) {
  const SmallProgram programs[] = {RandomProgram(2220), RandomLanes(3080), RandomLanes(4136),
                                   RandomLanes(3995)};
  for (const SmallProgram& program : programs) {
    EXPECT_EQ(Differences(program), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, Oracle, testing::Range(0U, kShards));

}  // namespace
}  // namespace muster::explore
