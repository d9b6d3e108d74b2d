// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// How long a source of mbarrier groups waits for its turn while no other source asks, as
// rtl/mbarrier/README.md promises.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/lockstep/lockstep.h"
#include "sim/port/bank.h"
#include "tb/lockstep/script.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kApartCycles = 20;  // cycles after which everything has committed

struct TurnStep {
  MbSource source = MbSource::kWarp;
  std::uint64_t pause = 0;      // cycles between the acceptance of the step before, and this one
  std::uint64_t waits = 0;      // from valid to ready, with the drain
  std::uint64_t undrained = 0;  // from valid to ready, without the drain
};

// Presents one group at a time.
class TurnDriver : public Driver, private Bank::Words {
 public:
  explicit TurnDriver(const std::vector<TurnStep>& steps) : steps_(steps) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
    MbInputs& mb = inputs->mb;
    bank_.Cycle(seen.mb, &mb);
    inputs->lifecycle = Launch(0, 0b1);
    inputs->lifecycle_valid = cycle == 0 || (inputs->lifecycle_valid && !seen.lifecycle_ready);
    mb.fence_ack = ~std::uint64_t{0};
    const bool accepted = (mb.issue_valid && seen.mb.issue_ready) ||
                          (mb.async_valid && seen.mb.async_ready) ||
                          (mb.remote_valid && seen.mb.remote_ready);
    if (accepted) {
      waits.push_back(cycle - 1 - presented_);
      mb.issue_valid = mb.async_valid = mb.remote_valid = false;
      if (waits.size() <= steps_.size()) {
        next_ = cycle + steps_.at(waits.size() - 1).pause;
      }
    }
    if (waits.size() > steps_.size()) {
      return cycle < presented_ + kApartCycles;
    }
    if (cycle == next_) {
      Present(&mb);
      presented_ = cycle;
    }
    return true;
  }

  void Serve(const Outputs& seen, Inputs* inputs) override { bank_.Cycle(seen.mb, &inputs->mb); }

  void OnCommit(std::uint64_t cycle, const Operation& /*operation*/,
                const Effects& /*effects*/) override {
    next_ = cycle + kApartCycles;  // of the launch
  }

  std::vector<std::uint64_t> waits;  // of the initialisation of the word, and of each step

 private:
  void Present(MbInputs* mb) const {
    MbOperation group;
    group.lanes = 1;
    group.addr = 64;
    group.operand = 1;
    if (waits.empty()) {
      group.op = MbOp::kInit;
      group.operand = 1000;
    } else {
      group.op = MbOp::kArrive;
      group.source = steps_.at(waits.size() - 1).source;
    }
    (group.source == MbSource::kAsync    ? mb->async
     : group.source == MbSource::kRemote ? mb->remote
                                         : mb->issue) = group;
    mb->issue_valid = group.source == MbSource::kWarp;
    mb->async_valid = group.source == MbSource::kAsync;
    mb->remote_valid = group.source == MbSource::kRemote;
  }

  std::uint64_t Load(MbPlace /*place*/) override { return word_; }
  void Store(MbPlace /*place*/, std::uint64_t word) override { word_ = word; }

  const std::vector<TurnStep> steps_;
  Bank bank_{this, 1};
  std::uint64_t word_ = 0;
  std::uint64_t next_ = kNever;
  std::uint64_t presented_ = 0;
};

class MbTurn : public OnUnits {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MbTurn);
INSTANTIATE_TEST_SUITE_P(Units, MbTurn, testing::ValuesIn(With(&Config::mbarrier)));

TEST_P(MbTurn, ComesAsSoonAsThePageSays) {
  const std::vector<TurnStep> steps = {
      {MbSource::kWarp, kApartCycles, 0, 0},
      {MbSource::kWarp, 0, 0, 0},
      {MbSource::kAsync, kApartCycles, 1, 1},
      {MbSource::kAsync, 0, 0, 0},
      {MbSource::kWarp, 0, 0, 1},
      {MbSource::kRemote, kApartCycles, 1, 1},
      {MbSource::kRemote, 0, 0, 0},
      {MbSource::kWarp, 0, 0, 1},
      {MbSource::kAsync, kApartCycles, 1, 1},
      {MbSource::kRemote, 0, 1, 1},
      {MbSource::kWarp, 1, 0, 0},
  };
  TurnDriver driver(steps);
  Options options;
  options.max_cycles = 5000;
  const Result result = lockstep::Run(config(), driver, options);
  ASSERT_EQ(result.ending, Ending::kDone) << result.report;
  ASSERT_EQ(driver.waits.size(), steps.size() + 1);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(driver.waits[i + 1], config().drain ? steps[i].waits : steps[i].undrained)
        << "step " << i;
  }
}

}  // namespace
}  // namespace muster::lockstep
