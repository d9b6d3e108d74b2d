// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The example of a virtual platform, as its users run it, and what the library brings along.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace muster::tlm {
namespace {

struct Ran {
  int code = -1;
  std::string text;  // of both outputs
};

Ran Call(const std::string& program, const std::string& arguments) {
  Ran ran;
  FILE* const pipe = popen(("'" + program + "' " + arguments + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) != 0;) {
    ran.text.append(buffer.data(), count);
  }
  const int status = pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

// A file of one test, below the folder of the build.
std::string FileOf(const char* name) {
  std::filesystem::create_directories(TLM_FILES);
  std::string path = std::string(TLM_FILES) + "/" + name;
  std::filesystem::remove(path);
  return path;
}

// "   0  producer      0 ns  0x    352 ns  6x    179 ns  2x    531 ns   50 %"
struct Row {
  std::string role;
  std::array<unsigned, 3> ns{};  // at full, at empty, at barriers
  std::array<unsigned, 3> count{};
  unsigned all = 0;
};

std::vector<Row> TableOf(const std::string& text) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    unsigned warp = 0;
    Row row;
    std::string unit;
    words >> warp >> row.role;
    for (std::size_t place = 0; place < 3; ++place) {
      words >> row.ns[place] >> unit >> row.count[place] >> unit;
    }
    words >> row.all >> unit;
    if (words && warp == rows.size() && unit == "ns") {
      rows.push_back(row);
    }
  }
  return rows;
}

// How long each signal of a VCD is 1, by its scope and name.
std::map<std::string, unsigned> TimesHigh(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, std::string> names;  // by identifier
  std::map<std::string, unsigned> since;
  std::map<std::string, unsigned> high;
  std::string scope;
  unsigned now = 0;
  bool changes = false;  // behind the definitions
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "$scope") {
      words >> word >> scope;
    } else if (word == "$var") {
      std::string id;
      std::string name;
      words >> word >> word >> id >> name;
      names[id] = std::string(scope).append(".").append(name);
      high[names[id]] = 0;
    } else if (word == "$enddefinitions") {
      changes = true;
    } else if (word[0] == '#') {
      now = static_cast<unsigned>(std::stoul(word.substr(1)));
    } else if (changes && (word[0] == '1' || word[0] == '0')) {
      const std::string& name = names.at(word.substr(1));
      if (word[0] == '1') {
        since[name] = now;
      } else if (since.count(name) != 0) {
        high[name] += now - since[name];
        since.erase(name);
      }
    }
  }
  EXPECT_TRUE(since.empty()) << "somebody waits for ever";
  return high;
}

// Producers wait for empty buffers, consumers for full ones, all of them twice at named barriers.
// The consumer that works longest is who the others wait for, so it waits least.
TEST(TlmPlatform, SaysWhoWaitedHowLong) {
  const Ran ran = Call(TLM_PLATFORM, "");
  EXPECT_EQ(ran.code, 0) << ran.text;
  const std::vector<Row> rows = TableOf(ran.text);
  ASSERT_EQ(rows.size(), 4U) << ran.text;
  for (std::size_t warp = 0; warp < 4; ++warp) {
    const bool producer = warp < 2;
    const Row& row = rows[warp];
    EXPECT_EQ(row.role, producer ? "producer" : "consumer");
    EXPECT_EQ(row.count[producer ? 0 : 1], 0U);
    EXPECT_GT(row.count[producer ? 1 : 0], 0U);
    EXPECT_GT(row.ns[producer ? 1 : 0], 0U);
    EXPECT_EQ(row.count[2], 2U);
    EXPECT_EQ(row.all, row.ns[0] + row.ns[1] + row.ns[2]);
    EXPECT_LE(rows[2].all, row.all);
  }
  EXPECT_NE(ran.text.find("all sums are right, all barriers idle, 0 faults"), std::string::npos);
}

TEST(TlmPlatform, WaveformShowsWhoWaits) {
  const std::string path = FileOf("who_waits.vcd");
  const Ran ran = Call(TLM_PLATFORM, "'" + path + "'");
  EXPECT_EQ(ran.code, 0) << ran.text;
  const std::vector<Row> rows = TableOf(ran.text);
  ASSERT_EQ(rows.size(), 4U) << ran.text;
  std::map<std::string, unsigned> expected;
  for (std::size_t warp = 0; warp < 4; ++warp) {
    const std::string scope = "warp" + std::to_string(warp) + ".waits_at_";
    expected[scope + "full"] = rows[warp].ns[0];
    expected[scope + "empty"] = rows[warp].ns[1];
    expected[scope + "barrier"] = rows[warp].ns[2];
  }
  EXPECT_EQ(TimesHigh(path), expected);
}

TEST(TlmPlatform, RefusesWhatItCannotWrite) {
  const Ran nowhere = Call(TLM_PLATFORM, "'" + FileOf("no_folder") + "/x.vcd'");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_NE(nowhere.text.find("/x.vcd: the waveform cannot be written there\n"), std::string::npos)
      << nowhere.text;
  const Ran other = Call(TLM_PLATFORM, "waves.fst");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.text.find("usage: tlm_platform [FILE.vcd]"), std::string::npos) << other.text;
}

// A platform has an sc_main of its own, and so has a program with main() that links muster_sc_main.
TEST(TlmLibrary, HasNoMain) {
  for (const char* const library : {TLM_LIBRARY, GOLDEN_LIBRARY}) {
    const Ran ran = Call("nm", "-C --defined-only '" + std::string(library) + "'");
    EXPECT_EQ(ran.code, 0) << ran.text;
    EXPECT_NE(ran.text.find(" T muster::"), std::string::npos);
    EXPECT_EQ(ran.text.find("sc_main"), std::string::npos) << library;
  }
}

}  // namespace
}  // namespace muster::tlm
