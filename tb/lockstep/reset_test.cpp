// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Resets in the middle of operations, and random contents of registers and memories before the
// first one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sim/isa/config.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/monitor.h"
#include "sim/log/replay.h"
#include "tb/lockstep/random_reset.h"
#include "tb/lockstep/reset_between.h"
#include "tb/lockstep/script.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

class ResetTest : public testing::TestWithParam<Config> {
 protected:
  ResetTest()
      : path_(testing::TempDir() + "reset_test_" + GetParam().name + "_" +
              std::to_string(getpid()) + ".jsonl") {}
  ~ResetTest() override { std::remove(path_.c_str()); }

  // A random stream; its log is left in the file.
  Result RunRandom(Driver* driver, std::uint64_t cycles, PowerUp power_up) {
    Options options;
    options.max_cycles = cycles;
    options.power_up = power_up;
    options.log = path_;
    Result result = lockstep::Run(GetParam(), *driver, options);
    EXPECT_EQ(result.ending, Ending::kMaxCycles) << result.report;
    return result;
  }
  std::string Log() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string path_;
};

TEST_P(ResetTest, LogReplays) {
  RandomReset driver(GetParam(), RandomOptions());
  const Result result = RunRandom(&driver, 40'000, {1});
  EXPECT_GE(result.resets, 2U);
  EXPECT_GT(result.commits, 1000U);
  const log::Replayed replayed = log::Replay(path_);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.differences, 0U);
  std::uint64_t resets = 0;
  const std::string log = Log();
  for (std::size_t at = 0; (at = log.find("\"reset\":true", at)) != std::string::npos; ++at) {
    ++resets;
  }
  EXPECT_EQ(resets, result.resets);
}

// The run does not depend on the contents of registers and memories at power-up.
TEST_P(ResetTest, PowerUpShowsNowhere) {
  std::string first;
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    RandomDriver driver(GetParam(), RandomOptions());
    RunRandom(&driver, 5000, {seed});
    const std::string log = Log();
    EXPECT_GT(std::count(log.begin(), log.end(), '\n'), 100);
    EXPECT_TRUE(first.empty() || log == first) << "power-up " << seed;
    first = log;
  }
}

// Power-up in reset: rst_ni does not fall. One clock edge is enough, whatever the unit holds.
TEST_P(ResetTest, LowFromTheBeginning) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    std::unique_ptr<Dut> dut = MakeDut(GetParam(), {seed, true});
    const std::optional<Mismatch> loud = LoudInReset(dut->out);
    EXPECT_FALSE(loud) << "power-up " << seed << ": " << loud->field;
    RandomOptions random;
    random.seed = seed;
    RandomDriver driver(GetParam(), random);
    Options options;
    options.max_cycles = 500;
    options.make_dut = [&] { return std::move(dut); };
    const Result result = lockstep::Run(GetParam(), driver, options);
    ASSERT_EQ(result.ending, Ending::kMaxCycles) << "power-up " << seed << ": " << result.report;
  }
}

// An arrival whose read is granted as the reset begins; then data of that read, which the memory
// should have forgotten: with no read on its way, or ahead of the next read's.
class Remembers : public Driver {
 public:
  explicit Remembers(bool reads_again) : reads_again_(reads_again) {}

  bool Drive(std::uint64_t /*cycle*/, const Outputs& seen, Inputs* inputs) override {
    MbInputs& mb = inputs->mb;
    const bool accepted = mb.issue_valid && seen.mb.issue_ready;
    const bool granted = seen.mb.read_valid && mb.read_ready;
    mb.read_ready = true;
    mb.write_ready = true;
    mb.fence_ack = ~std::uint64_t{0};
    mb.issue.op = MbOp::kArrive;
    mb.issue.addr = 64;
    mb.issue.lanes = 1;
    mb.issue.operand = 1;
    mb.issue_valid = !was_reset_ ? !granted : reads_again_ && !accepted && answers_ == 0;
    inputs->reset = granted && !was_reset_;
    was_reset_ = was_reset_ || inputs->reset;
    mb.rdata_valid =
        was_reset_ && !inputs->reset && (granted || answers_ != 0 || !reads_again_) && answers_ < 8;
    answers_ += static_cast<unsigned>(mb.rdata_valid);
    return ++cycles_ < 200;
  }

 private:
  bool reads_again_;
  bool was_reset_ = false;
  unsigned answers_ = 0;
  unsigned cycles_ = 0;
};

TEST_P(ResetTest, MemoryThatRemembersAReadIsFound) {
  if (!GetParam().mbarrier) {
    GTEST_SKIP() << "the unit reads no memory";
  }
  for (const bool reads_again : {false, true}) {
    Remembers driver(reads_again);
    Options options;
    options.checked = false;
    options.max_cycles = 1000;
    const Result result = lockstep::Run(GetParam(), driver, options);
    EXPECT_EQ(result.what, "assertion");
    EXPECT_NE(result.report.find("muster_mb_fetch.sv:"), std::string::npos) << result.report;
  }
}

INSTANTIATE_TEST_SUITE_P(Units, ResetTest, testing::ValuesIn(BuiltConfigs()));

class ResetAmid : public OnUnits {
 protected:
  // Resets the unit in each cycle of an operation that follows a launch. A CTA that comes right
  // after the reset, and its barrier, then take their course.
  template <typename Add>
  void InEachCycle(Add add) {
    Script whole(config());
    whole.Launch(0, 0b11);
    const Script::Id id = add(&whole);
    whole.Run();
    for (std::uint64_t cycle = whole.Presented(id) + 1; cycle <= whole.Committed(id) + 2; ++cycle) {
      for (const bool keeps : {false, true}) {
        Script before(config());
        before.Launch(0, 0b11);
        add(&before);
        Script after(config());
        Comes(&after);
        ResetBetween driver(&before, cycle, keeps, &after);
        Options options;
        options.max_cycles = 5000;
        const Result result = lockstep::Run(config(), driver, options);
        EXPECT_EQ(result.ending, Ending::kDone) << "reset in cycle " << cycle << result.report;
        ASSERT_EQ(after.releases().size(), 1U) << "reset in cycle " << cycle;
        EXPECT_EQ(after.releases()[0].warps, 0b11U) << "reset in cycle " << cycle;
      }
    }
  }

 private:
  void Comes(Script* script) const {
    if (config().join) {
      script->Lifecycle(Open(1, 2));
      script->Lifecycle(Join(1, 0));
      script->Lifecycle(Join(1, 1));
      script->NextScene();
    } else {
      script->Launch(1, 0b11);
    }
    script->Issue(0, InCta(1, Arrival(OpKind::kSync, 0, 3, 2)));
    script->Issue(0, InCta(1, Arrival(OpKind::kSync, 1, 3, 2)));
  }
};

INSTANTIATE_TEST_SUITE_P(Units, ResetAmid, testing::ValuesIn(BuiltConfigs()));

TEST_P(ResetAmid, AnEnd) {
  InEachCycle([](Script* script) { return script->Lifecycle(Leave(OpKind::kEnd, 0)); });
}

TEST_P(ResetAmid, AnOpen) {
  if (!config().join) {
    GTEST_SKIP() << "no opens";
  }
  InEachCycle([](Script* script) { return script->Lifecycle(Open(1, 2)); });
}

TEST_P(ResetAmid, AnExit) {
  InEachCycle([](Script* script) { return script->Lifecycle(Exit(1)); });
}

TEST_P(ResetAmid, ADrain) {
  InEachCycle([this](Script* script) {
    if (config().drain) {
      script->Accessing(0b1);
      script->Accessing(0, 8);
    }
    return script->Issue(0, Arrival(OpKind::kSync, 0, 3, 2));
  });
}

// A launch that is there in the first cycle after a reset takes as long, whatever the reset ends.
TEST_P(ResetAmid, AnArrivalMakesNoLaunchLate) {
  const auto arrives = [](Script* script) {
    script->Launch(0, 0b11);
    return script->Issue(0, Arrival(OpKind::kArrive, 0, 3, 2));
  };
  Script whole(config());
  const Script::Id id = arrives(&whole);
  whole.Run();
  std::set<std::uint64_t> latencies;
  for (std::uint64_t cycle = whole.Presented(id) - 1; cycle <= whole.Committed(id) + 2; ++cycle) {
    for (const bool keeps : {false, true}) {
      Script before(config());
      arrives(&before);
      Script after(config());
      const Script::Id launch = after.Lifecycle(Launch(0, 0b11));
      ResetBetween driver(&before, cycle, keeps, &after);
      Options options;
      options.max_cycles = 5000;
      const Result result = lockstep::Run(config(), driver, options);
      EXPECT_EQ(result.ending, Ending::kDone) << "reset in cycle " << cycle << result.report;
      latencies.insert(after.Committed(launch) - cycle);
    }
  }
  EXPECT_EQ(latencies.size(), 1U);
}

TEST(InReset, QuietOutputsAreGood) { EXPECT_FALSE(LoudInReset(Outputs())); }

TEST(InReset, EachLoudOutputIsNamed) {
  const auto named = [](auto change) {
    Outputs out;
    change(&out);
    const std::optional<Mismatch> loud = LoudInReset(out);
    return loud ? loud->field : "";
  };
  EXPECT_EQ(named([](Outputs* out) { out->busy = 1; }), "busy");
  EXPECT_EQ(named([](Outputs* out) { out->fence_req = 8; }), "fence_req");
  EXPECT_EQ(named([](Outputs* out) { out->released = 2; }), "release.warps");
  EXPECT_EQ(named([](Outputs* out) { out->commit_valid = 1; }), "commit.valid");
  EXPECT_EQ(named([](Outputs* out) { out->commit_lifecycle = true; }), "commit.lifecycle");
  EXPECT_EQ(named([](Outputs* out) { out->response_valid = true; }), "response_valid");
  EXPECT_EQ(named([](Outputs* out) { out->fault_valid = 2; }), "fault_valid");
  EXPECT_EQ(named([](Outputs* out) { out->entry_valid = true; }), "entry.valid");
  EXPECT_EQ(named([](Outputs* out) { out->mb.busy = 1; }), "mb.busy");
  EXPECT_EQ(named([](Outputs* out) { out->mb.fence_req = 1; }), "mb.fence_req");
  EXPECT_EQ(named([](Outputs* out) { out->mb.wake = 1; }), "mb.wake");
  EXPECT_EQ(named([](Outputs* out) { out->mb.expire = 1; }), "mb.expire");
  EXPECT_EQ(named([](Outputs* out) { out->mb.commit_valid = true; }), "mb.commit.valid");
  EXPECT_EQ(named([](Outputs* out) { out->mb.response_valid = true; }), "mb.response_valid");
  EXPECT_EQ(named([](Outputs* out) { out->mb.fault_valid = true; }), "mb.fault_valid");
  EXPECT_EQ(named([](Outputs* out) { out->mb.read_valid = true; }), "smem.read_valid");
  EXPECT_EQ(named([](Outputs* out) { out->mb.write_valid = true; }), "smem.write_valid");
  EXPECT_EQ(named([](Outputs* out) { out->mb.held_valid = 1; }), "smem.held_valid");
}

}  // namespace
}  // namespace muster::lockstep
