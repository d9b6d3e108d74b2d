// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A run of a unit with a warp scope beside it: what the checker of the scope finds is the run's
// mismatch.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "sim/isa/config.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/warp_dut.h"
#include "sim/port/driver.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

// Presents bar.warp.sync of all lanes, again and again.
class Syncs : public Driver {
 public:
  bool Drive(std::uint64_t cycle, const Outputs& /*seen*/, Inputs* /*inputs*/) override {
    accepted_ += pins_.in.valid && pins_.out.ready ? 1 : 0;
    answers_ += pins_.out.answer_valid ? 1 : 0;
    pins_.in.valid = cycle < 200 && cycle % 4 == 0;
    pins_.in.request.lanes = pins_.in.request.key = pins_.in.request.live = lanes_;
    return cycle < 220;
  }
  WarpPins* warp_pins() override { return &pins_; }

  unsigned accepted() const { return accepted_; }
  unsigned answers() const { return answers_; }
  std::uint32_t lanes_ = ~std::uint32_t{0};

 private:
  WarpPins pins_;
  unsigned accepted_ = 0;
  unsigned answers_ = 0;
};

// A warp scope whose outputs are changed on their way, and whose clock edges are counted.
class Changed : public WarpDut {
 public:
  using Change = std::function<void(WarpOutputs*)>;

  Changed(std::unique_ptr<WarpDut> dut, Change change, unsigned* edges)
      : dut_(std::move(dut)), change_(std::move(change)), edges_(*edges) {}

  const WarpShape& shape() const override { return dut_->shape(); }
  void Settle(const WarpInputs& in, WarpOutputs* out) override {
    dut_->Settle(in, out);
    change_(out);
  }
  void Clock() override {
    dut_->Clock();
    ++edges_;
  }
  void Reset() override { dut_->Reset(); }
  void OpenTrace(const std::string& path, std::uint64_t cycle) override {
    dut_->OpenTrace(path, cycle);
  }
  void Skip(std::uint64_t cycle) override { dut_->Skip(cycle); }
  void CloseTrace() override { dut_->CloseTrace(); }

 private:
  std::unique_ptr<WarpDut> dut_;
  const Change change_;
  unsigned& edges_;
};

class WarpScope : public OnUnits {
 protected:
  Result RunWith(Changed::Change change) {
    Options options;
    options.rerun = "again";
    options.make_warp_dut = [&] {
      return std::make_unique<Changed>(MakeWarpDut(config()), change, &edges_);
    };
    return lockstep::Run(config(), driver_, options);
  }

  Syncs driver_;
  unsigned edges_ = 0;
};

TEST_P(WarpScope, HasAClockOnlyWhileItIsActive) {
  const Result result = RunWith([](WarpOutputs*) {});
  EXPECT_EQ(result.ending, Ending::kDone) << result.report;
  EXPECT_EQ(driver_.accepted(), 50U);
  EXPECT_EQ(driver_.answers(), 50U);
  EXPECT_EQ(result.warp_requests, 50U);
  EXPECT_EQ(result.warp_lanes, 50U * 32);
  EXPECT_GT(edges_, 100U);
  EXPECT_LE(edges_, 200U);  // of 220 cycles and those of the end
}

TEST_P(WarpScope, WrongAnswerIsTheMismatchOfTheRun) {
  unsigned answers = 0;
  const Result result = RunWith([&](WarpOutputs* out) {
    if (out->answer_valid && ++answers == 3) {
      out->answer.lanes &= ~std::uint32_t{0x10};
    }
  });
  EXPECT_EQ(result.ending, Ending::kMismatch);
  EXPECT_EQ(result.what, "warp.answer");
  EXPECT_NE(result.report.find("MISMATCH in cycle 10"), std::string::npos) << result.report;
  EXPECT_NE(result.report.find("warp slot 0"), std::string::npos);
  EXPECT_NE(result.report.find("8  bar.warp.sync of warp 0: lanes 0xffffffff"), std::string::npos);
}

TEST_P(WarpScope, LostAnswerIsFoundAtTheEnd) {
  const Result result = RunWith([](WarpOutputs* out) { out->answer_valid = false; });
  EXPECT_EQ(result.ending, Ending::kMismatch);
}

TEST_P(WarpScope, LanesThatHaveExitedAreTheDriversMistake) {
  class Exited : public Syncs {
   public:
    bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
      const bool more = Syncs::Drive(cycle, seen, inputs);
      warp_pins()->in.request.live = 0xffff;
      return more;
    }
  };
  Exited driver;
  const Result result = lockstep::Run(config(), driver, {});
  EXPECT_EQ(result.ending, Ending::kMismatch);
  EXPECT_EQ(result.what, "warp.request");
  EXPECT_NE(result.report.find("a lane that has exited executes something"), std::string::npos)
      << result.report;
}

INSTANTIATE_TEST_SUITE_P(Units, WarpScope, testing::ValuesIn(BuiltConfigs()));

}  // namespace
}  // namespace muster::lockstep
