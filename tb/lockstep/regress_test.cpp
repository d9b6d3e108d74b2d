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
                                "--jobs 0",
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
                                "--jobs 99999999999",
                                "--jobs -1",
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
  for (const char* option : {"--json", "--junit"}) {
    const Done done = Regress(run + option + " /nowhere/file");
    EXPECT_EQ(done.code, 2) << option;
    EXPECT_NE(done.output.find("/nowhere/file"), std::string::npos) << done.output;
  }
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
  const std::string junit = Scratch() / "results.xml";
  const std::string config = BuiltConfigs().front().name;
  const Done done = Regress("--seeds 3-4 --cycles 20000 --config " + config + " --jobs 2 --json " +
                            json + " --junit " + junit);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find(config), std::string::npos);
  const nlohmann::json results = nlohmann::json::parse(Contents(json));
  EXPECT_TRUE(results["passed"]);
  EXPECT_EQ(results["configs"][config]["seeds"], 2);
  EXPECT_GE(results["configs"][config]["cycles"], 4000);
  EXPECT_GT(results["configs"][config]["cover"]["complete.by_sync"], 0);
  EXPECT_TRUE(results["mismatches"].empty());
  const std::string xml = Contents(junit);
  EXPECT_NE(xml.find("name=\"seed_3\""), std::string::npos);
  EXPECT_NE(xml.find("name=\"seed_4\""), std::string::npos);
}

}  // namespace
}  // namespace muster::lockstep
