// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit's own assertions fire. Drivers that break a rule run without the check, which would fail
// first; errors that no driver can cause have tests of their own (tb/unit/response_test.cpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/lockstep.h"
#include "sim/port/driver.h"
#include "tb/lockstep/script.h"

namespace muster::lockstep {
namespace {

class AssertTest : public testing::TestWithParam<Config> {
 protected:
  // The file whose assertion ends the run, with its line.
  static std::string Fired(Driver* driver) {
    Options options;
    options.checked = false;
    options.max_cycles = 1000;
    const Result result = lockstep::Run(GetParam(), *driver, options);
    EXPECT_EQ(result.ending, Ending::kMismatch);
    EXPECT_EQ(result.what, "assertion");
    return result.report;
  }
};

// Presents an operation that is not accepted, and another one in the next cycle.
class Fickle : public Driver {
 public:
  explicit Fickle(bool lifecycle) : lifecycle_(lifecycle) {}

  bool Drive(std::uint64_t cycle, const Outputs& /*seen*/, Inputs* inputs) override {
    inputs->lifecycle = Launch(0, cycle % 2 == 0 ? 0b01 : 0b11);
    inputs->lifecycle.size = 2;
    inputs->lifecycle_valid = lifecycle_;
    // A drain that is never acknowledged, and after it two operations of its warp in alternation.
    inputs->issue[0] = Arrival(OpKind::kSync, 1, cycle % 2, 0);
    inputs->issue_valid = lifecycle_ ? 0 : 1;
    return cycle < 20;
  }

 private:
  bool lifecycle_;
};

TEST_P(AssertTest, ChangedIssue) {
  Fickle driver(false);
  EXPECT_NE(Fired(&driver).find("rtl/muster.sv:"), std::string::npos);
}

// The report of an assertion is that of a mismatch: cycle, configuration, seed, its sentence and
// its place, and how to run it again; and nothing else is printed.
TEST_P(AssertTest, ReportHasSentenceCycleAndRerun) {
  Fickle driver(true);
  Options options;
  options.checked = false;
  options.seed = 7;
  options.rerun = "the same again";
  testing::internal::CaptureStdout();
  const Result result = lockstep::Run(GetParam(), driver, options);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  const std::string begin = fmt::format(
      "MISMATCH in cycle 1, configuration {}, seed 7\n  an assertion of the unit fails: ",
      GetParam().name);
  EXPECT_EQ(result.report.substr(0, begin.size()), begin) << result.report;
  const std::size_t sentence = result.report.find("\n  at ", begin.size());
  ASSERT_NE(sentence, std::string::npos) << result.report;
  EXPECT_GT(sentence, begin.size() + 20) << result.report;
  EXPECT_EQ(result.report.find("../"), std::string::npos) << result.report;
  EXPECT_EQ(result.report.find("'assert' failed"), std::string::npos);
  EXPECT_NE(result.report.find("  rerun   the same again --wave"), std::string::npos);
}

TEST_P(AssertTest, ChangedLifecycle) {
  Fickle driver(true);
  EXPECT_NE(Fired(&driver).find("rtl/muster.sv:"), std::string::npos);
}

// A launch takes warp 0 of another CTA, which the CTA scheduler must never do; both of that CTA's
// warps arrive at a barrier, one before the launch, one after it.
class Thief : public Driver {
 public:
  explicit Thief(unsigned first) : first_(first) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
    inputs->fence_ack = ~std::uint64_t{0};
    const bool accepted = (inputs->lifecycle_valid && seen.lifecycle_ready) ||
                          (inputs->issue_valid & seen.issue_ready) != 0;
    if (accepted) {
      ++step_;
      resume_ = cycle + kApart;
    }
    inputs->lifecycle_valid = false;
    inputs->issue_valid = 0;
    if (cycle >= resume_) {
      Present(inputs);
    }
    return step_ < kSteps || cycle < resume_;
  }

 private:
  static constexpr unsigned kSteps = 4;
  static constexpr std::uint64_t kApart = 20;  // cycles from one operation to the next

  void Present(Inputs* inputs) const {
    inputs->lifecycle = step_ == 0 ? Launch(0, 0b11) : Launch(1, 0b01);
    inputs->issue[0] = Arrival(OpKind::kSync, step_ == 1 ? first_ : 1 - first_, 0, 2);
    inputs->lifecycle_valid = step_ % 2 == 0;
    inputs->issue_valid = step_ % 2;
  }

  unsigned first_;
  unsigned step_ = 0;
  std::uint64_t resume_ = 0;
};

TEST_P(AssertTest, ReleaseOfAWarpThatDoesNotWait) {
  if (!GetParam().reduce && !GetParam().faults) {
    GTEST_SKIP() << "the unit does not know who waits";
  }
  Thief driver(0);
  EXPECT_NE(Fired(&driver).find("muster_warps.sv:"), std::string::npos);
}

// The properties of the proofs are in every simulation: the unit refuses the arrival of a warp that
// is another CTA's now, and a checker that only knows the ports' contracts expects it to complete
// the barrier.
TEST_P(AssertTest, PropertyOfTheProofs) {
  if (!GetParam().faults) {
    GTEST_SKIP() << "the unit does not know whose a warp is";
  }
  Thief driver(1);
  EXPECT_NE(Fired(&driver).find("tb/formal/cta_props.sv:"), std::string::npos);
}

// A difference that the check finds in the same cycle is first, and the assertion is named, too.
TEST_P(AssertTest, IsNamedBesideADifference) {
  if (!GetParam().faults) {
    GTEST_SKIP() << "the unit does not know whose a warp is";
  }
  Thief driver(1);
  const Result result = lockstep::Run(GetParam(), driver, Options());
  EXPECT_EQ(result.what, "release.warps") << result.report;
  EXPECT_NE(result.report.find("  also    an assertion of the unit fails: "), std::string::npos);
  EXPECT_NE(result.report.find("tb/formal/cta_props.sv:"), std::string::npos) << result.report;
}

INSTANTIATE_TEST_SUITE_P(Units, AssertTest, testing::ValuesIn(BuiltConfigs()));

}  // namespace
}  // namespace muster::lockstep
