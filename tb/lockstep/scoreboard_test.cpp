// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The scoreboard and the report: wrong values are caught, and the report names them.
#include "sim/lockstep/scoreboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/lockstep/bounds.h"
#include "sim/lockstep/lockstep.h"
#include "sim/lockstep/monitor.h"
#include "sim/lockstep/report.h"
#include "tb/lockstep/script.h"

namespace muster::lockstep {
namespace {

constexpr Config kTwoPorts = [] {
  Config config;
  config.name = "two_ports";
  config.num_issue = 2;
  return config;
}();

// ------------------------------------------------------------------------------------------------
// The scoreboard, shown what the golden model predicts, but for one field
// ------------------------------------------------------------------------------------------------

struct Lie {
  const char* field;  // the one that must be named
  std::function<void(Outputs*)> tell;
};

// The last cycle of the story below: a release, an entry written, a fault and a response.
Outputs Truth() {
  Outputs out;
  out.released = 0b11;
  out.release_bar = 5;
  out.release_kind = BarKind::kPopc;
  out.release_value = 40;
  out.entry_valid = true;
  out.entry_bar = 5;
  out.entry_word = 1U << 29;  // idle, in phase 1
  out.fault_valid = 0b1;
  out.fault[0] = {FaultCause::kWarpWaiting, 0, 0, 5, kAllLanes};
  out.response_valid = true;
  out.response_warp = 3;
  return out;
}

// Warp 0 comes to a reduction, warp 3 reads, and warp 1 completes the reduction beside an operation
// that is refused. What the scoreboard says about the pins that show this: a field, or nothing.
std::string Judge(const Outputs& last) {
  golden::Model model(kTwoPorts);
  Scoreboard scoreboard(kTwoPorts, model);
  std::uint64_t cycle = 0;
  const auto step = [&](const std::vector<Operation>& operations, const Outputs& out) {
    Commits commits;
    std::array<Effects, kMaxIssue> effects;
    for (const Operation& operation : operations) {
      commits.about[commits.count].port = static_cast<std::uint8_t>(commits.count);
      commits.operations[commits.count] = operation;
      effects[commits.count++] = model.Step(operation);
    }
    return scoreboard.Expect(cycle, commits, effects.data()) &&
           scoreboard.Compare(cycle++, Inputs(), out);
  };
  Outputs entry;
  entry.entry_valid = true;
  entry.entry_bar = 5;
  entry.entry_word = 4U << 26 | 2U << 19 | 1U << 12 | 32U;
  EXPECT_TRUE(step({Launch(0, 0b1011)}, Outputs()));
  EXPECT_TRUE(step({WithPredicates(kAllLanes, Arrival(OpKind::kRedPopc, 0, 5, 2))}, Outputs()));
  EXPECT_TRUE(step({Read(OpKind::kB2rResult, 3)}, Outputs()));
  EXPECT_TRUE(step(
      {Arrival(OpKind::kSync, 0, 5, 2), WithPredicates(0xff, Arrival(OpKind::kRedPopc, 1, 5, 2))},
      entry));
  EXPECT_TRUE(step({}, Outputs()));
  return step({}, last) ? "" : scoreboard.mismatch()->field;
}

TEST(ScoreboardTest, BelievesTheTruth) { EXPECT_EQ(Judge(Truth()), ""); }

TEST(ScoreboardTest, CatchesALieInEveryField) {
  const std::vector<Lie> lies = {
      {"release.warps", [](Outputs* out) { out->released = 0; }},
      {"release.warps", [](Outputs* out) { out->released = 0b111; }},
      {"release.cta", [](Outputs* out) { out->release_cta = 1; }},
      {"release.bar", [](Outputs* out) { out->release_bar = 4; }},
      {"release.kind", [](Outputs* out) { out->release_kind = BarKind::kSync; }},
      {"release.value", [](Outputs* out) { out->release_value = 41; }},
      {"entry.valid", [](Outputs* out) { out->entry_valid = false; }},
      {"entry.cta", [](Outputs* out) { out->entry_cta = 1; }},
      {"entry.bar", [](Outputs* out) { out->entry_bar = 4; }},
      {"entry.word", [](Outputs* out) { out->entry_word = 1; }},
      {"fault[0]", [](Outputs* out) { out->fault_valid = 0; }},
      {"fault[1]", [](Outputs* out) { out->fault_valid = 0b11; }},
      {"fault[2]", [](Outputs* out) { out->fault_valid = 0b101; }},
      {"fault[0]", [](Outputs* out) { out->fault[0].cause = FaultCause::kKindMismatch; }},
      {"fault[0]", [](Outputs* out) { out->fault[0].cta = 1; }},
      {"fault[0]", [](Outputs* out) { out->fault[0].warp = 1; }},
      {"fault[0]", [](Outputs* out) { out->fault[0].bar = 4; }},
      {"fault[0]", [](Outputs* out) { out->fault[0].lanes = 1; }},
      {"response", [](Outputs* out) { out->response_warp = 2; }},
      {"response", [](Outputs* out) { out->response_data = 1; }},
      {"response", [](Outputs* out) { out->response_pred = true; }},
  };
  for (std::size_t i = 0; i < lies.size(); ++i) {
    Outputs out = Truth();
    lies[i].tell(&out);
    EXPECT_EQ(Judge(out), lies[i].field) << "lie " << i;
  }
}

TEST(ScoreboardTest, CatchesALateResponse) {
  golden::Model model(kTwoPorts);
  Scoreboard scoreboard(kTwoPorts, model);
  Commits commits;
  commits.count = 1;
  commits.operations[0] = Launch(0, 0b11);
  Effects effects = model.Step(commits.operations[0]);
  ASSERT_TRUE(scoreboard.Expect(0, commits, &effects));
  commits.operations[0] = Read(OpKind::kB2rWarp, 1);
  effects = model.Step(commits.operations[0]);
  ASSERT_TRUE(scoreboard.Expect(0, commits, &effects));
  const std::uint64_t bound = BoundsOf(kTwoPorts).longest[kResponseWait];
  for (std::uint64_t cycle = 0; cycle <= bound; ++cycle) {
    ASSERT_TRUE(scoreboard.Compare(cycle, Inputs(), Outputs()));
  }
  EXPECT_FALSE(scoreboard.Compare(bound + 1, Inputs(), Outputs()));
  EXPECT_EQ(scoreboard.mismatch()->field, "wait.response");
}

// A release that was not predicted, or comes again.
TEST(ScoreboardTest, CatchesWhatNobodyExpects) {
  golden::Model model(kTwoPorts);
  Scoreboard scoreboard(kTwoPorts, model);
  ASSERT_TRUE(scoreboard.Compare(0, Inputs(), Outputs()));
  Outputs out;
  out.response_valid = true;
  EXPECT_FALSE(scoreboard.Compare(1, Inputs(), out));
  EXPECT_EQ(scoreboard.mismatch()->field, "response_valid");
  out = Outputs();
  out.released = 1;
  EXPECT_FALSE(scoreboard.Compare(2, Inputs(), out));
  EXPECT_EQ(scoreboard.mismatch()->field, "release.warps");
}

// Swept entries and warps.
TEST(ScoreboardTest, DebugReadsAreCompared) {
  struct Case {
    const char* field;
    std::uint32_t word;
    bool live;
    bool waiting;
    unsigned cta;
  };
  // CTA 1 has warp 0, which waits at barrier 0.
  const std::uint32_t word = 1U << 26 | 2U << 19 | 1U << 12;
  const std::vector<Case> cases = {{"", word, true, true, 1},
                                   {"debug.word", word + 1, true, true, 1},
                                   {"debug.warp", word, false, true, 1},
                                   {"debug.warp", word, true, false, 1},
                                   {"debug.warp", word, true, true, 0}};
  for (const Case& test : cases) {
    golden::Model model(kTwoPorts);
    model.Step(Launch(1, 0b11));
    model.Step(InCta(1, Arrival(OpKind::kSync, 0, 0, 2)));
    Scoreboard scoreboard(kTwoPorts, model);
    std::uint64_t cycle = 0;
    for (; cycle < 100; ++cycle) {
      ASSERT_TRUE(scoreboard.Compare(cycle, Inputs(), Outputs()));
    }
    scoreboard.StartSweep();
    Inputs in;
    scoreboard.Address(&in);
    EXPECT_EQ(in.debug_cta, 1U);  // CTA 0 is not resident
    EXPECT_TRUE(scoreboard.Compare(cycle++, in, Outputs()));
    Outputs out;
    out.debug_word = test.word;
    out.debug_live = test.live;
    out.debug_waiting = test.waiting;
    out.debug_warp_cta = static_cast<std::uint8_t>(test.cta);
    const bool good = scoreboard.Compare(cycle, in, out);
    EXPECT_EQ(good ? "" : scoreboard.mismatch()->field, test.field);
  }
}

TEST(ReportTest, NamesAllThatIsNeeded) {
  golden::Model model(kTwoPorts);
  Scoreboard scoreboard(kTwoPorts, model);
  const golden::Mbarriers mbarriers(model, kTwoPorts.smem_bytes);
  const MbChecker mb_checker(kTwoPorts, mbarriers);
  Commits commits;
  commits.count = 1;
  commits.operations[0] = Launch(0, 0b11);
  Effects effects = model.Step(commits.operations[0]);
  ASSERT_TRUE(scoreboard.Expect(3, commits, &effects));
  commits.operations[0] = Arrival(OpKind::kSync, 1, 6, 0);
  effects = model.Step(commits.operations[0]);
  ASSERT_TRUE(scoreboard.Expect(40, commits, &effects));
  Options options;
  options.seed = 77;
  options.rerun = "build/tb/lockstep/regress --seed 77";
  const std::string text =
      Report(kTwoPorts, options, 42, "", {"release.warps", "0x2", "0x0", 0, 6, {}},
             {model, mbarriers, scoreboard, mb_checker});
  for (const char* part :
       {"cycle 42", "two_ports", "seed 77", "release.warps", "0x2", "0x0", "CTA 0, barrier 6",
        "barrier 6 of CTA 0: sync, 1 of all 2 warps arrived", "sync at barrier 6",
        "build/tb/lockstep/regress --seed 77 --wave mismatch.fst",
        "scripts/run/wave.py --fst mismatch.fst --at "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
  const std::string asserted =
      Report(kTwoPorts, options, 42, "", {kAssertion, "a sentence", "x.sv:7, u_cta", 0, 6, {}},
             {model, mbarriers, scoreboard, mb_checker});
  for (const char* part :
       {"an assertion of the unit fails: a sentence\n  at      x.sv:7, u_cta\n"
        "  committed last in that block, which need not be what fails:\n",
        "barrier 6 of CTA 0: sync, 1 of all 2 warps arrived", "sync at barrier 6", "  rerun "}) {
    EXPECT_NE(asserted.find(part), std::string::npos) << part << " is not in\n" << asserted;
  }
}

}  // namespace
}  // namespace muster::lockstep
