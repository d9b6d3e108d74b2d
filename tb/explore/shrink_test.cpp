// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Schedules of findings that have been shrunk: any order that keeps to them shows the finding, and
// no turn of them can be left out.
#include "sim/explore/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/explore/explorer.h"
#include "sim/explore/follower.h"
#include "sim/explore/story.h"
#include "sim/explore/world.h"
#include "sim/isa/config.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "tb/volume.h"

namespace muster::explore {
namespace {

// A wrong kernel, explored.
struct ExploredKernel {
  explicit ExploredKernel(const std::string& path)
      : manifest(ptx::ReadManifest(path)), session(manifest, config, manifest.seed) {
    ExplorerOptions how;
    how.bound = 200;
    findings = Explorer([this] { return MakeWorld(); }, how, judge).Run().findings;
  }
  std::unique_ptr<World> MakeWorld() const {
    return std::make_unique<World>(config, session.program(), session.launch(), session.memory());
  }
  std::vector<BadEnd> Judged(const World& world) const {
    switch (world.end()) {
      case World::End::kCompletes: {
        const std::vector<std::string> differences = session.Differences(world.memory());
        return differences.empty()
                   ? std::vector<BadEnd>{}
                   : std::vector<BadEnd>{{Kind::kWrongResult, differences.front(), std::nullopt}};
      }
      case World::End::kDeadlock:
        return {{Kind::kDeadlock, "deadlock", std::nullopt}};
      case World::End::kFault:
        return {{Kind::kFault, world.faults().front().name, PlaceOf(world.faults().front())}};
      default:
        return {};
    }
  }

  const Config& config = *FindConfig("default");
  ptx::Manifest manifest;
  ptx::Session session;
  Explorer::Judge judge = [this](const World& world) { return Judged(world); };
  std::vector<Finding> findings;
};

bool IsShown(const ExploredKernel& explored, World* world, const Finding& finding,
             std::uint64_t seed) {
  Follower follower(world, finding.turns, finding.needed);
  return follower.Run(seed) && (!finding.is_bad || (world->Ending() == finding.ending &&
                                                    !explored.judge(*world).empty()));
}

// Whether the turn is one of the two events that the finding is about.
bool IsOfPair(const Finding& finding, const ptx::Turn& turn) {
  return std::any_of(finding.pair.begin(), finding.pair.end(), [&](const ptx::Turn& one) {
    return one.cta == turn.cta && one.warp == turn.warp && one.pc == turn.pc &&
           one.time == turn.time && one.what == turn.what && (one.lanes & turn.lanes) != 0;
  });
}

Finding Without(const Finding& finding, std::size_t turn) {
  Finding less = finding;
  less.turns.erase(less.turns.begin() + static_cast<std::ptrdiff_t>(turn));
  less.needed -= turn < finding.needed ? 1 : 0;
  return less;
}

std::vector<std::string> Pairs() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(MUSTER_ROOT "/sim/kernels/explore")) {
    if (std::filesystem::exists(entry.path() / "wrong.json")) {
      names.push_back(entry.path().filename().string());
    }
  }
  return names;
}

class Shrunk : public testing::TestWithParam<std::string> {};

TEST_P(Shrunk, EachTurnIsNeeded) {
  const ExploredKernel explored(MUSTER_ROOT "/sim/kernels/explore/" + GetParam() + "/wrong.json");
  ASSERT_FALSE(explored.findings.empty());
  const std::unique_ptr<World> world = explored.MakeWorld();
  for (const Finding& found : explored.findings) {
    const Finding shrunk = Shrink(found, world.get(), explored.judge, [] { return false; });
    ASSERT_TRUE(shrunk.is_minimal) << Name(found.what.kind);
    EXPECT_LE(shrunk.turns.size(), 6U) << Name(found.what.kind);
    EXPECT_LE(StoryOf(found, explored.session.program()).size(), 10U);
    const unsigned tries = Volume(64, 256);
    constexpr std::uint64_t kOther = 1000;  // seeds that shrinking did not try
    for (std::uint64_t seed = kOther; seed < kOther + 16; ++seed) {
      EXPECT_TRUE(IsShown(explored, world.get(), shrunk, seed)) << Name(found.what.kind) << seed;
    }
    for (std::size_t turn = 0; turn < shrunk.turns.size(); ++turn) {
      if (IsOfPair(shrunk, shrunk.turns[turn])) {
        continue;
      }
      const Finding less = Without(shrunk, turn);
      bool is_always_shown = true;
      for (std::uint64_t seed = 1; is_always_shown && seed <= tries; ++seed) {
        is_always_shown = IsShown(explored, world.get(), less, seed);
      }
      EXPECT_FALSE(is_always_shown) << Name(found.what.kind) << " without turn " << turn;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Shrunk, testing::ValuesIn(Pairs()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace muster::explore
