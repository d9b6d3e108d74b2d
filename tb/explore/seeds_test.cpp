// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A complete search has found every end that a run can have: for each kernel with a complete
// search, runs on the unit with many seeds leave no contents that no order has left.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/lockstep.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"
#include "tb/explore/ends.h"
#include "tb/volume.h"

namespace muster::explore {
namespace {

std::string Text(const End& end) {
  std::string text = end.first;
  for (const auto& bytes : end.second) {
    text += fmt::format(" {:02x}", fmt::join(bytes.begin(),
                                             bytes.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                 bytes.size(), std::size_t{64})),
                                             ""));
  }
  return text;
}

End RunOnUnit(const ptx::Manifest& manifest, std::uint64_t seed) {
  const Config& config = *FindConfig(manifest.config);
  ptx::Session session(manifest, config, seed);
  lockstep::Options how;
  how.max_cycles = manifest.max_cycles;
  how.lazy = true;
  lockstep::Run(config, session.grid().Drivers(), how);
  const std::string outcome = ptx::OutcomeName(session.grid());
  return {outcome, outcome == "completes" ? ContentsOf(session, session.memory()) : Contents()};
}

std::string ShortName(const std::filesystem::path& path) {
  return path.parent_path().filename().string() + "_" + path.stem().string();
}

// Manifests of one launch below these folders, in configurations that are built.
std::vector<std::string> Manifests() {
  std::vector<std::string> manifests;
  for (const char* const folder :
       {MUSTER_ROOT "/sim/kernels", MUSTER_MENDED, MUSTER_LITMUS, MUSTER_ROOT "/tb/explore/chance",
        MUSTER_ROOT "/tb/bench/explore"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().extension() == ".json" && entry.path().stem() != "expected" &&
          entry.path().stem() != "mb_long_wait") {
        manifests.push_back(entry.path().string());
      }
    }
  }
  return manifests;
}

class Seeds : public testing::TestWithParam<std::string> {};

TEST_P(Seeds, ShowNothingThatACompleteSearchHasNotSeen) {
  const unsigned seeds = Volume(3, 12);
  const ptx::Manifest manifest = ptx::ReadManifest(GetParam());
  if (manifest.LaunchCount() != 1) {
    GTEST_SKIP() << "several launches";
  }
  const Ends found = ExploreAll(manifest);
  if (!found.complete) {
    GTEST_SKIP() << "no claim";
  }
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const End end = RunOnUnit(manifest, seed);
    EXPECT_EQ(found.all.count(end), 1U)
        << "seed " << seed << ", " << found.all.size() << " ends: " << Text(end);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Seeds, testing::ValuesIn(Manifests()),
                         [](const auto& info) { return ShortName(info.param); });

}  // namespace
}  // namespace muster::explore
