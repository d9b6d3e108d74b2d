// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A group at an mbarrier while the unit has nothing else to do: when idle_o is high, and what a
// reset leaves of it.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/lockstep/lockstep.h"
#include "sim/port/bank.h"
#include "tb/lockstep/reset_between.h"
#include "tb/lockstep/script.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kActiveFor = 3;  // cycles from the token on, as published
constexpr std::uint64_t kApart = 10;     // cycles from the initialisation to the arrival

// A warp initialises a word, and after a pause arrives there for a token. Its accesses are
// performed so many cycles after the first cycle of the arrival, and tokens are taken so many after
// that cycle.
class SingleArrival : public Driver, private Bank::Words {
 public:
  SingleArrival(const Config& config, std::uint64_t performed, std::uint64_t taken)
      : config_(config), performed_(performed), taken_(taken) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
    MbInputs& mb = inputs->mb;
    if (seen.mb.response_valid && mb.response_ready) {
      answered = cycle - 1;
    }
    if (cycle != 0) {
      idle[cycle - 1] = seen.idle;
      mb_idle[cycle - 1] = seen.mb.idle;
    }
    bank_.Cycle(seen.mb, &mb);
    inputs->lifecycle = Launch(0, 0b1);
    inputs->lifecycle_valid = !begun_ || (inputs->lifecycle_valid && !seen.lifecycle_ready);
    begun_ = true;
    mb.issue_valid = mb.issue_valid && !seen.mb.issue_ready;
    if (launched_ && !initialised_) {
      Present(MbOp::kInit, &mb);
      initialised_ = true;
    } else if (presented == kNever && cycle >= arrives_from_) {
      Present(MbOp::kArrive, &mb);
      presented = cycle;
    }
    const std::uint64_t since = presented == kNever ? kNever : cycle - presented;
    mb.fence_ack = since >= performed_ ? ~std::uint64_t{0} : 0;
    mb.response_ready = since >= taken_;
    return answered == kNever || cycle < answered + 2 * kActiveFor;
  }

  void Serve(const Outputs& seen, Inputs* inputs) override { bank_.Cycle(seen.mb, &inputs->mb); }

  void OnCommit(std::uint64_t /*cycle*/, const Operation& /*operation*/,
                const Effects& /*effects*/) override {
    launched_ = true;
  }
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& /*effects*/) override {
    if (event.kind == MbEvent::Kind::kStep && event.operation.op == MbOp::kInit) {
      arrives_from_ = cycle + kApart;
    } else if (event.kind == MbEvent::Kind::kStep) {
      committed = cycle;
    }
  }

  // Of the arrival.
  std::uint64_t presented = kNever;
  std::uint64_t committed = kNever;
  std::uint64_t answered = kNever;
  std::map<std::uint64_t, bool> idle;     // the unit is, by cycle
  std::map<std::uint64_t, bool> mb_idle;  // the mbarrier block is

 private:
  void Present(MbOp op, MbInputs* mb) const {
    mb->issue = MbOperation();
    mb->issue.op = op;
    mb->issue.lanes = 1;
    mb->issue.addr = 64;
    mb->issue.operand = op == MbOp::kInit ? 2 : 1;
    mb->issue.has_token = op == MbOp::kArrive;
    mb->issue.releasing = config_.drain && op == MbOp::kArrive;
    mb->issue_valid = true;
  }

  std::uint64_t Load(MbPlace /*place*/) override { return word_; }
  void Store(MbPlace /*place*/, std::uint64_t word) override { word_ = word; }

  const Config config_;
  const std::uint64_t performed_;
  const std::uint64_t taken_;
  Bank bank_{this, 1};
  std::uint64_t word_ = 0;
  bool begun_ = false;
  bool launched_ = false;
  bool initialised_ = false;
  std::uint64_t arrives_from_ = kNever;
};

class MbSingle : public OnUnits {
 protected:
  void Run(Driver* driver) {
    Options options;
    options.max_cycles = 5000;
    const Result result = lockstep::Run(config(), *driver, options);
    ASSERT_EQ(result.ending, Ending::kDone) << result.report;
  }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MbSingle);
INSTANTIATE_TEST_SUITE_P(Units, MbSingle, testing::ValuesIn(With(&Config::mbarrier)));

// From valid to two cycles after the token is taken neither the unit nor its mbarriers are idle,
// however long the warp is in drain, or the token is not taken.
TEST_P(MbSingle, UnitIsNotIdleUntilTheTokenIsTaken) {
  for (const std::uint64_t performed : {0, 50}) {
    for (const std::uint64_t taken : {0, 100}) {
      SingleArrival driver(config(), performed, taken);
      Run(&driver);
      if (HasFatalFailure()) {
        return;
      }
      if (config().drain && performed != 0) {
        EXPECT_GE(driver.committed, driver.presented + performed);
      }
      EXPECT_GE(driver.answered, driver.presented + taken);
      EXPECT_TRUE(driver.idle.at(driver.presented - 1));
      EXPECT_TRUE(driver.mb_idle.at(driver.presented - 1));
      for (std::uint64_t cycle = driver.presented; cycle < driver.answered + kActiveFor; ++cycle) {
        EXPECT_FALSE(driver.idle.at(cycle)) << "cycle " << cycle - driver.presented;
        EXPECT_FALSE(driver.mb_idle.at(cycle)) << "cycle " << cycle - driver.presented;
      }
      EXPECT_TRUE(driver.idle.at(driver.answered + kActiveFor));
      EXPECT_TRUE(driver.mb_idle.at(driver.answered + kActiveFor));
    }
  }
}

// The golden model and the outputs in reset tell of whatever is left. With a drain the group is in
// it at first; then it goes on, and its token comes.
TEST_P(MbSingle, NothingIsLeftAfterAReset) {
  constexpr std::uint64_t kPerformed = 3;
  SingleArrival whole(config(), kPerformed, 0);
  Run(&whole);
  for (std::uint64_t cycle = whole.presented + 1; cycle <= whole.answered + 1; ++cycle) {
    SCOPED_TRACE("reset in cycle " + std::to_string(cycle - whole.presented));
    SingleArrival before(config(), kPerformed, 0);
    SingleArrival after(config(), kPerformed, 0);
    ResetBetween driver(&before, cycle, false, &after);
    Run(&driver);
    EXPECT_NE(after.answered, Driver::kNever);
  }
}

}  // namespace
}  // namespace muster::lockstep
