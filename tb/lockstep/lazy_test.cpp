// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Cycles that are left out because the unit is idle: nothing comes out otherwise, and a unit that
// says that it is idle while something is under way is found out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/config.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/random_driver.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

// A random stream, or what of it is presented at named barriers.
class Stream : public RandomDriver {
 public:
  Stream(const Config& config, const RandomOptions& options, bool has_mbarriers)
      : RandomDriver(config, options), has_mbarriers_(has_mbarriers) {}
  bool has_mbarriers() const override { return has_mbarriers_; }

 private:
  const bool has_mbarriers_;
};

RandomOptions WithPauses(std::uint64_t seed) {
  RandomOptions random;
  random.seed = seed;
  random.pauses = true;
  return random;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Lazy : public OnUnits {
 protected:
  struct Outcome {
    Result result;
    std::string log;
  };

  // Another one for each process, since tests run side by side.
  std::string File(const std::string& kind) const {
    return testing::TempDir() + "lazy_" + config().name + "_" + std::to_string(getpid()) + kind;
  }

  // `config`: of the driver, which may know less than the unit.
  Outcome RunStream(const Config& of_driver, bool lazy, std::uint64_t seed) {
    const std::string log = File(".jsonl");
    Options options;
    options.max_cycles = 30'000;
    options.skips = seed % 2 == 0;
    options.lazy = lazy;
    options.log = log;
    Stream driver(of_driver, WithPauses(seed), of_driver.mbarrier);
    Outcome outcome;
    outcome.result = lockstep::Run(config(), driver, options);
    outcome.log = Contents(log);
    std::filesystem::remove(log);
    return outcome;
  }

  void ExpectTheSame(const Config& of_driver) {
    for (const std::uint64_t seed : {4, 5, 6, 7}) {
      const Outcome each = RunStream(of_driver, false, seed);
      const Outcome lazy = RunStream(of_driver, true, seed);
      EXPECT_EQ(each.result.ending, Ending::kMaxCycles) << each.result.report;
      EXPECT_EQ(lazy.result.ending, Ending::kMaxCycles) << lazy.result.report;
      EXPECT_EQ(each.result.left_out, 0U);
      EXPECT_GT(lazy.result.left_out, lazy.result.skipped != 0 ? 100 : lazy.result.cycles / 20);
      EXPECT_EQ(each.result.mb_left_out, 0U);
      EXPECT_EQ(lazy.result.mb_left_out != 0, config().mbarrier);
      EXPECT_GT(lazy.result.commits, 300U);
      EXPECT_EQ(lazy.result.cycles, each.result.cycles);
      EXPECT_EQ(lazy.result.skipped, each.result.skipped);
      EXPECT_EQ(lazy.result.waits, each.result.waits);
      EXPECT_EQ(lazy.result.mb_waits, each.result.mb_waits);
      EXPECT_EQ(lazy.result.mb_wakes, each.result.mb_wakes);
      EXPECT_EQ(lazy.result.mb_expiries, each.result.mb_expiries);
      EXPECT_TRUE(lazy.log == each.log);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Units, Lazy, testing::ValuesIn(BuiltConfigs()));

TEST_P(Lazy, SameAsInEachCycle) { ExpectTheSame(config()); }

TEST_P(Lazy, SameWithoutMbarriers) {
  Config without = config();
  without.mbarrier = false;
  ExpectTheSame(without);
}

TEST_P(Lazy, DriverWithoutMbarriersPresentsNone) {
  if (!config().mbarrier) {
    GTEST_SKIP();
  }
  Options options;
  Stream driver(config(), WithPauses(4), false);
  const Result result = lockstep::Run(config(), driver, options);
  EXPECT_EQ(result.ending, Ending::kMismatch);
  EXPECT_EQ(result.what, "mb.valid");
}

// A waveform has all cycles.
TEST_P(Lazy, NotWithAWaveform) {
  if (!WritesWaveforms()) {
    GTEST_SKIP();
  }
  Options options;
  options.max_cycles = 2'000;
  options.lazy = true;
  options.wave = File(".fst");
  RandomDriver driver(config(), WithPauses(4));
  const Result result = lockstep::Run(config(), driver, options);
  EXPECT_EQ(result.ending, Ending::kMaxCycles) << result.report;
  EXPECT_EQ(result.left_out, 0U);
  std::filesystem::remove(options.wave);
}

// A unit that says otherwise when it is idle, or when its mbarriers are.
class Otherwise : public Dut {
 public:
  using Says = std::function<void(const Inputs& in, Outputs* out)>;

  Otherwise(std::unique_ptr<Dut> dut, Says says) : dut_(std::move(dut)), says_(std::move(says)) {}

  void Settle() override {
    dut_->in = in;
    dut_->Settle();
    out = dut_->out;
    says_(in, &out);
  }
  void Clock() override {
    dut_->in = in;
    dut_->Clock();
  }
  bool CanCatchUp() const override { return dut_->CanCatchUp(); }
  void CatchUp(std::uint64_t cycles, std::uint64_t mb_cycles) override {
    dut_->CatchUp(cycles, mb_cycles);
  }
  void OpenTrace(const std::string& path, std::uint64_t cycle) override {
    dut_->OpenTrace(path, cycle);
  }
  void CloseTrace() override { dut_->CloseTrace(); }

 private:
  std::unique_ptr<Dut> dut_;
  const Says says_;
};

void ExpectFound(const Config& config, const std::string& what, bool lazy,
                 const Otherwise::Says& says) {
  Options options;
  options.max_cycles = 30'000;
  options.lazy = lazy;
  options.make_dut = [&] { return std::make_unique<Otherwise>(MakeDut(config), says); };
  RandomDriver driver(config, WithPauses(4));
  const Result result = lockstep::Run(config, driver, options);
  EXPECT_EQ(result.ending, Ending::kMismatch);
  EXPECT_EQ(result.what, what) << result.report;
}

using Mistake = std::function<bool(const Inputs& in, const Outputs& out)>;

std::vector<Mistake> MistakesOf(const Config& config) {
  std::vector<Mistake> mistakes = {
      [](const Inputs& in, const Outputs&) { return in.issue_valid != 0; },
      [](const Inputs& in, const Outputs& out) { return in.issue_valid == 0 && out.busy != 0; },
      [](const Inputs&, const Outputs& out) { return out.commit_valid != 0; },
      [](const Inputs&, const Outputs& out) { return out.released != 0; },
  };
  if (config.reduce) {
    mistakes.emplace_back([](const Inputs&, const Outputs& out) { return out.response_valid; });
  }
  return mistakes;
}

std::vector<Mistake> MistakesOfMbarriers() {
  return {
      [](const Inputs& in, const Outputs&) { return in.mb.issue_valid || in.mb.async_valid; },
      [](const Inputs&, const Outputs& out) { return out.mb.busy != 0; },
      [](const Inputs&, const Outputs& out) { return out.mb.commit_valid; },
      [](const Inputs&, const Outputs& out) { return out.mb.response_valid; },
  };
}

// The unit is idle, or its mbarriers are, when a mistake says so.
TEST_P(Lazy, FindsAUnitThatIsIdleTooEarly) {
  for (const bool lazy : {true, false}) {
    for (const Mistake& mistake : MistakesOf(config())) {
      ExpectFound(config(), "idle", lazy, [&](const Inputs& in, Outputs* out) {
        out->idle = out->idle || mistake(in, *out);
      });
    }
    if (!config().mbarrier) {
      continue;
    }
    for (const Mistake& mistake : MistakesOfMbarriers()) {
      ExpectFound(config(), "idle", lazy, [&](const Inputs& in, Outputs* out) {
        out->idle = out->idle || mistake(in, *out);
      });
      ExpectFound(config(), "mb.idle", lazy, [&](const Inputs& in, Outputs* out) {
        out->mb.idle = out->mb.idle || mistake(in, *out);
      });
    }
  }
}

// Who stops both clocks by `idle_o` must not stop one that the mbarriers need.
TEST_P(Lazy, FindsAUnitThatIsIdleWithoutItsMbarriers) {
  if (!config().mbarrier) {
    GTEST_SKIP();
  }
  ExpectFound(config(), "mb.idle", false,
              [](const Inputs&, Outputs* out) { out->mb.idle = false; });
}

}  // namespace
}  // namespace muster::lockstep
