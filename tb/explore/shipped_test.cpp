// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Correct shipped kernels: there are no findings and no suspicions. Kernels that demonstrate a
// fault, a hazard or a deadlock are left out, and so is mb_long_wait, which measures time.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/explore/explorer.h"
#include "sim/explore/report.h"
#include "sim/isa/config.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"

namespace muster::explore {
namespace {

bool IsToWork(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  // A copy is never strong, so store buffering with copies is a race, whatever fences it has.
  return path.extension() == ".json" && stem != "wrong" && stem != "mb_long_wait" &&
         path.parent_path().filename() != "store_buffering_proxy" &&
         stem.rfind("hazard_", 0) != 0 &&
         nlohmann::json::parse(std::ifstream(path)).value("outcome", "completes") == "completes";
}

std::vector<std::string> Manifests() {
  std::vector<std::string> manifests;
  for (const char* const folder : {MUSTER_ROOT "/sim/kernels", MUSTER_MENDED}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && IsToWork(entry.path())) {
        manifests.push_back(entry.path().string());
      }
    }
  }
  return manifests;
}

class Working : public testing::TestWithParam<std::string> {};

TEST_P(Working, GivesNoAlarm) {
  const ptx::Manifest manifest = ptx::ReadManifest(GetParam());
  const Config& config = *FindConfig(manifest.config);
  const ptx::Session session(manifest, config, manifest.seed);
  const auto make_world = [&] {
    return std::make_unique<World>(config, session.program(), session.launch(), session.memory());
  };
  bool has_ended = false;  // at least one order has ended
  const auto judge = [&](const World& world) {
    std::vector<BadEnd> bad;
    if (world.end() == World::End::kNone) {
      return bad;  // the time limit came before its end
    }
    has_ended = true;
    if (world.end() != World::End::kCompletes) {
      bad.push_back({Kind::kDeadlock, "does not complete", std::nullopt});
    } else if (const auto differences = session.Differences(world.memory()); !differences.empty()) {
      bad.push_back({Kind::kWrongResult, differences.front(), std::nullopt});
    }
    return bad;
  };
  ExplorerOptions options;
  options.predictions = 4;
  options.attempts = 4;
  const auto begun = std::chrono::steady_clock::now();
  options.is_over = [&](double) {
    constexpr auto kLongest = std::chrono::milliseconds(300);
    return has_ended && std::chrono::steady_clock::now() - begun > kLongest;
  };
  const Explored explored = Explorer(make_world, options, judge).Run();
  const std::unique_ptr<World> world = make_world();
  const Reporter reporter(*world);
  for (const Finding& finding : explored.findings) {
    ADD_FAILURE() << reporter.Text(1, Cause<Finding>{finding, {}}, "");
  }
  for (const Unconfirmed& suspicion : explored.suspicions) {
    ADD_FAILURE() << reporter.Text(Cause<Unconfirmed>{suspicion, {}});
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, Working, testing::ValuesIn(Manifests()), [](const auto& info) {
  const std::filesystem::path path(info.param);
  return path.stem() == "mended" ? path.parent_path().filename().string() + "_mended"
                                 : path.stem().string();
});

}  // namespace
}  // namespace muster::explore
