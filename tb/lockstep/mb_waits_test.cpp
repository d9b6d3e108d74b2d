// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Traffic whose only aim is to make operations on mbarriers wait: how near to its published bound
// does each wait come? The check makes sure that none exceeds it.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

#include "sim/isa/config.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/lockstep.h"
#include "sim/port/bank.h"
#include "tb/lockstep/random.h"
#include "tb/lockstep/script.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kCycles = 60'000;
// Cycles in which a CTA is launched after a reset, and as many in which its word is initialised.
constexpr std::uint64_t kStart = 800;
constexpr unsigned kPause = 4;
constexpr std::uint32_t kWord = 0x40;  // whose phase every single arrival completes

// Warps and other CTAs arrive with all their lanes at one word, in every cycle, and now and then a
// copy engine comes between. All warps but the first park in their drains; then all of these are
// acknowledged at once, just ahead of a group of the first that passes.
class MbAdversary : public Driver, private Bank::Words {
 public:
  explicit MbAdversary(const Config& config) : config_(config) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
    MbInputs& mb = inputs->mb;
    bank_.Cycle(seen.mb, &mb);
    inputs->lifecycle = Launch(0, FirstWarps(config_.num_warps));
    inputs->lifecycle_valid = cycle == 0 || (inputs->lifecycle_valid && !seen.lifecycle_ready);
    mb.issue_valid = mb.issue_valid && !seen.mb.issue_ready;
    mb.async_valid = mb.async_valid && !seen.mb.async_ready;
    mb.remote_valid = mb.remote_valid && !seen.mb.remote_ready;
    if (cycle < 2 * kStart) {
      if (cycle == kStart) {
        mb.issue = Arrive(MbSource::kWarp, 0, 1);
        mb.issue.op = MbOp::kInit;
        mb.issue.has_token = false;
        mb.issue_valid = true;
      }
      mb.fence_ack = ~std::uint64_t{0};
      return true;
    }
    if (!mb.async_valid && random_.OneIn(500)) {
      mb.async = Arrive(MbSource::kAsync, 0, 1);
      mb.async_valid = true;
    }
    if (!mb.remote_valid) {
      mb.remote = Arrive(MbSource::kRemote, 0, kAllLanes);
      mb.remote_valid = true;
    }
    DriveIssue(seen.mb, &mb);
    return true;
  }

  void Serve(const Outputs& seen, Inputs* inputs) override { bank_.Cycle(seen.mb, &inputs->mb); }

 private:
  MbOperation Arrive(MbSource source, unsigned warp, std::uint32_t lanes) const {
    MbOperation group;
    group.source = source;
    group.warp = static_cast<std::uint8_t>(warp);
    group.lanes = config_.lanes ? lanes : 1;
    group.addr = kWord;
    group.operand = 1;
    group.has_token = source == MbSource::kWarp;
    return group;
  }

  // A round: the others park one by one, and go when the first warp comes.
  void DriveIssue(const MbOutputs& seen, MbInputs* mb) {
    if (mb->issue_valid) {
      return;
    }
    if (next_ == 0) {
      mb->fence_ack = ~std::uint64_t{0};
      if (seen.busy != 0) {
        return;
      }
      next_ = 1;
    }
    const bool last = next_ == config_.num_warps;
    if (last && config_.drain && pause_++ < kPause) {
      mb->fence_ack = ~std::uint64_t{0};
      return;  // these are on their way before it comes
    }
    pause_ = 0;
    const unsigned warp = last ? 0 : next_;
    mb->issue = Arrive(MbSource::kWarp, warp, kAllLanes);
    mb->issue.releasing = !last;
    mb->issue_valid = true;
    mb->fence_ack = last ? ~std::uint64_t{0} : 0;
    next_ = last ? 0 : next_ + 1;
  }

  std::uint64_t Load(MbPlace place) override { return words_[place.addr]; }
  void Store(MbPlace place, std::uint64_t word) override { words_[place.addr] = word; }

  const Config config_;
  std::map<std::uint32_t, std::uint64_t> words_;
  Bank bank_{this, 1};
  Random random_{1};
  unsigned next_ = 0;
  unsigned pause_ = 0;
};

class MbWaiting : public testing::TestWithParam<Config> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MbWaiting);
INSTANTIATE_TEST_SUITE_P(Units, MbWaiting, testing::ValuesIn(With(&Config::mbarrier)),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(MbWaiting, IsWithinItsBoundsAndNearThem) {
  MbAdversary driver(GetParam());
  Options options;
  options.max_cycles = kCycles;
  const Result result = lockstep::Run(GetParam(), driver, options);
  ASSERT_EQ(result.ending, Ending::kMaxCycles) << result.report;
  EXPECT_EQ(result.mb_faults, 0U);
  const MbWaits bounds = BoundsOf(GetParam()).mb_longest;
  for (unsigned wait = 0; wait < kNumMbWaits; ++wait) {
    const std::string seen =
        std::to_string(result.mb_waits[wait]) + " of " + std::to_string(bounds[wait]);
    RecordProperty(kMbWaitNames[wait], seen);
    EXPECT_GE(4 * result.mb_waits[wait], bounds[wait]) << kMbWaitNames[wait] << ": " << seen;
  }
}

}  // namespace
}  // namespace muster::lockstep
