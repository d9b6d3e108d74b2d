// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The litmus tests: what the analysis says of each must be what the text says.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "sim/explore/explorer.h"
#include "sim/isa/config.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"

namespace muster::explore {
namespace {

const std::string kFolder = std::string(MUSTER_ROOT) + "/tb/explore/litmus/";

nlohmann::json Expected() {
  std::ifstream file(kFolder + "expected.json");
  return nlohmann::json::parse(file);
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  const nlohmann::json expected = Expected();
  for (const auto& [name, what] : expected.items()) {
    names.push_back(name);
  }
  return names;
}

class Litmus : public testing::TestWithParam<std::string> {};

TEST_P(Litmus, SaysWhatTheTextSays) {
  static const nlohmann::json expected = Expected();
  const nlohmann::json& wanted = expected.at(GetParam());
  const ptx::Manifest manifest = ptx::ReadManifest(kFolder + GetParam() + ".json");
  const Config& config = *FindConfig(manifest.config);
  const ptx::Session session(manifest, config, manifest.seed);
  const auto make_world = [&] {
    return std::make_unique<World>(config, session.program(), session.launch(), session.memory());
  };
  ExplorerOptions options;
  options.bound = 2000;
  const Explored explored =
      Explorer(make_world, options, [](const World&) { return std::vector<BadEnd>(); }).Run();
  std::vector<Suspicion> races;
  for (const Finding& finding : explored.findings) {
    races.push_back(finding.what);
  }
  for (const Unconfirmed& suspicion : explored.suspicions) {
    races.push_back(suspicion.what);
  }
  std::string said;
  std::set<std::string> kinds;
  bool between = false;
  for (const Suspicion& race : races) {
    const std::uint32_t first = session.program().code[race.first.at.pc].line;
    const std::uint32_t second = session.program().code[race.second.at.pc].line;
    const std::multiset<std::uint32_t> lines{first, second};
    const std::vector<std::uint32_t> named = wanted.at("between");
    between = between || lines == std::multiset<std::uint32_t>(named.begin(), named.end());
    kinds.insert(Name(race.kind));
    said += std::string(Name(race.kind)) + " between lines " + std::to_string(first) + " and " +
            std::to_string(second) + ": " + race.why + "\n";
  }
  EXPECT_EQ(!races.empty(), wanted.at("race").get<bool>()) << wanted.at("why") << "\n" << said;
  if (wanted.at("race")) {
    EXPECT_TRUE(between) << said;
    std::set<std::string> allowed = wanted.at("kinds");
    EXPECT_TRUE(std::any_of(kinds.begin(), kinds.end(), [&](const std::string& kind) {
      return allowed.count(kind) != 0;
    })) << said;
  }
}

INSTANTIATE_TEST_SUITE_P(Text, Litmus, testing::ValuesIn(Names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace muster::explore
