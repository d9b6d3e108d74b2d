// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Of which phase is a token? Random scripts of threads that arrive, hand tokens to each other and
// wait. PTX ISA 9.7.13.15.16 defines a wait by any token that an arrive on the object returned
// "during the current or the immediately preceding phase". The scripts keep a list of all tokens
// with their phases, and count phases by arrivals alone.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster::golden {
namespace {

constexpr unsigned kWarps = 2;
constexpr unsigned kLanes = 4;
constexpr std::uint32_t kAddr = 0x40;

Config TwoWarps() {
  Config config;
  config.num_warps = kWarps;
  config.num_ctas = 1;
  return config;
}

class Script {
 public:
  explicit Script(unsigned seed) : random_(seed), expected_(1 + random_() % 5) {
    Operation launch;
    launch.kind = OpKind::kLaunch;
    launch.warps = (1U << kWarps) - 1;
    launch.size = kWarps;
    EXPECT_EQ(core_.Step(launch).fault, FaultCause::kNone);
    MbOperation init = OfThread(0);
    init.op = MbOp::kInit;
    init.operand = expected_;
    Step(init);
  }

  // Ten to thirty turns of a program that the text defines: no hazard.
  void RunLegal() {
    for (unsigned left = 10 + random_() % 20; left != 0; --left) {
      Turn();
    }
  }

  // Waits by a token of an older phase, when no thread was given one of its parity in the current
  // or the preceding phase. Returns whether there is such a token.
  bool WaitTooLate() {
    for (unsigned thread = 0; thread < kWarps * kLanes; ++thread) {
      for (const std::uint64_t token : tokens_.at(thread)) {
        if (token + 2 <= Phase() && token % 2 == latest_ % 2 && latest_ + 2 <= Phase()) {
          EXPECT_EQ(Step(WaitFor(thread, token)), HazardBit(Hazard::kLateParity));
          return true;
        }
      }
    }
    return false;
  }

 private:
  std::uint64_t Phase() const { return arrivals_ / expected_; }
  unsigned DrawThread() { return random_() % (kWarps * kLanes); }

  static MbOperation OfThread(unsigned thread) {
    MbOperation operation;
    operation.warp = thread / kLanes;
    operation.lanes = 1U << thread % kLanes;
    operation.addr = kAddr;
    return operation;
  }

  MbOperation WaitFor(unsigned thread, std::uint64_t phase) {
    MbOperation wait = OfThread(thread);
    wait.op = random_() % 2 == 0 ? MbOp::kTestWait : MbOp::kTryWait;
    wait.has_hint = true;  // of 0: it does not park
    wait.phase = phase % 2 != 0;
    return wait;
  }

  std::uint32_t Step(const MbOperation& operation) {
    const MbEffects effects = mbarriers_.Step(operation);
    EXPECT_EQ(effects.fault.at(First(operation.lanes)), FaultCause::kNone);
    return effects.hazards;
  }

  void Turn() {
    const unsigned thread = DrawThread();
    switch (random_() % 4) {
      case 0:
      case 1:
        Arrive(thread);
        break;
      case 2:
        if (!tokens_.at(thread).empty()) {  // a shuffle, or a word in memory
          tokens_.at(DrawThread())
              .push_back(tokens_.at(thread).at(random_() % tokens_.at(thread).size()));
        }
        break;
      default:
        for (const std::uint64_t token : tokens_.at(thread)) {
          if (token + 1 >= Phase()) {
            EXPECT_EQ(Step(WaitFor(thread, token)), 0U) << "in phase " << Phase();
          }
        }
    }
  }

  void Arrive(unsigned thread) {
    MbOperation arrive = OfThread(thread);
    arrive.operand = 1;
    arrive.has_token = random_() % 2 != 0;
    if (arrive.has_token) {
      tokens_.at(thread).push_back(Phase());
      latest_ = Phase();
    }
    EXPECT_EQ(Step(arrive), 0U);
    ++arrivals_;
  }

  std::mt19937 random_;
  std::uint64_t expected_;
  std::uint64_t arrivals_ = 0;
  std::array<std::vector<std::uint64_t>, kWarps * kLanes> tokens_;  // their phases
  std::uint64_t latest_ = 0;                                        // phase of the latest token
  Model core_{TwoWarps()};
  Mbarriers mbarriers_{core_, 1024};
};

TEST(GoldenMbTokenOfAnother, AnyThreadsTokenOfThisPhaseOrTheOneBeforeIsInTime) {
  for (unsigned seed = 1; seed <= 100'000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Script(seed).RunLegal();
  }
}

TEST(GoldenMbTokenOfAnother, NoThreadsTokenOfThosePhasesIsLate) {
  unsigned late = 0;
  for (unsigned seed = 1; seed <= 100'000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Script script(seed);
    script.RunLegal();
    late += script.WaitTooLate() ? 1 : 0;
  }
  EXPECT_GT(late, 10'000U);
}

}  // namespace
}  // namespace muster::golden
