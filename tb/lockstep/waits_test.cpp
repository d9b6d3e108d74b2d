// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Traffic whose only aim is to make operations wait: how near to its published bound does each wait
// come? The monitor checks that none exceeds it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/lockstep.h"
#include "tb/lockstep/random.h"
#include "tb/lockstep/script.h"

namespace muster::lockstep {
namespace {

// Every issue port requests in every cycle, and so do the lifecycle port and the exit port. Port 0
// has the operations that should wait, the others mostly R2B, the slowest operation, of two warps
// in turn. The exit port exits no lane of the last warp, over and over; the lifecycle port launches
// a CTA of that warp, which is refused if anything is, and else ended.
class Adversary : public Driver {
 public:
  // Those that are parked are arrivals of this kind.
  Adversary(const Config& config, Wait aim, OpKind arrival)
      : config_(config),
        aim_(aim),
        arrival_(arrival),
        pool_(FirstWarps(config.num_warps - 2 * config.num_issue)),
        last_(static_cast<unsigned>(__builtin_popcountll(pool_)) - 1) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
    DriveLifecycle(seen, inputs);
    DriveExit(seen, inputs);
    together_ = aim_ == kExitWait && cycle / kSpell % 2 == 0;
    inputs->issue_valid &= static_cast<std::uint8_t>(~seen.issue_ready);
    DriveFence(seen, inputs);
    for (unsigned port = 0; resident_ && port < config_.num_issue; ++port) {
      const unsigned bit = 1U << port;
      if ((inputs->issue_valid & bit) == 0 && Pick(port, &inputs->issue[port])) {
        inputs->issue_valid |= static_cast<std::uint8_t>(bit);
        flying_ |= Bit(inputs->issue[port].warp);
      }
    }
    // Places for responses come and go.
    inputs->response_ready = aim_ != kCommitWait || random_.Percent(40);
    return true;
  }

  void OnCommit(std::uint64_t /*cycle*/, const Operation& operation,
                const Effects& /*effects*/) override {
    if (!IsLifecycle(operation.kind)) {
      flying_ &= ~Bit(operation.warp);
    }
    resident_ = resident_ || operation.kind == OpKind::kLaunch;
  }

 private:
  // The last warp joins CTA 1, which ends, and another takes its slot.
  Operation NextJoin(OpKind last) const {
    return last == OpKind::kOpen   ? Join(1, config_.num_warps - 1)
           : last == OpKind::kJoin ? Leave(OpKind::kEnd, 1)
                                   : Open(1, 1);
  }

  // The first launch is of all warps but the last one.
  void DriveLifecycle(const Outputs& seen, Inputs* inputs) {
    if (inputs->lifecycle_valid && !seen.lifecycle_ready) {
      return;
    }
    Operation& next = inputs->lifecycle;
    const bool first = !inputs->lifecycle_valid;
    inputs->lifecycle_valid = true;
    if (!first && (aim_ == kOpenWait || aim_ == kJoinWait)) {
      next = NextJoin(next.kind);
    } else if (first) {
      next = Launch(0, FirstWarps(config_.num_warps - 1));
    } else if (next.size != 0 && next.cta == 1 && next.kind == OpKind::kLaunch) {
      next = Leave(OpKind::kEnd, 1);
    } else if (aim_ == kLeaveWait && config_.join && next.kind == OpKind::kEnd) {
      next = Leave(OpKind::kSuspend, 1);  // of a slot without a CTA, while it is cleaned
    } else {
      next = Launch(1, Bit(config_.num_warps - 1));
      next.size = config_.faults && aim_ != kLeaveWait ? 0 : 1;  // 0: it is refused
    }
  }

  // Where exits are to wait, they come at any time.
  void DriveExit(const Outputs& seen, Inputs* inputs) {
    if (inputs->exit_valid && !seen.exit_ready) {
      return;
    }
    inputs->exit_valid = resident_ && (aim_ != kExitWait || random_.OneIn(8));
    inputs->exit = Exit(config_.num_warps - 1);
    inputs->exit.lanes = 0;
  }

  // Arrivals of the pool's warps are parked. Where operations are to wait at the port, they are
  // acknowledged all at once, just ahead of the victim; else in the next cycle, but for the last
  // warp, which may miss its turn.
  void DriveFence(const Outputs& seen, Inputs* inputs) {
    if (aim_ == kIssueWait) {
      if (ahead_ != 0 || seen.fence_req == pool_) {
        ++ahead_;
      }
      inputs->fence_ack = ahead_ != 0 ? ~std::uint64_t{0} : ~pool_;
      return;
    }
    unperformed_ |= pool_ & ~flying_;
    unperformed_ &= ~(seen.fence_req & ~(random_.OneIn(64) ? 0 : Bit(last_)));
    inputs->fence_ack = ~unperformed_;
  }

  bool Pick(unsigned port, Operation* operation) {
    const std::uint64_t warps = port == 0 ? pool_ : std::uint64_t{0b11} << (last_ + 2 * port);
    const std::uint64_t free = warps & ~flying_;
    const OpKind passes = config_.reduce ? OpKind::kB2rBar : OpKind::kArrive;
    if (port == 0 && config_.drain && (aim_ == kIssueWait || aim_ == kDrainWait)) {
      // Operations that pass, now and then, or after all parked ones.
      const bool now = aim_ == kDrainWait ? random_.OneIn(256) : ahead_ == kAhead;
      if (now && (flying_ & Bit(victim())) == 0) {
        *operation = Arrival(passes, victim(), 0, 1);
        return true;
      }
      if (ahead_ > kAhead && (flying_ & (pool_ | Bit(victim()))) == 0) {
        ahead_ = 0;
      }
      *operation = Arrival(arrival_, FirstOf(free), 0, 1);
      return free != 0 && ahead_ == 0;
    }
    // Others take the places for responses.
    if (HasResponse(arrival_) && port != 0 && random_.OneIn(2)) {
      *operation = Read(OpKind::kB2rBar, FirstOf(free), 1);
      return free != 0;
    }
    // One that completes ahead of a slow one makes it slower.
    const bool mixed = aim_ == kCommitWait || aim_ == kLeaveWait || aim_ == kExitWait;
    const unsigned dice = together_ ? 1 : mixed ? random_.Below(4) : 0;
    if (!config_.state || dice == 1) {
      *operation = Arrival(OpKind::kArrive, FirstOf(free), 0, 1);
    } else if (aim_ == kCommitWait && config_.num_issue > 1 && dice > 1) {
      *operation = Read(passes, FirstOf(free));
    } else {
      *operation = Write(OpKind::kR2bBar, FirstOf(free), 1, 0);
    }
    return free != 0;
  }

  static unsigned FirstOf(std::uint64_t bits) {
    return bits == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(bits));
  }
  unsigned victim() const { return last_ + 1; }  // has nothing to drain

  static constexpr unsigned kAhead = 4;        // cycles from acknowledge to the first of the batch
  static constexpr std::uint64_t kSpell = 64;  // cycles in which the ports do the same

  const Config config_;
  const Wait aim_;
  const OpKind arrival_;
  const std::uint64_t pool_;  // warps of port 0
  const unsigned last_;       // of them
  Random random_{1};
  std::uint64_t flying_ = 0;       // from valid to commit
  std::uint64_t unperformed_ = 0;  // not acknowledged
  unsigned ahead_ = 0;             // cycles since the pool was acknowledged
  bool resident_ = false;
  bool together_ = false;  // all ports arrive, each to complete: a group for as many cycles
};

// Reads at ports 0 and 2, R2B at 1 and 3; a response is taken only as a commit of the last port
// shows that the next round has begun after port 0, so that port 2 is the first to find a place.
class PlaceForOthers : public Driver {
 public:
  explicit PlaceForOthers(const Config& config) : config_(config) {}

  bool Drive(std::uint64_t /*cycle*/, const Outputs& seen, Inputs* inputs) override {
    inputs->lifecycle_valid = !resident_;
    inputs->lifecycle = Launch(0, FirstWarps(kWarps));
    resident_ = resident_ || seen.lifecycle_ready;
    inputs->lifecycle_valid = !resident_;
    inputs->issue_valid &= static_cast<std::uint8_t>(~seen.issue_ready);
    for (unsigned port = 0; resident_ && port < config_.num_issue; ++port) {
      if ((inputs->issue_valid >> port & 1) == 0) {
        const unsigned warp = 2 * port + (++turns_ / config_.num_issue & 1);
        inputs->issue_valid |= static_cast<std::uint8_t>(1U << port);
        inputs->issue[port] =
            port % 2 == 0 ? Read(OpKind::kB2rBar, warp, 1) : Write(OpKind::kR2bBar, warp, 1, 0);
      }
    }
    inputs->fence_ack = ~std::uint64_t{0};
    inputs->response_ready = (seen.commit_valid >> (config_.num_issue - 1) & 1) != 0;
    return true;
  }

  void OnCommit(std::uint64_t /*cycle*/, const Operation& operation,
                const Effects& /*effects*/) override {
    ++commits_[operation.warp / 2];
  }

  std::uint64_t commits(unsigned port) const { return commits_[port]; }

 private:
  static constexpr unsigned kWarps = 2 * kMaxIssue;

  const Config config_;
  bool resident_ = false;
  unsigned turns_ = 0;
  std::array<std::uint64_t, kMaxIssue> commits_{};
};

class Waiting : public testing::TestWithParam<Config> {
 protected:
  // The longest wait of that kind, at a 1/`ratio` of its bound at least.
  void Expect(Wait aim, unsigned ratio) {
    std::uint64_t bound = 0;
    EXPECT_GE(Longest(aim, &bound) * ratio, bound);
  }

  std::uint64_t Longest(Wait aim, std::uint64_t* bound) {
    *bound = BoundsOf(GetParam()).longest[aim];
    std::uint64_t longest = 0;
    for (const OpKind arrival : {OpKind::kArrive, OpKind::kArrivePhase}) {
      if (!Has(GetParam(), arrival)) {
        continue;
      }
      Adversary adversary(GetParam(), aim, arrival);
      Options options;
      options.max_cycles = kCycles;
      const Result result = lockstep::Run(GetParam(), adversary, options);
      EXPECT_EQ(result.ending, Ending::kMaxCycles) << result.report;
      RecordProperty(std::string(kWaitNames[aim]) + "_" + Name(arrival),
                     std::to_string(result.waits[aim]) + "/" + std::to_string(*bound));
      longest = std::max(longest, result.waits[aim]);
    }
    return longest;
  }

  static constexpr std::uint64_t kCycles = 40'000;
};

INSTANTIATE_TEST_SUITE_P(Units, Waiting, testing::ValuesIn(BuiltConfigs()));

TEST_P(Waiting, AtTheIssuePort) { Expect(kIssueWait, 4); }
TEST_P(Waiting, ForTheCommit) { Expect(kCommitWait, 4); }
TEST_P(Waiting, AfterTheDrain) {
  if (!GetParam().drain) {
    GTEST_SKIP() << "no drain";
  }
  Expect(kDrainWait, 5);
}
TEST_P(Waiting, OfALaunch) { Expect(kLaunchWait, 2); }
TEST_P(Waiting, OfAnOpen) {
  if (!GetParam().join) {
    GTEST_SKIP() << "no warp joins";
  }
  Expect(kOpenWait, 3);
}
TEST_P(Waiting, OfAJoin) {
  if (!GetParam().join) {
    GTEST_SKIP() << "no warp joins";
  }
  Expect(kJoinWait, 3);
}
TEST_P(Waiting, OfAnEnd) { Expect(kLeaveWait, 4); }

// An exit may release a barrier, so it does not wait for launches: 12 cycles, and near to them.
TEST_P(Waiting, OfAnExit) {
  std::uint64_t bound = 0;
  const std::uint64_t longest = Longest(kExitWait, &bound);
  EXPECT_LE(bound, 12U);
  EXPECT_GE(longest + 3, bound);
}

// While a launch is under way, a last exit releases the other warp in a few cycles.
TEST_P(Waiting, OfAnExitAmidALaunch) {
  Script script(GetParam());
  script.Launch(0, 0b0011);
  script.Issue(0, Arrival(OpKind::kSync, 0, 3, 0));
  script.NextScene();
  const Script::Id launched = script.Lifecycle(Launch(1, 0b1100));
  constexpr std::uint64_t kAmid = 10;
  const Script::Id exit = script.Lifecycle(Exit(1), kAmid);
  script.Run();
  EXPECT_EQ(script.EffectsOf(exit).released, 0b01U);
  EXPECT_LT(script.Committed(exit) + kAmid, script.Accepted(launched));
  ASSERT_EQ(script.releases().size(), 1U);
}

// One warp of another CTA issues back to back.
TEST_P(Waiting, OfAnEndAmidOtherCtas) {
  Script script(GetParam());
  script.Launch(0, 0b0011);
  script.Launch(1, 0b1100);
  std::vector<Script::Id> others;
  for (unsigned i = 0; i < 50; ++i) {
    others.push_back(script.Issue(0, InCta(1, Arrival(OpKind::kArrive, 2, 1, 1))));
  }
  const Script::Id ended = script.Lifecycle(Leave(OpKind::kEnd, 0), 10);
  script.Run();
  EXPECT_LT(script.Committed(ended), script.Committed(others[20]));
}

TEST_P(Waiting, ForAPlaceAmongPorts) {
  if (GetParam().num_issue < 3) {
    GTEST_SKIP() << "no operation comes between";
  }
  PlaceForOthers driver(GetParam());
  Options options;
  options.max_cycles = kCycles;
  const Result result = lockstep::Run(GetParam(), driver, options);
  EXPECT_EQ(result.ending, Ending::kMaxCycles) << result.report;
  EXPECT_GT(driver.commits(0), 100U);
  EXPECT_LE(driver.commits(2), driver.commits(0) + 1);
}

}  // namespace
}  // namespace muster::lockstep
