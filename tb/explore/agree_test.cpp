// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An order of events has the same end on golden models that answer at once as on the pins of units:
// the same outcome, hazards and memory. Each order is drawn at random, and replayed as a schedule.
// The pins are those of golden models that take cycles; of every second order of a kernel that
// ships, those of the Verilated units, where these are built. mb_long_wait measures how long it
// waits, and a world has no time.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/explore/trace.h"
#include "sim/explore/world.h"
#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/lockstep/lockstep.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/runtime/on_golden/unit_at_pins.h"
#include "sim/ptx/simt/random.h"
#include "tb/explore/ends.h"
#include "tb/volume.h"

namespace muster::explore {
namespace {

const std::string kShipped = MUSTER_ROOT "/sim/kernels";
const std::uint64_t kOrders = Volume(4, 8);
constexpr std::uint64_t kMostSteps = 4000;  // of an order; a longer one is not tried

using Hazards = std::set<std::pair<std::string, std::uint32_t>>;  // with the line

Hazards HazardsOf(const ptx::Grid& grid) {
  Hazards hazards;
  for (const ptx::Incident& hazard : grid.hazards()) {
    if (hazard.name != Name(Hazard::kStoreOverWaiters)) {  // in a world, no wait is parked
      hazards.emplace(hazard.name, hazard.line);
    }
  }
  return hazards;
}

// The unit sends the responses of one request in the order of the ranks; PTX allows any order.
Actor AsTheUnit(const World& world, const std::vector<Actor>& enabled, const Actor& actor) {
  const bool answers = actor.kind == Actor::Kind::kTransfer &&
                       world.program().code[actor.pc].op == ptx::Op::kTryCancel;
  return !answers ? actor : *std::find_if(enabled.begin(), enabled.end(), [&](const Actor& other) {
    return other.kind == actor.kind && other.pc == actor.pc;
  });
}

// Takes random steps until none is left. Returns false if there are too many.
bool Draw(World* world, ptx::Random* random, Trace* trace, std::uint64_t most = kMostSteps) {
  world->Reset();
  for (std::uint64_t step = 0; step < most; ++step) {
    const std::vector<Actor>& enabled = world->Enabled();
    if (enabled.empty()) {
      return true;
    }
    const Actor actor = AsTheUnit(
        *world, enabled, enabled[random->Below(static_cast<std::uint32_t>(enabled.size()))]);
    const ptx::Turn turn = world->TurnOf(actor);
    world->Step(actor);
    trace->Add(actor, turn, world->gathered());
  }
  return world->Enabled().empty();
}

void RunOnPins(const ptx::Session& session, bool on_units) {
  const std::vector<lockstep::Driver*> drivers = session.grid().Drivers();
#ifdef MUSTER_HAS_UNITS
  if (on_units) {
    lockstep::Options how;
    how.max_cycles = session.manifest().max_cycles;
    how.lazy = true;
    lockstep::Run(session.config(), drivers, how);
    return;
  }
#endif
  static_cast<void>(on_units);
  ptx::RunGolden(session.config(), drivers, session.manifest().max_cycles);
}

class Agree : public testing::TestWithParam<std::string> {};

TEST_P(Agree, OrdersEndTheSameWithPinsAndWithout) {
  const ptx::Manifest manifest = ptx::ReadManifest(GetParam());
  if (manifest.LaunchCount() != 1) {
    GTEST_SKIP() << "several launches";
  }
  const Config& config = *FindConfig(manifest.config);
  const ptx::Session initial(manifest, config, manifest.seed);
  World world(config, initial.program(), initial.launch(), initial.memory());
  for (std::uint64_t order = 1; order <= kOrders; ++order) {
    ptx::Random random(order);
    Trace trace;
    if (!Draw(&world, &random, &trace)) {
      GTEST_SKIP() << "more than " << kMostSteps << " steps";
    }
    if (!world.volatile_pcs().empty()) {
      GTEST_SKIP() << "its results are a matter of a clock, or of which lanes are together";
    }
    ptx::Session session(manifest, config, order);
    const bool completes = world.end() == World::End::kCompletes;
    ptx::Schedule schedule;
    schedule.turns = trace.WithNext(world);
    schedule.needed = trace.turns().size();
    session.Follow(schedule);
    RunOnPins(session, order % 2 == 1 && GetParam().rfind(kShipped, 0) == 0);
    const ptx::ClockedGrid& grid = session.grid();
    EXPECT_EQ(ptx::OutcomeName(grid), world.Ending()) << "order " << order;
    EXPECT_EQ(session.replay()->followed(), session.replay()->size())
        << "order " << order << ": " << grid.missed();
    EXPECT_EQ(HazardsOf(grid), HazardsOf(world)) << "order " << order;
    if (completes) {
      EXPECT_EQ(ContentsOf(session, session.memory()), ContentsOf(initial, world.memory()))
          << "order " << order;
    }
  }
}

class OfKernels : public testing::TestWithParam<std::string> {};

TEST_P(OfKernels, EndAsOnTheUnit) {
  const ptx::Manifest manifest = ptx::ReadManifest(GetParam());
  const Config& config = *FindConfig(manifest.config);
  const ptx::Session session(manifest, config, manifest.seed);
  World world(config, session.program(), session.launch(), session.memory());
  for (unsigned seed = 1; seed <= kOrders / 2; ++seed) {
    ptx::Random random(seed);
    Trace trace;
    ASSERT_TRUE(Draw(&world, &random, &trace, ~std::uint64_t{0}));
    EXPECT_EQ(world.Ending(), manifest.outcome) << "seed " << seed;
    if (world.end() == World::End::kCompletes) {
      EXPECT_EQ(session.Differences(world.memory()), std::vector<std::string>()) << "seed " << seed;
    }
    for (const auto& [name, count] : manifest.hazards) {
      const bool met =
          std::any_of(world.hazards().begin(), world.hazards().end(),
                      [&name = name](const ptx::Incident& one) { return one.name == name; });
      EXPECT_EQ(met, count != 0) << name << ", seed " << seed;
    }
  }
}

// Each of many hundred tests is a process that asks this of every file, so none is parsed.
bool IsManifest(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str().find("\"ptx\": \"") != std::string::npos;
}

// Manifests below the folders, but those of these names.
std::vector<std::string> Manifests(const std::vector<std::string>& folders,
                                   const std::set<std::string>& but) {
  std::vector<std::string> manifests;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".json" && but.count(entry.path().stem().string()) == 0 &&
          IsManifest(entry.path())) {
        manifests.push_back(entry.path().string());
      }
    }
  }
  return manifests;
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) {
  const std::filesystem::path path(info.param);
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

// In the second kernel, lanes of a turn spin until others of the turn continue.
INSTANTIATE_TEST_SUITE_P(All, Agree,
                         testing::ValuesIn(Manifests({kShipped, MUSTER_MENDED, MUSTER_LITMUS,
                                                      MUSTER_ROOT "/tb/explore/chance",
                                                      MUSTER_ROOT "/tb/explore/found"},
                                                     {"mb_long_wait", "work_queue"})),
                         NameOf);

// The end of a wrong kernel of a pair depends on the order.
INSTANTIATE_TEST_SUITE_P(Shipped, OfKernels,
                         testing::ValuesIn(Manifests({kShipped, MUSTER_MENDED},
                                                     {"wrong", "mb_long_wait",
                                                      "hazard_store_over_waiters"})),
                         NameOf);

}  // namespace
}  // namespace muster::explore
