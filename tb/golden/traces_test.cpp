// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The tests of traces/SCOPE/*.trace: the lines after `[Suite.Name]` are a trace of that scope.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tb/golden/cluster_trace.h"
#include "tb/golden/mbarrier_trace.h"
#include "tb/golden/trace.h"
#include "tb/golden/warp_trace.h"

namespace muster::golden {
namespace {

using Runner = void (*)(const std::string& trace);

// A line `unit NAME` begins anew, with a unit of that configuration. The first one is small.
template <typename Trace>
void RunUnitTrace(const std::string& trace) {
  std::string config = "small";
  std::string part;
  std::istringstream in(trace);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("unit ", 0) == 0) {
      Trace(config).Run(part);
      config = line.substr(5);
      part.clear();
    } else {
      part += line + "\n";
    }
  }
  Trace(config).Run(part);
}

const std::map<std::string, Runner>& Scopes() {
  static const std::map<std::string, Runner> scopes = {
      {"cta", RunUnitTrace<Trace>},
      {"mbarrier", RunUnitTrace<MbTrace>},
      {"cluster", [](const std::string& trace) { RunClusterTrace(trace); }},
      {"warp", [](const std::string& trace) { RunWarpTrace(trace); }},
  };
  return scopes;
}

struct Script {
  std::string suite;
  std::string name;
  std::string trace;
  std::string file;
  int line = 0;  // of its name
};

class TraceTest : public testing::Test {
 public:
  TraceTest(Runner runner, Script script) : runner_(runner), script_(std::move(script)) {}
  void TestBody() override {
    const testing::ScopedTrace where(script_.file.c_str(), script_.line, "this trace");
    runner_(script_.trace);
  }

 private:
  Runner runner_;
  Script script_;
};

std::vector<Script> Scripts(const std::string& file) {
  std::vector<Script> scripts;
  std::ifstream in(file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.rfind('[', 0) == 0) {
      const std::size_t dot = line.find('.');
      scripts.push_back({line.substr(1, dot - 1), line.substr(dot + 1, line.find(']') - dot - 1),
                         "", file, number});
    } else if (!scripts.empty()) {
      scripts.back().trace += line + "\n";
    }
  }
  return scripts;
}

void RegisterAll() {
  for (const auto& [scope, runner] : Scopes()) {
    for (const auto& entry : std::filesystem::directory_iterator(MUSTER_TRACES "/" + scope)) {
      for (const Script& script : Scripts(entry.path().string())) {
        testing::RegisterTest(script.suite.c_str(), script.name.c_str(), nullptr, nullptr,
                              script.file.c_str(), script.line,
                              [runner = runner, script]() -> testing::Test* {
                                return new TraceTest(runner, script);
                              });
      }
    }
  }
}

}  // namespace
}  // namespace muster::golden

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  muster::golden::RegisterAll();
  return RUN_ALL_TESTS();
}
