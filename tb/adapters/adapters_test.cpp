// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The checks of units with an interface of their own, on the example: right, with each of its
// faults, and with its pins misread.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "tb/adapters/adapter.h"
#include "tb/adapters/checker.h"
#include "tb/adapters/example/example.h"
#include "tb/adapters/run.h"
#include "tb/adapters/traffic.h"

namespace muster::adapters {
namespace {

constexpr std::uint64_t kManySeeds = 3000;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<unsigned> IdsOf(const Program& program) {
  std::vector<unsigned> ids;
  for (const Step& step : program.steps) {
    ids.push_back(step.id);
  }
  return ids;
}

// No operation, and no two, can be removed from a program that fails.
bool IsShortest(const Program& program, Wrong wrong, Adapter* unit) {
  const std::vector<unsigned> ids = IdsOf(program);
  for (const unsigned one : ids) {
    for (const unsigned other : ids) {
      std::vector<unsigned> fewer;
      std::copy_if(ids.begin(), ids.end(), std::back_inserter(fewer),
                   [&](unsigned id) { return id != one && id != other; });
      Program without = program;
      Keep(fewer, unit->features(), &without);
      if (Execute(without, unit, false).failure.wrong == wrong) {
        ADD_FAILURE() << "without " << one << " and " << other;
        return false;
      }
    }
  }
  return true;
}

TEST(AdaptersExample, RightUnitPassesALongRun) {
  const std::unique_ptr<Adapter> right = MakeExample(0);
  const Outcome outcome = Regress(1, 20000, right.get());
  EXPECT_TRUE(outcome.passed()) << Report(outcome, "adapters");
  EXPECT_GT(outcome.cycles, 1000000U);
}

// Each fault: a place in ExampleFaults(), and how it shows.
class AdaptersFault : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Faults, AdaptersFault,
                         testing::Range(1U, static_cast<unsigned>(ExampleFaults().size())),
                         [](const auto& fault) { return ExampleFaults()[fault.param].name; });

TEST_P(AdaptersFault, IsFoundWithAShortestTrace) {
  const std::unique_ptr<Adapter> unit = MakeExample(GetParam());
  const Outcome outcome = Regress(1, kManySeeds, unit.get());
  ASSERT_FALSE(outcome.passed());
  ASSERT_NE(outcome.failure.wrong, Wrong::kVacuous);
  if (ExampleFaults()[GetParam()].name == "4b") {
    EXPECT_EQ(outcome.failure.wrong, Wrong::kMisuse);
  }
  const std::string report =
      Report(outcome, "adapters --fault " + ExampleFaults()[GetParam()].name);
  fmt::print("{}: {}\n{}", ExampleFaults()[GetParam()].name, ExampleFaults()[GetParam()].text,
             report);
  EXPECT_LE(outcome.shortest.program.steps.size(), 12U);
  EXPECT_TRUE(Has(report, fmt::format("seed {}, cycle {}: ", outcome.seed, outcome.failure.cycle)))
      << report;

  // The command repeats it.
  const std::vector<unsigned> ids = IdsOf(outcome.shortest.program);
  EXPECT_TRUE(Has(report, fmt::format("--seeds {} --keep {}", outcome.seed, fmt::join(ids, ","))))
      << report;
  const auto again = [&](const std::vector<unsigned>& kept) {
    Program program = Draw(unit->features(), outcome.seed);
    Keep(kept, unit->features(), &program);
    if (outcome.shortest.without_delays) {
      DropDelays(&program);
    }
    return Execute(program, unit.get(), false).failure;
  };
  EXPECT_EQ(again(ids).wrong, outcome.failure.wrong);
  EXPECT_EQ(again(ids).cycle, outcome.failure.cycle);
  EXPECT_TRUE(IsShortest(outcome.shortest.program, outcome.failure.wrong, unit.get()));
}

// In more programs with a fault that depends on the cycle.
TEST(AdaptersShortest, NothingCanBeRemoved) {
  const auto* const fault = std::find_if(&ExampleFaults().front(), &ExampleFaults().back(),
                                         [](const ExampleFault& of) { return of.name == "5"; });
  const std::unique_ptr<Adapter> unit =
      MakeExample(static_cast<unsigned>(fault - ExampleFaults().data()));
  unsigned failed = 0;
  for (std::uint64_t seed = 1; seed <= kManySeeds && failed < 20; ++seed) {
    const Program program = Draw(unit->features(), seed);
    const Wrong wrong = Execute(program, unit.get(), false).failure.wrong;
    if (wrong != Wrong::kNothing) {
      ++failed;
      EXPECT_TRUE(IsShortest(Shrink(program, wrong, unit.get()).program, wrong, unit.get()));
    }
  }
  EXPECT_EQ(failed, 20U);
}

// Also where the unit does not show its words, so that only releases and answers tell.
TEST_P(AdaptersFault, IsFoundFromReleasesAndAnswersAlone) {
  const std::unique_ptr<Adapter> unit = MakeExample(GetParam());
  unit->mutable_features()->shown = false;
  const Outcome outcome = Regress(1, kManySeeds, unit.get());
  EXPECT_FALSE(outcome.passed());
  EXPECT_NE(outcome.failure.wrong, Wrong::kVacuous);
  EXPECT_NE(outcome.failure.wrong, Wrong::kState);
}

// ------------------------------------------------------------------------------------------------
// Tests that test nothing
// ------------------------------------------------------------------------------------------------

TEST(AdaptersVacuous, SingleWarpIsRefused) {
  const std::unique_ptr<Adapter> unit = MakeExample(0);
  unit->mutable_features()->warps = 1;
  const Outcome outcome = Regress(1, 100, unit.get());
  EXPECT_EQ(outcome.failure.wrong, Wrong::kVacuous);
  EXPECT_EQ(outcome.programs, 0U);
  EXPECT_EQ(Report(outcome, ""),
            "nothing tested: one warp alone, which never waits: that tests nothing\n");
}

TEST(AdaptersVacuous, BarriersOfNoFormAreRefused) {
  const std::unique_ptr<Adapter> unit = MakeExample(0);
  unit->mutable_features()->all_warps = unit->mutable_features()->counts = false;
  EXPECT_EQ(Report(Regress(1, 100, unit.get()), ""), "nothing tested: named barriers of no form\n");
}

TEST(AdaptersVacuous, WhatTheTrafficHasNotMetIsNamed) {
  const std::unique_ptr<Adapter> unit = MakeExample(0);
  const Outcome outcome = Regress(1, 1, unit.get());
  EXPECT_EQ(outcome.failure.wrong, Wrong::kVacuous);
  EXPECT_FALSE(outcome.failure.got.empty());
  EXPECT_EQ(outcome.failure.got, outcome.tally.Missing(unit->features()));
  const std::string all = Tally().Missing(unit->features());
  EXPECT_EQ(std::count(all.begin(), all.end(), ';'), 14);
}

// A barrier at which each warp passes alone.
TEST(AdaptersVacuous, WarpsThatNeverWaitAreRefused) {
  const std::unique_ptr<Adapter> unit = MakeExample(0);
  Program program = Draw(unit->features(), 1);
  Keep({}, unit->features(), &program);
  const Result run = Execute(program, unit.get(), false);
  EXPECT_EQ(run.failure.wrong, Wrong::kNothing);
  EXPECT_TRUE(Has(run.tally.Missing(unit->features()), "no warp waited for another one"))
      << run.tally.Missing(unit->features());
}

// ------------------------------------------------------------------------------------------------
// The traffic
// ------------------------------------------------------------------------------------------------

bool Uses(const Step& step, const std::string& feature, const Features& features) {
  const Operation& named = step.named;
  const bool arrives = !step.at_word && IsArrival(named.kind) && step.port == Port::kWarps;
  const bool odd = named.count % features.lanes != 0;
  const std::vector<std::pair<std::string, bool>> uses = {
      {"all_warps", arrives && named.count == 0},
      {"counts", arrives && named.count != 0 && !odd},
      {"arrivals", arrives && GoesOn(named.kind)},
      {"phases",
       !step.at_word && (named.kind == OpKind::kArrivePhase || named.kind == OpKind::kWait)},
      {"reductions", !step.at_word && IsReduction(named.kind)},
      {"exits", !step.at_word && named.kind == OpKind::kExit},
      {"joins", step.port == Port::kLifecycle},
      {"odd_counts", arrives && odd},
      {"transactions", step.at_word && ChangesTx(step.word.op)},
      {"remote", step.at_word && step.word.source == MbSource::kRemote},
  };
  return std::any_of(uses.begin(), uses.end(),
                     [&](const auto& use) { return use.first == feature && use.second; });
}

TEST(AdaptersTraffic, KeepsToWhatTheUnitHas) {
  for (const auto& [name, member] : kSwitches) {
    const std::unique_ptr<Adapter> unit = MakeExample(0);
    Features* const features = unit->mutable_features();
    const auto used = [&, feature = std::string(name)] {
      unsigned count = 0;
      for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        const Program program = Draw(*features, seed);
        count += static_cast<unsigned>(
            std::count_if(program.steps.begin(), program.steps.end(),
                          [&](const Step& step) { return Uses(step, feature, *features); }));
      }
      return count;
    };
    const bool told = std::string(name) != "shown" && std::string(name) != "late_joins" &&
                      std::string(name).find("early") != 0;
    EXPECT_EQ(used() > 0, told) << name;
    features->*member = false;
    EXPECT_EQ(used(), 0U) << name;
    // The unit that has more than it says passes.
    if (std::string(name) != "joins") {
      const Outcome outcome = Regress(1, 500, unit.get());
      EXPECT_TRUE(outcome.passed()) << name << ": " << Report(outcome, "adapters");
    }
  }
}

// ------------------------------------------------------------------------------------------------
// The checks, with a unit that is right and pins that lie
// ------------------------------------------------------------------------------------------------

class Lying : public Adapter {
 public:
  using Lie = std::function<void(Seen* seen)>;

  explicit Lying(Lie lie)
      : Adapter(MakeExample(0)->features()), unit_(MakeExample(0)), first_(std::move(lie)) {}

  void Reset() override {
    unit_->Reset();
    lie_ = first_;  // which may remember something
  }
  void Cycle(const std::array<const Step*, kPorts>& presented, Seen* seen) override {
    unit_->Cycle(presented, seen);
    lie_(seen);
  }
  WordState State(unsigned cta, unsigned index) override { return unit_->State(cta, index); }

 private:
  std::unique_ptr<Adapter> unit_;
  const Lie first_;
  Lie lie_;
};

Failure FailureOf(const Lying::Lie& lie) {
  Lying unit(lie);
  return Regress(1, kManySeeds, &unit).failure;
}

TEST(AdaptersChecks, EarlyRelease) {
  const Failure failure = FailureOf([](Seen* seen) {
    if (!seen->effective.empty() && seen->releases.empty()) {
      seen->releases.push_back({3, 0});
    }
  });
  EXPECT_EQ(failure.wrong, Wrong::kEarly);
  EXPECT_TRUE(Has(failure.where, "warp 3")) << failure.where;
}

TEST(AdaptersChecks, SecondRelease) {
  const Failure failure = FailureOf([last = std::vector<Seen::Release>()](Seen* seen) mutable {
    const std::vector<Seen::Release> now = seen->releases;
    if (now.empty()) {
      seen->releases = last;
    }
    last = now;
  });
  EXPECT_EQ(failure.wrong, Wrong::kTwice);
}

// Without delays nothing is quiet for six cycles before the end.
TEST(AdaptersChecks, SecondReleaseAfterTheLastEvent) {
  Lying unit([last = std::vector<Seen::Release>(), quiet = 0](Seen* seen) mutable {
    if (!seen->releases.empty()) {
      last = seen->releases;
    }
    quiet = seen->effective.empty() && seen->releases.empty() ? quiet + 1 : 0;
    if (quiet == 6) {
      seen->releases = last;
    }
  });
  unsigned twice = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Program program = Draw(unit.features(), seed);
    DropDelays(&program);
    twice += Execute(program, &unit, false).failure.wrong == Wrong::kTwice ? 1 : 0;
  }
  EXPECT_GT(twice, 20U);
}

TEST(AdaptersChecks, LostRelease) {
  const Failure failure = FailureOf([](Seen* seen) {
    if (seen->releases.size() > 1) {
      seen->releases.pop_back();
    }
  });
  EXPECT_EQ(failure.wrong, Wrong::kLate);
  EXPECT_TRUE(Has(failure.expected, "released by cycle")) << failure.expected;
}

TEST(AdaptersChecks, ReleaseACycleLate) {
  const Failure failure = FailureOf([last = std::vector<Seen::Release>()](Seen* seen) mutable {
    std::swap(last, seen->releases);
  });
  EXPECT_EQ(failure.wrong, Wrong::kLate);
}

TEST(AdaptersChecks, ReleaseACycleEarly) {
  const std::unique_ptr<Adapter> unit = MakeExample(0);
  unit->mutable_features()->release_from = unit->mutable_features()->release_within = 2;
  const Failure failure = Regress(1, kManySeeds, unit.get()).failure;
  EXPECT_EQ(failure.wrong, Wrong::kEarly);
  EXPECT_TRUE(Has(failure.expected, "from cycle")) << failure.expected;
}

TEST(AdaptersChecks, UnitThatResetDoesNotReach) {
  class Stubborn : public Lying {
   public:
    Stubborn() : Lying([](Seen* /*seen*/) {}) {}
    void Cycle(const std::array<const Step*, kPorts>& presented, Seen* seen) override {
      Lying::Cycle(presented, seen);
      if (++cycles_ == 5000) {
        seen->answers.push_back({0, false});
      }
    }

   private:
    unsigned cycles_ = 0;
  } unit;
  const Failure failure = Regress(1, kManySeeds, &unit).failure;
  EXPECT_EQ(failure.wrong, Wrong::kAnswer);
  EXPECT_TRUE(Has(failure.got, "but not again")) << failure.got;
}

TEST(AdaptersChecks, WrongResult) {
  const Failure failure = FailureOf([](Seen* seen) {
    for (Seen::Release& release : seen->releases) {
      release.value ^= release.warp == 2 ? 1 : 0;
    }
  });
  EXPECT_EQ(failure.wrong, Wrong::kResult);
  EXPECT_TRUE(Has(failure.where, "warp 2")) << failure.where;
}

TEST(AdaptersChecks, WrongAndMissingAnswer) {
  const Failure wrong = FailureOf([](Seen* seen) {
    for (Seen::Answer& answer : seen->answers) {
      answer.phase = !answer.phase;
    }
  });
  EXPECT_EQ(wrong.wrong, Wrong::kAnswer);
  const Failure missing = FailureOf([](Seen* seen) { seen->answers.clear(); });
  EXPECT_EQ(missing.wrong, Wrong::kLate);
  EXPECT_TRUE(Has(missing.expected, "answered by cycle")) << missing.expected;
  const Failure unasked = FailureOf([](Seen* seen) { seen->answers.push_back({0, false}); });
  EXPECT_EQ(unasked.wrong, Wrong::kAnswer);
  EXPECT_EQ(unasked.expected, "no answer");
}

TEST(AdaptersChecks, WrongWord) {
  class Unlike : public Lying {
   public:
    explicit Unlike(std::function<void(WordState*)> lie)
        : Lying([](Seen* /*seen*/) {}), lie_(std::move(lie)) {}
    WordState State(unsigned cta, unsigned index) override {
      WordState state = Lying::State(cta, index);
      if (cta == 1 && index == 1) {
        lie_(&state);
      }
      return state;
    }

   private:
    std::function<void(WordState*)> lie_;
  };
  for (const std::function<void(WordState*)>& lie : {
           std::function<void(WordState*)>([](WordState* state) { state->phase = !state->phase; }),
           std::function<void(WordState*)>([](WordState* state) { ++state->pending; }),
           std::function<void(WordState*)>([](WordState* state) { --state->bytes; }),
       }) {
    Unlike unit(lie);
    const Failure failure = Regress(1, kManySeeds, &unit).failure;
    EXPECT_EQ(failure.wrong, Wrong::kState);
    EXPECT_EQ(failure.where, "mbarrier 1 of CTA 1");
  }
}

TEST(AdaptersChecks, ReportWithoutMisuse) {
  EXPECT_EQ(FailureOf([](Seen* seen) { seen->refused.push_back(1); }).wrong, Wrong::kReport);
}

TEST(AdaptersChecks, AcceptedAndWithoutEffect) {
  const Failure failure = FailureOf([](Seen* seen) { seen->effective.clear(); });
  EXPECT_EQ(failure.wrong, Wrong::kLate);
  EXPECT_TRUE(Has(failure.expected, "carried out")) << failure.expected;
}

TEST(AdaptersChecks, NeverAccepted) {
  const Failure failure = FailureOf([](Seen* seen) {
    seen->accepted.fill(false);
    seen->effective.clear();
  });
  EXPECT_EQ(failure.wrong, Wrong::kLate);
  EXPECT_TRUE(Has(failure.expected, "accepted")) << failure.expected;
}

}  // namespace
}  // namespace muster::adapters
