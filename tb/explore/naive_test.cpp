// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The oracle against programs that were worked out by hand.
#include "tb/explore/naive.h"

#include <gtest/gtest.h>

#include "tb/explore/random_program.h"

namespace muster::explore {
namespace {

using Kind = Operation::Kind;
using Order = Operation::Order;

constexpr std::uint64_t kMost = 100'000;

Operation Load(unsigned variable, Order order = Order::kWeak) {
  return {Kind::kLoad, variable, 0, order};
}
Operation Store(unsigned variable, std::uint32_t value, Order order = Order::kWeak) {
  return {Kind::kStore, variable, value, order};
}
Operation Add(unsigned variable, std::uint32_t value, Order order = Order::kRelaxed) {
  return {Kind::kAdd, variable, value, order};
}
Operation Sync(unsigned id, std::uint32_t threads = 64) { return {Kind::kSync, id, threads}; }
Operation Arrive(unsigned id, std::uint32_t threads = 64) { return {Kind::kArrive, id, threads}; }
Operation MbArrive(unsigned object) { return {Kind::kMbArrive, object}; }
Operation MbWait(unsigned object, std::uint32_t parity) { return {Kind::kMbWait, object, parity}; }
Operation WarpSync() { return {Kind::kWarpSync}; }
Operation Leave() { return {Kind::kExit}; }

// Two variables in global memory, and an mbarrier.
SmallProgram Warps(std::vector<std::vector<Operation>> warps, unsigned expected = 1) {
  return {std::move(warps), {false, false}, {expected}};
}
// The first two are of lanes of one warp.
SmallProgram Lanes(std::vector<std::vector<Operation>> lists, unsigned expected = 1) {
  return {std::move(lists), {false, false}, {expected}, true};
}
Outcomes All(const SmallProgram& program) { return EnumerateAll(program, kMost); }
Race Between(Site a, Site b) { return {a, b}; }
using Races = std::set<Race>;
using Memories = std::set<Words>;

TEST(Naive, CountsInterleavings) {
  const std::vector<Operation> three{Load(0), Load(0), Load(0)};
  EXPECT_EQ(All(Warps({three, three})).interleavings, 20U);
  EXPECT_EQ(All(Warps({three, three, three})).interleavings, 1680U);
  const Outcomes few = EnumerateAll(Warps({three, three}), 19);
  EXPECT_FALSE(few.complete);
  EXPECT_TRUE(EnumerateAll(Warps({three, three}), 20).complete);
}

TEST(Naive, WritesRaceAndTheLastOneIsLeft) {
  const Outcomes found = All(Warps({{Store(0, 1)}, {Store(0, 2)}}));
  EXPECT_EQ(found.completed, (Memories{{1, 0, kNotRead, kNotRead}, {2, 0, kNotRead, kNotRead}}));
  EXPECT_EQ(found.races, (Races{Between({0, 0}, {1, 0})}));
  EXPECT_FALSE(found.deadlock);
  EXPECT_TRUE(found.deadlocked.empty());
}

TEST(Naive, ReadsAndOtherVariablesDoNotRace) {
  EXPECT_EQ(All(Warps({{Load(0), Store(1, 5)}, {Load(0)}})).races, Races{});
}

TEST(Naive, ASharedVariableIsSeenByItsLoads) {
  const Outcomes found = All({{{Store(0, 1)}, {Load(0)}}, {true}, {}});
  EXPECT_EQ(found.completed, (Memories{{0, kNotRead, 0}, {0, kNotRead, 1}}));
}

TEST(Naive, SyncOrders) {
  const Outcomes found = All(Warps({{Store(0, 1), Sync(1)}, {Sync(1), Load(0)}}));
  EXPECT_EQ(found.completed, (Memories{{1, 0, kNotRead, kNotRead, kNotRead, 1}}));
  EXPECT_EQ(found.races, Races{});
  EXPECT_EQ(found.interleavings, 3U);  // the other warp arrives before, between or after
}

TEST(Naive, WhatComesAfterASyncIsNotOrdered) {
  EXPECT_EQ(All(Warps({{Sync(1), Store(0, 1)}, {Sync(1), Load(0)}})).races,
            (Races{Between({0, 1}, {1, 1})}));
}

TEST(Naive, ArriveOrdersWhatComesBeforeIt) {
  EXPECT_EQ(All(Warps({{Store(0, 1), Arrive(1), Store(1, 1)}, {Sync(1), Load(0), Load(1)}})).races,
            (Races{Between({0, 2}, {1, 2})}));
  EXPECT_EQ(All(Warps({{Arrive(1), Load(0)}, {Store(0, 1), Sync(1)}})).races,
            (Races{Between({0, 1}, {1, 0})}));
}

TEST(Naive, SecondGenerationDoesNotPairWithTheFirst) {
  const Outcomes found =
      All(Warps({{Sync(1), Store(0, 1), Sync(1)}, {Sync(1), Load(0), Sync(1), Load(0)}}));
  EXPECT_EQ(found.races, (Races{Between({0, 1}, {1, 1})}));
}

TEST(Naive, OrderGoesOnThroughAThirdWarp) {
  EXPECT_EQ(All(Warps({{Store(0, 1), Arrive(1)}, {Sync(1), Arrive(2)}, {Sync(2), Load(0)}})).races,
            Races{});
  EXPECT_EQ(All(Warps({{Store(0, 1), Arrive(1)}, {Arrive(2), Sync(1)}, {Sync(2), Load(0)}})).races,
            (Races{Between({0, 0}, {2, 1})}));
}

TEST(Naive, BarriersInOppositeOrderDeadlock) {
  const Outcomes found = All(Warps({{Store(0, 1), Sync(1), Sync(2)}, {Sync(2), Sync(1)}}));
  EXPECT_TRUE(found.deadlock);
  EXPECT_TRUE(found.completed.empty());
  EXPECT_EQ(found.deadlocked.size(), 1U);
}

TEST(Naive, ADeadlockOfSomeOrders) {
  // Two arrivals of one warp may make a generation without the other warp.
  const Outcomes found = All(Warps({{Arrive(1), Arrive(1)}, {Sync(1), Load(0)}}));
  EXPECT_TRUE(found.deadlock);
  EXPECT_FALSE(found.completed.empty());
}

TEST(Naive, ASyncOfOneWarpWaitsForNobody) {
  EXPECT_FALSE(All(Warps({{Sync(1, 32), Sync(1, 32)}, {Load(0)}})).deadlock);
}

TEST(Naive, ExitsCompleteABarrierWithoutACount) {
  EXPECT_FALSE(All(Warps({{Store(0, 1)}, {Sync(1, 0), Load(0)}})).deadlock);
  EXPECT_TRUE(All(Warps({{Store(0, 1)}, {Sync(1, 64), Load(0)}})).deadlock);
  // An exit releases nothing.
  EXPECT_EQ(All(Warps({{Store(0, 1)}, {Sync(1, 0), Load(0)}})).races,
            (Races{Between({0, 0}, {1, 1})}));
  EXPECT_EQ(All(Warps({{Leave(), Store(0, 1)}, {Sync(1, 0), Load(0)}})).races, Races{});
}

TEST(Naive, CountsThatDifferAreAFault) {
  const Outcomes found = All(Warps({{Arrive(1, 64)}, {Arrive(1, 96)}, {Load(0)}}));
  EXPECT_EQ(found.faults, std::set<std::string>{"count_mismatch"});
  EXPECT_TRUE(All(Warps({{Sync(1, 32)}, {Sync(1, 64)}, {Arrive(1, 64)}})).faults.size() == 1);
  EXPECT_TRUE(All(Warps({{Arrive(1, 64)}, {Arrive(2, 96)}, {Load(0)}})).faults.empty());
}

TEST(Naive, AWaitAcquiresWhatArrivalsOfItsPhaseRelease) {
  EXPECT_EQ(
      All(Warps({{Store(0, 1), MbArrive(0), Store(1, 1)}, {MbWait(0, 0), Load(0), Load(1)}})).races,
      (Races{Between({0, 2}, {1, 2})}));
  EXPECT_EQ(All(Warps({{Store(0, 1), MbArrive(0)},
                       {Store(1, 1), MbArrive(0)},
                       {MbWait(0, 0), Load(0), Load(1)}},
                      2))
                .races,
            Races{});
}

TEST(Naive, AWaitThatLacksArrivalsDeadlocks) {
  EXPECT_TRUE(All(Warps({{MbArrive(0)}, {MbWait(0, 0)}}, 2)).deadlock);
  EXPECT_FALSE(All(Warps({{MbArrive(0)}, {MbWait(0, 0)}}, 1)).deadlock);
}

TEST(Naive, TheOtherParityIsThatOfThePhaseBefore) {
  const Outcomes found = All(Warps({{Store(0, 1), MbArrive(0)}, {MbWait(0, 1), Load(0)}}));
  EXPECT_EQ(found.races, (Races{Between({0, 0}, {1, 1})}));
  EXPECT_TRUE(found.deadlock);  // where the wait comes after the arrival
}

TEST(Naive, AWaitCanBeLapped) {
  const Outcomes found = All(Warps({{MbArrive(0), MbArrive(0)}, {MbWait(0, 0)}}));
  EXPECT_TRUE(found.deadlock);
  EXPECT_FALSE(found.completed.empty());
  EXPECT_EQ(found.interleavings, 2U);
}

TEST(Naive, AtomicOperationsDoNotRaceWithStrongOnes) {
  const Outcomes found = All(Warps({{Add(0, 1), Load(0, Order::kRelaxed)}, {Add(0, 2)}}));
  EXPECT_EQ(found.races, Races{});
  for (const Words& words : found.completed) {
    EXPECT_EQ(words[0], 3U);
  }
  EXPECT_EQ(found.completed.size(), 3U);
  EXPECT_EQ(All(Warps({{Add(0, 1)}, {Load(0)}})).races, (Races{Between({0, 0}, {1, 0})}));
}

// A message and its flag, in the order in which the flag is seen, and in the other one.
TEST(Naive, AReleaseThatIsObserved) {
  for (const Order store : {Order::kRelaxed, Order::kRelease}) {
    for (const Order load : {Order::kRelaxed, Order::kAcquire}) {
      const SmallProgram program =
          Warps({{Store(0, 1), Store(1, 1, store)}, {Load(1, load), Load(0)}});
      const bool orders = store == Order::kRelease && load == Order::kAcquire;
      EXPECT_EQ(RunOne(program, {0, 0, 1, 1}).races.empty(), orders);
      EXPECT_FALSE(RunOne(program, {0, 1, 0, 1}).races.empty());
      EXPECT_EQ(All(program).races, (Races{Between({0, 0}, {1, 1})}));
    }
  }
}

TEST(Naive, ObservationGoesOnThroughAtomicOperations) {
  const auto chain = [](const Operation& between) {
    return RunOne(Warps({{Store(0, 1), Store(1, 1, Order::kRelease)},
                         {between},
                         {Load(1, Order::kAcquire), Load(0)}}),
                  {0, 0, 1, 2, 2})
        .races;
  };
  EXPECT_EQ(chain(Add(1, 4)), Races{});
  EXPECT_EQ(chain(Store(1, 4, Order::kRelaxed)), (Races{Between({0, 0}, {2, 1})}));
  EXPECT_EQ(chain(Store(1, 4)).count(Between({0, 0}, {2, 1})), 1U);
}

TEST(Naive, PatternsOfTwoOperations) {
  const SmallProgram relaxed_after =
      Warps({{Store(0, 1), Store(1, 1, Order::kRelease), Store(1, 2, Order::kRelaxed)},
             {Load(1, Order::kAcquire), Load(0)}});
  EXPECT_EQ(RunOne(relaxed_after, {0, 0, 0, 1, 1}).races, Races{});
  const SmallProgram late =
      Warps({{Store(1, 1, Order::kRelease), Store(0, 1), Store(1, 2, Order::kRelaxed)},
             {Load(1, Order::kAcquire), Load(0)}});
  EXPECT_EQ(RunOne(late, {0, 0, 0, 1, 1}).races, (Races{Between({0, 1}, {1, 1})}));
  const SmallProgram relaxed_before =
      Warps({{Store(0, 1), Store(1, 1, Order::kRelease)},
             {Load(1, Order::kRelaxed), Load(1, Order::kAcquire), Load(0)},
             {Store(1, 2, Order::kRelaxed)}});
  EXPECT_EQ(RunOne(relaxed_before, {0, 0, 1, 2, 1, 1}).races, Races{});
  EXPECT_FALSE(RunOne(relaxed_before, {0, 0, 2, 1, 1, 1}).races.empty());
}

TEST(Naive, AWarpSyncOrdersTheLanes) {
  const Outcomes found =
      All(Lanes({{Store(0, 1), WarpSync(), Store(1, 2)}, {WarpSync(), Load(0)}}));
  EXPECT_EQ(found.completed, (Memories{{1, 2, kNotRead, kNotRead, kNotRead, kNotRead, 1}}));
  EXPECT_EQ(found.races, Races{});
  EXPECT_EQ(All(Lanes({{WarpSync(), Store(0, 1)}, {WarpSync(), Load(0)}})).races,
            (Races{Between({0, 1}, {1, 1})}));
  EXPECT_EQ(All(Lanes({{Store(0, 1), WarpSync()}, {WarpSync()}, {Load(0)}})).races,
            (Races{Between({0, 0}, {2, 0})}));
}

TEST(Naive, AWarpSyncWaitsForLanesThatHaveNotExited) {
  EXPECT_FALSE(All(Lanes({{WarpSync()}, {Leave()}})).deadlock);
  EXPECT_TRUE(All(Lanes({{WarpSync(), MbArrive(0)}, {MbWait(0, 0), WarpSync()}})).deadlock);
}

TEST(Naive, LanesThatComeApartArriveTogether) {
  EXPECT_EQ(All(Lanes({{Store(0, 1), Sync(1)}, {Sync(1), Load(0)}, {Sync(1), Load(0)}})).races,
            Races{});
  EXPECT_TRUE(All(Lanes({{Sync(1)}, {MbWait(0, 0), Sync(1)}, {Sync(1), MbArrive(0)}})).deadlock);
  EXPECT_FALSE(All(Lanes({{Sync(1)}, {Leave()}, {Sync(1)}})).deadlock);
  EXPECT_EQ(All(Lanes({{Sync(1)}, {WarpSync()}, {Sync(1)}})).faults,
            std::set<std::string>{"mask_mismatch"});
  EXPECT_EQ(All(Lanes({{Sync(1)}, {Sync(2)}})).faults, std::set<std::string>{"barrier_mismatch"});
}

TEST(RandomProgramTest, LinesAreThoseOfTheOperations) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const SmallProgram program = seed < 200 ? RandomProgram(seed) : RandomLanes(seed);
    const Ptx ptx = PtxOf(program);
    std::size_t operations = 0;
    for (const auto& warp : program.warps) {
      operations += warp.size();
    }
    ASSERT_EQ(ptx.sites.size(), operations);
    std::vector<std::string> lines{""};
    for (const char letter : ptx.text) {
      if (letter == '\n') {
        lines.emplace_back();
      } else {
        lines.back() += letter;
      }
    }
    for (const auto& [line, site] : ptx.sites) {
      const Operation& operation = program.warps[site.first][site.second];
      const std::string begin[] = {"ld",
                                   "st",
                                   "atom",
                                   "barrier.sync",
                                   "barrier.arrive",
                                   "mbarrier.arrive",
                                   "mbarrier.try_wait",
                                   "ret",
                                   "bar.warp.sync"};
      EXPECT_EQ(lines[line - 1].find("\t" + begin[static_cast<int>(operation.kind)]), 0U)
          << lines[line - 1];
    }
  }
}

}  // namespace
}  // namespace muster::explore
