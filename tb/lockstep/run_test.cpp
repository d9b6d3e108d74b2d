// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs of the harness: how they end, what they record, and what they report.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "sim/isa/config.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/recorder.h"
#include "sim/log/replay.h"
#include "tb/lockstep/random_driver.h"
#include "tb/lockstep/script.h"
#include "tb/scratch.h"

namespace muster::lockstep {
namespace {

constexpr Config kNotBuilt = [] {
  Config config;
  config.name = "not_built";
  config.num_issue = 2;
  return config;
}();

class RunTest : public testing::TestWithParam<Config> {};

INSTANTIATE_TEST_SUITE_P(Units, RunTest, testing::ValuesIn(BuiltConfigs()));

class Nothing : public Driver {
 public:
  bool Drive(std::uint64_t /*cycle*/, const Outputs& /*seen*/, Inputs* /*inputs*/) override {
    return true;
  }
};

TEST_P(RunTest, EndsAtTheLastCycle) {
  Nothing driver;
  Options options;
  options.max_cycles = 500;
  const Result result = lockstep::Run(GetParam(), driver, options);
  EXPECT_EQ(result.ending, Ending::kMaxCycles);
  EXPECT_GE(result.cycles, 500U);
  EXPECT_EQ(result.commits, 0U);
}

// The pins of one run, driven again, lead to the same commits; without the check, too.
TEST_P(RunTest, RecordedStimulusRunsAgain) {
  RandomOptions random;
  random.dense = true;
  RandomDriver driver(GetParam(), random);
  Recording recording;
  Recorder recorder(&driver, &recording);
  Options options;
  options.max_cycles = 3000;
  const Result first = lockstep::Run(GetParam(), recorder, options);
  ASSERT_EQ(first.ending, Ending::kMaxCycles) << first.report;
  options.max_cycles = recording.driven.size() + 1;
  Replay again(recording);
  const Result second = lockstep::Run(GetParam(), again, options);
  EXPECT_EQ(second.ending, Ending::kDone) << second.report;
  EXPECT_EQ(second.commits, first.commits);
  EXPECT_EQ(second.releases, first.releases);
  Replay unchecked(recording);
  options.checked = false;
  EXPECT_EQ(lockstep::Run(GetParam(), unchecked, options).ending, Ending::kDone);
}

// Two ports carry one warp: an assertion of the unit fires, and becomes a failure.
class OneWarpTwice : public Driver {
 public:
  bool Drive(std::uint64_t cycle, const Outputs& /*seen*/, Inputs* inputs) override {
    inputs->issue_valid = cycle == 5 ? 0b11 : 0;
    inputs->issue[0] = Arrival(OpKind::kSync, 1, 0, 0);
    inputs->issue[1] = Arrival(OpKind::kSync, 1, 0, 0);
    return cycle < 20;
  }
};

TEST_P(RunTest, AssertionIsReportedWithFileAndLine) {
  if (GetParam().num_issue == 1) {
    GTEST_SKIP() << "one port";
  }
  OneWarpTwice driver;
  Options options;
  options.checked = false;  // else the monitor is first
  const Result result = lockstep::Run(GetParam(), driver, options);
  EXPECT_EQ(result.ending, Ending::kMismatch);
  EXPECT_EQ(result.what, "assertion");
  EXPECT_NE(result.report.find("rtl/muster.sv:"), std::string::npos) << result.report;
  OneWarpTwice again;
  options.checked = true;
  EXPECT_EQ(lockstep::Run(GetParam(), again, options).ending, Ending::kMismatch);
}

// The log of a run goes through the golden model alone without a difference.
TEST_P(RunTest, LogReplays) {
  const std::string path = Scratch() / "log.jsonl";
  RandomDriver driver(GetParam(), RandomOptions());
  Options options;
  options.max_cycles = 2000;
  options.log = path;
  const Result result = lockstep::Run(GetParam(), driver, options);
  ASSERT_EQ(result.ending, Ending::kMaxCycles) << result.report;
  std::ifstream log(path);
  const auto lines = std::count(std::istreambuf_iterator<char>(log), {}, '\n');
  EXPECT_GT(static_cast<std::uint64_t>(lines), result.commits + result.mb_commits);
  const log::Replayed replayed = log::Replay(path);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.operations, static_cast<std::uint64_t>(lines) - 1);
  EXPECT_EQ(replayed.differences, 0U);
}

TEST(RunErrors, AreASentence) {
  Nothing driver;
  Options options;
  options.wave = "/nowhere/x.fst";
  Result result = lockstep::Run(*FindConfig("small"), driver, options);
  EXPECT_EQ(result.ending, Ending::kError);
  EXPECT_EQ(result.report, "/nowhere/x.fst: the waveform cannot be written there");
  result = lockstep::Run(kNotBuilt, driver, Options());
  EXPECT_EQ(result.ending, Ending::kError);
  EXPECT_EQ(result.report,
            fmt::format("not_built: this program was built without the configuration; it has {}",
                        fmt::join(UnitNames(), " ")));
}

}  // namespace
}  // namespace muster::lockstep
