// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An order of events has the same end on the units as in a world without cycles: the same outcome,
// hazards and memory. Each order is drawn at random, and replayed on the units as a schedule.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/explore/trace.h"
#include "sim/explore/world.h"
#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/simt/random.h"
#include "tb/explore/ends.h"
#include "tb/unit/ptx_golden_unit.h"

namespace muster::explore {
namespace {

constexpr std::uint64_t kOrders = 8;
constexpr std::uint64_t kMostSteps = 4000;  // of an order; a longer one is not tried

using Hazards = std::set<std::pair<std::string, std::uint32_t>>;  // with the line

// The unit sends the responses of one request in the order of the ranks; PTX allows any order.
Actor AsTheUnit(const World& world, const std::vector<Actor>& enabled, const Actor& actor) {
  const bool answers = actor.kind == Actor::Kind::kTransfer &&
                       world.program().code[actor.pc].op == ptx::Op::kTryCancel;
  return !answers ? actor : *std::find_if(enabled.begin(), enabled.end(), [&](const Actor& other) {
    return other.kind == actor.kind && other.pc == actor.pc;
  });
}

// Takes random steps until none is left. Returns false if there are too many.
bool Draw(World* world, ptx::Random* random, Trace* trace) {
  world->Reset();
  for (std::uint64_t step = 0; step < kMostSteps; ++step) {
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
    ptx::RunGolden(config, session.grid().Drivers(), manifest.max_cycles);
    const ptx::Grid& grid = session.grid();
    EXPECT_EQ(ptx::OutcomeName(grid), world.Ending()) << "order " << order;
    EXPECT_EQ(session.replay()->followed(), session.replay()->size())
        << "order " << order << ": " << grid.missed();
    Hazards with_pins;
    for (const ptx::Incident& hazard : grid.hazards()) {
      if (hazard.name != Name(Hazard::kStoreOverWaiters)) {  // in a world, no wait is parked
        with_pins.emplace(hazard.name, hazard.line);
      }
    }
    Hazards without;
    for (const auto& [hazard, met] : world.hazards()) {
      without.insert(hazard);
    }
    EXPECT_EQ(with_pins, without) << "order " << order;
    if (completes) {
      EXPECT_EQ(ContentsOf(session, session.memory()), ContentsOf(initial, world.memory()))
          << "order " << order;
    }
  }
}

bool IsManifest(const std::filesystem::path& path) {
  std::ifstream file(path);
  const nlohmann::json root = nlohmann::json::parse(file);
  return root.is_object() && root.contains("ptx") && root["ptx"].is_string();
}

std::vector<std::string> Manifests() {
  std::vector<std::string> manifests;
  for (const char* const folder :
       {MUSTER_ROOT "/sim/kernels", MUSTER_MENDED, MUSTER_LITMUS, MUSTER_ROOT "/tb/explore/chance",
        MUSTER_ROOT "/tb/explore/found"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      // The first kernel measures time. In the second one, lanes of a turn spin until others of the
      // turn continue.
      const std::string stem = entry.path().stem().string();
      if (entry.path().extension() == ".json" && stem != "mb_long_wait" && stem != "work_queue" &&
          IsManifest(entry.path())) {
        manifests.push_back(entry.path().string());
      }
    }
  }
  return manifests;
}

INSTANTIATE_TEST_SUITE_P(All, Agree, testing::ValuesIn(Manifests()), [](const auto& info) {
  const std::filesystem::path path(info.param);
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
});

}  // namespace
}  // namespace muster::explore
