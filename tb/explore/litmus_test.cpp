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

const std::string kFolder = MUSTER_LITMUS;

nlohmann::json Expected() {
  std::ifstream file(kFolder + ".json");
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

struct Said {
  bool any = false;
  bool between = false;         // a race of the two lines that are named
  bool noted = false;           // a note that only the named collectives order them
  bool notes = false;           // notes of any accesses
  std::set<std::string> kinds;  // "data_race"
  std::string text;
};

class Litmus : public testing::TestWithParam<std::string> {
 protected:
  Said Explore(const ExplorerOptions& options) const {
    const auto make_world = [&] {
      return std::make_unique<World>(config_, session_.program(), session_.launch(),
                                     session_.memory());
    };
    const Explored explored =
        Explorer(make_world, options, [](const World&) { return std::vector<BadEnd>(); }).Run();
    Said said;
    for (const Finding& finding : explored.findings) {
      Add(finding.what, &said);
    }
    for (const Unconfirmed& suspicion : explored.suspicions) {
      Add(suspicion.what, &said);
    }
    for (const Suspicion& note : explored.lints) {
      if (note.kind == Kind::kCollectiveOrder) {
        AddNote(note, &said);
      }
    }
    return said;
  }

  bool IsNote() const { return wanted_.count("collectives") != 0; }
  std::uint32_t LineOf(const Place& at) const { return session_.program().code[at.pc].line; }
  bool IsBetween(const Suspicion& race) const {
    const std::vector<std::uint32_t> named = wanted_.at("between");
    return std::multiset<std::uint32_t>{LineOf(race.first.at), LineOf(race.second.at)} ==
           std::multiset<std::uint32_t>(named.begin(), named.end());
  }

  void AddNote(const Suspicion& note, Said* said) const {
    std::vector<std::uint32_t> lines;
    for (const Collective& one : note.collectives) {
      lines.push_back(LineOf(one.at));
    }
    said->notes = true;
    said->noted = said->noted || (IsNote() && IsBetween(note) &&
                                  lines == wanted_.at("collectives").get<decltype(lines)>());
  }

  void Add(const Suspicion& race, Said* said) const {
    said->any = true;
    said->between = said->between || IsBetween(race);
    said->kinds.insert(Name(race.kind));
    said->text += std::string(Name(race.kind)) + " between lines " +
                  std::to_string(LineOf(race.first.at)) + " and " +
                  std::to_string(LineOf(race.second.at)) + ": " + race.why + "\n";
  }

  const nlohmann::json wanted_ = Expected().at(GetParam());
  const ptx::Manifest manifest_ = ptx::ReadManifest(kFolder + "/" + GetParam() + ".json");
  const Config& config_ = *FindConfig(manifest_.config);
  const ptx::Session session_{manifest_, config_, manifest_.seed};
};

TEST_P(Litmus, SaysWhatTheTextSays) {
  ExplorerOptions options;
  options.bound = 2000;
  const Said said = Explore(options);
  const bool race = wanted_.at("race") && !IsNote();
  EXPECT_EQ(said.any, race) << wanted_.at("why") << "\n" << said.text;
  EXPECT_EQ(said.noted, IsNote()) << wanted_.at("why");
  EXPECT_EQ(said.notes, IsNote()) << wanted_.at("why");
  if (race) {
    EXPECT_TRUE(said.between) << said.text;
    const std::set<std::string> allowed = wanted_.at("kinds");
    EXPECT_TRUE(std::any_of(said.kinds.begin(), said.kinds.end(), [&](const std::string& kind) {
      return allowed.count(kind) != 0;
    })) << said.text;
  }
}

// Each single run must report the race, except for the litmus tests that say `sometimes`.
TEST_P(Litmus, SaysSoOfEachRun) {
  constexpr std::uint64_t kRuns = 64;
  const bool race = wanted_.at("race") && !IsNote();
  const bool sometimes = wanted_.count("sometimes") != 0;
  std::uint64_t told = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    ExplorerOptions options;
    options.seed = seed;
    options.bound = 0;
    options.predictions = 1;
    options.attempts = 1;
    const Said said = Explore(options);
    const bool tells = race ? said.between : said.any;
    told += tells ? 1 : 0;
    EXPECT_EQ(said.noted, IsNote()) << "seed " << seed << ": " << wanted_.at("why");
    EXPECT_EQ(said.notes, IsNote()) << "seed " << seed << ": " << wanted_.at("why");
    if (!sometimes) {
      EXPECT_EQ(tells, race) << "seed " << seed << ": " << wanted_.at("why") << "\n" << said.text;
    }
  }
  if (sometimes) {
    EXPECT_GT(told, 0U) << wanted_.at("sometimes");
    EXPECT_LT(told, kRuns) << wanted_.at("sometimes");
  }
}

INSTANTIATE_TEST_SUITE_P(Text, Litmus, testing::ValuesIn(Names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace muster::explore
