// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Kernels whose end depends on the order, for which a search once claimed to be complete with one
// end.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/ptx/launch/manifest.h"
#include "tb/explore/ends.h"

namespace muster::explore {
namespace {

// The search finds all ends, or does not claim to be complete.
class Chance : public testing::TestWithParam<std::string> {};

std::vector<std::string> Chances() {
  std::vector<std::string> names;
  std::ifstream file(std::string(MUSTER_ROOT) + "/tb/explore/chance/expected.json");
  const nlohmann::json expected = nlohmann::json::parse(file);
  for (const auto& [name, what] : expected.items()) {
    names.push_back(name);
  }
  return names;
}

TEST_P(Chance, IsSearchedOrNotClaimed) {
  const std::string folder = std::string(MUSTER_ROOT) + "/tb/explore/chance/";
  std::ifstream file(folder + "expected.json");
  const nlohmann::json what = nlohmann::json::parse(file).at(GetParam());
  const Ends found = ExploreAll(ptx::ReadManifest(folder + GetParam() + ".json"));
  EXPECT_EQ(found.complete, what.contains("ends"));
  if (what.contains("ends")) {
    EXPECT_EQ(found.all.size(), what.at("ends").get<std::size_t>());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Chance, testing::ValuesIn(Chances()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace muster::explore
