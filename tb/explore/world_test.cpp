// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Each kernel of sim/kernels, in random orders, without cycles and units: it ends as its manifest
// says, with the hazards named there. Two kernels are left out. mb_long_wait measures how long it
// waits, and a world has no time; hazard_store_over_waiters shows what happens to parked waits, and
// in a world no wait is parked.
#include "sim/explore/world.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/simt/random.h"

namespace muster::explore {
namespace {

std::vector<std::string> Manifests() {
  std::vector<std::string> manifests;
  for (const char* const folder : {MUSTER_ROOT "/sim/kernels", MUSTER_MENDED}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const bool is_wrong =
          entry.path().filename() == "wrong.json";  // its end depends on the order
      const std::string stem = entry.path().stem().string();
      const bool is_left_out = stem == "mb_long_wait" || stem == "hazard_store_over_waiters";
      if (entry.path().extension() == ".json" && !is_wrong && !is_left_out) {
        manifests.push_back(entry.path().string());
      }
    }
  }
  return manifests;
}

class OfKernels : public testing::TestWithParam<std::string> {};

TEST_P(OfKernels, EndAsOnTheUnit) {
  constexpr unsigned kOrders = 4;
  const ptx::Manifest manifest = ptx::ReadManifest(GetParam());
  const Config& config = *FindConfig(manifest.config);
  const ptx::Session session(manifest, config, manifest.seed);
  World world(config, session.program(), session.launch(), session.memory());
  for (unsigned seed = 1; seed <= kOrders; ++seed) {
    world.Reset();
    ptx::Random random(seed);
    while (!world.Enabled().empty()) {
      const std::vector<Actor>& enabled = world.Enabled();
      world.Step(enabled[random.Below(static_cast<std::uint32_t>(enabled.size()))]);
    }
    EXPECT_EQ(world.Ending(), manifest.outcome) << "seed " << seed;
    if (world.end() == World::End::kCompletes) {
      EXPECT_EQ(session.Differences(world.memory()), std::vector<std::string>()) << "seed " << seed;
    }
    std::set<std::string> met;
    for (const auto& [hazard, count] : world.hazards()) {
      met.insert(hazard.first);
    }
    for (const auto& [name, count] : manifest.hazards) {
      EXPECT_EQ(met.count(name) != 0, count != 0) << name << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, OfKernels, testing::ValuesIn(Manifests()), [](const auto& info) {
  const std::filesystem::path path(info.param);
  return path.stem() == "mended" ? path.parent_path().filename().string() + "_mended"
                                 : path.stem().string();
});

}  // namespace
}  // namespace muster::explore
