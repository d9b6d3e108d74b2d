// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// While the unit runs empty, its driver still sees each handshake once.
#include <gtest/gtest.h>

#include <cstdint>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/random_driver.h"

namespace muster::lockstep {
namespace {

// Counts the handshakes at the pins, and the effects that the golden model reports for them.
class Counting final : public Driver {
 public:
  Counting(const Config& config, std::uint64_t seed) : stream_(config, {seed}) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
    Count(seen.mb, inputs->mb);
    return stream_.Drive(cycle, seen, inputs);
  }
  void Serve(const Outputs& seen, Inputs* inputs) override {
    const std::int64_t before = lanes_;
    Count(seen.mb, inputs->mb);
    late_ += static_cast<unsigned>(lanes_ != before);
    stream_.Serve(seen, inputs);
  }
  void OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) override {
    stream_.OnCommit(cycle, operation, effects);
  }
  void OnMbEvent(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) override {
    const MbOperation& operation = event.operation;
    if (event.kind == MbEvent::Kind::kStep) {
      lanes_ -= Ones(operation.lanes);
      const auto first = static_cast<unsigned>(__builtin_ctz(operation.lanes));
      const bool answered = operation.source == MbSource::kWarp && HasResponse(operation) &&
                            effects.parked == 0 && effects.fault[first] == FaultCause::kNone;
      answers_ -= static_cast<int>(answered);
    }
    stream_.OnMbEvent(cycle, event, effects);
  }

  std::int64_t lanes() const { return lanes_; }      // taken, less committed
  std::int64_t answers() const { return answers_; }  // taken, less given
  unsigned late() const { return late_; }            // cycles, at the end, in which some were taken

 private:
  void Count(const MbOutputs& seen, const MbInputs& in) {
    lanes_ += in.issue_valid && seen.issue_ready ? Ones(in.issue.lanes) : 0;
    lanes_ += in.async_valid && seen.async_ready ? Ones(in.async.lanes) : 0;
    lanes_ += in.remote_valid && seen.remote_ready ? Ones(in.remote.lanes) : 0;
    answers_ += static_cast<int>(seen.response_valid && in.response_ready);
  }

  RandomDriver stream_;
  std::int64_t lanes_ = 0;
  std::int64_t answers_ = 0;
  unsigned late_ = 0;
};

TEST(Serve, SeesEachHandshakeOnce) {
  unsigned late = 0;
  for (const Config& config : Configs()) {
    Options options;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      options.max_cycles = 2000 + seed;
      options.seed = seed;
      Counting driver(config, seed);
      const Result result = lockstep::Run(config, driver, options);
      if (result.ending == Ending::kError) {
        break;  // this program was built without the configuration
      }
      ASSERT_EQ(result.ending, Ending::kMaxCycles) << result.report;
      EXPECT_EQ(driver.lanes(), 0) << config.name << ", seed " << seed;
      EXPECT_EQ(driver.answers(), 0) << config.name << ", seed " << seed;
      late += driver.late();
    }
  }
  EXPECT_GT(late, 10U);
}

}  // namespace
}  // namespace muster::lockstep
