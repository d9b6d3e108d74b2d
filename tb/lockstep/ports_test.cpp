// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Units with several issue ports: what commits together and what goes alone, in which order the
// ports go, and that no port costs another one a cycle beyond those that rtl/README.md publishes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/state_word.h"
#include "sim/lockstep/lockstep.h"
#include "sim/port/driver.h"
#include "tb/lockstep/script.h"
#include "tb/lockstep/units.h"

namespace muster::lockstep {
namespace {

using Id = Script::Id;

std::vector<Config> WithPorts() {
  std::vector<Config> configs = BuiltConfigs();
  configs.erase(std::remove_if(configs.begin(), configs.end(),
                               [](const Config& config) { return config.num_issue == 1; }),
                configs.end());
  return configs;
}

class Ports : public OnUnits {
 protected:
  unsigned ports() const { return config().num_issue; }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Ports);
INSTANTIATE_TEST_SUITE_P(Units, Ports, testing::ValuesIn(WithPorts()));

// -------------------------------------------------------------------------------------------
// Together, or alone
// -------------------------------------------------------------------------------------------

// Those that come together name another count than the entry has, with which one of them would
// complete it: all are refused, in one cycle.
TEST_P(Ports, RefusedTogether) {
  if (!config().faults) {
    GTEST_SKIP() << "nothing is refused";
  }
  for (unsigned count = 2; count <= ports(); ++count) {
    Script script(config());
    script.Launch(0, FirstWarps(8));
    script.Issue(0, Arrival(OpKind::kArrive, 7, 3, ports() + 2));
    script.NextScene();
    std::vector<Id> ids;
    for (unsigned port = 0; port < ports(); ++port) {
      ids.push_back(script.Issue(port, Arrival(OpKind::kArrive, port, 3, count)));
    }
    script.Run();
    for (const Id id : ids) {
      EXPECT_EQ(script.EffectsOf(id).fault, FaultCause::kCountMismatch) << "count " << count;
      EXPECT_EQ(script.Committed(id), script.Committed(ids[0])) << "count " << count;
    }
  }
}

// A warp waits, and arrives again as another port's arrival releases it. The two agree in
// everything, but do not go together: the warp's arrival is refused if it is first, and opens the
// next generation if it is second.
TEST_P(Ports, WaitingWarpDoesNotGoWithTheOneThatReleasesIt) {
  if (!config().faults) {
    GTEST_SKIP() << "only legal operations may be presented";
  }
  for (unsigned own = 0; own < ports(); ++own) {
    for (unsigned other = 0; other < ports(); ++other) {
      if (own == other) {
        continue;
      }
      for (const unsigned leads : {own, other}) {
        Script script(config());
        script.Launch(0, FirstWarps(8));
        script.Issue(own, Arrival(OpKind::kSync, 0, 1, 2));
        script.NextScene();
        script.Issue((leads + ports() - 1) % ports(), Arrival(OpKind::kArrive, 2, 4, 8));
        const Id again = script.Issue(own, Arrival(OpKind::kSync, 0, 1, 2), 1);
        const Id releases = script.Issue(other, Arrival(OpKind::kSync, 1, 1, 2), 1);
        script.Run();
        const bool second = script.Committed(again) > script.Committed(releases);
        EXPECT_EQ(script.EffectsOf(again).fault,
                  second ? FaultCause::kNone : FaultCause::kWarpWaiting)
            << "ports " << own << " and " << other << ", of which " << leads << " leads";
        EXPECT_EQ(script.releases().size(), 1U);
      }
    }
  }
}

// A warp waits, and its next operation comes at any time before and after the arrival that releases
// it.
TEST_P(Ports, OperationOfAWarpThatIsBeingReleased) {
  if (!config().faults) {
    GTEST_SKIP() << "only legal operations may be presented";
  }
  struct Case {
    std::uint64_t next, from;
    Id again, releases;
  };
  for (unsigned own = 0; own < ports(); ++own) {
    const unsigned other = (own + 1) % ports();
    Script script(config());
    script.Launch(0, FirstWarps(8));
    std::vector<Case> cases;
    for (const std::uint64_t next : {1U, 4U, 7U}) {
      for (std::uint64_t from = 0; from < 12; ++from) {
        script.Issue(own, Arrival(OpKind::kSync, 0, 1, 2));
        const Id again = script.Issue(own, Arrival(OpKind::kArrive, 0, 2, 1), next);
        const Id releases = script.Issue(other, Arrival(OpKind::kSync, 1, 1, 2), from);
        cases.push_back({next, from, again, releases});
        script.NextScene();
      }
    }
    script.Run();
    for (const Case& at : cases) {
      const bool after = script.Committed(at.again) > script.Committed(at.releases);
      EXPECT_EQ(script.EffectsOf(at.again).fault,
                after ? FaultCause::kNone : FaultCause::kWarpWaiting)
          << "port " << own << ", cycles " << at.next << " and " << at.from;
    }
  }
}

// Arrivals that come together, and complete an entry each, are not what an exit looks at, whatever
// comes after them: it completes the entry of all warps.
TEST_P(Ports, CountsThatCompleteTogetherAreNoArrivalOfAllWarps) {
  const std::uint64_t walk = std::uint64_t{2} * kNumBars * config().num_ctas;  // after reset
  for (std::uint64_t from = 0; from < 10; ++from) {
    Script script(config());
    script.Lifecycle(Launch(0, FirstWarps(5)), walk);
    script.NextScene();
    script.Issue(0, Arrival(OpKind::kSync, 4, 3, 0));
    script.NextScene();
    script.Lifecycle(Launch(1, 0b100000));
    for (unsigned port = 0; port < ports(); ++port) {
      script.Issue(port, Arrival(OpKind::kArrive, port, 5, 1), from);
    }
    script.NextScene();
    Id last = 0;
    for (unsigned warp = 0; warp < 4; ++warp) {
      last = script.Lifecycle(Exit(warp));
    }
    script.Run();
    EXPECT_TRUE(script.EffectsOf(last).completed) << "from cycle " << from;
    EXPECT_EQ(script.EffectsOf(last).released, 0b10000U) << "from cycle " << from;
  }
}

// -------------------------------------------------------------------------------------------
// Cycles
// -------------------------------------------------------------------------------------------

// A warp begins to wait; an operation of another warp, at another port, commits as soon as ever.
TEST_P(Ports, WaitAtAnotherPortCostsNothing) {
  for (unsigned waits = 0; waits < ports(); ++waits) {
    Script script(config());
    script.Launch(0, FirstWarps(8));
    std::vector<Id> ids;
    for (std::uint64_t from = 1; from < 9; ++from) {
      script.Issue(waits, Arrival(OpKind::kSync, 0, 1, 2));
      ids.push_back(script.Issue((waits + 1) % ports(), Arrival(OpKind::kArrive, 1, 2, 8), from));
      script.NextScene();
      script.Issue(waits, Arrival(OpKind::kSync, 2, 1, 2));
      script.NextScene();
    }
    script.Run();
    for (unsigned i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(script.Committed(ids[i]) - script.Accepted(ids[i]), latency().issue)
          << "port " << waits << ", from cycle " << i + 1;
    }
  }
}

// One port has had an R2B. Arrivals at another port commit one per cycle.
TEST_P(Ports, R2bOfAnotherPortCostsNothingLater) {
  if (!config().state) {
    GTEST_SKIP() << "no state words";
  }
  for (unsigned port = 0; port < ports(); ++port) {
    Script script(config());
    script.Launch(0, FirstWarps(8));
    script.Issue(port, Write(OpKind::kR2bBar, 7, 3, 0));
    script.NextScene();
    std::vector<Id> ids;
    for (unsigned warp = 0; warp < 6; ++warp) {
      ids.push_back(script.Issue((port + 1) % ports(), Arrival(OpKind::kArrive, warp, 5, 8)));
    }
    script.Run();
    for (unsigned i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(script.Committed(ids[i]), script.Committed(ids[0]) + i)
          << "port " << port << ", warp " << i;
    }
  }
}

// A restore: R2B after R2B, at one port or in turn, commit every seven cycles.
TEST_P(Ports, R2bAfterR2bTakesSevenCycles) {
  if (!config().state) {
    GTEST_SKIP() << "no state words";
  }
  for (const unsigned used : {1U, ports()}) {
    Script script(config());
    script.Launch(0, FirstWarps(8));
    std::vector<Id> ids;
    for (unsigned warp = 0; warp < 6; ++warp) {
      ids.push_back(script.Issue(warp % used, Write(OpKind::kR2bBar, warp, warp, 0)));
    }
    script.Run();
    for (unsigned i = 1; i < ids.size(); ++i) {
      EXPECT_EQ(script.Committed(ids[i]), script.Committed(ids[0]) + std::uint64_t{7} * i)
          << used << " ports, warp " << i;
    }
  }
}

// R2B.BAR of a warp that waits brings an entry of all warps whose waiting warps are missing. It is
// refused, so the CTA owes none, whatever warps are presented at the other ports, or were.
TEST_P(Ports, R2bOfAWaitingWarpOwesNothing) {
  if (!config().state || !config().faults) {
    GTEST_SKIP() << "no state words, or only legal operations";
  }
  BarState word;
  word.kind = static_cast<unsigned>(BarKind::kSync);
  word.arrived = 3;
  for (unsigned port = 0; port < ports(); ++port) {
    for (std::uint64_t from = 0; from < 4; ++from) {
      Script script(config());
      script.Launch(0, FirstWarps(8));
      script.Issue(port, Arrival(OpKind::kSync, 0, 1, 2));
      script.NextScene();
      const Id restores = script.Issue(port, Write(OpKind::kR2bBar, 0, 4, Encode(word)));
      std::vector<Id> others;
      for (unsigned other = 0; other < ports(); ++other) {
        if (other != port) {
          others.push_back(script.Issue(other, Arrival(OpKind::kArrive, 1 + other, 3, 8), from));
        }
      }
      script.NextScene();
      others.push_back(script.Issue(port, Arrival(OpKind::kArrive, 6, 5, 8)));
      script.Run();
      EXPECT_EQ(script.EffectsOf(restores).fault, FaultCause::kWarpWaiting);
      for (const Id id : others) {
        EXPECT_EQ(script.EffectsOf(id).fault, FaultCause::kNone)
            << "R2B at port " << port << ", the others from cycle " << from;
      }
    }
  }
}

// All ports arrive together, and each arrival completes; after them comes an R2B, and about then an
// exit, of no lane.
TEST_P(Ports, ExitAfterASlowOperationAfterCompletions) {
  if (!config().state) {
    GTEST_SKIP() << "no state words";
  }
  Operation leaves = Exit(7);
  leaves.lanes = 0;
  for (unsigned port = 0; port < ports(); ++port) {
    Script script(config());
    script.Launch(0, FirstWarps(8));
    std::vector<Id> exits;
    for (std::uint64_t slow = 1; slow < 4; ++slow) {
      for (std::uint64_t from = 2; from < 12; ++from) {
        for (unsigned other = 0; other < ports(); ++other) {
          script.Issue(other, Arrival(OpKind::kArrive, other, 5, 1));
        }
        script.Issue(port, Write(OpKind::kR2bBar, 6, 3, 0), slow);
        exits.push_back(script.Lifecycle(leaves, from));
        script.NextScene();
      }
    }
    script.Run();
    for (unsigned i = 0; i < exits.size(); ++i) {
      EXPECT_LE(script.Committed(exits[i]), script.Presented(exits[i]) + 12)
          << "port " << port << ", exit " << i;
    }
  }
}

// -------------------------------------------------------------------------------------------
// Turns
// -------------------------------------------------------------------------------------------

// All ports but one read, back to back, and that one arrives or writes. A response is taken only
// after a commit of that port, so that the port after it is the first to find a place.
class OneDoesNotRead : public Driver {
 public:
  OneDoesNotRead(const Config& config, unsigned port, Operation passes)
      : config_(config), port_(port), passes_(passes) {}

  bool Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) override {
    resident_ = resident_ || (inputs->lifecycle_valid && seen.lifecycle_ready);
    inputs->lifecycle_valid = !resident_;
    inputs->lifecycle = Launch(0, FirstWarps(kWarps));
    inputs->issue_valid &= static_cast<std::uint8_t>(~seen.issue_ready);
    for (unsigned port = 0; resident_ && port < config_.num_issue; ++port) {
      if ((inputs->issue_valid >> port & 1) == 0) {
        const unsigned warp = 2 * port + (++turns_[port] & 1);
        inputs->issue_valid |= static_cast<std::uint8_t>(1U << port);
        inputs->issue[port] = port == port_ ? passes_ : Read(OpKind::kB2rBar, 0, 1);
        inputs->issue[port].warp = static_cast<std::uint8_t>(warp);
      }
    }
    inputs->fence_ack = ~std::uint64_t{0};
    inputs->response_ready = (seen.commit_valid >> port_ & 1) != 0;
    return cycle < kCycles;
  }

  void OnCommit(std::uint64_t /*cycle*/, const Operation& operation,
                const Effects& /*effects*/) override {
    ++commits_[operation.warp / 2];
  }

  // The most and the fewest of a port that reads.
  std::pair<unsigned, unsigned> commits() const {
    unsigned most = 0;
    unsigned fewest = ~0U;
    for (unsigned port = 0; port < config_.num_issue; ++port) {
      if (port != port_) {
        most = std::max(most, commits_[port]);
        fewest = std::min(fewest, commits_[port]);
      }
    }
    return {most, fewest};
  }

 private:
  static constexpr unsigned kWarps = 2 * kMaxIssue;
  static constexpr std::uint64_t kCycles = 2000;

  const Config config_;
  const unsigned port_;
  const Operation passes_;
  bool resident_ = false;
  std::array<unsigned, kMaxIssue> turns_{};
  std::array<unsigned, kMaxIssue> commits_{};
};

TEST_P(Ports, TakeThePlacesForResponsesInTurn) {
  if (!config().reduce) {
    GTEST_SKIP() << "no port reads";
  }
  std::vector<Operation> passing = {Arrival(OpKind::kArrive, 0, 2, 1)};
  if (config().state) {
    passing.push_back(Write(OpKind::kR2bBar, 0, 2, 0));
  }
  for (const Operation& passes : passing) {
    for (unsigned port = 0; port < ports(); ++port) {
      OneDoesNotRead driver(config(), port, passes);
      const Result result = lockstep::Run(config(), driver, Options());
      EXPECT_EQ(result.ending, Ending::kDone) << result.report;
      const auto [most, fewest] = driver.commits();
      EXPECT_GT(fewest, 20U) << "port " << port;
      EXPECT_LE(most, fewest + 2) << "port " << port;
    }
  }
}

// -------------------------------------------------------------------------------------------
// The core's mistake
// -------------------------------------------------------------------------------------------

// Two ports carry one warp.
class Twice : public Driver {
 public:
  Twice(unsigned first, unsigned second) : ports_(Bit(first) | Bit(second)) {}

  bool Drive(std::uint64_t cycle, const Outputs& /*seen*/, Inputs* inputs) override {
    for (Operation& operation : inputs->issue) {
      operation = Arrival(OpKind::kSync, 5, 1, 0);
    }
    inputs->fence_ack = 0;
    inputs->issue_valid = cycle == 0 ? static_cast<std::uint8_t>(ports_) : 0;
    return cycle < 2;
  }

 private:
  const std::uint64_t ports_;
};

TEST_P(Ports, OneWarpAtTwoPortsIsReported) {
  for (unsigned second = 1; second < ports(); ++second) {
    for (unsigned first = 0; first < second; ++first) {
      Twice driver(first, second);
      Options options;
      options.checked = false;
      const Result result = lockstep::Run(config(), driver, options);
      EXPECT_EQ(result.what, "assertion");
      EXPECT_NE(result.report.find("two issue ports carry the same warp in one cycle"),
                std::string::npos)
          << "ports " << first << " and " << second << "\n"
          << result.report;
    }
  }
}

}  // namespace
}  // namespace muster::lockstep
