// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The regression as a program: its options, its files, its exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/isa/config.h"
#include "tb/lockstep/script.h"
#include "tb/scratch.h"

namespace muster::lockstep {
namespace {

struct Done {
  int code;
  std::string output;  // of both streams
};

Done Regress(const std::string& arguments) {
  Done done{-1, ""};
  std::FILE* pipe = popen(("'" REGRESS "' " + arguments + " 2>&1").c_str(), "r");
  std::array<char, 256> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    done.output += buffer.data();
  }
  const int status = pclose(pipe);
  done.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return done;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Regress, BadOptionsGetOneSentence) {
  for (const char* arguments : {"--config nothing",
                                "--seeds 0",
                                "--seeds many",
                                "--seeds 8-3",
                                "--shard 1",
                                "--shard 0/2",
                                "--shard 3/2",
                                "--shard 1/0",
                                "--shard a/2",
                                "--shard 1/2x",
                                "--merge /nowhere/file",
                                "--merge /dev/null",
                                "--jobs 2",
                                "--cycles 0",
                                "--cycles x",
                                "--what",
                                "--wave x.fst",
                                "--log x.jsonl",
                                "--config small --seed -1",
                                "--seeds -3",
                                "--seeds 3-",
                                "--seeds 99999999999999999999",
                                "--seeds 0-18446744073709551615",
                                "--seeds 2000000000",
                                "--seed 99999999999999999999",
                                "--first-seed -1",
                                "--wave-from -1",
                                "--wave-to x"}) {
    const Done done = Regress(arguments);
    EXPECT_EQ(done.code, 2) << arguments;
    EXPECT_FALSE(done.output.empty()) << arguments;
    EXPECT_LE(std::count(done.output.begin(), done.output.end(), '\n'), 2) << done.output;
  }
}

TEST(Regress, FilesThatCannotBeWritten) {
  const std::string run =
      std::string("--config ") + BuiltConfigs().front().name + " --seed 1 --cycles 200 ";
  const Done done = Regress(run + "--json /nowhere/file");
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.output.find("/nowhere/file"), std::string::npos) << done.output;
  EXPECT_EQ(Regress(run + "--log /nowhere/file").code, 1);
}

// Same seed, same run: commit by commit; and another seed is another run.
TEST(Regress, SameSeedSameRun) {
  const std::string path = Scratch() / "log";
  for (const Config& config : BuiltConfigs()) {
    const auto run = [&](unsigned seed) {
      const Done done = Regress("--config " + std::string(config.name) + " --cycles 3000 --seed " +
                                std::to_string(seed) + " --log " + path);
      EXPECT_EQ(done.code, 0) << done.output;
      return Contents(path);
    };
    const std::string first = run(5);
    EXPECT_GT(std::count(first.begin(), first.end(), '\n'), 100);
    EXPECT_EQ(first, run(5));
    EXPECT_NE(first, run(6));
  }
}

TEST(Regress, WritesResults) {
  const std::string json = Scratch() / "results.json";
  const std::string config = BuiltConfigs().front().name;
  const Done done = Regress("--seeds 3-4 --cycles 20000 --config " + config + " --json " + json);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find(config + ", seed 4\n"), std::string::npos);
  const nlohmann::json results = nlohmann::json::parse(Contents(json));
  EXPECT_TRUE(results["passed"]);
  EXPECT_EQ(results["configs"][config]["seeds"], 2);
  EXPECT_GE(results["configs"][config]["cycles"], 4000);
  EXPECT_GT(results["configs"][config]["cover"]["complete.by_sync"], 0);
  EXPECT_TRUE(results["mismatches"].empty());
}

// Each configuration counts for itself, and resets amid a run are counted.
TEST(Regress, SeveralConfigurations) {
  const std::string json = Scratch() / "results.json";
  std::string options = "--seeds 2 --cycles 20000 --json " + json;
  for (const Config& config : BuiltConfigs()) {
    options += " --config " + std::string(config.name);
  }
  const Done done = Regress(options + " --config " + BuiltConfigs().front().name);
  EXPECT_EQ(done.code, 0) << done.output;
  const nlohmann::json results = nlohmann::json::parse(Contents(json));
  for (const Config& config : BuiltConfigs()) {
    EXPECT_EQ(results["configs"][config.name]["seeds"], 2);
    unsigned resets = 0;
    for (const auto& [point, hits] : results["configs"][config.name]["cover"].items()) {
      resets += point.rfind("reset.", 0) == 0 ? hits.get<unsigned>() : 0;
    }
    EXPECT_GT(resets, 0U);
  }
}

// The shards of a regression have each seed once, and their files make up the whole one's.
TEST(Regress, ShardsMakeUpTheWhole) {
  const std::string config = BuiltConfigs().front().name;
  const std::string whole = Scratch() / "whole.json";
  const std::string merged = Scratch() / "merged.json";
  const std::string options = "--seeds 3-7 --cycles 3000 --config " + config + " --json ";
  EXPECT_EQ(Regress(options + whole).code, 0);
  std::string files;
  for (const char* shard : {"1", "2", "3", "4"}) {
    const std::string file = Scratch() / ("shard" + std::string(shard));
    EXPECT_EQ(Regress(options + file + " --shard " + shard + "/4").code, 0);
    files += " " + file;
  }
  const Done done = Regress("--json " + merged + " --merge" + files);
  EXPECT_EQ(done.code, 0) << done.output;
  nlohmann::json one = nlohmann::json::parse(Contents(whole));
  nlohmann::json other = nlohmann::json::parse(Contents(merged));
  one["configs"][config].erase("seconds");
  other["configs"][config].erase("seconds");
  EXPECT_EQ(one["configs"][config]["seeds"], 5);
  EXPECT_EQ(one, other);
}

// Only even seeds: in none of them is time skipped while the clock stands still. That is for the
// other shard to do, and for the whole to ask.
TEST(Regress, ShardNeedNotHitAllPoints) {
  const std::string file = Scratch() / "shard.json";
  const std::string config = BuiltConfigs().front().name;
  const Done done =
      Regress("--seeds 1-10 --shard 2/2 --cycles 210000 --config " + config + " --json " + file);
  EXPECT_EQ(done.code, 0) << done.output;
  const Done merged = Regress("--merge " + file);
  EXPECT_EQ(merged.code, 1);
  EXPECT_NE(merged.output.find("mb.park.clock_stands_still"), std::string::npos) << merged.output;
}

// A mismatch in a shard, and a cover point that no seed of a long regression hits, fail the whole.
TEST(Regress, MergedFailuresFail) {
  const std::string config = BuiltConfigs().front().name;
  const std::string file = Scratch() / "shard.json";
  EXPECT_EQ(Regress("--seeds 1 --cycles 3000 --config " + config + " --json " + file).code, 0);
  const nlohmann::ordered_json good = nlohmann::ordered_json::parse(Contents(file));
  const auto merge = [&file](const nlohmann::ordered_json& json) {
    std::ofstream(file) << json;
    return Regress("--merge " + file);
  };
  EXPECT_EQ(merge(good).code, 0);

  nlohmann::ordered_json found = good;
  found["mismatches"].push_back({{"config", config},
                                 {"seed", 1},
                                 {"cycle", 7},
                                 {"what", "ready"},
                                 {"report", "it differs\n"}});
  EXPECT_EQ(merge(found).code, 1);
  EXPECT_NE(merge(found).output.find("it differs"), std::string::npos);

  nlohmann::ordered_json missed = good;
  missed["configs"][config]["cycles"] = 1'000'000;
  missed["configs"][config]["cover"]["complete.by_sync"] = 0;
  EXPECT_EQ(merge(missed).code, 1);
  EXPECT_NE(merge(missed).output.find("complete.by_sync"), std::string::npos);

  nlohmann::ordered_json other = good;
  other["configs"][config]["cover"]["no.such.point"] = 1;
  EXPECT_EQ(merge(other).code, 2);
}

}  // namespace
}  // namespace muster::lockstep
