// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random small programs with copies in groups, multicast copies and arrivals, and launches that
// overlap: what
// Exhaust() finds in one order of each class is what the naive enumerator finds in all orders.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "sim/explore/exhaust.h"
#include "sim/explore/suspicion.h"
#include "sim/explore/world.h"
#include "sim/isa/config.h"
#include "sim/ptx/program/address.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/explore/async_program.h"
#include "tb/explore/outcomes.h"
#include "tb/volume.h"

namespace muster::explore {
namespace {

using Form = AsyncProgram::Form;

constexpr std::uint64_t kMostInterleavings = 20'000;
const unsigned kPrograms = Volume(200, 1'000);  // of each form

// The outcomes of an exhaustive search, in the terms of the naive enumerator.
class Explored {
 public:
  explicit Explored(const AsyncProgram& program) : words_(WordsOf(program)), ptx_(PtxOf(program)) {
    const auto module = ptx::Parse("program.ptx", ptx_.text);
    const bool launches = program.form == Form::kLaunches;
    program_ = launches ? ptx::Link(*module, std::vector<std::string>{"program", "second"})
                        : ptx::Link(*module, "program");
    launch_ = LaunchOf(program, 0);
    if (launches) {
      launch_.programmatic.push_back(LaunchOf(program, 1));
    } else if (program.form != Form::kGroups) {
      launch_.grid = launch_.cluster = {2, 1, 1};
      launch_.explicit_cluster = true;
    }
    launch_.Number();
    memory_.Set(ptx::kGlobalSegment, {"the file's .global variables", program_.global_image, true});
    World world(*FindConfig("default"), program_, launch_, memory_);
    const Exhausted exhausted =
        Exhaust(&world, {}, [this](const Order& order) { return Take(order); });
    outcomes_.complete = exhausted.complete;
    outcomes_.interleavings = exhausted.classes;
  }
  const Outcomes& outcomes() const { return outcomes_; }

 private:
  ptx::Launch LaunchOf(const AsyncProgram& program, unsigned number) const {
    const auto lists = std::count_if(
        program.lists.begin(), program.lists.end(),
        [&](const auto& list) { return program.form != Form::kLaunches || list.cta == number; });
    ptx::Launch launch;
    launch.block = {kThreadsOfWarp * static_cast<std::uint32_t>(lists), 1, 1};
    launch.kernel = number;
    launch.number = number + 1;
    launch.shared_bytes = program_.static_shared;
    return launch;
  }

  bool Take(const Order& order) {
    const auto words = [&] {
      const auto& bytes =
          order.world.memory().RegionAt(ptx::GenericAddress(ptx::kGlobalSegment, 0))->bytes;
      Words words(words_);
      std::memcpy(words.data(), bytes.data(), 4 * words.size());
      return words;
    };
    switch (order.world.end()) {
      case World::End::kCompletes:
        outcomes_.completed.insert(words());
        break;
      case World::End::kDeadlock:
        outcomes_.deadlock = true;
        outcomes_.deadlocked.insert(words());
        break;
      case World::End::kFault:
        outcomes_.faults.insert(order.world.faults().front().name);
        break;
      default:
        outcomes_.faults.insert("an order without an end");
    }
    for (const Suspicion& suspicion : order.suspicions) {
      if (IsRace(suspicion.kind)) {
        outcomes_.races.insert(
            std::minmax(SiteOf(suspicion.first.at), SiteOf(suspicion.second.at)));
      }
    }
    return true;
  }

  // An index beyond the program's operations, for what is none of them.
  Site SiteOf(const Place& at) const {
    const auto found = ptx_.sites.find(program_.code[at.pc].line);
    return found != ptx_.sites.end() ? found->second : Site{99, program_.code[at.pc].line};
  }

  const std::size_t words_;
  const AsyncPtx ptx_;
  ptx::Program program_;
  ptx::Launch launch_;
  ptx::Memory memory_;
  Outcomes outcomes_;
};

// Of writes to a variable that are ordered among themselves a run remembers the latest: another
// write may hide a race that no order of instructions shows. Races that such a write may hide, of a
// variable of which a race is found.
std::set<std::pair<Site, Site>> WithHidden(const AsyncProgram& program,
                                           const std::set<std::pair<Site, Site>>& all,
                                           const std::set<std::pair<Site, Site>>& found) {
  const auto variable = [&](const std::pair<Site, Site>& race) {
    return program.lists[race.first.first].operations[race.first.second].object;
  };
  std::set<std::pair<Site, Site>> result = found;
  for (const auto& race : all) {
    if (std::any_of(found.begin(), found.end(), [&](const auto& other) {
          return other.first.first < program.lists.size() && variable(other) == variable(race);
        })) {
      result.insert(race);
    }
  }
  return result;
}

std::string Differences(const AsyncProgram& program, const Outcomes& naive,
                        const Outcomes& explored) {
  return Differences(naive, explored, WithHidden(program, naive.races, explored.races), "list");
}

std::string Differences(const AsyncProgram& program) {
  const Outcomes naive = EnumerateAll(program, kMostInterleavings);
  return naive.complete ? Differences(program, naive, Explored(program).outcomes()) : "";
}

// Removes operations as long as a difference remains.
AsyncProgram Shrunk(AsyncProgram program) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (std::size_t list = 0; list < program.lists.size() && !smaller; ++list) {
      for (std::size_t i = 0; i < program.lists[list].operations.size() && !smaller; ++i) {
        AsyncProgram less = program;
        auto& operations = less.lists[list].operations;
        operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(i));
        if (!Differences(less).empty()) {
          program = std::move(less);
          smaller = true;
        }
      }
    }
  }
  return program;
}

using Count = std::map<std::string, unsigned>;

Count CompareAll(Form form) {
  Count count;
  for (std::uint64_t seed = 0; count["compared"] < kPrograms; ++seed) {
    const AsyncProgram program = RandomAsync(form, seed);
    const Outcomes naive = EnumerateAll(program, kMostInterleavings);
    if (!naive.complete) {
      ++count["skipped"];
      continue;
    }
    ++count["compared"];
    const Outcomes explored = Explored(program).outcomes();
    count["deadlock"] += naive.deadlock ? 1 : 0;
    count["race"] += naive.races.empty() ? 0 : 1;
    count["no race"] += naive.races.empty() ? 1 : 0;
    count["several results"] += naive.completed.size() > 1 ? 1 : 0;
    count["fault"] += naive.faults.empty() ? 0 : 1;
    count["fewer classes"] += explored.interleavings < naive.interleavings ? 1 : 0;
    if (const std::string differences = Differences(program, naive, explored);
        !differences.empty()) {
      const AsyncProgram small = Shrunk(program);
      ADD_FAILURE() << "seed " << seed << "\n"
                    << differences << "shrunk:\n"
                    << Differences(small) << PtxOf(small).text;
    }
  }
  for (const auto& [what, number] : count) {
    testing::Test::RecordProperty(what, static_cast<int>(number));
  }
  return count;
}

TEST(AsyncOracle, CopiesInGroups) {
  Count count = CompareAll(Form::kGroups);
  EXPECT_LE(count["skipped"], kPrograms / 20);
  EXPECT_GE(count["race"], kPrograms / 10);
  EXPECT_GE(count["no race"], kPrograms / 10);
  EXPECT_GE(count["several results"], kPrograms / 10);
}

TEST(AsyncOracle, MulticastCopies) {
  Count count = CompareAll(Form::kMulticast);
  EXPECT_LE(count["skipped"], kPrograms / 5);
  EXPECT_GE(count["race"], kPrograms / 10);
  EXPECT_GE(count["no race"], kPrograms / 10);
  EXPECT_GE(count["deadlock"], kPrograms / 20);
  EXPECT_GE(count["fault"], kPrograms / 50);
}

TEST(AsyncOracle, MulticastArrivals) {
  Count count = CompareAll(Form::kArrivals);
  EXPECT_LE(count["skipped"], kPrograms * 3 / 10);
  EXPECT_GE(count["race"], kPrograms / 10);
  EXPECT_GE(count["no race"], kPrograms / 10);
  EXPECT_GE(count["deadlock"], kPrograms / 10);
  EXPECT_GE(count["fault"], kPrograms / 50);
  EXPECT_GE(count["several results"], kPrograms / 20);
}

TEST(AsyncOracle, LaunchesThatOverlap) {
  Count count = CompareAll(Form::kLaunches);
  EXPECT_LE(count["skipped"], kPrograms / 20);
  EXPECT_GE(count["race"], kPrograms / 10);
  EXPECT_GE(count["no race"], kPrograms / 10);
  EXPECT_GE(count["several results"], kPrograms / 20);
}

}  // namespace
}  // namespace muster::explore
